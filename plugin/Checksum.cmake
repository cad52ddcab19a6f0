# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the checksum of PLUGIN into HEADER.
file(SHA256 "${PLUGIN}" sum)
file(WRITE "${HEADER}" "#define TILELIFT_PLUGIN_CHECKSUM \"${sum}\"\n")
