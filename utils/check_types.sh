#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the types of the Python package with mypy, as pyproject.toml says: utils/check_types.sh [FOLDER]
# mypy is installed into the folder if it is not there. Exit status 77: it cannot be installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tools=${1:-$root/build/check-types}
if [ ! -d "$tools/mypy" ] && ! python3 -m pip install --quiet --target "$tools" mypy==2.4.1; then
  echo "mypy cannot be installed: the types of python/ are not checked" >&2
  exit 77
fi
cd "$root"
PYTHONPATH="$tools" python3 -m mypy --cache-dir "$tools/cache"
