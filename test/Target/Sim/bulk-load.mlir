// A bulk copy from global memory: the lanes of the warp that asked for it wait for
// its bytes, and a barrier of the lanes stands before the next one into the same
// place.
// RUN: cascade-run %s --device=sim --entry=right --input=128xf32=iota --input=8xf32=0 --interleavings=8 | FileCheck %s
// CHECK: 8xf32=96 100 104 108 112 116 120 124
// RUN: not cascade-run %s --device=sim --entry=no_warp_barrier --input=128xf32=iota --input=8xf32=0 --interleavings=8 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: data race: an asynchronous operation {{.*}} writes byte {{.*}} of shared memory, which thread {{.*}} reads
// RUN: not cascade-run %s --device=sim --entry=no_wait --input=128xf32=iota --input=8xf32=0 --interleavings=8 2>&1 | FileCheck %s --check-prefix=NOWAIT
// NOWAIT: {{uninitialised shared memory|data race|early exit}}
// RUN: not cascade-run %s --device=sim --entry=beyond --input=128xf32=iota --input=8xf32=0 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: out of bounds: a bulk copy of thread 0 reads 16 bytes at byte

#wg = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @right(%x: !llvm.ptr<1> {llvm.readonly}, %y: !llvm.ptr<1>)
      workgroup(%stage: memref<8xvector<4xi32>, #wg>, %full: memref<1xi64, #wg>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %n = arith.constant 4 : i32
    %bytes = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %lane = arith.index_castui %thread : index to i32
    %elected = arith.cmpi eq, %lane, %zero : i32
    scf.if %elected {
      cluster.mbarrier.init %full[%c0], %one : memref<1xi64, #wg>
      cluster.fence proxy_async_shared
    }
    cluster.warp_barrier
    scf.for %i = %zero to %n step %one : i32 {
      scf.if %elected {
        %row = arith.muli %i, %bytes : i32
        %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
        cluster.mbarrier.expect_tx %full[%c0], %bytes : memref<1xi64, #wg>
        cluster.load_async %from to %stage[%c0] mbar %full[%c0] bytes %bytes
            : !llvm.ptr<1>, memref<8xvector<4xi32>, #wg>, memref<1xi64, #wg>
      }
      %parity = arith.remui %i, %two : i32
      cluster.mbarrier.wait %full[%c0], %parity : memref<1xi64, #wg>
      %group = arith.divui %thread, %c4 : index
      %read = memref.load %stage[%group] : memref<8xvector<4xi32>, #wg>
      %word = vector.extract %read[0] : i32 from vector<4xi32>
      %f = arith.bitcast %word : i32 to f32
      %within = arith.remui %lane, %four : i32
      %isFirst = arith.cmpi eq, %within, %zero : i32
      scf.if %isFirst {
        %place = arith.divui %lane, %four : i32
        %to = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %f, %to : f32, !llvm.ptr<1>
      }
      cluster.warp_barrier
    }
    gpu.return
  }
  gpu.func @no_warp_barrier(%x: !llvm.ptr<1> {llvm.readonly}, %y: !llvm.ptr<1>)
      workgroup(%stage: memref<8xvector<4xi32>, #wg>, %full: memref<1xi64, #wg>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %n = arith.constant 4 : i32
    %bytes = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %lane = arith.index_castui %thread : index to i32
    %elected = arith.cmpi eq, %lane, %zero : i32
    scf.if %elected {
      cluster.mbarrier.init %full[%c0], %one : memref<1xi64, #wg>
      cluster.fence proxy_async_shared
    }
    cluster.warp_barrier
    scf.for %i = %zero to %n step %one : i32 {
      scf.if %elected {
        %row = arith.muli %i, %bytes : i32
        %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
        cluster.mbarrier.expect_tx %full[%c0], %bytes : memref<1xi64, #wg>
        cluster.load_async %from to %stage[%c0] mbar %full[%c0] bytes %bytes
            : !llvm.ptr<1>, memref<8xvector<4xi32>, #wg>, memref<1xi64, #wg>
      }
      %parity = arith.remui %i, %two : i32
      cluster.mbarrier.wait %full[%c0], %parity : memref<1xi64, #wg>
      %group = arith.divui %thread, %c4 : index
      %read = memref.load %stage[%group] : memref<8xvector<4xi32>, #wg>
      %word = vector.extract %read[0] : i32 from vector<4xi32>
      %f = arith.bitcast %word : i32 to f32
      %within = arith.remui %lane, %four : i32
      %isFirst = arith.cmpi eq, %within, %zero : i32
      scf.if %isFirst {
        %place = arith.divui %lane, %four : i32
        %to = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %f, %to : f32, !llvm.ptr<1>
      }
    }
    gpu.return
  }
  gpu.func @no_wait(%x: !llvm.ptr<1> {llvm.readonly}, %y: !llvm.ptr<1>)
      workgroup(%stage: memref<8xvector<4xi32>, #wg>, %full: memref<1xi64, #wg>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %n = arith.constant 4 : i32
    %bytes = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %lane = arith.index_castui %thread : index to i32
    %elected = arith.cmpi eq, %lane, %zero : i32
    scf.if %elected {
      cluster.mbarrier.init %full[%c0], %one : memref<1xi64, #wg>
      cluster.fence proxy_async_shared
    }
    cluster.warp_barrier
    scf.for %i = %zero to %n step %one : i32 {
      scf.if %elected {
        %row = arith.muli %i, %bytes : i32
        %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
        cluster.mbarrier.expect_tx %full[%c0], %bytes : memref<1xi64, #wg>
        cluster.load_async %from to %stage[%c0] mbar %full[%c0] bytes %bytes
            : !llvm.ptr<1>, memref<8xvector<4xi32>, #wg>, memref<1xi64, #wg>
      }
      %group = arith.divui %thread, %c4 : index
      %read = memref.load %stage[%group] : memref<8xvector<4xi32>, #wg>
      %word = vector.extract %read[0] : i32 from vector<4xi32>
      %f = arith.bitcast %word : i32 to f32
      %within = arith.remui %lane, %four : i32
      %isFirst = arith.cmpi eq, %within, %zero : i32
      scf.if %isFirst {
        %place = arith.divui %lane, %four : i32
        %to = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %f, %to : f32, !llvm.ptr<1>
      }
      cluster.warp_barrier
    }
    gpu.return
  }
  gpu.func @beyond(%x: !llvm.ptr<1> {llvm.readonly}, %y: !llvm.ptr<1>)
      workgroup(%stage: memref<8xvector<4xi32>, #wg>, %full: memref<1xi64, #wg>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %n = arith.constant 5 : i32
    %bytes = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %lane = arith.index_castui %thread : index to i32
    %elected = arith.cmpi eq, %lane, %zero : i32
    scf.if %elected {
      cluster.mbarrier.init %full[%c0], %one : memref<1xi64, #wg>
      cluster.fence proxy_async_shared
    }
    cluster.warp_barrier
    scf.for %i = %zero to %n step %one : i32 {
      scf.if %elected {
        %row = arith.muli %i, %bytes : i32
        %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
        cluster.mbarrier.expect_tx %full[%c0], %bytes : memref<1xi64, #wg>
        cluster.load_async %from to %stage[%c0] mbar %full[%c0] bytes %bytes
            : !llvm.ptr<1>, memref<8xvector<4xi32>, #wg>, memref<1xi64, #wg>
      }
      %parity = arith.remui %i, %two : i32
      cluster.mbarrier.wait %full[%c0], %parity : memref<1xi64, #wg>
      %group = arith.divui %thread, %c4 : index
      %read = memref.load %stage[%group] : memref<8xvector<4xi32>, #wg>
      %word = vector.extract %read[0] : i32 from vector<4xi32>
      %f = arith.bitcast %word : i32 to f32
      %within = arith.remui %lane, %four : i32
      %isFirst = arith.cmpi eq, %within, %zero : i32
      scf.if %isFirst {
        %place = arith.divui %lane, %four : i32
        %to = llvm.getelementptr %y[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %f, %to : f32, !llvm.ptr<1>
      }
      cluster.warp_barrier
    }
    gpu.return
  }
}
