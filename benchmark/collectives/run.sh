#!/usr/bin/env bash
# On the GPU machine: runs the kernels of build.sh in this folder and prints
# cycles measured and predicted, and, for clusters of 4 blocks, the bandwidth
# that more and more clusters at once reach. Needs the driver, bash and awk:
#   OUT/run.sh [CLOCK_MHZ=1968]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clock=${1:-1968}
"$here/cascade-launch" "$here"/*.json >"$here/measured.txt"
awk -F '\t' -v clock="$clock" '
  # Lines "cell/clusters: COUNTxi64=cycles of every cluster".
  FNR == NR {
    if (match($0, /: [0-9]+xi64=/)) {
      cell = substr($0, 1, RSTART - 1)
      count = split(substr($0, RSTART + RLENGTH), values, /[ ,]+/)
      for (i = 2; i <= count; ++i) # The median, by insertion.
        for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; --j) {
          swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
        }
      median[cell] = values[int((count + 1) / 2)]
    }
    next
  }
  FNR == 1 {
    print "collective/algorithm/blocks/bytes | measured | predicted | ratio | GB/s of 8, 32, 128 clusters of 4"
    print "|---|---|---|---|---|"
    next
  }
  {
    if ($6 != "") { print $1 " | - | - | - | left out: " $6; next }
    line = $1 " | " median[$1 "/4"] " | " $5
    line = line " | " (($5 > 0 && median[$1 "/4"] != "") ? sprintf("%.2f", median[$1 "/4"] / $5) : "-") " |"
    split("8 32 128", counts, " ")
    for (i = 1; i <= 3; ++i) {
      cycles = median[$1 "/" counts[i]]
      if (cycles > 0)
        line = line sprintf(" %.1f (%d cycles)", $2 * counts[i] * clock / cycles / 1e3, cycles)
    }
    print line
  }' "$here/measured.txt" "$here/predicted.tsv" | tee "$here/table.txt"
