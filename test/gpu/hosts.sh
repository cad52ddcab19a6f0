#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes what tilelift emits for other hosts, so that hosts.py can run it where there is a GPU but
# no Clang: test/gpu/hosts.sh FOLDER [TILELIFT]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tilelift=${2:-$here/../../build/bin/tilelift}
source=$here/../Hosts/Inputs/kernels.cu
mkdir -p "$folder"
"$tilelift" --emit=device "$source" -o "$folder/kernels.device.cuh"
"$tilelift" --emit=driver "$source" -o "$folder/kernels.h"
"$tilelift" --emit=python "$source" -o "$folder/kernels.py"
"$tilelift" --emit=device "$here/../Hosts/Inputs/persistence.cu" -o "$folder/persistence.device.cuh"
"$tilelift" --emit=python "$here/../Hosts/Inputs/persistence.cu" -o "$folder/persistence.py"
"$tilelift" --emit=device "$here/../../examples/nvrtc/blur.cu" -o "$folder/blur.device.cu"
"$tilelift" --emit=driver "$here/../../examples/nvrtc/blur.cu" -o "$folder/blur_launchers.h"
for example in raw_kernel cuda_core tilelang_kernel; do
  TILELIFT_LIBRARY=${tilelift%/bin/*}/lib/libtilelift-lift.so python3 "$here/recorded.py" --record \
    "$folder/$example.pickle" "$here/../../examples/python/$example.py"
done
