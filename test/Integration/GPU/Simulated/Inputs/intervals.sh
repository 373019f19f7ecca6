#!/usr/bin/env bash
# Sums of integers over random predicates of the index (comparisons of affine
# expressions that may wrap around, and what joins them) under random mappings
# on the simulated device, against their references: intervals.sh SEED COUNT
# CHAINS. Every wrongly skipped element changes a sum. COUNT runs of as many
# CHAINS each. Prints the predicates of those that fail; ends in "N passed, N
# failed".
set -uo pipefail
RANDOM=$1
count=$2
chains=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pick WORD...: one of them, in $picked.
pick() {
  shift $((RANDOM % $#))
  picked=$1
}

# emit TEXT: one more operation, whose result is $result.
emit() {
  result=%v$((++number))
  body+="    $result = $1"$'\n'
}

# affine: an expression of type $type in the index, the bounds and constants.
affine() {
  pick %j %j %n %m constant
  local sum=$picked
  if [ "$sum" = constant ]; then
    emit "arith.constant $((RANDOM % 60 - 20)) : $type"
    sum=$result
  fi
  local terms=$((RANDOM % 3))
  for ((; terms > 0; --terms)); do
    pick %j %n %m constant
    local term=$picked
    if [ "$term" = constant ]; then
      pick 1 7 -3 40 -64 2147483647 -2147483648
      emit "arith.constant $picked : $type"
      term=$result
    elif [ $((RANDOM % 3)) = 0 ]; then
      pick 2 3 -1 -2 5
      emit "arith.constant $picked : $type"
      emit "arith.muli $term, $result : $type"
      term=$result
    fi
    pick addi subi
    emit "arith.$picked $sum, $term : $type"
    sum=$result
  done
  result=$sum
}

# predicate DEPTH
predicate() {
  if [ "$1" = 0 ]; then
    affine
    local left=$result
    affine
    local right=$result
    pick slt sle sgt sge ult ule ugt uge eq ne slt sge
    emit "arith.cmpi $picked, $left, $right : $type"
    return
  fi
  predicate $(($1 - 1))
  local first=$result
  pick andi andi ori xori select
  local join=$picked
  if [ $join = xori ]; then
    emit "arith.xori $first, %true : i1"
    return
  fi
  predicate $(($1 - 1))
  if [ $join = select ]; then
    local second=$result
    predicate 0
    emit "arith.select $first, $second, $result : i1"
  else
    emit "arith.$join $first, $result : i1"
  fi
}

# chain NAME
chain() {
  number=0 body=
  pick i32 i32 i64 index
  type=$picked
  body="    %j = cascade.index l : $type"$'\n'
  case $type in
  i32) local n=n m=m ;;
  *)
    local n=n0 m=m0 cast=extsi
    [ $type = i64 ] || cast=index_cast
    body+="    %n = arith.$cast %n0 : i32 to $type"$'\n'
    body+="    %m = arith.$cast %m0 : i32 to $type"$'\n'
    ;;
  esac
  body+="    %true = arith.constant true"$'\n'
  predicate $((RANDOM % 3))
  cat <<END
func.func @$1(%x: tensor<?x?xi32>, %p: tensor<?xi32>, %q: tensor<?xi32>) -> tensor<?xi32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>, %p[i] : tensor<?xi32>, %q[i] : tensor<?xi32>)
      outs([i] : tensor<?xi32>) {
  ^bb0(%e: i32, %$n: i32, %$m: i32):
$body    %s = cascade.reduce add %e over (l) where $result : i32
    cascade.yield %s : i32
  }
  return %y : tensor<?xi32>
}
END
}

passed=0
failed=0
for ((run = 0; run < count; ++run)); do
  for ((k = 0; k < chains; ++k)); do chain "f$k"; done >"$work/chains.mlir"
  pick 1 2 3 8
  cluster=$picked
  pick "cluster($cluster) x loop" "loop x cluster($cluster)" loop
  row=$picked
  pick "" "reg(2) x " "reg(3) x "
  row+=" x $picked"
  pick "" "warp(2) x "
  row+=$picked
  # Rows that share a warp, or a block, have bounds of their own.
  pick "grid|lane(32)" "grid x lane(4)|lane(8)" "grid x warp(2)|lane(32)" "grid x reg(2)|lane(32)"
  mapping="#cascade.mapping<i: ${picked%|*}, l: $row${picked#*|}>"
  pick 0 1 31 40 100 200
  length=$picked
  bounds() {
    local all=
    for _ in 1 2 3 4 5 6; do
      pick 0 1 -1 $((RANDOM % 100)) $((RANDOM % 100)) $((RANDOM % 200)) $((RANDOM % 200)) \
        $((-(RANDOM % 100))) 2147483647 -2147483648 $((2147483647 - RANDOM % 200)) 65536
      all+=" $picked"
    done
    result="6xi32=${all# }"
  }
  bounds
  inputs=(--input=rand "--input=$result")
  bounds
  inputs+=("--input=$result")
  log=$(cascade-run "$work/chains.mlir" --device=sim --mapping="$mapping" "${inputs[@]}" \
    --dim=i=6 --dim=l=$length --seed=$RANDOM --check 2>&1)
  if [[ $(grep -E '^[0-9]+ passed' <<<"$log") =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    [ "${BASH_REMATCH[2]}" != 0 ] || continue
  else
    failed=$((failed + 1))
  fi
  echo "FAIL $mapping length $length ${inputs[*]}"
  head -n 6 <<<"$log"
  cat "$work/chains.mlir"
done
echo "$passed passed, $failed failed"
