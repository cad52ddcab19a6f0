#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the fuzzers and runs each for so many seconds: utils/fuzz.sh [SECONDS]
# docs/fuzzing.md explains them. Needs the package libclang-rt-22-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
cmake --preset fuzz
cmake --build --preset fuzz
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
mkdir "$new/relations" "$new/pragmas"
build-fuzz/bin/fuzz-relations "-max_total_time=$seconds" -timeout=60 -rss_limit_mb=4096 -len_control=0 -max_len=200 \
  "$new/relations" fuzz/corpus/relations
build-fuzz/bin/fuzz-pragmas "-max_total_time=$seconds" -timeout=60 "$new/pragmas" fuzz/corpus/pragmas
