# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` puts where: the tool, the plugin, the library that
# `tilelift run` links programs with, the runtime's headers and the package that
# find_package(tilelift) reads.
include(CMakePackageConfigHelpers)

install(TARGETS tilelift RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tilelift_emulator ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilelift_plugin tilelift_loader LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilelift_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES tool/compare.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tilelift)
install(DIRECTORY runtime/include/tilelift DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilelift)
configure_package_config_file(cmake/TileliftConfig.cmake.in tileliftConfig.cmake
                              PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR
                                        CMAKE_INSTALL_INCLUDEDIR
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(tileliftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tileliftConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tileliftConfigVersion.cmake cmake/TileliftTarget.cmake
              cmake/tilelift-compile.sh
        DESTINATION ${package})
