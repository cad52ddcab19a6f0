#!/usr/bin/env bash
# each-verifies.sh FOLDER: every .cu file in it gets just the diagnostics that its
# expected-... comments say, lifted copies among them, in time. Those that need more of
# CUDA than cuda.h has get all of it.
set -u
few="-nocudainc -I$CUDA/include -include $(dirname "$0")/cuda.h"
status=0
for source in "$1"/*.cu; do
  for headers in "$few" ""; do
    output=$(timeout "${TILELIFT_TIME_LIMIT:-60}" \
      "$TILELIFT" --verify --remarks "$source" -- -ferror-limit=0 $headers 2>&1)
    code=$?
    [ $code -eq 0 ] && break
  done
  [ $code -eq 0 ] && continue
  echo "$(basename "$source"): exit status $code"
  echo "$output" | head -20
  status=1
done
exit $status
