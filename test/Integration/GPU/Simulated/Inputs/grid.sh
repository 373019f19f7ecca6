#!/usr/bin/env bash
# Runs chains under mappings that split a row over the grid, whose clusters come
# in several orders, on the simulated device, against the unfused evaluation:
# grid.sh INTEGRATION_DIR TEMPLATE CHAINS_DIR. Prints a line for each that fails;
# ends in "N passed, N failed".
set -uo pipefail
integration=$1
template=$2
chains=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check FILE MAPPING FLAGS...
check() {
  local file=$1 mapping="#cascade.mapping<$2, merge = [l: last]>"
  shift 2
  if log=$(cascade-run "$file" --device=sim --mapping="$mapping" \
    --interleavings=5 --check "$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $file $* $mapping"
    tail -n 3 <<<"$log"
  fi
}

# rows FILE ENTRY SPLIT DIGITS [MORE AXES]: of any length, shorter than the parts
# and longer.
rows() {
  check "$integration/CPU/$1.mlir" "i: grid${6:-}, l: grid($3) x $4${5:-}" \
    --entry="$2" --dim=i=1,3 --dim=l=0,1,2,7,33,577,3000 --patterns=rand,special
}

for split in 2 3 8; do
  rows logsumexp logsumexp $split "loop x warp(2) x lane(32)"
  rows logsumexp logsumexp $split "cluster(3) x loop x reg(2) x warp(2) x lane(32)"
  rows moments variance $split "cluster(2) x loop x warp(4) x lane(32)"
  rows moments covariance $split "loop x warp(3) x lane(32)"
  rows payload argmax $split "cluster(2) x loop x warp(2) x lane(32)"
  rows payload argmin_integer $split "loop x reg(2) x lane(32)"
  rows payload hull $split "cluster(2) x loop x lane(32)"
  rows keyed gate8 $split "cluster(2) x loop x warp(2) x lane(32)" ", k: reg(8)"
  rows keyed falling $split "loop x warp(2) x lane(32)" ", k: reg(2)"
  rows norms absmax $split "cluster(2) x loop x lane(32)"
  rows narrow-types sum_bf16 $split "loop x warp(2) x lane(32)"
done
# Several rows a block, and a warp: they arrive together.
rows logsumexp logsumexp 3 "loop x warp(2) x lane(32)" "" " x warp(2)"
rows moments variance 4 "cluster(2) x loop x lane(8 at 1)" "" " x warp(2) x lane(4 at 8)"
rows payload argmax 2 "loop x lane(16 at 1)" "" " x lane(2 at 16)"
rows logsumexp logsumexp 40 "loop x lane(32)"

# static CHAIN ROWS COLUMNS DIGITS [POLICIES]
static() {
  sed "s/ROWS/$2/g; s/COLS/$3/g; s/TYPE/bf16/g" "$chains/$1.mlir.in" \
    >"$work/$1.mlir"
  check "$work/$1.mlir" "i: grid, l: $4${5:-}" --patterns=rand,special
}
for chain in logsumexp variance weighted_variance kl entropy; do
  static $chain 2 5000 "grid(3) x cluster(2) x loop x reg(2) x warp(2) x lane(32) x vector(8)"
  static $chain 3 4096 "grid(4) x warp(4) x lane(32) x vector(8)"
done
# Bulk loads into stages.
static logsumexp 2 16384 "grid(4) x cluster(2) x loop x warp(2) x reg(2) x lane(32) x vector(8)" \
  ", load = [0: bulk(2)]"

# attention GROUP DIM KEYS HEADS KEY_DIGITS COLUMN_DIGITS
attention() {
  sed "s/KEYHEADS/2/g; s/HEADS/$((2 * $1))/g; s/GROUP/$1/g; s/DIM/$2/g; s/KEYS/$3/g" \
    "$template" >"$work/decode.mlir"
  check "$work/decode.mlir" "b: grid, h: $4, l: $5, d: $6, e: $6" \
    --patterns=rand,special
}
for split in 2 5; do
  for warps in 1 3 4; do
    attention 1 64 100 grid \
      "grid($split) x cluster(2) x loop x reg(2) x warp($warps) x lane(4 at 8)" \
      "lane(8 at 1) x vector(8)"
    attention 2 128 40 "grid x reg(2)" \
      "grid($split) x loop x warp($warps) x lane(2 at 16)" "lane(16 at 1) x vector(8)"
  done
done
# More warps than parts; several heads of a block; fewer keys than parts.
attention 4 64 70 "grid x reg(4)" "grid(3) x cluster(2) x loop x warp(16) x lane(4 at 8)" \
  "lane(8 at 1) x vector(8)"
attention 4 64 70 "grid x warp(2) x reg(2)" "grid(3) x loop x warp(2) x lane(4 at 8)" \
  "lane(8 at 1) x vector(8)"
attention 1 64 3 grid "grid(8) x loop x warp(2) x lane(4 at 8)" "lane(8 at 1) x vector(8)"
echo "$passed passed, $failed failed"
