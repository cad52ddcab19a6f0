#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the types of the Python package with mypy and with pyright, as pyproject.toml says, and those of
# launchers that tilelift writes:
#   utils/check_types.sh [FOLDER [TILELIFT]]
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

launchers=$tools/launchers
rm -rf "$launchers"
mkdir "$launchers"
cp test/Hosts/Inputs/types/*.py "$launchers"
"${2:-build/bin/tilelift}" --emit=python-types test/Hosts/Inputs/kernels.cu -o "$launchers/launchers.pyi"
cd "$launchers"
PYTHONPATH="$tools" MYPYPATH="$root/python:$launchers" python3 -m mypy --strict --cache-dir "$tools/cache" ./*.py
cat > pyrightconfig.json <<END
{"include": ["well_typed.py"], "extraPaths": ["$root/python"], "typeCheckingMode": "strict", "reportMissingModuleSource": false}
END
PYTHONPATH="$tools" python3 -m basedpyright
