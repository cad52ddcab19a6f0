#!/usr/bin/env bash
# verify.sh SOURCE [compiler flags]: the file's expected-... comments hold, with
# the tool and with the plugin on both sides.
set -euo pipefail
source=$1
shift
set -- "$@" -ferror-limit=0
$TILELIFT --verify "$source" -- "$@"
for side in host device; do
  $TILELIFT_PLUGIN --cuda-$side-only --offload-arch=sm_90a \
    -fsyntax-only -Xclang -verify "$source" "$@"
done
