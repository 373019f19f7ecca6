#!/usr/bin/env bash
# Compiles every GPU test case into one folder of artefacts that a GPU machine
# can run with run-cases.sh: build-cases.sh OUT [TOOLS_DIR]
#
# The chains are those of Integration/CPU, at every cluster size; those that GPU
# kernels do not take yet are listed here with the reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
bin=${2:-$here/../../../build/bin}
declare -A unsupported=(
  [attention-decode]="reductions inside reductions"
  [logsumexp-two-axes]="several reduced axes"
  [narrow-types]="fp8 elements"
  [shapes]="several chains in one function"
  [mutants]="the chain of softmax-lse"
)

mkdir -p "$out"
for file in "$here"/../CPU/*.mlir "$here"/*.mlir; do
  name=$(basename "$file" .mlir)
  if [ -n "${unsupported[$name]:-}" ]; then
    echo "left out: $name (${unsupported[$name]})"
    continue
  fi
  for cluster in 1 2 3 4 8 16; do
    [[ $name == static-* && $cluster != 1 ]] && continue
    flags=(--cluster="$cluster")
    [[ $name == static-* ]] && flags=()
    "$bin/cascade-compile" "$file" -o "$out/${name}_c$cluster" \
      --with-reference "${flags[@]}"
    # The reference does not depend on the cluster size: one copy serves all.
    if [ "$cluster" != 1 ]; then
      rm "$out/${name}_c$cluster.ref.ptx"
      sed -i "s/\"${name}_c$cluster.ref.ptx\"/\"${name}_c1.ref.ptx\"/" \
        "$out/${name}_c$cluster.json"
    fi
  done
done
cp "$bin/cascade-launch" "$here/run-cases.sh" "$out/"
du -sk "$out" | awk '{ print $1 " KiB of artefacts"; exit $1 > 20480 }'
