#!/usr/bin/env bash
# Compiles attention for one decode step at every cell into a folder that a GPU
# machine can run: benchmark/decode/build.sh [OUT=benchmark/artefacts-decode]
# In the environment, CELLS lists BATCHxHEADSxKVxKEYS, CLUSTERS the sizes of
# clusters (auto: the schedule chooses), CHAINS what to compile (decode, names of
# variants.txt, or variants for all of them), LENGTHS the lengths that `lengths` is
# timed at, ALGORITHMS how the blocks of a cluster exchange their states (auto,
# mailbox, global), TYPE the element type, BUILD_DIR names the build. Needs ptxas.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
attention=$here/../../test/Integration/Attention
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
chains=${CHAINS:-decode}
[ "$chains" != variants ] ||
  chains="decode $(sed '/^#/d; s/ .*//' "$here/variants.txt" | tr '\n' ' ')"

# variant NAME: reads its line of variants.txt.
variant() {
  local fields
  fields=$(grep "^$1 " "$here/variants.txt") || {
    echo "error: $1 is neither decode nor a name of $here/variants.txt" >&2
    exit 2
  }
  read -r _ file entry extents share inputs <<<"$fields"
}

# chain NAME: writes its chain at the cell. Two variants may be one kernel.
chain() {
  if [ "$1" = decode ]; then
    sed "s/BATCH/$batch/g; s/HEADS/$heads/g; s/KV/$kv/g; s/KEYS/$keys/g; s/DIM/128/g
      s/GROUP/$((heads / kv))/g" "$here/decode.mlir.in"
    return
  fi
  awk -v entry="$entry" -v group=$((heads / kv)) \
    -v sizes="b=$batch h=$heads l=$keys d=128 e=128 i=1 ${extents//,/ }" \
    -f "$attention/Inputs/resize.awk" "$attention/$file.mlir" |
    sed 's/bf16/TYPE/g'
}

# runs NAME REST KERNEL: a line for each time that run.sh is to take of KERNEL: NAME-REST,
# share of the bytes, kernel, and inputs behind the first three.
runs() {
  local label=$1-$2 length
  if [ "$1" = decode ]; then
    echo "$label 1 $3"
    return
  fi
  inputs=$(sed "s/KEYS/$keys/g; s/PART/$((keys / 4))/g" <<<"$inputs")
  for length in ${LENGTHS:-$keys}; do
    if [[ "$inputs" != *LENGTHS* ]]; then
      echo "$label $share $3 $inputs"
      break
    fi
    echo "$label:$length $share $3 ${inputs/LENGTHS/$length}"
  done
}

declare -A compiled # chain and options -> the name of the kernel
for cell in ${CELLS:-$default}; do
  IFS=x read -r batch heads kv keys <<<"$cell"
  for chain in $chains; do
    if [ "$chain" != decode ]; then
      variant "$chain"
      [[ "$extents" != *kv=1* || "$kv" = 1 ]] || continue
    fi
    chain "$chain" | sed "s/TYPE/${TYPE:-bf16}/g" >"$work/chain.mlir"
    for cluster in ${CLUSTERS:-auto}; do
      for algorithm in ${ALGORITHMS:-auto}; do
        rest=$cell-$cluster
        options=(--algorithm="$algorithm")
        [ "$algorithm" = auto ] || rest+=-$algorithm
        [ "$cluster" = auto ] || options+=(--cluster="$cluster")
        key="${options[*]} $(<"$work/chain.mlir")"
        if [ -z "${compiled[$key]:-}" ]; then
          compiled[$key]=$chain-$rest
          "$bin/cascade-compile" "$work/chain.mlir" -o "$out/$chain-$rest" \
            --emit=cubin "${options[@]}"
          rm -f "$out/$chain-$rest.ptx"
        fi
        runs "$chain" "$rest" "${compiled[$key]}"
      done
    done
  done
done >"$work/runs.txt"
cp "$work/runs.txt" "$bin/cascade-launch" "$here/run.sh" "$here/peers.py" \
  "$here/accuracy.py" "$out/"
cp "$here/../peers.py" "$out/row_peers.py"
du -sk "$out" | awk '{ print $1 " KiB of artefacts" }'
