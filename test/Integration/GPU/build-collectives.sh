#!/usr/bin/env bash
# Writes random collectives (cascade-collectives) as kernels with inputs and the
# results of the simulated device, which a GPU machine can run with
# run-collectives.sh: build-collectives.sh OUT [FLAGS of cascade-collectives...]
# Without flags every collective and algorithm at every cluster size.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${BUILD_DIR:-$here/../../../build}/bin
out=$1
shift
rm -rf "$out"
mkdir -p "$out"
"$bin/cascade-collectives" --export="$out" --interleavings=1 "$@"
built=0
for file in "$out"/case*.mlir; do
  # The manifest is the export's: the kernel is no chain.
  "$bin/cascade-compile" "$file" -o "$out/compiled"
  mv "$out/compiled.ptx" "${file%.mlir}.ptx"
  built=$((built + 1))
done
rm -f "$out"/compiled.json "$out"/case*.mlir
cp "$bin/cascade-launch" "$here/run-collectives.sh" "$out/"
echo "$built collectives in $out"
