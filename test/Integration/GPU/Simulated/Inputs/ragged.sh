# ragged.sh FILE: its chains, whose operands are x and two bounds for each of six rows, on
# the simulated device against their references. Ends with "N passed, N failed".
set -uo pipefail
passed=0 failed=0
for bounds in "0 1 7 64 500 1999|0 0 3 64 450 900" \
  "2000 -1 2147483647 -2147483648 512 1024|0 -5 1990 -2147483648 512 511" \
  "1024 1025 1023 256 257 130|1023 1024 0 255 -7 2147483647"; do
  for x in rand special nan; do
    for cluster in 1 3; do
      log=$(cascade-run "$1" --device=sim --check --input=$x "--input=6xi32=${bounds%|*}" \
        "--input=6xi32=${bounds#*|}" --dim=l=0,1,100,1030 --cluster=$cluster 2>&1)
      if [[ $(grep -E '^[0-9]+ passed' <<<"$log") =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        [ "${BASH_REMATCH[2]}" != 0 ] || continue
      else
        failed=$((failed + 1))
      fi
      echo "FAIL $x $bounds cluster $cluster"
      head -n 8 <<<"$log"
    done
  done
done
echo "$passed passed, $failed failed"
