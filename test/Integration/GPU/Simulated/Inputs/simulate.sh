# simulate.sh FOLDER CLUSTER ALGORITHM: the GPU test cases of test/Integration (FOLDER)
# on the simulated device, with CLUSTER blocks a cluster, each in two interleavings
# against its references. The chains of Catalogue are compared on random rows; on special
# ones, where some are so ill-conditioned that only cascade-sweep can judge them, they run
# for reports and bits alone, and so do those whose roundings are left out or moved. Ends
# with "N passed, N failed".
set -uo pipefail
folder=$1 cluster=$2 algorithm=$3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

# simulate FLAGS...: one cascade-run; prints its failures and adds its counts.
simulate() {
  local status=0 counts
  cascade-run --device=sim --interleavings=2 "$@" >"$work/out" 2>&1 || status=$?
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/out")
  if [ -z "$counts" ] || [ "$status" -ne 0 ]; then
    echo "status $status: $*"
    head -n 40 "$work/out"
  fi
  [[ ${counts:-0 passed, 0 failed} =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  # An error that no case counts.
  if [ "$status" -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; then
    failed=$((failed + 1))
  fi
}

# What kernels do not take (GPU/build-cases.sh says why).
declare -A unsupported=([attention-decode]=1 [logsumexp-two-axes]=1 [shapes]=1 [several-axes]=1)
for file in "$folder"/CPU/*.mlir "$folder"/Catalogue/*.mlir; do
  name=$(basename "$file" .mlir)
  [ -z "${unsupported[$name]:-}" ] || continue
  dims=()
  grep -q '(i, l' "$file" && dims=(--dim=i=1,3)
  flags=("$file" --cluster="$cluster" --algorithm="$algorithm" "${dims[@]}")
  if [[ $file == */Catalogue/* ]]; then
    # Two sizes of the exchange are enough here: the chains are many.
    [[ $cluster == 3 && $algorithm == mailbox ]] || continue
    simulate "${flags[@]}" --dim=l=7,127 --patterns=special
    [[ $name == approximate || $name == moved-rounding ]] ||
      simulate "${flags[@]}" --dim=l=7,127 --patterns=rand --check
    continue
  fi
  lengths=0,1,7,33,127,577
  [ "$name" != topk-64 ] || lengths=0,7,127
  simulate "${flags[@]}" --dim=l=$lengths --patterns=rand,special --check
  simulate "${flags[@]}" --dim=l=33,256 --offset-elements=1
done
if [ "$cluster" = 1 ]; then
  # Clusters of their own choice.
  for file in "$folder"/GPU/*.mlir; do
    simulate "$file" --patterns=rand,special --check
  done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
