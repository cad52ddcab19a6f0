# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `cpack` in a standalone build makes a Debian package of what `cmake --install` installs. It needs glibc
# and nothing else; CUDA's headers are found as docs/install.md says.
if(NOT TILELIFT_STANDALONE)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilelift)
set(CPACK_PACKAGE_VENDOR "tilelift")
set(CPACK_PACKAGE_CONTACT "the authors of tilelift")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Where Debian has a package's licence, and the notices of what is linked in.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilelift RENAME copyright)
foreach(part libclang-22-dev libstdc++-12-dev zlib1g-dev libzstd-dev)
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES /usr/share/doc/${part}/copyright RENAME ${part}.txt
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilelift/third-party)
  endif()
endforeach()
include(CPack)
