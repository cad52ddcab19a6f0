#!/usr/bin/env bash
# lift-and-check.sh SOURCE LIFTED [tilelift options]
#
# Lifts a file and takes the result all the way: the plugin makes the same bytes,
# lifting again changes nothing, nvcc and clang compile it without a warning for
# every target, down to SASS.
set -euo pipefail
source=$1 lifted=$2
shift 2
$TILELIFT "$source" -o "$lifted" "$@"

again=$($TILELIFT "$lifted" | cksum)
[ "$again" = "$(cksum < "$lifted")" ] || { echo "lifting again changes the file"; exit 1; }

dump=$lifted.plugin
rm -rf "$dump"
$TILELIFT_PLUGIN -fplugin-arg-tilelift-dump="$dump" --offload-arch=sm_90a --cuda-host-only \
  -fsyntax-only -w "$source"
cmp "$dump/$(basename "$source")" "$lifted"
rm -rf "$dump"
$TILELIFT_PLUGIN -fplugin-arg-tilelift-dump="$dump" --offload-arch=sm_80 --cuda-device-only \
  -fsyntax-only -w "$source"
cmp "$dump/$(basename "$source")" "$lifted"

here=$(dirname "$source")
targets="80 90a 100a 120a"
$NVCC -I"$here" -Xcompiler -Wall -Xcompiler -Werror -Werror all-warnings \
  $(for t in $targets; do echo "-gencode arch=compute_$t,code=sm_$t"; done) \
  -c "$lifted" -o "$lifted.nvcc.o"
$CLANG_CUDA -I"$here" -Wall -Werror $(for t in $targets; do echo "--offload-arch=sm_$t"; done) \
  -c "$lifted" -o "$lifted.clang.o"
