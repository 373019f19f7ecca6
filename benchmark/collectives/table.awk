# The table of run.sh from measured.txt and predicted.tsv; `clock` is in MHz. Behind it
# stand the fields of #cluster.target that are exchanges of one word.

# Lines "cell/clusters: CLUSTERSxSAMPLESxi64=cycles"; -1 is a wrong result.
FNR == NR {
  if (match($0, /: [0-9]+x[0-9]+xi64=/)) {
    cell = substr($0, 1, RSTART - 1)
    count = split(substr($0, RSTART + RLENGTH), values, /[ ,]+/)
    for (i = 2; i <= count; ++i)
      for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; --j) {
        swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
      }
    least[cell] = values[1]
    low[cell] = values[int((count - 1) * 0.1) + 1]
    median[cell] = values[int((count + 1) / 2)]
    high[cell] = values[int((count - 1) * 0.9) + 1]
  }
  next
}
FNR == 1 {
  print "collective/algorithm/blocks/bytes | measured (p10 - p90) | predicted | ratio | GB/s of 8, 32, 128 clusters of 4"
  print "|---|---|---|---|---|"
  next
}
{
  if ($6 != "") { print $1 " | - | - | - | left out: " $6; next }
  of4 = $1 "/4"
  if (!(of4 in median)) { print $1 " | did not run | " $5 " | - |"; next }
  if (least[of4] < 0) { print $1 " | wrong result | " $5 " | - |"; next }
  line = $1 " | " median[of4] " (" low[of4] " - " high[of4] ") | " $5
  line = line " | " ($5 > 0 ? sprintf("%.2f", median[of4] / $5) : "-") " |"
  split("8 32 128", counts, " ")
  for (i = 1; i <= 3; ++i) {
    cycles = median[$1 "/" counts[i]]
    if (cycles > 0)
      line = line sprintf(" %.1f (%d cycles)", $2 * counts[i] * clock / cycles / 1e3, cycles)
  }
  print line
}
# A round of the tree between two blocks alone has a barrier behind it: half of two
# rounds is without.
END {
  for (blocks = 2; blocks <= 16; blocks *= 2) {
    word = median["all_gather/mailbox/" blocks "/4/4"]
    whole = median["all_reduce/tree/" blocks "/4/4"]
    block = median["in_block/mailbox/" blocks "/4/4"]
    if (word <= 0 || whole <= 0 || block <= 0) exit
    words = words (blocks > 2 ? ", " : "") word
    rounds[blocks] = whole - block
  }
  rounds[2] = rounds[4] / 2
  printf "\nfields of #cluster.target:\n    mailbox_cycles = [%s],\n    tree_cycles = [%d, %d, %d, %d]\n",
         words, rounds[2], rounds[4], rounds[8], rounds[16]
}
