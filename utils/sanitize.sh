#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds tilelift with the address and the undefined behaviour sanitizer and runs the suites: utils/sanitize.sh [SUITE...]
# A suite is a folder or a file below test/; without any, all of lit's run. Needs the package libclang-rt-22-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset asan
cmake --build build-asan
build-asan/bin/tilelift-unit
suites=()
for suite in "${@:-}"; do suites+=("build-asan/test/$suite"); done
PATH=/usr/lib/llvm-22/bin:$PATH lit -v "${suites[@]}"
