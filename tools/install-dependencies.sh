#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages, where it is
# missing. Needs root (or sudo) only then.
set -euo pipefail

packages=(llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 lld-22
  clang-format-22 cmake ninja-build ccache libgtest-dev nlohmann-json3-dev
  libcli11-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
    grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing ${missing[*]}"
run=()
[ "$(id -u)" -eq 0 ] || run=(sudo)
"${run[@]}" apt-get update -q
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -q \
  --no-install-recommends "${missing[@]}"
