# simulate.sh [--brief] FILE FOURTH [FLAGS...]: the chains of FILE, whose operands are q, k, v
# and one of which FOURTH is the --input (- where there is none), on the simulated device
# under the mappings that the schedule chooses, against their references. Keys are as many
# as a tile takes and not, one and none; values are random and special in each of q, k and
# v; masked keys are NaN and infinite. Buffers are aligned and not, clusters of a size of
# their own and of given ones, all orders of execution give the same bits. FLAGS go to all
# runs; --brief leaves the sizes of clusters out. Ends with "N passed, N failed".
set -uo pipefail
brief=
[ "$1" != --brief ] || { brief=1; shift; }
file=$1 fourth=$2
shift 2
flags=("$@")
log=$(mktemp)
trap 'rm "$log"' EXIT
passed=0 failed=0

# simulate Q K V FOURTH FLAGS...: one cascade-run; prints its failures and adds its counts.
simulate() {
  local status=0 inputs=() spec
  for spec in "$1" "$2" "$3" "$4"; do
    [ "$spec" = - ] || inputs+=("--input=$spec")
  done
  shift 4
  cascade-run "$file" --device=sim --check "${inputs[@]}" "${flags[@]}" "$@" \
    >"$log" 2>&1 || status=$?
  if [[ $(grep -E '^[0-9]+ passed' "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  elif [ "$status" -eq 0 ]; then # A single case has no counts.
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  [ "$status" -ne 0 ] || return 0
  echo "status $status: ${inputs[*]} $*"
  head -n 20 "$log"
}

simulate rand rand rand "$fourth" --dim=l=0,1,33
simulate rand special rand "$fourth" --dim=l=33 --offset-elements=1
if [ -z "$brief" ]; then
  simulate rand rand special "$fourth" --dim=l=33 --seed=9
  simulate special rand rand "$fourth" --dim=l=70 --cluster=1 --interleavings=2
  simulate rand rand rand "$fourth" --dim=l=70 --cluster=3
  simulate rand special rand "$fourth" --dim=l=150 --cluster=8 --seed=3
fi
if [ "$fourth" != - ]; then
  # No key takes part, whatever it is.
  simulate rand nan inf 0 --dim=l=9
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
