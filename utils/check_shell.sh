#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Looks for mistakes in all shell scripts with shellcheck: utils/check_shell.sh
set -euo pipefail
cd "$(dirname "$0")/.."
find . -path './build*' -prune -o -path ./.git -prune -o -type f \( -name '*.sh' -o -path './.ci/run' \) -print0 |
  xargs -0 shellcheck --severity=warning
