# includes.sh ROOT FOLDER ALLOWED: the files of FOLDER, in include/cascade/ and in
# lib/, include headers of this project, MLIR and LLVM only where the path matches
# the extended regular expression ALLOWED. Prints the others and fails.
set -eu
root=$1 folder=$2 allowed=$3
files=$(find "$root/include/cascade/$folder" "$root/lib/$folder" \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.td' \) 2>/dev/null || true)
if [ -z "$files" ]; then
  echo "$folder holds no files"
  exit 1
fi
found=$(grep -nE '^ *#? *include "(cascade|mlir|llvm|mlir-c|llvm-c)/' $files |
  grep -vE "include \"($allowed)" || true)
if [ -n "$found" ]; then
  echo "$folder may not include:"
  echo "$found"
  exit 1
fi
