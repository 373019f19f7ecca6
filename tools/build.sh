#!/usr/bin/env bash
# Configures and builds in build/ (or $BUILD_DIR): tools/build.sh [TARGET...]
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${BUILD_DIR:-$source_dir/build}
llvm=/usr/lib/llvm-22

bash "$source_dir/tools/install-dependencies.sh"
if [ ! -f "$build_dir/build.ninja" ]; then
  cmake -G Ninja -S "$source_dir" -B "$build_dir" \
    -DMLIR_DIR=$llvm/lib/cmake/mlir -DLLVM_EXTERNAL_LIT=$llvm/bin/lit \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DLLVM_USE_LINKER=lld-22 -DCMAKE_C_COMPILER_LAUNCHER=ccache \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
ninja -C "$build_dir" "$@"
