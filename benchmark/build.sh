#!/usr/bin/env bash
# Compiles the benchmark's kernels into a folder that a GPU machine can run:
#   benchmark/build.sh [--with-reference] [--cubin] [OUT=benchmark/artefacts]
#                      [TYPE=bf16] [CHAIN...]
# TYPE is an element type of the inputs (bf16, f16, f32); CHAINs are names of
# benchmark/chains (all of them by default). --with-reference adds what
# cascade-launch --check needs; --cubin assembles with ptxas, which saves the
# driver's compiler. SHAPES="16384x4096 ..." in the environment chooses shapes,
# FLAGS more flags of cascade-compile, BUILD_DIR the build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${BUILD_DIR:-$here/../build}/bin

read -ra flags <<<"${FLAGS:-}"
while [[ ${1:-} == --* ]]; do
  case $1 in
  --with-reference) flags+=(--with-reference) ;;
  --cubin) flags+=(--emit=cubin) ;;
  *)
    echo "error: unknown option $1; see the head of $0" >&2
    exit 2
    ;;
  esac
  shift
done
out=${1:-$here/artefacts}
type=${2:-bf16}
chains=("${@:3}")
if [ ${#chains[@]} -eq 0 ]; then
  for file in "$here"/chains/*.mlir.in; do
    chains+=("$(basename "$file" .mlir.in)")
  done
fi
many_rows="65536x1024 16384x4096 4096x16384 1024x65536 512x131072 64x1048576"
few_rows="1x131072 8x131072 32x32768 132x8192"
read -ra shapes <<<"${SHAPES:-$many_rows $few_rows}"
for tool in cascade-compile cascade-launch cascade-bench-report; do
  if [ ! -x "$bin/$tool" ]; then
    echo "error: no $bin/$tool; run tools/build.sh or set BUILD_DIR" >&2
    exit 2
  fi
done

# instantiate CHAIN SHAPE: the template; conversions from f32 to f32, which are
# no operations, are dropped and their operand stands for their result.
instantiate() {
  local text rename
  text=$(sed "s/ROWS/${2%x*}/g; s/COLS/${2#*x}/g; s/TYPE/$type/g" \
    "$here/chains/$1.mlir.in")
  rename=$(sed -nE \
    's/^ *(%\w+) = arith\.(extf|truncf) (%\w+) : f32 to f32$/s|\1\\b|\3|g/p' \
    <<<"$text")
  sed '/ : f32 to f32$/d' <<<"$text" | sed "$rename"
}

cases=()
for chain in "${chains[@]}"; do
  if [ ! -f "$here/chains/$chain.mlir.in" ]; then
    echo "error: no chain $chain in $here/chains" >&2
    exit 2
  fi
  for shape in "${shapes[@]}"; do
    cases+=("$chain $shape")
  done
done

mkdir -p "$out"
count=0
left_out=0
for one in "${cases[@]}"; do
  read -r chain shape <<<"$one"
  name=${chain}_${shape}_$type
  count=$((count + 1))
  echo "[$count/${#cases[@]}] $name"
  rm -f "$out/$name".{json,ptx,cubin,ref.ptx,ref.cubin}
  instantiate "$chain" "$shape" >"$out/$name.mlir"
  if ! message=$("$bin/cascade-compile" "$out/$name.mlir" -o "$out/$name" \
    "${flags[@]}" 2>&1); then
    left_out=$((left_out + 1))
    message=$(grep -m 1 error: <<<"$message" || head -n 1 <<<"$message")
    echo "left out: $name: ${message#*error: }"
    rm "$out/$name.mlir"
  fi
done
cp "$bin/cascade-launch" "$bin/cascade-bench-report" "$here/run.sh" \
  "$here/peers.py" "$out/"
size=$(du -sk "$out" | cut -f 1)
echo "$((count - left_out)) artefacts in $out, $left_out left out; $size KiB"
[ "$count" -gt "$left_out" ]
