#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# host_headers.sh FOLDER [ARCHITECTURE]
#
# Gathers the headers and the C++ library that a standalone installation has for machines without a
# compiler, from Debian's packages of glibc, Linux and libc++: FOLDER/include, FOLDER/c++, FOLDER/lib,
# and the packages' notices in FOLDER/licenses. ARCHITECTURE is Debian's name of one, such as arm64.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
architecture=${2:-$(dpkg --print-architecture)}
triple=$(case $architecture in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) uname -m ;; esac)-linux-gnu
clang=22
packages=(libc6-dev linux-libc-dev "libc++-$clang-dev" "libc++abi-$clang-dev")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq "${packages[@]/%/":$architecture"}")
for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done

for part in include c++ lib licenses; do rm -rf "${folder:?}/$part"; done
mkdir -p "$folder/include" "$folder/lib" "$folder/licenses"
usr=$work/root/usr
cp -r "$usr/include/$triple/." "$folder/include"
rm -rf "$usr/include/$triple" "$folder/include/c++"
# Of Linux, what headers of glibc include: no device's own interfaces.
find "$usr/include/linux" -mindepth 1 -type d -prune -exec rm -rf {} +
for part in "$usr"/include/*; do
  case ${part##*/} in drm | mtd | misc | rdma | scsi | sound | video | xen) ;; *) cp -r "$part" "$folder/include" ;; esac
done
cp -r "$usr/lib/llvm-$clang/include/c++/v1" "$folder/c++"
find "$usr/lib/llvm-$clang/include" -name __config_site -exec cp {} "$folder/c++" \;
for archive in libc++.a libc++abi.a; do
  cp -L "$(find "$usr/lib" -name $archive -type f | head -1)" "$folder/lib"
done
for package in "${packages[@]}"; do
  cp "$(readlink -f "$usr/share/doc/$package/copyright")" "$folder/licenses/$package.txt" 2>/dev/null ||
    cp "$work/root/usr/share/doc/${package%-dev}"*/copyright "$folder/licenses/$package.txt"
done
