#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Looks with clang-tidy for functions that are too long or too nested, as .clang-tidy says:
#   utils/check_complexity.sh [FILE...]
# Without files, all of the rewriter, the tool and the plugin are read.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-22) || {
  echo "clang-tidy-22 is not installed" >&2
  exit 77
}
# clang-tidy reads the precompiled headers of its own compiler.
cmake -B build-tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
ninja -C build-tidy rewriter/CMakeFiles/tilelift_rewriter.dir/cmake_pch.hxx.pch >/dev/null
mapfile -t files < <(printf '%s\n' "$@")
# plugin/Loader.cpp includes a checksum of the built plugin.
[ $# -gt 0 ] || mapfile -t files < <(find rewriter tool plugin -name '*.cpp' ! -name Loader.cpp)
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 4 "$tidy" -p build-tidy --quiet
[ $# -eq 0 ] || exit 0
# The runtime is headers: what hosts include, and what kernels do, on either side.
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
printf '#include <tilelift/%s>\n' checks.h driver.h >build-tidy/hosts.cpp
printf '#include <tilelift/%s>\n' tilelift.cuh >build-tidy/kernels.cu
of_runtime() {
  "$tidy" --quiet --header-filter='runtime/include' "$1" -- -std=c++17 -Iruntime/include "-I$cuda/include" \
    "${@:2}"
}
of_runtime build-tidy/hosts.cpp
for side in --cuda-host-only --cuda-device-only; do
  of_runtime build-tidy/kernels.cu -x cuda "$side" --offload-arch=sm_90a "--cuda-path=$cuda" \
    -Wno-unknown-cuda-version "-I$cuda/include/cccl"
done
