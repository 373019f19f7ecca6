#!/usr/bin/env bash
# A deferred factor, and what stands in the fused form for it.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/03-rmsnorm-matrix/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cascade-compile "$here/input.mlir" --explain=text
cascade-compile "$here/input.mlir" --emit=fused
cascade-compile "$here/input.mlir" -o "$out/rmsnorm_matrix" --with-reference
cascade-run "$here/input.mlir" --device=cpu --segments=5 --check
# Rows of zeros, infinities, NaN, huge and tiny numbers.
cascade-run "$here/input.mlir" --device=cpu --segments=5 --check \
  --input=special --input=rand
