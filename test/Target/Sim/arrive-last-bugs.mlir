// What goes wrong between blocks that merge their states, one kernel each.
// RUN: sed 's/constant 5 : i32/constant 4 : i32/' %s | cascade-run - --device=sim --entry=wrong_count --grid=4 --interleavings=8 --input=1xf32=0 --input=4xf32=0 --input=4xi32=0
// RUN: not cascade-run %s --device=sim --entry=stored_late --grid=4 --interleavings=8 \
// RUN:   --input=1xf32=0 --input=4xf32=0 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=STORED-LATE
// RUN: not cascade-run %s --device=sim --entry=unchecked --grid=4 --interleavings=8 \
// RUN:   --input=1xf32=0 --input=4xf32=0 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=UNCHECKED
// RUN: not cascade-run %s --device=sim --entry=wrong_count --grid=4 --interleavings=8 \
// RUN:   --input=1xf32=0 --input=4xf32=0 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=WRONG-COUNT
// RUN: not cascade-run %s --device=sim --entry=early_last --grid=4 --interleavings=8 \
// RUN:   --input=1xf32=0 --input=4xf32=0 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=EARLY-LAST
// RUN: not cascade-run %s --device=sim --entry=own_counters --grid=4 --interleavings=8 \
// RUN:   --input=1xf32=0 --input=4xf32=0 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=OWN-COUNTERS

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A state that is stored after the arrival is not released.
    // STORED-LATE: error: data race: thread 0 of block {{[0-3]}} reads element {{[0-3]}} of 'arg1', which another thread writes, and nothing orders the two
    // STORED-LATE: 0 passed, 8 failed
    gpu.func @stored_late(%out: memref<1xf32>, %states: memref<4xf32>, %counter: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 4 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      %last = cluster.arrive_last %counter count %count : !llvm.ptr<1>
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      scf.if %last {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
    // A block that does not ask whether it is the last.
    // UNCHECKED: error: data race: thread 0 of block
    // UNCHECKED: 0 passed, 8 failed
    gpu.func @unchecked(%out: memref<1xf32>, %states: memref<4xf32>, %counter: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 4 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      %true = arith.constant true
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      %last = cluster.arrive_last %counter count %count : !llvm.ptr<1>
      scf.if %true {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
    // More are counted than come.
    // WRONG-COUNT: error: counter: the kernel ends with 4 of 5 arrivals at a counter, with which the next launch begins
    // WRONG-COUNT: 0 passed, 8 failed
    gpu.func @wrong_count(%out: memref<1xf32>, %states: memref<4xf32>, %counter: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 5 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      %last = cluster.arrive_last %counter count %count : !llvm.ptr<1>
      scf.if %last {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
    // Fewer are counted than come.
    // EARLY-LAST: error: {{data race: thread 0 of block|counter: the kernel ends with 1 of 3 arrivals}}
    // EARLY-LAST: 0 passed, 8 failed
    gpu.func @early_last(%out: memref<1xf32>, %states: memref<4xf32>, %counter: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 3 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      %last = cluster.arrive_last %counter count %count : !llvm.ptr<1>
      scf.if %last {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
    // Every block has a counter of its own.
    // OWN-COUNTERS: error: data race: thread 0 of block
    // OWN-COUNTERS: 0 passed, 8 failed
    gpu.func @own_counters(%out: memref<1xf32>, %states: memref<4xf32>, %counters: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 1 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      %mine = llvm.getelementptr %counters[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %last = cluster.arrive_last %mine count %count : !llvm.ptr<1>
      scf.if %last {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
  }
}
