# mutants.sh FILE ALGORITHM: compiles softmax_lse of FILE for clusters of three blocks and takes
# one synchronising operation after another out of the kernel. The simulated device must
# report something every time, and nothing about the kernel as it is. The rows are the
# special ones, so that the kernel's replay runs too.
set -eu
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
rows=19 length=576
simulate() {
  cascade-run "$1" --device=sim --entry=softmax_lse --interleavings=4 \
    --grid=$((3 * rows)) --input=${rows}x${length}xf32=special \
    --input=${rows}x${length}xf32=0 --input=${rows}xf32=0 --input=i32=$rows \
    --input=i32=$length --input=i32=$rows --input=i32=$length --input=i32=$rows \
    --expected-output=${rows}x${length}xf32=rand --rtol=1e30 >"$work/out" 2>&1
}
cascade-compile "$1" --emit=expanded --cluster=3 --algorithm="$2" -o "$work/kernel.mlir"
simulate "$work/kernel.mlir" || [ $? = 1 ] || {
  echo "reported without a mutation:"
  head -n 20 "$work/out"
  exit 1
}
end=$(grep -n 'gpu.return' "$work/kernel.mlir" | head -n 1 | cut -d: -f1)
found=0
for line in $(grep -nE '^ *(gpu.barrier|cluster.(barrier|fence|mbarrier.(wait|expect_tx)))' \
  "$work/kernel.mlir" | cut -d: -f1); do
  [ "$line" -lt "$end" ] || continue
  sed "${line}d" "$work/kernel.mlir" >"$work/mutant.mlir"
  status=0
  simulate "$work/mutant.mlir" || status=$?
  if [ "$status" = 3 ] && grep -q '^0 passed' "$work/out"; then
    found=$((found + 1))
  else
    echo "not found without $(sed -n "${line}p" "$work/kernel.mlir"), line $line"
  fi
done
echo "$found mutants found"
