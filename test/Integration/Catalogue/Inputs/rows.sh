# rows.sh ROOT: every function of rows.tsv has the verdict and the passes that stand
# there, every f32 function of this folder is in rows.tsv, and docs/Catalogue.md has a
# row for each.
set -eu
root=$1 folder=$1/test/Integration
tab=$(printf '\t')
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for file in $(cut -f4 "$folder/Catalogue/rows.tsv" | sort -u); do
  # FILE, FUNCTION, verdict, most passes over one group of axes.
  cascade-compile "$folder/$file.mlir" --explain=json | sed 's/{"name"/\n&/g' |
    awk -F'"' -v file="$file" '/^[{]"name"/ {
      rank = passes = 0
      text = $0
      while (match(text, /"rank":[0-9]+/)) {
        value = substr(text, RSTART + 7, RLENGTH - 7) + 0
        if (value > rank) rank = value
        text = substr(text, RSTART + RLENGTH)
      }
      match($0, /"passes":[{][^}]*}/)
      text = substr($0, RSTART + 10, RLENGTH - 10)
      while (match(text, /:[0-9]+/)) {
        value = substr(text, RSTART + 1, RLENGTH - 1) + 0
        if (value > passes) passes = value
        text = substr(text, RSTART + RLENGTH)
      }
      verdict = rank > 1 ? "r=" rank : rank == 1 ? "1" : "I"
      if ($0 ~ /"kind":"(argm|topk|combine)/) verdict = "P"
      if ($0 ~ /"class":"refused"/) verdict = "N"
      print file "\t" $4 "\t" verdict "\t" passes
    }'
done >"$work/found"
while IFS=$tab read -r chain verdict passes file function; do
  case $verdict in
  *r=*) expected="r=$(echo "$verdict" | sed 's/, emit//; s/.*[ =]//')" ;;
  *) expected=${verdict%%[, ]*} ;;
  esac
  line="$file$tab$function$tab$expected$tab${passes%% *}"
  grep -qxF "$line" "$work/found" ||
    echo "wrong row: $chain: $(grep "^$file$tab$function$tab" "$work/found")"
  grep -qF "| $chain | $verdict | $passes | \`$file\`: \`$function\` |" \
    "$root/docs/Catalogue.md" || echo "missing in the page: $chain"
done <"$folder/Catalogue/rows.tsv"
for path in "$folder"/Catalogue/*.mlir; do
  file=Catalogue/$(basename "$path" .mlir)
  for function in $(sed -n 's/^func.func @\([a-z0-9_]*\)(.*/\1/p' "$path" | grep -v '_bf16$'); do
    grep -q "$tab$file$tab$function\$" "$folder/Catalogue/rows.tsv" ||
      echo "no row: $file: $function"
  done
done
echo "$(wc -l <"$folder/Catalogue/rows.tsv") rows"
