#!/usr/bin/env bash
# Installs what is missing, builds, and takes softmax the whole way: explains it,
# compiles it to PTX, runs it on this machine's GPU (or on the CPU where there is
# none), and checks it against the unfused mathematics.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${BUILD_DIR:-$source_dir/build}
BUILD_DIR=$build_dir bash "$source_dir/tools/build.sh"
bin=$build_dir/bin
example=$source_dir/python-free-examples/01-softmax/input.mlir
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "== what the split test says"
"$bin/cascade-compile" "$example" --explain=text
echo "== PTX"
"$bin/cascade-compile" "$example" -o "$out/softmax" --emit=ptx --with-reference
ls -l "$out"
echo "== run and check"
if [ -e /dev/nvidia0 ]; then
  "$bin/cascade-launch" "$out/softmax.json" --check
else
  echo "no GPU here: running on the CPU, in 8 segments"
  "$bin/cascade-run" "$example" --device=cpu --segments=8 --check
fi
