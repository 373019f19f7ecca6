#!/usr/bin/env bash
# On the GPU machine: times the kernels of build.sh in this folder, and cuDNN and
# FlashAttention through PyTorch beside them if there is a python3 with torch:
#   OUT/run.sh [--no-peers]
# Prints microseconds (median, 10th and 90th percentile), of cold caches; of a variant
# also the bytes that it has to read and its time for a byte over that of plain `decode`
# in the same cell and cluster, if that is in the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=${RESULTS:-$here}

declare -A plain # nanoseconds a byte of the kernels called decode-*
while read -r label share kernel inputs; do
  flags=()
  for input in $inputs; do
    flags+=("--input=$input")
  done
  [ -z "$inputs" ] || flags=(--input=rand --input=rand --input=rand "${flags[@]}")
  line=$("$here/cascade-launch" "$here/$kernel.json" "${flags[@]}" --benchmark \
    --flush-l2 --warmup=3 --repeat=25 |
    sed -n "s/^.*: median \([0-9.]*\) us.* p10 \([0-9.]*\), p90 \([0-9.]*\), \([0-9]*\) bytes.*/\1 \2 \3 \4/p") || line=
  if [ -z "$line" ]; then
    echo "$label failed"
    continue
  fi
  read -r median p10 p90 bytes <<<"$line"
  bytes=$(awk "BEGIN { printf \"%.0f\", $bytes * $share }")
  perByte=$(awk "BEGIN { print $median * 1000 / $bytes }")
  case $kernel in
  decode-*)
    plain[${kernel#*-}]=$perByte
    echo "$label $median $p10 $p90"
    ;;
  *)
    base=${plain[${kernel#*-}]:-}
    ratio=$([ -z "$base" ] || awk "BEGIN { printf \"ratio %.3f\", $perByte / $base }")
    echo "$label $median $p10 $p90 $bytes bytes $ratio"
    ;;
  esac
done <"$here/runs.txt" | tee -a "$results/decode.txt"
if [ "${1:-}" != --no-peers ] && compgen -G "$here/decode-*.json" >/dev/null &&
  python3 -c 'import torch' 2>/dev/null; then
  cells=$(basename -a "$here"/decode-*.json | sed 's/^decode-//; s/-.*//' | sort -u)
  # shellcheck disable=SC2086
  python3 "$here/peers.py" $cells | tee -a "$results/decode.txt"
fi
