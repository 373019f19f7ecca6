#!/usr/bin/env bash
# A refused reduction: why, and what happens instead.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/05-mean-absolute-deviation/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cascade-compile "$here/input.mlir" --explain=text
# Two passes, but one kernel: the row stays in registers between them.
cascade-compile "$here/input.mlir" -o "$out/mad" --with-reference \
  --dump-phases-to="$out/phases"
grep -c cluster.all_reduce "$out/phases/4-cluster.mlir"
grep 'mapping =' "$out/phases/3-mapped.mlir"
cascade-run "$here/input.mlir" --device=cpu --check
