#!/usr/bin/env bash
# Compiles every GPU test case into one folder of artefacts that a GPU machine
# can run with run-cases.sh: build-cases.sh OUT [TOOLS_DIR]
#
# The chains are those of Integration/CPU, at every cluster size, and of
# Integration/Attention, in clusters of two, some of them split over the grid; those that GPU kernels do not take
# yet, or that are left out for their size, are listed here with the reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
bin=${2:-$here/../../../build/bin}
declare -A unsupported=(
  [attention-decode]="those of Integration/Attention are like it"
  [logsumexp-two-axes]="two axes reduced together, both of any extent"
  [shapes]="several chains in one function"
  [mutants]="the chain of softmax-lse"
  [topk-64]="over the size limit; static-topk has its list"
  [fuzz-references]="of the split test, not of kernels; over the size limit"
)

mkdir -p "$out"
for file in "$here"/../CPU/*.mlir "$here"/*.mlir; do
  name=$(basename "$file" .mlir)
  if [ -n "${unsupported[$name]:-}" ]; then
    echo "left out: $name (${unsupported[$name]})"
    continue
  fi
  if [[ $name == static-* ]]; then
    "$bin/cascade-compile" "$file" -o "$out/${name}_c1" --with-reference
    continue
  fi
  for cluster in 1 2 3 4 8 16; do
    for algorithm in mailbox tree; do
      artefact=${name}_c$cluster
      if [ $algorithm = tree ]; then
        # One chain with a merge region and one of plain kinds.
        [[ $cluster != 1 && $name =~ ^(softmax-lse|min-max)$ ]] || continue
        artefact=${name}-tree_c$cluster
      fi
      "$bin/cascade-compile" "$file" -o "$out/$artefact" --with-reference \
        --cluster="$cluster" --algorithm=$algorithm
      # The reference does not depend on these: one copy serves all.
      [ "$artefact" != "${name}_c1" ] || continue
      rm "$out/$artefact.ref.ptx"
      sed -i "s/\"$artefact.ref.ptx\"/\"${name}_c1.ref.ptx\"/" \
        "$out/$artefact.json"
    done
  done
done
# Rows that the grid is split over.
for name in logsumexp payload; do
  for split in 2 7; do
    artefact=$name-split${split}_c2
    "$bin/cascade-compile" "$here/../CPU/$name.mlir" -o "$out/$artefact" \
      --with-reference --mapping="#cascade.mapping<i: grid, l: grid($split) x cluster(2) x loop x reg(2) x warp(4) x lane(32), merge = [l: last]>"
    rm "$out/$artefact.ref.ptx"
    sed -i "s/\"$artefact.ref.ptx\"/\"${name}_c1.ref.ptx\"/" "$out/$artefact.json"
  done
done
"$bin/cascade-compile" "$here/../Attention/heads.mlir" \
  -o "$out/attention-heads-split_c2" --with-reference \
  --mapping="#cascade.mapping<b: grid, h: grid, l: grid(3) x cluster(2) x loop x reg(2) x warp(4) x lane(4 at 8), d: lane(8 at 1) x vector(8), e: lane(8 at 1) x vector(8), merge = [l: last]>"
# The others are too large for this folder; they run on the simulated device.
for name in heads queries causal masks softmaxes latent; do
  "$bin/cascade-compile" "$here/../Attention/$name.mlir" \
    -o "$out/attention-${name}_c2" --with-reference --cluster=2
done
# Under the mappings that it gives.
for name in contractions contraction-split; do
  "$bin/cascade-compile" "$here/../Attention/$name.mlir" \
    -o "$out/attention-${name}_c2" --with-reference
done
cp "$bin/cascade-launch" "$here/run-cases.sh" "$out/"
du -sk "$out" | awk '{ print $1 " KiB of artefacts"; exit $1 > 49152 }'
