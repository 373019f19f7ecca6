// A kernel of plain MLIR with cluster operations, down to PTX.
// RUN: cascade-opt %s --no-implicit-module --pass-pipeline='gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse,convert-cluster-to-nvvm,canonicalize,cse)' \
// RUN:   | sed 's/^gpu.module @k/module/' | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx81 -O3 %t.ll -o %t.ptx
// RUN: FileCheck %s < %t.ptx

gpu.module @k {
  // CHECK-NOT: .extern
  // CHECK-LABEL: .visible .entry logsumexp(
  // CHECK: .reqntid 256
  // CHECK: .explicitcluster
  // CHECK: .reqnctapercluster 8
  // CHECK-NOT: __local_depot
  gpu.func @logsumexp(%x: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %y: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %rows: i32) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c256 = arith.constant 256 : i32
    %c2048 = arith.constant 2048 : i32
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %tid = arith.index_cast %t : index to i32
    // CHECK: mbarrier.init.shared::cta.b64
    // CHECK: fence.mbarrier_init.release.cluster;
    // CHECK: barrier.cluster.arrive.relaxed;
    // CHECK: barrier.cluster.wait.acquire;
    %r = cluster.rank : i32
    %base = arith.muli %r, %c256 : i32
    scf.for %row = %c0 to %rows step %c1 : i32 {
      %start = arith.muli %row, %c2048 : i32
      %mine = arith.addi %start, %base : i32
      %at = arith.addi %mine, %tid : i32
      %px = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      // CHECK-DAG: ld.global.nc.b32
      // CHECK-DAG: shfl.sync.bfly.b32
      // CHECK-DAG: bar.sync
      // CHECK-DAG: mapa.shared::cluster.u32
      // CHECK-DAG: st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32
      // CHECK-DAG: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
      // CHECK-DAG: ex2.approx.ftz.f32
      %v = llvm.load %px {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %m, %s = cluster.all_reduce(%v, %one) scope(cluster) : f32, f32 {
      ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
        %mm = arith.maximumf %ma, %mb : f32
        %da = arith.subf %ma, %mm : f32
        %db = arith.subf %mb, %mm : f32
        %ea = math.exp %da : f32
        %eb = math.exp %db : f32
        %ta = arith.mulf %sa, %ea : f32
        %tb = arith.mulf %sb, %eb : f32
        %ss = arith.addf %ta, %tb : f32
        cluster.yield %mm, %ss : f32, f32
      }
      %first = arith.cmpi eq, %tid, %c0 : i32
      scf.if %first {
        %l = math.log %s : f32
        %o = arith.addf %m, %l : f32
        %py = llvm.getelementptr inbounds %y[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %o, %py : f32, !llvm.ptr<1>
      }
    }
    gpu.return
  }
}
