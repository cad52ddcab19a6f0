#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds tilelift, lifts an example and runs both versions of it, on the GPU or,
# where there is none, on the emulator: utils/try.sh [EXAMPLE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
example=${1:-stencil}
"$root/utils/setup.sh"
[ ! -d "$root/.cuda" ] || export CUDA_HOME="$root/.cuda" PATH="$root/.cuda/bin:$PATH"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 >/dev/null
cmake --build "$build" --target tilelift

source=$root/examples/$example.cu
lifted=$build/examples/$example.tma.cu
mkdir -p "$build/examples"
echo "lifting $source"
"$build/bin/tilelift" --remarks "$source" -o "$lifted"
if ! nvidia-smi >/dev/null 2>&1; then
  echo "no GPU here; the emulator runs both and compares every byte:"
  TILELIFT_VERBOSE=1 "$build/bin/tilelift" run --compare "$source"
  exit
fi
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for version in "$source" "$lifted"; do
  # Without tilelift the pragma means nothing to nvcc, which warns about it (20199).
  "$nvcc" -std=c++17 -O3 -diag-suppress 20199 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_90,code=compute_90 -I"$root/runtime/include" -I"$root/examples" "$version" -o "$build/examples/$(basename "$version" .cu)"
done
echo "plain:"
"$build/examples/$example"
echo "lifted:"
TILELIFT_VERBOSE=1 "$build/examples/$example.tma"
