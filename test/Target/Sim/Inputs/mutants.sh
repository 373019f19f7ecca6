# mutants.sh KERNEL FLAGS...: takes one synchronising operation after another out of the
# first kernel of KERNEL, a file at the phase `expanded`, and runs each with the FLAGS of
# cascade-run. The simulated device must report something in every interleaving, and
# nothing about the kernel as it is.
set -eu
kernel=$1
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
simulate() {
  file=$1
  shift
  cascade-run "$file" --device=sim --interleavings=4 "$@" >"$work/out" 2>&1
}
simulate "$kernel" "$@" || {
  echo "reported without a mutation:"
  head -n 20 "$work/out"
  exit 1
}
end=$(grep -n 'gpu.return' "$kernel" | head -n 1 | cut -d: -f1)
found=0
for line in $(grep -nE '^ *(gpu.barrier|cluster.(barrier|warp_barrier|fence|mbarrier.(wait|expect_tx)))' \
  "$kernel" | cut -d: -f1); do
  [ "$line" -lt "$end" ] || continue
  sed "${line}d" "$kernel" >"$work/mutant.mlir"
  status=0
  simulate "$work/mutant.mlir" "$@" || status=$?
  if [ "$status" = 3 ] && grep -q '^0 passed' "$work/out"; then
    found=$((found + 1))
  else
    echo "not found without $(sed -n "${line}p" "$kernel"), line $line"
  fi
done
echo "$found mutants found"
