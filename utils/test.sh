#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds tilelift, with its assertions, and passes all tests: utils/test.sh [BUILD_FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
"$root/utils/setup.sh"
[ ! -d "$root/.cuda" ] || export CUDA_HOME="$root/.cuda" PATH="$root/.cuda/bin:$PATH"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DTILELIFT_ASSERTIONS=ON
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure
