#!/usr/bin/env bash
# Runs the collectives beside it (see build-collectives.sh) on this machine's GPU,
# $JOBS (8) at a time, and compares them with the simulated device, bit for bit.
# Needs bash and cascade-launch only. Ends with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")"

# run LINE: one line of cases.txt.
run() {
  local flags name=${1#* # } log status=0
  read -ra flags <<<"${1%% # *}"
  log=$(./cascade-launch --atol=0 --rtol=0 "${flags[@]}" 2>&1) || status=$?
  if [ "$status" -eq 0 ]; then
    echo passed
  else
    echo "failed: $name: status $status: $(grep -v '^out' <<<"$log" | cut -c1-300 | tail -n 1)"
  fi
}
export -f run
tr '\n' '\0' <cases.txt | xargs -0 -n 1 -P "${JOBS:-8}" bash -c 'run "$1"' run >results.txt
grep '^failed' results.txt | head -n "${SHOW:-20}"
passed=$(grep -c '^passed' results.txt)
failed=$(grep -c '^failed' results.txt)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
