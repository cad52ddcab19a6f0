#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Looks with clang-tidy for functions that are too long or too nested, as .clang-tidy says:
#   utils/check_complexity.sh [FILE...]
# Without files, all of the rewriter and the tool are read: three quarters of an hour on two processors.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(command -v clang-tidy-22) || {
  echo "clang-tidy-22 is not installed" >&2
  exit 77
}
# clang-tidy reads no precompiled headers of GCC.
cmake -B build-tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
mapfile -t files < <(printf '%s\n' "$@")
[ $# -gt 0 ] || mapfile -t files < <(find rewriter tool plugin -name '*.cpp')
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 4 "$tidy" -p build-tidy --quiet
