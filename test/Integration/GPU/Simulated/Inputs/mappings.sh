#!/usr/bin/env bash
# Runs chains of the benchmark under random mappings on the simulated device,
# small ones, against the unfused evaluation: mappings.sh CHAINS_DIR SEED COUNT.
# Prints a line for each that fails; ends in "N passed, N failed".
source "$(dirname "$0")/check.sh"
chains=$1
RANDOM=$2
count=$3

for ((n = 0; n < count; ++n)); do
  chain=$(pick softmax layer_norm variance kl logsumexp weighted_variance entropy)
  columns=$(pick 7 8 64 520 1000 2048 4104 5000)
  type=$(pick bf16 f16)
  sed "s/ROWS/$(pick 1 3 5)/g; s/COLS/$columns/g; s/TYPE/$type/g" \
    "$chains/$chain.mlir.in" >"$work/chain.mlir"
  cluster=$(pick 1 1 2 3 4 5 8 16)
  row=$(pick "cluster($cluster) x loop" "loop x cluster($cluster)")
  row+=" x reg($(pick 1 2 3 4)) x warp($(pick 1 2 3 4 5 8)) x lane(32)"
  keep=
  if ((columns % 8 == 0)); then
    row+=" x vector(8)"
    keep=$(pick "" ", keep = [0: shared]")
  fi
  mapping="#cascade.mapping<i: grid, l: $row$keep>"
  check "$chain $columns $type" "$mapping" --patterns=rand,special --interleavings=2 \
    --seed=$RANDOM
done
summarise
