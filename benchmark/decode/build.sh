#!/usr/bin/env bash
# Compiles attention for one decode step at every cell into a folder that a GPU
# machine can run: benchmark/decode/build.sh [OUT=benchmark/artefacts-decode]
# In the environment, CELLS lists BATCHxHEADSxKVxKEYS, CLUSTERS the sizes of
# clusters (auto: the schedule chooses), TYPE the element type, BUILD_DIR names
# the build. Needs ptxas.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${BUILD_DIR:-$here/../../build}/bin
out=${1:-$here/../artefacts-decode}
for tool in cascade-compile cascade-launch; do
  if [ ! -x "$bin/$tool" ]; then
    echo "error: no $bin/$tool; run tools/build.sh or set BUILD_DIR" >&2
    exit 2
  fi
done
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
default="1x32x32x1024 1x32x32x4096 1x32x32x16384 1x32x32x65536
  1x32x8x1024 1x32x8x4096 1x32x8x16384 1x32x8x65536
  16x32x32x1024 16x32x32x4096 16x32x32x16384
  16x32x8x1024 16x32x8x4096 16x32x8x16384
  1x64x8x4096 1x64x8x16384 16x64x8x4096 1x32x4x4096 1x32x4x16384 16x32x4x4096"
for cell in ${CELLS:-$default}; do
  IFS=x read -r batch heads kv keys <<<"$cell"
  sed "s/BATCH/$batch/g; s/HEADS/$heads/g; s/KV/$kv/g; s/KEYS/$keys/g; s/DIM/128/g
    s/GROUP/$((heads / kv))/g; s/TYPE/${TYPE:-bf16}/g" "$here/decode.mlir.in" \
    >"$work/decode.mlir"
  for cluster in ${CLUSTERS:-auto}; do
    name=decode-$cell-$cluster
    options=()
    [ "$cluster" = auto ] || options=(--cluster="$cluster")
    "$bin/cascade-compile" "$work/decode.mlir" -o "$out/$name" --emit=cubin \
      "${options[@]}"
    rm -f "$out/$name.ptx"
  done
done
cp "$bin/cascade-launch" "$here/run.sh" "$here/peers.py" "$out/"
cp "$here/../peers.py" "$out/row_peers.py"
du -sk "$out" | awk '{ print $1 " KiB of artefacts" }'
