#!/usr/bin/env bash
# Times the artefacts of benchmark/build.sh on this machine's GPU, beside PyTorch
# where it is installed, prints one table and draws roofline.svg and ratios.svg:
#   run.sh [--check] [--no-peers] [ARTEFACTS]
# ARTEFACTS is the folder that build.sh wrote: by default the folder of this
# script, or benchmark/artefacts. --check first compares every kernel with its
# references, for artefacts that were built --with-reference. Results go to
# $RESULTS (ARTEFACTS/results); PEERS_LIMIT is the peers' time limit in seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
check=
peers=1
while [[ ${1:-} == --* ]]; do
  case $1 in
  --check) check=1 ;;
  --no-peers) peers= ;;
  *)
    echo "error: unknown option $1; see the head of $0" >&2
    exit 2
    ;;
  esac
  shift
done
if [ -x "$here/cascade-launch" ]; then
  artefacts=${1:-$here}
else
  artefacts=${1:-$here/artefacts}
fi
results=${RESULTS:-$artefacts/results}

shopt -s nullglob
manifests=("$artefacts"/*_*x*_*.json)
if [ ${#manifests[@]} -eq 0 ] || [ ! -x "$artefacts/cascade-launch" ]; then
  echo "error: no artefacts in $artefacts; run benchmark/build.sh" >&2
  exit 2
fi
mkdir -p "$results"
status=0

if [ -n "$check" ]; then
  echo "checking ${#manifests[@]} kernels" >&2
  "$artefacts/cascade-launch" "${manifests[@]}" --check --input=rand || status=$?
fi

echo "timing ${#manifests[@]} kernels" >&2
"$artefacts/cascade-launch" "${manifests[@]}" --benchmark --flush-l2 \
  --warmup=5 --repeat=31 --copy --empty --format=json >"$results/kernels.json" ||
  status=$?

[ -s "$results/kernels.json" ] || exit "$status"

files=("$results/kernels.json")
if [ -n "$peers" ]; then
  if python3 -c 'import torch' 2>/dev/null; then
    names=()
    for manifest in "${manifests[@]}"; do
      names+=("$(basename "$manifest" .json)")
    done
    echo "timing peers" >&2
    python3 "$here/peers.py" --limit "${PEERS_LIMIT:-480}" \
      --names "${names[@]}" >"$results/peers.json" || status=$?
    files+=("$results/peers.json")
  else
    echo "no PyTorch here: no peers" >&2
  fi
fi

"$artefacts/cascade-bench-report" "${files[@]}" --svg="$results" |
  tee "$results/table.txt"
exit "$status"
