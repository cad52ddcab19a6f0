#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# toolkit.sh CUDA FOLDER
#
# Makes FOLDER a CUDA toolkit whose nvcc lifts what it compiles, for builds that take no compiler but a toolkit: all
# else leads to the toolkit in CUDA. tilelift is that of TILELIFT, or the one on the PATH; options for it may stand in
# TILELIFT_FLAGS when this is run.
set -euo pipefail
cuda=$(cd "$1" && pwd)
tilelift=$(command -v "${TILELIFT:-tilelift}")
mkdir -p "$2/bin"
folder=$(cd "$2" && pwd)
for each in "$cuda"/*; do
  [ "$(basename "$each")" = bin ] || ln -sfn "$each" "$folder/$(basename "$each")"
done
for each in "$cuda"/bin/*; do
  [ "$(basename "$each")" = nvcc ] || ln -sfn "$each" "$folder/bin/$(basename "$each")"
done
# Builds in a sandbox hand no variables on.
printf '#!/usr/bin/env bash\nTILELIFT_NVCC=%q TILELIFT_FLAGS=%q exec %q nvcc "$@"\n' \
  "$cuda/bin/nvcc" "${TILELIFT_FLAGS:-}" "$tilelift" > "$folder/bin/nvcc"
chmod +x "$folder/bin/nvcc"
