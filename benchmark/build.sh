#!/usr/bin/env bash
# Compiles the benchmark's kernels into a folder that a GPU machine can run:
#   benchmark/build.sh [OUT=benchmark/artefacts] [TYPE=bf16]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build_dir=${BUILD_DIR:-$here/../build}
out=${1:-$here/artefacts}
type=${2:-bf16}
shapes=(16384x4096 4096x16384 1024x65536 512x131072 64x1048576)

mkdir -p "$out"
for chain in softmax logsumexp; do
  for shape in "${shapes[@]}"; do
    sed "s/ROWS/${shape%x*}/g; s/COLS/${shape#*x}/g; s/TYPE/$type/g" \
      "$here/chains/$chain.mlir.in" >"$out/${chain}_$shape.mlir"
    "$build_dir/bin/cascade-compile" "$out/${chain}_$shape.mlir" \
      -o "$out/${chain}_$shape" --with-reference
  done
done
cp "$build_dir/bin/cascade-launch" "$out/"
echo "$(ls "$out"/*.json | wc -l) artefacts in $out"
