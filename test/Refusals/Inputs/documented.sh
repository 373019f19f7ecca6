# documented.sh ROOT: every rule that the split test gives has an entry in
# docs/Refusals.md and an example.
set -eu
root=$1
rules=$(cat "$root"/lib/Algebra/*.cpp | tr '\n' ' ' |
  grep -oE 'refuse\( *"[a-z-]+"' | sed 's/.*"\(.*\)"/\1/' | sort -u)
[ -n "$rules" ]
for rule in $rules; do
  grep -q "^## .*$rule" "$root/docs/Refusals.md" || echo "no entry for $rule"
  [ -e "$root/test/Refusals/$rule.mlir" ] || echo "no example for $rule"
  echo "rule $rule"
done
