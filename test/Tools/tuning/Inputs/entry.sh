# entry.sh MANIFEST MAPPING [GPU [SHAPE]]: a tuning file of one entry, whose key
# is that of the first candidate of the manifest.
field() { sed -n "s/.*\"$1\": \"\(.*\)\",*\$/\1/p" "$2" | head -n 1; }
candidate=$(mktemp)
sed -n '/"candidate": {/,/}/p' "$1" >"$candidate"
cat <<JSON
{"version": 1, "entries": [
  {"chain": "$(field chain "$candidate")",
   "shape": "${4:-$(field shape "$candidate")}",
   "types": "$(field types "$candidate")",
   "gpu": "${3:-h200}", "function": "softmax", "device": "NVIDIA H200",
   "mapping": "$2",
   "measured": [{"dims": {}, "us": 12.3, "model_us": 14.1, "flush_l2": true}]}]}
JSON
rm -f "$candidate"
