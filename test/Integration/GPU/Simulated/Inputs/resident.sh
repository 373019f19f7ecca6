#!/usr/bin/env bash
# Runs chains of the benchmark under mappings with a resident grid, in 8
# interleavings, against the unfused evaluation: resident.sh CHAINS_DIR. Prints a
# line for each that fails; ends in "N passed, N failed".
source "$(dirname "$0")/check.sh"
chains=$1

# check_rows CHAIN ROWS COLUMNS DIGITS OF THE ROW [POLICIES]
check_rows() {
  sed "s/ROWS/$2/g; s/COLS/$3/g; s/TYPE/bf16/g" "$chains/$1.mlir.in" \
    >"$work/chain.mlir"
  check "$1 $2 $3" "#cascade.mapping<i: loop x grid(resident)$4${5:-}>" \
    --patterns=rand,special --interleavings=8
}

vectors="lane(32) x vector(8)"
for rows in 1 2 7; do
  for cluster in 1 2 3 8 16; do
    check_rows layer_norm $rows 2048 ", l: cluster($cluster) x reg(8) x warp(1) x $vectors" \
      ", keep = [1: regs, 2: shared]"
    check_rows softmax $rows 2000 ", l: cluster($cluster) x loop x reg(1) x warp(2) x $vectors" \
      ", keep = [0: shared]"
    check_rows softmax $rows 20000 ", l: cluster($cluster) x loop x reg(1) x warp(2) x $vectors" \
      ", keep = [0: l2]"
  done
  check_rows layer_norm $rows 3000 ", l: cluster(2) x loop x reg(2) x warp(2) x $vectors" \
    ", keep = [1: shared, 2: shared]"
  check_rows layer_norm $rows 1000 ", l: reg(4) x warp(1) x $vectors" ", keep = [1: regs]"
  check_rows variance $rows 257 " x warp(2), l: loop x reg(2) x lane(32)"
  for cluster in 1 3 16; do
    check_rows layer_norm $rows 2048 ", l: cluster($cluster) x warp(2) x reg(4) x $vectors" \
      ", keep = [1: regs, 2: shared], load = [0: bulk(2)]"
    check_rows softmax $rows 2000 ", l: cluster($cluster) x loop x warp(2) x $vectors" \
      ", keep = [0: shared], load = [0: bulk(5)]"
    check_rows kl $rows 1000 ", l: loop x cluster($cluster) x warp(2) x reg(2) x $vectors" \
      ", load = [0: bulk(3), 1: bulk(3)]"
  done
  check_rows logsumexp $rows 3000 " x warp(2), l: loop x reg(2) x $vectors" ", load = [0: bulk(3)]"
  check_rows softmax $rows 64 " x warp(2) x lane(4), l: lane(8) x vector(8)"
done
summarise
