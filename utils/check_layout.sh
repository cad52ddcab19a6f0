#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the layout of the C++ and CUDA code with clang-format, and that no file of the rewriter, the
# tool, the plugin, the emulator, the runtime and the Python package has more than 600 lines:
#   utils/check_layout.sh [FILE...]
# Without files, all are checked. Exit status 77: there is no clang-format-22.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(printf '%s\n' "$@")
[ $# -gt 0 ] || mapfile -t files < <(find bench emulator fuzz library plugin python rewriter runtime test tool \
  -path '*/Inputs/*' -prune -o -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.cuh' -o -name '*.py' \) -print)

status=0
for file in "${files[@]}"; do
  case $file in
  rewriter/* | tool/* | plugin/* | emulator/* | runtime/* | python/*)
    lines=$(wc -l < "$file")
    if [ "$lines" -gt 600 ]; then
      echo "$file has $lines lines, at most 600 are allowed" >&2
      status=1
    fi
    ;;
  esac
done

format=$(command -v clang-format-22 || true)
if [ -z "$format" ]; then
  echo "clang-format-22 is not installed: the layout is not checked" >&2
  exit $((status == 0 ? 77 : status))
fi
code=()
for file in "${files[@]}"; do
  case $file in *.py) ;; *) code+=("$file") ;; esac
done
[ ${#code[@]} -eq 0 ] || "$format" --dry-run -Werror "${code[@]}" || status=1
exit $status
