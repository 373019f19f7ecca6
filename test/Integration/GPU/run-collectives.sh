#!/usr/bin/env bash
# Runs the collectives beside it (see build-collectives.sh) on this machine's GPU,
# $JOBS (8) at a time, and compares them with the simulated device, bit for bit.
# Needs bash and cascade-launch only. Ends with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")"

# run LINE: one line of cases.txt.
run() {
  local flags name=${1#* # } log
  read -ra flags <<<"${1%% # *}"
  if log=$(./cascade-launch --atol=0 --rtol=0 "${flags[@]}" 2>&1 >/dev/null); then
    echo passed
  else
    echo "failed: $name: $(head -n 1 <<<"$log")"
  fi
}
export -f run
tr '\n' '\0' <cases.txt | xargs -0 -n 1 -P "${JOBS:-8}" bash -c 'run "$1"' run >results.txt
grep '^failed' results.txt | head -n "${SHOW:-20}"
passed=$(grep -c '^passed' results.txt)
failed=$(grep -c '^failed' results.txt)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
