#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. The last line counts
# them: N passed, N failed.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${BUILD_DIR:-$source_dir/build}
export BUILD_DIR=$build_dir
bash "$source_dir/tools/build.sh"

log=$build_dir/lit.log
status=0
/usr/lib/llvm-22/bin/lit -sv "$build_dir/test" 2>&1 | tee "$log" || status=$?

count() { sed -n "s/^ *$1 *: *\([0-9]*\).*/\1/p" "$log" | tail -n 1; }
passed=$(count Passed)
failed=0
for kind in Failed 'Timed Out' Unresolved 'Unexpectedly Passed'; do
  number=$(count "$kind")
  failed=$((failed + ${number:-0}))
done
echo "${passed:-0} passed, $failed failed"
[ "$status" -eq 0 ] && [ "$failed" -eq 0 ] && [ "${passed:-0}" -gt 0 ]
