#!/bin/sh
# agree.sh <program> <folder of its lifted sources>: fails where a tile that the program
# names has another number of bytes in the lifted text; prints what the program says.
"$1" | while read -r source bytes; do
  echo "$source $bytes"
  grep -q "part_bytes = $bytes;" "$2/$source.cu/$source.cu" || {
    echo "lifted otherwise: $(grep "part_bytes = " "$2/$source.cu/$source.cu")"
    exit 1
  }
done
