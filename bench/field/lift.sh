#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lifts the kernels of this folder, so that run.py can build them where there is a GPU but no Clang:
# bench/field/lift.sh FOLDER [TILELIFT]
# What the tool says of each program is kept beside it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tilelift=${2:-$here/../../build/bin/tilelift}
mkdir -p "$folder"
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  "$tilelift" "$source" --remarks -o "$folder/$name.cu" -- -std=c++17 -I"$here" -I"$here/../../test/gpu" \
    -I"$here/../../runtime/include" 2>"$folder/$name.log" || echo "$name: $(grep -c error: "$folder/$name.log") errors"
done
