# mappings.sh FOLDER SEED COUNT: chains of FOLDER with head dimension 32 under random
# mappings on the simulated device, against their references. Keys go to any number of
# blocks, warps and lanes, with the loop inside of the cluster or outside, and to several
# clusters of the grid; columns to lanes,
# vectors and registers, to other blocks, or to a loop; heads to the grid, to warps, lanes
# and registers. Prints a line for each that fails; ends in "N passed, N failed".
set -uo pipefail
folder=$1
RANDOM=$2
count=$3
log=$(mktemp)
trap 'rm "$log"' EXIT

# pick WORD...: one of them.
pick() {
  shift $((RANDOM % $#))
  echo "$1"
}

# digit LEVEL SIZE: with the x that follows it, unless it is of size 1.
digit() {
  [ "${2%% *}" = 1 ] || echo "$1($2) x "
}

# columns LEVEL: the digits of 32 columns on the first $lanes lanes, vectors of $vector. A
# digit at LEVEL takes what registers do not.
columns() {
  local held=$(pick 1 2 3)
  local needed=$(((32 + lanes * vector - 1) / (lanes * vector)))
  local outer="$1 x "
  if [ "$held" -ge "$needed" ] || [ $((RANDOM % 2)) = 0 ]; then
    held=$needed outer=
  fi
  looped+=$outer
  local digits="$outer$(digit reg "$held")$(digit lane "$lanes at 1")$(digit vector "$vector")"
  [ -n "$digits" ] || digits="reg(1) x "
  result=${digits% x }
}

passed=0
failed=0
for ((n = 0; n < count; ++n)); do
  read -r file entry < <(pick "cache-types cache_f16" "cache-types cache_f32" \
    "softmaxes sink" "softmaxes log_sum_exp_2" "scores softcap_alibi_bias" \
    "masks sliding_window" "queries four_queries" "cache-types cache_e4m3" | head -n 1)
  lanes=$(pick 1 2 4 8 16 32)
  vector=$(pick 1 2 4)
  looped=
  columns loop && d=$result
  load=
  [ -n "$looped" ] || load=$(pick "" ", load = [1: ahead(1), 2: ahead(1)]")
  columns grid && e=$result
  left=$((32 / lanes))
  ofHead=1 place=$(pick reg warp lane)
  h=grid
  case $place in
  reg) h="grid$(digit "" "$(pick 1 2 3 4)" | sed 's/^(/ x reg(/; s/ x $//')" ;;
  warp) h="grid x warp(2)" ;;
  lane) [ "$left" -lt 2 ] || { ofHead=2; h="grid x lane(2 at 16)"; } ;;
  esac
  row=$(pick "cluster($(pick 2 3 4 8)) x loop" "loop x cluster($(pick 2 3 5))" loop loop)
  split=$(pick "" "" "grid(2) x " "grid(5) x ")
  [ -z "$split" ] || load+=", merge = [l: last]"
  rest="$(digit reg "$(pick 1 2 3)")$(digit warp "$(pick 1 2 3 4)")$(digit lane "$((left / ofHead)) at $lanes")"
  l="$split$row x $rest"
  mapping="b: grid, i: grid, h: $h, l: ${l% x }, d: $d, e: $e$load"
  [ "$entry" = four_queries ] || mapping=${mapping/ i: grid,/}
  inputs=(--input=rand "--input=$(pick rand rand special)" --input=rand --input=randint:90)
  if cascade-run "$folder/$file.mlir" --entry="$entry" --device=sim \
    --mapping="#cascade.mapping<$mapping>" "${inputs[@]}" --seed=$((RANDOM % 100)) \
    --dim=l="$(pick 1 5 31 75 80)" --interleavings=2 --check >"$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $file $entry $mapping ${inputs[*]}"
    tail -n 3 "$log"
  fi
done
echo "$passed passed, $failed failed"
