#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing of Clang 22, CMake, Ninja, GoogleTest, Python, patch, shellcheck,
# clang-format 22, ccache and Meson (Debian packages).
# Where there is no CUDA toolkit, neither by nvcc on the PATH nor in /usr/local/cuda, NVIDIA's Python packages
# of CUDA 13.0 are put into .cuda of the source tree. Root is needed only where a Debian package is missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

packages=(clang-22 libclang-22-dev llvm-22-dev llvm-22-tools cmake ninja-build g++ libgtest-dev python3
  python3-pip python3-setuptools python3-wheel patch shellcheck clang-format-22 ccache meson)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=$([ "$(id -u)" -eq 0 ] || echo sudo)
  echo "installing ${missing[*]}"
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ] && [ ! -x "$root/.cuda/bin/nvcc" ]; then
  echo "there is no CUDA toolkit: putting NVIDIA's Python packages of CUDA 13.0 into $root/.cuda"
  python3 "$root/utils/cuda_from_wheels.py" 13.0 "$root/.cuda"
fi
