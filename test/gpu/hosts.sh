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
