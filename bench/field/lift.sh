#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lifts the kernels of this folder, so that run.py can build them where there is a GPU but no Clang:
# bench/field/lift.sh FOLDER [TILELIFT]
# Each program has a folder of its own, as the same header may be lifted otherwise for another one. What
# the tool says of the program is kept there, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tilelift=${2:-$here/../../build/bin/tilelift}
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  own="$folder/$name"
  mkdir -p "$own"
  "$tilelift" "$source" --remarks -o "$own/$name.cu" -- -std=c++17 -I"$here" -I"$here/../../test/gpu" \
    -I"$here/../../runtime/include" 2>"$own/$name.log" || echo "$name: $(grep -c error: "$own/$name.log") errors"
done
