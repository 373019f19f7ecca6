#!/usr/bin/env bash
# A transpose through the shared memory of a cluster.
# Needs the tools on PATH: PATH=build/bin:/usr/lib/llvm-22/bin:$PATH python-free-examples/07-distributed-transpose/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Nothing in the source orders the blocks: the barriers are placed here.
cascade-opt "$here/input.mlir" --no-implicit-module -o "$out/expanded.mlir" --pass-pipeline='
  gpu.module(gpu.func(cluster-expand-collectives, cluster-insert-barriers), canonicalize, cse)'
grep -nE 'gpu.barrier|cluster.(barrier|fence|mbarrier|copy_async)' "$out/expanded.mlir"
# On the simulated device, in 8 orders of execution.
cascade-run "$out/expanded.mlir" --device=sim --interleavings=8 --input=64x64xf32=iota
# To PTX for a Hopper GPU.
cascade-opt "$out/expanded.mlir" --no-implicit-module --pass-pipeline='
    gpu.module(convert-cluster-to-nvvm, canonicalize, cse)' |
  sed 's/^gpu.module @kernels/module/' | mlir-translate --mlir-to-llvmir -o "$out/transpose.ll"
llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx81 -O3 "$out/transpose.ll" -o "$out/transpose.ptx"
grep -E '\.visible \.entry|\.reqnctapercluster' "$out/transpose.ptx"
if [ -n "${PTXAS:-}" ]; then
  "$PTXAS" -arch=sm_90 "$out/transpose.ptx" -o "$out/transpose.cubin"
  echo "assembled"
fi
