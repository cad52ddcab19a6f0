#!/usr/bin/env bash
# lift-and-check.sh SOURCE LIFTED [tilelift options]
#
# Lifts a file and takes the result all the way: the plugin, which gets the options as well, makes
# the same bytes, lifting again changes nothing, and nvcc and clang compile it without a warning:
# nvcc its device side down to SASS for a target with TMA, clang its device side as far as it warns,
# for a target without TMA, with the runtime precompiled. Both read the functions of the host on that
# way. Where MORE_TARGETS is set, that is for two targets each, the plugin compiles what it made, and
# both compilers take the host's side, too; where ALL_TARGETS is, for all targets, and both compile
# everything. Some copies may stay loops where SOME_STAY is set.
set -euo pipefail
source=$1 lifted=$2
shift 2
$TILELIFT "$source" -o "$lifted" "$@" || [ "$?.${SOME_STAY:-}" = 1.1 ]

for option in "$@"; do
  [ "$option" != -- ] || break
  TILELIFT_PLUGIN+=" -fplugin-arg-tilelift-${option#--}"
done

again=$($TILELIFT "$lifted" | cksum)
[ "$again" = "$(cksum < "$lifted")" ] || { echo "lifting again changes the file"; exit 1; }

more=${MORE_TARGETS:-}${ALL_TARGETS:-}
dump=$lifted.plugin
plugin_makes() {
  rm -rf "$dump"
  $TILELIFT_PLUGIN -fplugin-arg-tilelift-dump="$dump" "$@" -fsyntax-only -w "$source"
  cmp "$dump/$(basename "$source")" "$lifted"
}
if [ -n "$more" ]; then
  plugin_makes --offload-arch=sm_90a --cuda-host-only
  plugin_makes --offload-arch=sm_80 --cuda-device-only
else
  plugin_makes -fplugin-arg-tilelift-check --offload-arch=sm_90a --cuda-host-only
fi

here=$(dirname "$source")
nvcc_targets="90a" clang_targets="80" nvcc_mode=-fatbin
clang_mode="--cuda-device-only -fsyntax-only -Xclang -include-pch -Xclang $RUNTIME_PCH"
if [ -n "$more" ]; then
  nvcc_targets+=" 120a" clang_targets+=" 100a" nvcc_mode=-c clang_mode=-fsyntax-only
fi
if [ -n "${ALL_TARGETS:-}" ]; then
  nvcc_targets+=" $clang_targets" clang_targets=$nvcc_targets clang_mode=-c
fi
nvcc_flags=() clang_flags=()
for t in $nvcc_targets; do nvcc_flags+=(-gencode "arch=compute_$t,code=sm_$t"); done
for t in $clang_targets; do clang_flags+=("--offload-arch=sm_$t"); done
$NVCC -I"$here" -Xcompiler -Wall -Xcompiler -Werror -Werror all-warnings "${nvcc_flags[@]}" \
  $nvcc_mode "$lifted" -o "$lifted.nvcc.o"
$CLANG_CUDA -I"$here" -Wall -Werror "${clang_flags[@]}" \
  ${clang_mode} "$lifted" -o "$lifted.clang.o"
