# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How what is built is linked with LLVM and Clang: with the machine's shared libraries, or, for packages
# that need nothing else installed, with all of them inside.
#
# With TILELIFT_STANDALONE, libtilelift-lift has LLVM, Clang, the linker and the commands in it and shows
# none of their symbols, `tilelift` only loads it, the emulator is a shared library, and all of them run
# with the glibc of TILELIFT_GLIBC and later. `cmake --install` also installs what Clang needs of its own
# headers, and of a host's headers and C++ library for machines that have none.

option(TILELIFT_STANDALONE "Link LLVM and Clang into the library and show none of their symbols" OFF)
set(TILELIFT_GLIBC 2.17 CACHE STRING "With TILELIFT_STANDALONE: the oldest glibc to run with")
set(TILELIFT_HOST_HEADERS "" CACHE PATH
    "With TILELIFT_STANDALONE: what standalone/host_headers.sh made, to be installed")

# Where a build finds the runtime's headers that is not installed. A standalone one names no folder of the
# machine that it was built on, so that it has the same bytes wherever that is.
set(TILELIFT_OWN_RUNTIME "${PROJECT_SOURCE_DIR}/runtime/include")
if(TILELIFT_STANDALONE)
  set(TILELIFT_OWN_RUNTIME "")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include") # the build folder is laid out as an installation is
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/runtime/include/tilelift" "${PROJECT_BINARY_DIR}/include/tilelift" SYMBOLIC)
endif()

# Links a target that uses Clang; its symbols are hidden by the target's own version script.
function(tilelift_link_clang target)
  if(NOT TILELIFT_STANDALONE)
    target_link_libraries(${target} PRIVATE clang-cpp LLVM)
    return()
  endif()
  set(folder "${LLVM_LIBRARY_DIR}")
  file(GLOB archives "${folder}/libclang*.a" "${folder}/libLLVM*.a")
  list(APPEND archives "${folder}/liblldELF.a" "${folder}/liblldCommon.a")
  target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/standalone/AbsentTargets.cpp")
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/standalone")
  target_link_libraries(${target} PRIVATE tilelift_clang)
  target_link_options(${target} PRIVATE -Wl,--gc-sections -s)
  tilelift_link_older_glibc(${target} -Wl,--start-group ${archives} -Wl,--end-group -Wl,-Bstatic -lz
                            -lzstd -Wl,-Bdynamic)
endfunction()

# Links a target with the given words, the C++ library, and an older glibc. Only a plugin shares its C++
# library with the compiler that loads it; elsewhere that is linked in.
function(tilelift_link_older_glibc target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "IS_PLUGIN" "" "")
  set(library -Wl,-Bstatic -lstdc++ -lgcc -lgcc_eh -Wl,-Bdynamic)
  if(arg_IS_PLUGIN)
    set(library -lstdc++ -lgcc -lgcc_s)
  endif()
  target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/standalone/OlderGlibc.cpp")
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} PRIVATE --ld-path=${TILELIFT_LLD} -nodefaultlibs)
  set(stubs "${PROJECT_BINARY_DIR}/standalone/glibc")
  # The libraries there have no code: a program must not find them when it runs.
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  target_link_libraries(
    ${target}
    PRIVATE ${arg_UNPARSED_ARGUMENTS}
            ${library}
            -Wl,--no-as-needed
            ${stubs}/libpthread.so.0
            ${stubs}/libdl.so.2
            -Wl,--as-needed
            ${stubs}/libm.so.6
            ${stubs}/libc.so.6)
endfunction()

if(NOT TILELIFT_STANDALONE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "TILELIFT_STANDALONE needs Clang as the compiler")
endif()
find_program(TILELIFT_LLD ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)

# The targets that AbsentTargets.cpp stands for.
set(absent "")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target STREQUAL "NVPTX" AND NOT target STREQUAL LLVM_NATIVE_ARCH)
    string(APPEND absent "TILELIFT_ABSENT_TARGET(${target})\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/standalone/AbsentTargets.inc" CONTENT "${absent}")

set(compiler ${CMAKE_CXX_COMPILER})
if(CMAKE_CXX_COMPILER_TARGET)
  list(APPEND compiler --target=${CMAKE_CXX_COMPILER_TARGET})
endif()
if(CMAKE_SYSROOT)
  list(APPEND compiler --sysroot=${CMAKE_SYSROOT})
endif()
set(libraries "")
foreach(name libc.so.6 libm.so.6)
  execute_process(COMMAND ${compiler} -print-file-name=${name}
                  OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND libraries ${path})
endforeach()
list(JOIN libraries ":" libraries)
execute_process(
  COMMAND ${PROJECT_SOURCE_DIR}/standalone/older_glibc.py ${libraries}
          ${PROJECT_BINARY_DIR}/standalone/glibc ${TILELIFT_GLIBC} ${compiler}
          --ld-path=${TILELIFT_LLD} COMMAND_ERROR_IS_FATAL ANY)
