#!/usr/bin/env bash
# Runs the artefacts beside it (see build-cases.sh) on this machine's GPU: every
# case against its references, twice with the same bits, aligned and not, $JOBS
# (8) artefacts at a time. Needs bash and cascade-launch only. Ends with
# "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# run FLAGS...: one cascade-launch; prints its failures and its counts.
run() {
  local log status=0
  log=$("$here/cascade-launch" --check --check-bitwise "$@" 2>&1) || status=$?
  grep -E '^(FAIL|error)' <<<"$log" | head -n "${SHOW:-20}"
  grep -E '^[0-9]+ passed, [0-9]+ failed$' <<<"$log" | tail -n 1 | grep . ||
    echo "0 passed, 1 failed" "(status $status: $*)"
}

# Those of attention, whose operands are q, k, v and mostly lengths.
run_attention() {
  local manifest=$1 keys length fourth=(--input=randint:1500) more=()
  [[ $manifest != *masks* ]] || fourth=(--input=rand)
  [[ $manifest != *causal* ]] || fourth=()
  grep -q '"i"' "$manifest" && more=(--dim=i=1,16)
  for keys in rand special; do
    run --input=rand --input=$keys --input=rand "${fourth[@]}" "${more[@]}" \
      --dim=l=0,1,33,577,4097 "$manifest"
  done
  run --input=rand --input=rand --input=rand "${fourth[@]}" "${more[@]}" \
    --dim=l=1000 --offset-elements=1 "$manifest"
  [ ${#fourth[@]} != 0 ] || return 0
  run --input=rand --input=nan --input=inf --input=0 "${more[@]}" --dim=l=9 "$manifest"
  [[ $manifest != *masks* ]] || return 0
  # Lengths that no cache has.
  for length in -7 100000; do
    run --input=rand --input=rand --input=rand --input=$length "${more[@]}" \
      --dim=l=577 "$manifest"
  done
}

# All cases of one artefact.
run_artefact() {
  local manifest=$1 input more=()
  if [[ $(basename "$manifest") == static-* ]]; then
    for input in rand special; do run --input="$input" "$manifest"; done
    return
  fi
  if [[ $(basename "$manifest") == attention-* ]]; then
    run_attention "$manifest"
    return
  fi
  grep -q '"i"' "$manifest" && more=(--dim=i=1,3,64)
  for input in rand special; do
    run --input="$input" "${more[@]}" \
      --dim=l=0,1,2,7,31,32,33,96,127,577,1000,4097,16384 "$manifest"
  done
  [ ${#more[@]} -eq 0 ] || more=(--dim=i=3)
  run "${more[@]}" --dim=l=129280 "$manifest"
  run "${more[@]}" --dim=l=8,1000,4096 --offset-elements=1 "$manifest"
}

if [ "${1:-}" = --artefact ]; then
  run_artefact "$2"
  exit
fi
passed=0
failed=0
while IFS= read -r line; do
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    [[ $line == *status* ]] && echo "$line"
  else
    echo "$line"
  fi
done < <(printf '%s\0' "$here"/*_c*.json |
  xargs -0 -n 1 -P "${JOBS:-8}" bash "$0" --artefact)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
