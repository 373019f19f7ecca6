#!/usr/bin/env bash
# Runs attention of one query row under mappings that split the keys over lanes,
# warps and blocks in every way, on the simulated device, against the unfused
# evaluation: merges.sh TEMPLATE [FLAGS of cascade-run...]. In the environment,
# CLUSTERS lists the sizes of clusters. Prints a line for each that fails; ends in
# "N passed, N failed".
source "$(dirname "$0")/check.sh"
template=$1
shift
flags=("$@")

# check_split GROUP DIM KEYS HEADS_OF_BLOCK KEY_DIGITS COLUMN_DIGITS [PATTERNS]
check_split() {
  sed "s/KEYHEADS/2/g; s/HEADS/$((2 * $1))/g; s/GROUP/$1/g; s/DIM/$2/g; s/KEYS/$3/g" \
    "$template" >"$work/chain.mlir"
  check "$1 $2 $3" "#cascade.mapping<b: grid, h: $4, l: $5, d: $6, e: $6>" \
    --patterns="${7:-rand}" --interleavings=3 "${flags[@]}"
}

for cluster in ${CLUSTERS:-1 2 3 8 16}; do
  for warps in 1 2 3 8; do
    # One tile, and a loop; two lanes and four share the keys.
    check_split 1 64 100 grid "cluster($cluster) x loop x reg(2) x warp($warps) x lane(4 at 8)" \
      "lane(8 at 1) x vector(8)" rand,special
    check_split 2 128 40 "grid x reg(2)" \
      "cluster($cluster) x loop x warp($warps) x lane(2 at 16)" "lane(16 at 1) x vector(8)"
  done
done
# Parts of heads and of columns; one head of several warps of a block.
check_split 4 64 70 "grid x reg(4)" "cluster(2) x loop x warp(4) x lane(8 at 4)" \
  "reg(2) x lane(4 at 1) x vector(8)"
check_split 4 64 70 "grid x reg(4)" "cluster(2) x loop x warp(16) x lane(4 at 8)" \
  "lane(8 at 1) x vector(8)"
check_split 4 64 70 "grid x warp(2) x reg(2)" "cluster(2) x loop x warp(2) x lane(4 at 8)" \
  "lane(8 at 1) x vector(8)"
check_split 3 40 33 "grid x reg(3)" "cluster(4) x loop x warp(6) x lane(4 at 8)" \
  "lane(8 at 1) x vector(8)"
check_split 1 256 20 grid "cluster(2) x loop x warp(4)" "lane(32 at 1) x vector(8)"
summarise
