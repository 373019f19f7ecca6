#!/usr/bin/env bash
# Extents known at run time, a predicate, and numbers given by hand.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/02-cross-entropy/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cascade-compile "$here/input.mlir" --explain=text
cascade-compile "$here/input.mlir" -o "$out/cross_entropy" --with-reference
cascade-launch "$out/cross_entropy.json" --list
# Two rows of three equal logits: log 3 each, whatever the label.
cascade-run "$here/input.mlir" --device=cpu \
  --input='2x3xbf16=1 1 1 -2 -2 -2' --input='2xi32=0 2' \
  --expected-output='2xf32=1.0986123'
# Random logits of a vocabulary that is a multiple of nothing.
cascade-run "$here/input.mlir" --device=cpu --segments=8 --check \
  --input=rand --input=randint:50257 --dim=i=4 --dim=l=50257
