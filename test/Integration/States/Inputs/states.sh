#!/usr/bin/env bash
# Computes chains from parts of a row that lie apart, against the whole row:
# states.sh FILE [RUN OPTIONS]. The states of all parts finished at once; those of
# the first ones merged, then finished with the rest, last first. Prints a line
# for each that fails; ends in "N passed, N failed".
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cascade-opt "$1" --cascade-split-states -o "$work/split.mlir" || exit 1
shift
passed=0
failed=0

# evaluate ENTRY INPUT...: its outputs, SHAPExTYPE=VALUES, a line each.
evaluate() {
  local entry=$1
  shift
  cascade-run "$work/split.mlir" --entry="$entry" "${options[@]}" "${@/#/--input=}" |
    sed 's/^[^:]*: //'
}

# stack FILE...: one output of all places as one, in the order of the files.
stack() {
  paste -d '\n' "$@" | awk -v places=$# '{
    split($0, parts, "=")
    values = values (values == "" ? "" : " ") parts[2]
    if (NR % places == 0) {
      print places "x" parts[1] "=" values
      values = ""
    }
  }'
}

# check ENTRY PART PART PART: parts of one row, numbers each.
check() {
  local entry=$1 more=() part number=0 whole="" files=() stacked
  shift
  [ "$entry" != attend ] || more=("2xf32=1 -3")
  for part in "$@"; do
    whole+="${whole:+ }$part"
    evaluate "${entry}_states" "1x$(wc -w <<<"$part")xf32=$part" "${more[@]}" \
      >"$work/state$((number++))"
  done
  mapfile -t stacked < <(stack "$work/state0" "$work/state1" "$work/state2")
  evaluate "${entry}_finish" "${stacked[@]}" "${more[@]}" >"$work/all"
  mapfile -t stacked < <(stack "$work/state0" "$work/state1")
  evaluate "${entry}_merge" "${stacked[@]}" >"$work/merged"
  mapfile -t stacked < <(stack "$work/state2" "$work/merged")
  evaluate "${entry}_finish" "${stacked[@]}" "${more[@]}" >"$work/later"
  for result in all later; do
    mapfile -t stacked <"$work/$result"
    if [ ${#stacked[@]} -gt 0 ] && cascade-run "$work/split.mlir" --entry="$entry" \
      --input="1x$(wc -w <<<"$whole")xf32=$whole" "${more[@]/#/--input=}" \
      "${stacked[@]/#/--expected-output=}" --check --rtol=1e-5 >"$work/log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAIL $entry $result: $*: ${stacked[*]}"
      tail -n 3 "$work/log"
    fi
  done
}

options=("$@")
check lse "1 2 3.5" "-4 0.25" "100 99 98 7"
check lse "-inf -inf" "-inf" "1 2"
check lse "3 nan" "1" "2"
check variance "1e4" "-3 -3 -3 -3 -3 -3" "0.5 2"
check furthest "-80 -90" "88 3 2 1 0 -1 -2 -3 -4" "-inf 5"
check attend "-80 -90" "88 3 2 1 0 -1 -2 -3 -4" "-inf 5"
echo "$passed passed, $failed failed"
