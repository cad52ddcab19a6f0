#!/usr/bin/env bash
# not.sh STATUS COMMAND...: succeeds when the command exits with just that status.
expected=$1
shift
"$@"
status=$?
[ $status -eq "$expected" ] || { echo "exit status $status, expected $expected" >&2; exit 1; }
