# contractions.sh FOLDER SEED COUNT: chains of FOLDER with 2, 4, 8 or 16 heads that share keys,
# under random mappings that contract both kinds of sums on the tensor cores, on the simulated
# device against their references. Heads and queries go to lanes, registers and warps in any
# order; keys to warps, blocks and clusters of the grid; the columns of the results to lanes,
# registers and blocks. Prints a line for each that fails; ends in "N passed, N failed".
set -uo pipefail
folder=$1
RANDOM=$2
count=$3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# pick WORD...: one of them, in `result`.
pick() {
  shift $((RANDOM % $#))
  result=$1
}

# digit LEVEL SIZE [PLACE]: with the x that follows it, unless it is of size 1.
digit() {
  [ "$2" = 1 ] || echo "$1($2${3:+ at $3}) x "
}

# columns NAME: the digits of heads or queries that lanes and registers have. $room positions
# and $lanes lanes are left.
columns() {
  local at=1 reg pair=1 own
  pick 1 1 2 4
  own=$result
  while [ "$own" -gt "$room" ] || [ "$own" -gt "$lanes" ]; do own=$((own / 2)); done
  room=$((room / own))
  at=$((4 / lanes))
  lanes=$((lanes / own))
  if [ -z "$paired" ] && [ "$room" -gt 1 ]; then
    pair=2 paired=1
    room=$((room / 2))
  fi
  pick 1 1 2
  reg=$result
  [ "$reg" -le "$room" ] || reg=1
  room=$((room / reg))
  digits="$(digit reg "$reg")$(digit lane "$own" "$at")$(digit reg "$pair")"
  [ $((RANDOM % 3)) -gt 0 ] || digits="$(digit lane "$own" "$at")$(digit reg $((reg * pair)))"
}

passed=0
failed=0
for ((n = 0; n < count; ++n)); do
  pick "cache-types cache_f16 0 3" "cache-types cache_bf16 0 3" "cache-types cache_e4m3 0 3" \
    "cache-types cache_e5m2 0 3" "softmaxes sink 0 3" \
    "softmaxes log_sum_exp_2 0 3" "softmaxes differential 0,3 6" "scores softcap_alibi_bias 0 3" \
    "masks sliding_window 0 3" "masks documents 0 3" "queries four_queries 0 3" \
    "queries causal_lengths 0 3" "other-shapes state 0 3" \
    "head-dims keys_64_values_96 0 3"
  read -r file entry inner over <<<"$result"
  pick 2 4 8 16
  group=$result
  pick 32 32 48 64
  depth=$result
  pick 32 32 24 40
  values=$result
  case $entry in
  differential | keys_*) ;;
  *) values=$depth ;; # Queries and results have one type.
  esac
  queries=$((RANDOM % 4 + 1))
  awk -v entry="$entry" -v group="$group" \
    -v sizes="b=2 h=$((2 * group)) l=? d=$depth e=$values i=$queries" \
    -f "$folder/Inputs/resize.awk" "$folder/$file.mlir" >"$work/chain.mlir"
  lanes=4 room=$group paired=
  columns
  pick "" "" "warp($((RANDOM % 2 + 1))) x "
  h="grid x $result$digits"
  i=grid
  if grep -q '(b, i' "$work/chain.mlir"; then
    room=$((2 - queries % 2))
    columns
    [ -z "$digits" ] || i="grid x ${digits% x }"
    i="i: $i, "
  else
    i=
  fi
  [ -n "$paired" ] || { n=$((n - 1)); continue; }
  pick "cluster($((RANDOM % 4 + 2))) x loop x" "loop x cluster($((RANDOM % 4 + 2))) x" "loop x" "loop x"
  row=$result
  pick "" "" "grid(2) x " "grid(5) x "
  split=$result
  load=
  pick 1 1 2 3
  warps=$(digit warp "$result")
  pick 2 2 4
  reg="reg($result) x "
  pick "$warps$reg" "$reg$warps"
  l="$split$row $result"
  pick 1 2 4 8
  vector=$result
  [ $((depth / 4 % vector)) = 0 ] || vector=4
  d="$(digit reg $((depth / 4 / vector)))lane(4 at 1)"
  [ "$vector" = 1 ] || d+=" x vector($vector)"
  pick 1 2 4
  vector=$result
  pick "lane(8 at 4)" "lane(8 at 4)" "lane(4 at 4)" "lane(2 at 16)"
  place=$result
  ofLanes=${place:5:1}
  held=$(((values + ofLanes * vector - 1) / (ofLanes * vector)))
  [ $((held * vector % 2)) = 0 ] || held=$((held + 1))
  outer=
  [ $((RANDOM % 4)) -gt 0 ] || { outer="grid x "; held=$((2 / (vector > 2 ? 2 : vector))); }
  e="$outer$(digit reg "$held")$place"
  [ "$vector" = 1 ] || e+=" x vector($vector)"
  [ $((RANDOM % 3)) -gt 0 ] || load=", load = [1: ahead(1), 2: ahead(1)]"
  [ -z "$split" ] || load+=", merge = [l: last]"
  contract=
  for number in ${inner//,/ } "$over"; do contract+=", $number: mma.m16n8k16"; done
  mapping="b: grid, ${i}h: ${h% x }, l: ${l}lane(8 at 4), d: $d, e: $e$load, contract = [${contract#, }]"
  pick rand rand special
  inputs=(--input=rand "--input=$result" --input=rand --input=randint:90)
  if cascade-run "$work/chain.mlir" --device=sim --mapping="#cascade.mapping<$mapping>" \
    "${inputs[@]}" --seed=$((RANDOM % 100)) --dim=l=$((RANDOM % 90)) --interleavings=2 \
    --check >"$work/log" 2>&1; then
    passed=$((passed + 1))
  elif grep -q "in shared memory and needs" "$work/log"; then
    n=$((n - 1)) # It does not fit: another one.
  else
    failed=$((failed + 1))
    echo "FAIL $file $entry group $group d $depth e $values $mapping ${inputs[*]}"
    tail -n 3 "$work/log"
  fi
done
echo "$passed passed, $failed failed"
