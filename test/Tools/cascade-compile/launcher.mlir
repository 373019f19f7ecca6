// The C++ file that launches kernels: it compiles, picks variants, and sizes
// grids and workspaces by what fits on the device, here one that
// Inputs/cuda/cuda.h makes up.
// RUN: cascade-compile %s -o %t --emit=launcher --algorithm=global
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: cat %t.cpp %S/Inputs/launcher-main.cpp > %t-main.cpp
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -I %S/Inputs/cuda %t-main.cpp -o %t.exe
// RUN: %t.exe | FileCheck %s --check-prefix=SAYS

// As many clusters of three as fit, five of them, or rows; in each the rows that it
// keeps, in shared memory that has to be asked for.
// CHECK-LABEL: /// Bytes of the workspace of kept:{{.*}}; -1
// CHECK-NEXT:  /// where the device does not take the kernels.
// CHECK-NEXT:  int64_t kept_workspace({{\[\[maybe_unused\]\]}} int64_t i) {
// CHECK:         return std::max<int64_t>(((std::min<int64_t>((3 * i), resident) / 3) * 32),
// CHECK-LABEL: CUresult kept(CUdeviceptr in0, CUdeviceptr out0, int64_t i, CUdeviceptr workspace, CUstream stream) {
// CHECK:         if (in0 % 16 == 0 && out0 % 16 == 0 && 5000 % 8 == 0 && i <= {{[0-9]+}}) {
// CHECK-NEXT:      const Kernel kernel = {"kept", 64, 3, false, 4096};
// CHECK:           return launch(kernel, std::min<int64_t>((3 * i), resident), args, stream);
// CHECK:         CUresult blocks(CUdeviceptr stream_1, CUdeviceptr int__, int64_t int_, int64_t resident_, int64_t stream_, CUstream stream) {
// SAYS:      workspace of 100 rows: 160
// SAYS-NEXT: workspace of 2 rows: 64
// SAYS-NEXT: kept: 15 blocks of 64, clusters of 3, 4096 bytes
// SAYS-NEXT: kept: 6 blocks of 64, clusters of 3, 4096 bytes
// SAYS-NEXT: kept_unaligned: 15 blocks of 64, clusters of 3, 0 bytes
func.func @kept(%x: tensor<?x5000xbf16>) -> tensor<?x5000xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x5000xbf16>) outs([i, l] : tensor<?x5000xbf16>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: cluster(3) x loop x reg(2) x warp(2) x lane(32) x vector(8), keep = [0: shared]>} {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %o = arith.truncf %d : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<?x5000xbf16>
}

// Without clusters, several rows a block; axes with the names of what the file uses
// itself; an argument that is called like an axis.
// SAYS-NEXT: blocks: 6 blocks of 64, clusters of 1, 0 bytes
// SAYS-NEXT: blocks: 2 blocks of 64, clusters of 1, 0 bytes
// SAYS-NEXT: status 0
func.func @blocks(%x: tensor<?x?x?xf32> {cascade.name = "stream 1"}) -> (tensor<?x?xf32> {cascade.name = "int"}) {
  %y = cascade.chain (int, resident, stream)
      ins(%x[int, resident, stream] : tensor<?x?x?xf32>) outs([int, resident] : tensor<?x?xf32>)
      attributes {mapping = #cascade.mapping<int: loop x grid(resident), resident: loop x grid(resident) x warp(2), stream: loop x lane(32)>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (stream) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?x?xf32>
}

// Sixteen blocks a cluster are more than are portable.
// SAYS-NEXT: wide: 48 blocks of 32, clusters of 16 (non-portable), 0 bytes
func.func @wide(%x: tensor<3x?xf32>) -> tensor<3xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<3x?xf32>) outs([i] : tensor<3xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(16) x loop x lane(32)>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<3xf32>
}
