#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lifts the programs of this folder and of test/Idioms, so that run.py can build them
# where there is a GPU but no Clang: test/gpu/lift.sh FOLDER [TILELIFT]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tilelift=${2:-$here/../../build/bin/tilelift}
mkdir -p "$folder"
cp -r "$here/../Idioms/Inputs" "$folder"
for source in "$here"/*.cu "$here"/../Idioms/*.cu; do
  name=$(basename "$source" .cu)
  cp "$source" "$folder/$name.plain.cu"
  # 1: a copy stays a loop because its pragma allows it; an error leaves no file.
  "$tilelift" --lift-always "$source" -o "$folder/$name.tma.cu" || [ $? = 1 ]
done
