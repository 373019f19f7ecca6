# well-formed.sh FILE...: every start tag of XML without comments has its end tag
# in the right place, and every & is an entity's.
set -e
for file in "$@"; do
  awk -v file="$file" '
    function wrong(why) { print file ": " why; failed = 1; exit 1 }
    { text = text $0 "\n" }
    END {
      if (failed) exit 1
      plain = text
      gsub(/&(amp|lt|gt|quot|apos);/, "", plain)
      if (index(plain, "&")) wrong("a bare &")
      depth = 0
      while ((at = index(text, "<")) > 0) {
        text = substr(text, at + 1)
        end = index(text, ">")
        if (end == 0) wrong("a tag without an end")
        tag = substr(text, 1, end - 1)
        text = substr(text, end + 1)
        if (index(tag, "<")) wrong("a bare <")
        name = tag
        sub(/^\//, "", name)
        sub(/[ \n\/].*/, "", name)
        if (tag ~ /^\//) {
          if (depth == 0 || open[depth--] != name) wrong("</" name "> closes nothing")
        } else if (tag !~ /\/$/) {
          open[++depth] = name
        }
      }
      if (depth != 0) wrong("<" open[depth] "> stays open")
    }' "$file"
done
