#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# aarch64.sh FOLDER
#
# Builds the standalone installation and its wheel for aarch64 on a machine of another kind, in FOLDER:
# Debian's packages of that architecture are unpacked into FOLDER/root, and Clang compiles for it. Run
# build.sh FOLDER first: the manual page and the completions are those of its tool.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
own=$folder/aarch64
mkdir -p "$own"/apt/{state/lists/partial,cache/archives/partial} "$own/packages"
: >"$own/apt/status"
cat >"$own/apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
Dir::State "$own/apt/state";
Dir::State::status "$own/apt/status";
Dir::Cache "$own/apt/cache";
END
export APT_CONFIG=$own/apt/apt.conf

packages=(clang-22 clang-tools-22 libclang-22-dev libclang1-22 libclang-common-22-dev libclang-cpp22 libclang-rt-22-dev
  llvm-22 llvm-22-dev llvm-22-tools llvm-22-linker-tools libllvm22 liblld-22 liblld-22-dev libstdc++-12-dev libstdc++6
  libgcc-12-dev libgcc-s1 libc6 libc6-dev zlib1g-dev libzstd-dev linux-libc-dev)
if [ ! -d "$own/root" ]; then
  apt-get update -qq
  (cd "$own/packages" && apt-get download -qq "${packages[@]}")
  for package in "$own/packages"/*.deb; do dpkg -x "$package" "$own/root"; done
fi
[ -d "$own/host/c++" ] || "$root/standalone/host_headers.sh" "$own/host" arm64

cat >"$own/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT $own/root)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_\${kind}_LINKER_FLAGS_INIT --ld-path=/usr/lib/llvm-22/bin/ld.lld)
endforeach()
set(CMAKE_FIND_ROOT_PATH $own/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
cuda=${CUDA_HOME:-/usr/local/cuda}
cmake -S "$root" -B "$own/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$own/toolchain.cmake" -DTILELIFT_STANDALONE=ON \
  -DTILELIFT_HOST_HEADERS="$own/host" -DCMAKE_INSTALL_LIBDIR=lib -DTILELIFT_CUDA_HEADERS="$cuda/include" \
  -DTILELIFT_LLD=/usr/lib/llvm-22/bin/ld.lld
cmake --build "$own/build"
rm -rf "$own/prefix"
cmake --install "$own/build" --prefix "$own/prefix" >/dev/null
cp -r "$folder"/prefix/share/. "$own/prefix/share"
"$root/standalone/wheel.py" "$own/prefix" "$folder" --platform manylinux2014_aarch64
