# documented.sh FOLDER PAGE: prints what a planted bug of FOLDER lacks, and how many
# there are.
count=0
for file in $(grep -l '^// RUN: not cascade-run .*--interleavings=8' "$1"/*.mlir); do
  name=$(basename "$file" .mlir)
  grep -q "^|.*\`$name\`" "$2" || echo "no row for $name in $2"
  grep -qE '^// RUN: (sed .*\| *)?cascade-run .*--interleavings=8' "$file" ||
    echo "no run of $name without its bug"
  count=$((count + 1))
done
echo "$count planted bugs"
