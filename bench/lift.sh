#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lifts the workloads, so that run.py can build them where there is a GPU but no Clang:
# bench/lift.sh FOLDER [TILELIFT]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tilelift=${2:-$here/../build/bin/tilelift}
mkdir -p "$folder"
for source in "$here"/*.cu; do
  grep -q bench.cuh "$source" || continue
  name=$(basename "$source" .cu)
  cp "$source" "$folder/$name.plain.cu"
  always=() # these two measure what copies bring that are not lifted otherwise
  case $name in costs | scatter) always=(--lift-always) ;; esac
  "$tilelift" "${always[@]}" "$source" -o "$folder/$name.tilelift.cu" -- -I"$here" -I"$here/../test/gpu" \
    -I"$here/../runtime/include"
done
