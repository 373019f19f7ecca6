#!/usr/bin/env bash
# From a chain to a kernel, and to checked numbers on this machine's CPU.
# Needs the tools on PATH: PATH=build/bin:$PATH python-free-examples/01-softmax/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cascade-compile "$here/input.mlir" --explain=text
cascade-compile "$here/input.mlir" -o "$out/softmax" --with-reference
ls "$out"
cascade-run "$here/input.mlir" --device=cpu --segments=8 --check
