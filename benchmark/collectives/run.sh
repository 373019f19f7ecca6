#!/usr/bin/env bash
# On the GPU machine: runs the kernels of build.sh in this folder and prints
# cycles measured (median, 10th to 90th percentile) and predicted, and, for
# clusters of 4 blocks, the bandwidth that more and more clusters at once reach;
# and the fields of #cluster.target that are measured so.
# Needs the driver, bash and awk:
#   OUT/run.sh [CLOCK_MHZ=1968]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clock=${1:-1968}
out=${RESULTS:-$here}
status=0
"$here/cascade-launch" "$here"/*.json >"$out/measured.txt" || status=$?
awk -F '\t' -v clock="$clock" -f "$here/table.awk" "$out/measured.txt" "$here/predicted.tsv" |
  tee "$out/table.txt"
exit "$status"
