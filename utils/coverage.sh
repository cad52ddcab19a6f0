#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Says which share of the rewriter's lines the tests run: utils/coverage.sh [SUITE...]
# A suite is a folder or a file below test/; without any, all of lit's run. Needs the package libclang-rt-22-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=/usr/lib/llvm-22/bin
cmake -S . -B build-coverage -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-22 \
  "-DCMAKE_CXX_FLAGS=-fprofile-instr-generate -fcoverage-mapping"
cmake --build build-coverage
rm -rf build-coverage/profiles
export LLVM_PROFILE_FILE=$PWD/build-coverage/profiles/%m.profraw
build-coverage/bin/tilelift-unit
suites=()
for suite in "${@:-}"; do suites+=("build-coverage/test/$suite"); done
PATH=$tools:$PATH lit -v "${suites[@]}" || echo "some tests failed; the report is of what they ran" >&2
"$tools/llvm-profdata" merge -o build-coverage/all.profdata build-coverage/profiles
"$tools/llvm-cov" report build-coverage/bin/tilelift -object build-coverage/bin/tilelift-unit \
  -object build-coverage/lib/tilelift-clang22.so -instr-profile build-coverage/all.profdata rewriter
