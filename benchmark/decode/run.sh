#!/usr/bin/env bash
# On the GPU machine: times the kernels of build.sh in this folder, and cuDNN and
# FlashAttention through PyTorch beside them if there is a python3 with torch:
#   OUT/run.sh [--no-peers]
# Prints microseconds (median, 10th and 90th percentile), of cold caches.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=${RESULTS:-$here}
for manifest in "$here"/decode-*.json; do
  name=$(basename "$manifest" .json)
  "$here/cascade-launch" "$manifest" --benchmark --flush-l2 --warmup=3 --repeat=25 |
    sed -n "s/^decode: median \([0-9.]*\) us.* p10 \([0-9.]*\), p90 \([0-9.]*\).*/\1 \2 \3/p" |
    sed "s/^/$name /" | tee -a "$results/decode.txt"
done
if [ "${1:-}" != --no-peers ] && python3 -c 'import torch' 2>/dev/null; then
  cells=$(basename -a "$here"/decode-*.json | sed 's/^decode-//; s/-.*//' | sort -u)
  # shellcheck disable=SC2086
  python3 "$here/peers.py" $cells | tee -a "$results/decode.txt"
fi
