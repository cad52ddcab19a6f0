#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build.sh FOLDER
#
# Builds the standalone installation and its wheel from this source tree, in FOLDER: FOLDER/prefix and
# FOLDER/tilelift-<version>-py3-none-manylinux2014_<machine>.whl. Needs what utils/setup.sh installs, and
# installs the linker's and the compression libraries' archives.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
as_root=$([ "$(id -u)" -eq 0 ] || echo sudo)
packages=(liblld-22-dev lld-22 zlib1g-dev libzstd-dev)
dpkg -s "${packages[@]}" >/dev/null 2>&1 ||
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
"$root/utils/setup.sh"
[ -d "$folder/host/c++" ] || "$root/standalone/host_headers.sh" "$folder/host"
cmake -S "$root" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DTILELIFT_STANDALONE=ON \
  -DTILELIFT_HOST_HEADERS="$folder/host" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build "$folder/build"
rm -rf "$folder/prefix"
cmake --install "$folder/build" --prefix "$folder/prefix" >/dev/null
"$root/standalone/wheel.py" "$folder/prefix" "$folder"
