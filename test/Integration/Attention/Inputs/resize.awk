# Takes one function of a file out and gives the axes of its chain other extents:
#   awk -v entry=NAME -v sizes="b=1 h=32 d=128" -v group=4 -f resize.awk FILE.mlir
# A dimension whose map is one of these axes has the extent given, one of `h floordiv N`
# the heads over GROUP. Tensor types of the function go by those beside the maps; two of
# the same type whose maps give other extents are an error.

BEGIN {
  count = split(sizes, pairs, " ")
  for (i = 1; i <= count; ++i) {
    split(pairs[i], pair, "=")
    extent[pair[1]] = pair[2]
  }
}

function fail(message) {
  print "error: " entry " of " FILENAME ": " message > "/dev/stderr"
  failed = 1
  exit 1
}

# The type OLD with the extents of MAP.
function resized(old, map,   axes, parts, rank, dim, type) {
  rank = split(map, axes, /, */)
  split(substr(old, 8, length(old) - 8), parts, "x")
  type = "tensor<"
  for (dim = 1; dim <= rank; ++dim) {
    if (axes[dim] ~ /^h floordiv/)
      type = type extent["h"] / group "x"
    else if (axes[dim] in extent)
      type = type extent[axes[dim]] "x"
    else
      fail("no extent of axis " axes[dim])
  }
  return type parts[rank + 1] ">"
}

$0 ~ "^func.func @" entry "\\(" { inside = 1 }
inside {
  text = text $0 "\n"
  if (/^}/) inside = 0
}

END {
  if (failed) exit 1
  if (text == "") fail("no such function")
  rest = text
  while (match(rest, /\[[^]\[]*\] : tensor<[^>]*>/)) {
    entryText = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    map = substr(entryText, 2, index(entryText, "]") - 2)
    old = substr(entryText, index(entryText, "tensor<"))
    type = resized(old, map)
    if (old in types && types[old] != type)
      fail(old " is " types[old] " and " type)
    types[old] = type
  }
  rest = text
  text = ""
  while (match(rest, /tensor<[^>]*>/)) {
    old = substr(rest, RSTART, RLENGTH)
    if (!(old in types)) fail("no map of " old)
    text = text substr(rest, 1, RSTART - 1) types[old]
    rest = substr(rest, RSTART + RLENGTH)
  }
  text = text rest
  gsub(/floordiv [0-9]+/, "floordiv " group, text)
  printf "%s", text
}
