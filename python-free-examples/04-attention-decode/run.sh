#!/usr/bin/env bash
# A reduction inside a reduction, grouped heads and a length mask.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/04-attention-decode/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

cascade-compile "$here/input.mlir" --explain=text
# 300 keys, of which 300 and 17 count; the scale is 1 / sqrt 64.
cascade-run "$here/input.mlir" --device=cpu --segments=4 --check --dim=l=300 \
  --input=rand --input=rand --input=rand --input='2xi32=300 17' --input=f32=0.125
# No keys at all for the second batch.
cascade-run "$here/input.mlir" --device=cpu --segments=4 --check --dim=l=300 \
  --input=rand --input=rand --input=rand --input='2xi32=1 0' --input=f32=0.125
