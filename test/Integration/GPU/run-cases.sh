#!/usr/bin/env bash
# Runs the artefacts beside it (see build-cases.sh) on this machine's GPU: every
# case against its references, twice with the same bits, aligned and not. Needs
# bash and cascade-launch only. Ends with "N passed, N failed".
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
launch=$here/cascade-launch
passed=0
failed=0

# run FLAGS... MANIFESTS...: adds up the counts of one cascade-launch.
run() {
  local log counts status=0
  log=$("$launch" --check --check-bitwise "$@" 2>&1) || status=$?
  grep -E '^(FAIL|error)' <<<"$log" | head -n "${SHOW:-20}"
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' <<<"$log" | tail -n 1)
  if [ -z "$counts" ]; then
    echo "no counts (status $status): $*"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + $(cut -d' ' -f1 <<<"$counts")))
  failed=$((failed + $(cut -d' ' -f3 <<<"$counts")))
}

dynamic=("$here"/*_c*.json)
static=()
for manifest in "${dynamic[@]}"; do
  [[ $(basename "$manifest") == static-* ]] && static+=("$manifest")
done
for manifest in "${dynamic[@]}"; do
  [[ $(basename "$manifest") == static-* ]] && continue
  more=()
  grep -q '"n"' "$manifest" && more=(--dim=n=5)
  for input in rand special; do
    run --input="$input" --dim=i=1,3,64 "${more[@]}" \
      --dim=l=0,1,2,7,31,32,33,96,127,577,1000,4097,16384 "$manifest"
  done
  run --dim=i=3 "${more[@]}" --dim=l=129280 "$manifest"
  run --dim=i=5 "${more[@]}" --dim=l=8,1000,4096 --offset-elements=1 "$manifest"
done
for manifest in "${static[@]}"; do
  run --input=rand "$manifest"
  run --input=special "$manifest"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
