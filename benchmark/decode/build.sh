#!/usr/bin/env bash
# Compiles attention for one decode step at every cell into a folder that a GPU
# machine can run: benchmark/decode/build.sh [OUT=benchmark/artefacts-decode]
# In the environment, CELLS lists BATCHxHEADSxKVxKEYS, CLUSTERS the sizes of
# clusters (auto: the schedule chooses), CHAINS the templates (decode; lengths
# has a length a batch), ALGORITHMS how the blocks of a cluster exchange their
# states (auto, mailbox, global), TYPE the element type, BUILD_DIR names the build.
# Needs ptxas.
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
  for chain in ${CHAINS:-decode}; do
    sed "s/BATCH/$batch/g; s/HEADS/$heads/g; s/KV/$kv/g; s/KEYS/$keys/g; s/DIM/128/g
      s/GROUP/$((heads / kv))/g; s/TYPE/${TYPE:-bf16}/g" "$here/$chain.mlir.in" \
      >"$work/chain.mlir"
    for cluster in ${CLUSTERS:-auto}; do
      for algorithm in ${ALGORITHMS:-auto}; do
        name=$chain-$cell-$cluster
        options=(--algorithm="$algorithm")
        [ "$algorithm" = auto ] || name+=-$algorithm
        [ "$cluster" = auto ] || options+=(--cluster="$cluster")
        "$bin/cascade-compile" "$work/chain.mlir" -o "$out/$name" --emit=cubin \
          "${options[@]}"
        rm -f "$out/$name.ptx"
      done
    done
  done
done
cp "$bin/cascade-launch" "$here/run.sh" "$here/peers.py" "$here/accuracy.py" "$out/"
cp "$here/../peers.py" "$out/row_peers.py"
du -sk "$out" | awk '{ print $1 " KiB of artefacts" }'
