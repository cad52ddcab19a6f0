#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the types of the Python package with mypy and with pyright, as pyproject.toml says:
#   utils/check_types.sh [FOLDER]
# Both are installed into the folder if they are not there; pyright as basedpyright, which needs no Node.js of the
# system. Exit status 77: they cannot be installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tools=${1:-$root/build/check-types}
if [ ! -d "$tools/mypy" ] || [ ! -d "$tools/basedpyright" ]; then
  python3 -m pip install --quiet --upgrade --target "$tools" mypy==2.4.1 basedpyright==1.40.2 || {
    echo "mypy and pyright cannot be installed: the types of python/ are not checked" >&2
    exit 77
  }
fi
cd "$root"
PYTHONPATH="$tools" python3 -m mypy --cache-dir "$tools/cache"
PYTHONPATH="$tools" python3 -m basedpyright
