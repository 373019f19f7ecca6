# mutants.sh FILE ALGORITHM [MAPPING]: compiles softmax_lse of FILE for clusters of three blocks,
# or under MAPPING for rows of a static length, and takes one synchronising operation after
# another out of the kernel. The simulated device must report something every time, and
# nothing about the kernel as it is. The rows are the special ones, so that the kernel's
# replay runs too.
set -eu
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
rows=19 length=576
dims="i32=$rows i32=$length i32=$rows i32=$length i32=$rows"
options="--cluster=3" clusters=$rows
sed -n '/@softmax_lse(/,/^}/p' "$1" >"$work/chain.mlir"
if [ -n "${3:-}" ]; then
  dims=
  options="--mapping=$3"
  # Several rows a cluster.
  case $3 in *resident*) clusters=4 ;; esac
  sed -i "s/<?x?x/<${rows}x${length}x/g; s/<?x/<${rows}x/g" "$work/chain.mlir"
fi
simulate() {
  cascade-run "$1" --device=sim --entry=softmax_lse --interleavings=4 \
    --grid=$((3 * clusters)) --input=${rows}x${length}xf32=special \
    --input=${rows}x${length}xf32=0 --input=${rows}xf32=0 ${dims:+$(printf -- '--input=%s ' $dims)} \
    --expected-output=${rows}x${length}xf32=rand --rtol=1e30 >"$work/out" 2>&1
}
cascade-compile "$work/chain.mlir" --emit=expanded "$options" --algorithm="$2" -o "$work/kernel.mlir"
simulate "$work/kernel.mlir" || [ $? = 1 ] || {
  echo "reported without a mutation:"
  head -n 20 "$work/out"
  exit 1
}
end=$(grep -n 'gpu.return' "$work/kernel.mlir" | head -n 1 | cut -d: -f1)
found=0
for line in $(grep -nE '^ *(gpu.barrier|cluster.(barrier|warp_barrier|fence|mbarrier.(wait|expect_tx)))' \
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
