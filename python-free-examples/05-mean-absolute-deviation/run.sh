#!/usr/bin/env bash
# A refused reduction: why, and what happens instead.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/05-mean-absolute-deviation/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cascade-compile "$here/input.mlir" --explain=text
# Two passes, but one kernel. In this mapping a row is one tile: 8 warps of 32
# lanes with 8 accesses of 4 elements each, which stay in registers.
cascade-compile "$here/input.mlir" -o "$out/mad" --with-reference \
  --dump-phases-to="$out/phases" \
  --mapping='#cascade.mapping<i: grid, l: reg(8) x warp(8) x lane(32) x vector(4)>'
grep 'mapping =' "$out/phases/3-mapped.mlir"
# Each of the kernels, aligned and not, merges the states of its threads twice.
grep -c cluster.all_reduce "$out/phases/4-cluster.mlir"
cascade-run "$here/input.mlir" --device=cpu --check
