#!/usr/bin/env bash
# The errors of the catalogue's kernels on a GPU.
#   kernels.sh build OUT TOOLS_DIR   here: compiles every file of rows.tsv
#   OUT/kernels.sh run               there: writes OUT/*.f32 and OUT/*.bf16
# table.sh TOOLS_DIR OUT then fills the column. Needs bash and the driver there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
build)
  out=$2 bin=$3
  mkdir -p "$out"
  for file in $(cut -f4 "$here/rows.tsv" | sort -u); do
    if ! "$bin/cascade-compile" "$here/../$file.mlir" -o "$out/${file/\//-}" \
      --with-reference 2>"$out/log"; then
      echo "left out: $file: $(grep -m 1 -o 'error: .*' "$out/log")"
    fi
  done
  rm "$out/log"
  cp "$bin/cascade-launch" "$here/rows.tsv" "$here/kernels.sh" "$out/"
  ;;
run)
  for manifest in "$here"/*.json; do
    for type in f32 bf16; do
      file=$(basename "$manifest" .json)
      awk -F'\t' -v file="${file/-//}" '$4 == file { print $5 }' "$here/rows.tsv" |
        while read -r function; do
          "$here/cascade-launch" "$manifest" --entry="$function" --errors \
            --inputs-as=$type --dim=i=8 --dim=l=127,1000,4097
        done >"${manifest%.json}.$type" &
    done
  done
  wait
  ;;
*)
  echo "usage: kernels.sh build OUT TOOLS_DIR | kernels.sh run" >&2
  exit 2
  ;;
esac
