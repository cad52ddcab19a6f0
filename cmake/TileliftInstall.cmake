# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` puts where: the tool, the plugin, the library that
# `tilelift run` links programs with, the runtime's headers and the package that
# find_package(tilelift) reads.
include(CMakePackageConfigHelpers)

install(TARGETS tilelift RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tilelift_emulator ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilelift_plugin tilelift_loader LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilelift_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES tool/compare.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tilelift)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilelift USE_SOURCE_PERMISSIONS)
install(DIRECTORY runtime/include/tilelift DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The manual page and shells' completions come from what the tool prints of itself.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(manual "${PROJECT_BINARY_DIR}/share/man/man1/tilelift.1")
  add_custom_command(
    OUTPUT "${manual}"
    COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tool/manual.py" $<TARGET_FILE:tilelift>
            "${PROJECT_BINARY_DIR}/share"
    DEPENDS tilelift tilelift_library tool/manual.py # a standalone program loads the library
    VERBATIM)
  add_custom_target(tilelift_manual ALL DEPENDS "${manual}")
  foreach(part man bash-completion zsh fish)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/share/${part}" DESTINATION ${CMAKE_INSTALL_DATADIR})
  endforeach()
endif()
if(TILELIFT_STANDALONE)
  install(TARGETS tilelift_start ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Clang's headers, without those of machines that programs are not compiled for here.
  set(foreign "altivec|arm_|riscv|sifive|hexagon|hvx|hlsl|opencl|s390|vecintrin|velintrin|wasm|msa|larch|lasx|lsx|ppc|htm|spirv|amd|cetintrin|arm64intr|openmp_wrappers")
  if(NOT LLVM_NATIVE_ARCH STREQUAL "X86")
    string(REPLACE "|arm_|" "|" foreign "${foreign}")
  endif()
  install(DIRECTORY ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilelift/clang
          REGEX "/include/(${foreign})[^/]*" EXCLUDE)
  if(TILELIFT_HOST_HEADERS)
    install(DIRECTORY ${TILELIFT_HOST_HEADERS}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilelift/host)
  endif()
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilelift)
configure_package_config_file(cmake/TileliftConfig.cmake.in tileliftConfig.cmake
                              PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR
                                        CMAKE_INSTALL_INCLUDEDIR
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(tileliftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tileliftConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tileliftConfigVersion.cmake cmake/TileliftTarget.cmake
        DESTINATION ${package})
