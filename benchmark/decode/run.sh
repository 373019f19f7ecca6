#!/usr/bin/env bash
# On the GPU machine: times the kernels of build.sh in this folder, and cuDNN and
# FlashAttention through PyTorch beside them if there is a python3 with torch:
#   OUT/run.sh [--no-peers]
# Prints microseconds (median, 10th and 90th percentile), of cold caches; of
# chains with lengths at every one of $LENGTHS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=${RESULTS:-$here}

# measure LABEL MANIFEST FLAGS...
measure() {
  local label=$1
  shift
  "$here/cascade-launch" "$@" --benchmark --flush-l2 --warmup=3 --repeat=25 |
    sed -n "s/^decode: median \([0-9.]*\) us.* p10 \([0-9.]*\), p90 \([0-9.]*\).*/\1 \2 \3/p" |
    sed "s/^/$label /" | tee -a "$results/decode.txt"
}

for manifest in "$here"/*-*x*-*.json; do
  name=$(basename "$manifest" .json)
  case $name in
  decode-*) measure "$name" "$manifest" ;;
  lengths-*)
    for length in ${LENGTHS:-0 128 1024 4096 16384 65536}; do
      measure "$name:$length" "$manifest" --input=rand --input=rand --input=rand \
        --input="$length"
    done
    ;;
  esac
done
if [ "${1:-}" != --no-peers ] && compgen -G "$here/decode-*.json" >/dev/null &&
  python3 -c 'import torch' 2>/dev/null; then
  cells=$(basename -a "$here"/decode-*.json | sed 's/^decode-//; s/-.*//' | sort -u)
  # shellcheck disable=SC2086
  python3 "$here/peers.py" $cells | tee -a "$results/decode.txt"
fi
