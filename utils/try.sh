#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds tilelift, lifts an example and runs both versions of it:
# utils/try.sh [EXAMPLE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
example=${1:-stencil}
"$root/utils/setup.sh"
cmake -S "$root" -B "$build" -G Ninja >/dev/null
cmake --build "$build" --target tilelift

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
source=$root/examples/$example.cu
lifted=$build/examples/$example.tma.cu
mkdir -p "$build/examples"
echo "lifting $source"
"$build/bin/tilelift" --remarks "$source" -o "$lifted"
for version in "$source" "$lifted"; do
  # Without tilelift the pragma means nothing to nvcc, which warns about it (20199).
  "$nvcc" -std=c++17 -O3 -diag-suppress 20199 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_90,code=compute_90 -I"$root/runtime/include" -I"$root/examples" "$version" -o "$build/examples/$(basename "$version" .cu)"
done
if ! nvidia-smi >/dev/null 2>&1; then
  echo "lifted to $lifted and compiled; there is no GPU here to run it on"
  exit 0
fi
echo "plain:"
"$build/examples/$example"
echo "lifted:"
TILELIFT_VERBOSE=1 "$build/examples/$example.tma"
