#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing of Clang 22, CMake, Ninja, GoogleTest, Python, patch, shellcheck,
# clang-format 22 and ccache (Debian packages).
# The CUDA toolkit has to be there: nvcc on PATH or in /usr/local/cuda.
set -euo pipefail

packages=(clang-22 libclang-22-dev llvm-22-dev llvm-22-tools cmake ninja-build g++ libgtest-dev python3
  python3-pip python3-setuptools python3-wheel patch shellcheck clang-format-22 ccache)
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
if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  echo "the CUDA toolkit is missing: put nvcc on PATH or install it in /usr/local/cuda" >&2
  exit 1
fi
