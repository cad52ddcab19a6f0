# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the Clang that tilelift is built for. Its libraries have no stable
# interface, so exactly one major version is supported. Clang's package file
# pulls in the LLVM that belongs to it; a version in find_package would have to
# be equal to the minor one, so it is checked here.

set(TILELIFT_CLANG_MAJOR 22)
find_package(Clang REQUIRED CONFIG PATHS "/usr/lib/llvm-${TILELIFT_CLANG_MAJOR}")
if(NOT LLVM_VERSION_MAJOR EQUAL TILELIFT_CLANG_MAJOR)
  message(FATAL_ERROR "tilelift needs Clang ${TILELIFT_CLANG_MAJOR}, found ${LLVM_VERSION} in "
                      "${Clang_DIR}; point CMAKE_PREFIX_PATH at another one")
endif()
message(STATUS "Clang ${LLVM_VERSION}: ${LLVM_INSTALL_PREFIX}")

add_library(tilelift_clang INTERFACE)
target_include_directories(tilelift_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS}
                                                           ${CLANG_INCLUDE_DIRS})
separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tilelift_clang INTERFACE ${definitions} -fno-exceptions)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(tilelift_clang INTERFACE -fno-rtti)
endif()
