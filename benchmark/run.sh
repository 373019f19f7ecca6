#!/usr/bin/env bash
# Checks and times the artefacts of benchmark/build.sh on this machine's GPU, beside
# PyTorch where it is installed, and prints one table:
#   benchmark/run.sh [ARTEFACTS=benchmark/artefacts]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
artefacts=${1:-$here/artefacts}
"$artefacts/cascade-launch" "$artefacts"/*.json --check --input=rand
"$artefacts/cascade-launch" "$artefacts"/*.json --benchmark --flush-l2 \
  --warmup=5 --repeat=31
if python3 -c 'import torch' 2>/dev/null; then
  python3 "$here/peers.py"
fi
