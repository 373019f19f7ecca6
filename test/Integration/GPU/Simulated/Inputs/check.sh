# check.sh: what the scripts beside it share, which run chains under mappings on the
# simulated device, against the unfused evaluation. For `source`.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check NAME MAPPING [FLAGS of cascade-run...]: one run of $work/chain.mlir; a line for it
# where it fails, which says NAME.
check() {
  local name=$1 mapping=$2 log
  shift 2
  if log=$(cascade-run "$work/chain.mlir" --device=sim --mapping="$mapping" --check \
    "$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $name $mapping"
    tail -n 3 <<<"$log"
  fi
}

# The last line: "N passed, N failed".
summarise() {
  echo "$passed passed, $failed failed"
}

# pick WORD...: one of them.
pick() {
  shift $((RANDOM % $#))
  echo "$1"
}
