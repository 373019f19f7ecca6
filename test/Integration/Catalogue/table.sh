#!/usr/bin/env bash
# The table of docs/Catalogue.md: table.sh TOOLS_DIR [KERNELS_DIR]
#
# Measures the errors on the CPU. KERNELS_DIR is that of kernels.sh, with what it
# wrote on a GPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 kernels=${2:-/nowhere}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# One line a function and type: FILE/FUNCTION TYPE CELL. A cell has the error of the
# fused form for every output and, on the CPU, that of the unfused one in brackets.
for file in $(cut -f4 "$here/rows.tsv" | sort -u); do
  lengths=127,1000,4097
  case $file in
  Catalogue/several-axes | Catalogue/payload) lengths=33,127 ;;
  Catalogue/attention | CPU/attention-decode) lengths=127,1000 ;;
  esac
  for type in f32 bf16; do
    "$bin/cascade-sweep" "$here/../$file.mlir" --errors --inputs-as=$type \
      --lengths=$lengths --rows=8 --segments=1,8 |
      sed -E "s|^([a-z0-9_]+): |$file/\1 $type |; s/output [0-9]+ fused ([^;]*) unfused ([^;]*)/\1 (\2)/g; s/; /, /g" \
        >>"$work/cpu"
    log=$kernels/${file/\//-}.$type
    [ -e "$log" ] || continue
    # The worst over the lengths.
    awk -v file="$file" -v type=$type '/^ERROR/ {
      match($0, /: fused [^,]*/)
      fused = substr($0, RSTART + 8, RLENGTH - 8)
      if (!(($2, $3) in worst)) order[$2] = order[$2] " " $3
      if (!(($2, $3) in worst) || fused + 0 > worst[$2, $3] + 0) worst[$2, $3] = fused
    } END {
      for (name in order) {
        n = split(order[name], outputs, " ")
        cell = ""
        for (k = 1; k <= n; ++k) cell = cell (k > 1 ? ", " : "") worst[name, outputs[k]]
        print file "/" name, type, cell
      }
    }' "$log" >>"$work/gpu"
  done
done
touch "$work/gpu"

echo '| chain | verdict | passes | test | f32 inputs | bf16 inputs | H200, f32; bf16 |'
echo '|---|---|---|---|---|---|---|'
while IFS=$'\t' read -r chain verdict passes file function; do
  cell() { # FILE TYPE
    sed -n "s|^$file/$function $2 ||p" "$work/$1"
  }
  gpu="$(cell gpu f32); $(cell gpu bf16)"
  [ "$gpu" != "; " ] || gpu="not measured"
  echo "| $chain | $verdict | $passes | \`$file\`: \`$function\` |" \
    "$(cell cpu f32) | $(cell cpu bf16) | $gpu |"
done <"$here/rows.tsv"
