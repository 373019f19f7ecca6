// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,canonicalize,cse,cluster-insert-barriers)))' \
// RUN:   | cascade-run - --device=sim --interleavings=4 | FileCheck %s
// Lane groups with a stride: each kernel prints, for the lanes of the last warp,
// which lanes are in their group, the threads in it, and a value that needs the
// states in rank order (the last thread's number, from a merge that keeps the
// higher state; threads count over the cluster).

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Groups of lanes {l, l + 8, l + 16, l + 24}.
    // CHECK: arg0: 32xi32=16843009 33686018 67372036 134744072 269488144 538976288 1077952576 -2139062144 16843009
    // CHECK: arg1: 32xi32=4 4 4
    // CHECK: arg2: 32xi32=120 121 122 123 124 125 126 127 120
    gpu.func @warp(%mask: memref<32xi32>, %count: memref<32xi32>, %last: memref<32xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %rank = cluster.rank : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %c96 = arith.constant 96 : i32
      %one = arith.constant 1 : i32
      %lane = arith.remui %t, %c32 : i32
      %bit = arith.shli %one, %lane : i32
      %base = arith.muli %rank, %c64 : i32
      %number = arith.addi %base, %t : i32
      %m, %n = cluster.all_reduce(%bit, %one) scope(warp) lanes(4, stride 8) kind(or, add) : i32, i32
      %l = cluster.all_reduce(%number) scope(warp) lanes(4, stride 8) : i32 {
      ^bb0(%lower: i32, %higher: i32):
        cluster.yield %higher : i32
      }
      %isLast = arith.cmpi uge, %number, %c96 : i32
      scf.if %isLast {
        %i = arith.index_cast %lane : i32 to index
        memref.store %m, %mask[%i] : memref<32xi32>
        memref.store %n, %count[%i] : memref<32xi32>
        memref.store %l, %last[%i] : memref<32xi32>
      }
      gpu.return
    }

    // Groups of lanes {8k, 8k + 2, 8k + 4, 8k + 6} and their odd neighbours.
    // CHECK: arg0: 32xi32=85 170 85 170 85 170 85 170 21760 43520
    // CHECK: arg1: 32xi32=8 8 8
    // CHECK: arg2: 32xi32=102 103 102 103 102 103 102 103 110 111
    gpu.func @block(%mask: memref<32xi32>, %count: memref<32xi32>, %last: memref<32xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %rank = cluster.rank : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %c96 = arith.constant 96 : i32
      %one = arith.constant 1 : i32
      %lane = arith.remui %t, %c32 : i32
      %bit = arith.shli %one, %lane : i32
      %base = arith.muli %rank, %c64 : i32
      %number = arith.addi %base, %t : i32
      %m, %n = cluster.all_reduce(%bit, %one) scope(block) lanes(4, stride 2) kind(or, add) : i32, i32
      %l = cluster.all_reduce(%number) scope(block) lanes(4, stride 2) : i32 {
      ^bb0(%lower: i32, %higher: i32):
        cluster.yield %higher : i32
      }
      %isLast = arith.cmpi uge, %number, %c96 : i32
      scf.if %isLast {
        %i = arith.index_cast %lane : i32 to index
        memref.store %m, %mask[%i] : memref<32xi32>
        memref.store %n, %count[%i] : memref<32xi32>
        memref.store %l, %last[%i] : memref<32xi32>
      }
      gpu.return
    }

    // Lanes {l, l + 16}: by messages, then in rounds.
    // CHECK: arg0: 32xi32=65537 131074 262148
    // CHECK: arg1: 32xi32=8 8 8
    // CHECK: arg2: 32xi32=112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 112
    gpu.func @cluster(%mask: memref<32xi32>, %count: memref<32xi32>, %last: memref<32xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %rank = cluster.rank : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %c96 = arith.constant 96 : i32
      %one = arith.constant 1 : i32
      %lane = arith.remui %t, %c32 : i32
      %bit = arith.shli %one, %lane : i32
      %base = arith.muli %rank, %c64 : i32
      %number = arith.addi %base, %t : i32
      %m, %n = cluster.all_reduce(%bit, %one) scope(cluster) algorithm(mailbox) lanes(2, stride 16) kind(or, add) : i32, i32
      %l = cluster.all_reduce(%number) scope(cluster) algorithm(tree) lanes(2, stride 16) : i32 {
      ^bb0(%lower: i32, %higher: i32):
        cluster.yield %higher : i32
      }
      %isLast = arith.cmpi uge, %number, %c96 : i32
      scf.if %isLast {
        %i = arith.index_cast %lane : i32 to index
        memref.store %m, %mask[%i] : memref<32xi32>
        memref.store %n, %count[%i] : memref<32xi32>
        memref.store %l, %last[%i] : memref<32xi32>
      }
      gpu.return
    }

    // By a lanewise region, whose all-reduces take the lanes and the stride of
    // the whole: the largest number and how many there are.
    // CHECK: arg0: 32xi32=99 98 97 96 95 94 93 92
    // CHECK: arg1: 32xi32=16 16 16
    gpu.func @lanewise(%largest: memref<32xi32>, %count: memref<32xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %rank = cluster.rank : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %c96 = arith.constant 96 : i32
      %c99 = arith.constant 99 : i32
      %one = arith.constant 1 : i32
      %lane = arith.remui %t, %c32 : i32
      %base = arith.muli %rank, %c64 : i32
      %number = arith.addi %base, %t : i32
      %key = arith.subi %c99, %lane : i32
      %m, %n = cluster.all_reduce(%key, %one) scope(cluster) lanes(4, stride 8) : i32, i32 {
      ^bb0(%ka: i32, %na: i32, %kb: i32, %nb: i32):
        %k = arith.maxsi %ka, %kb : i32
        %s = arith.addi %na, %nb : i32
        cluster.yield %k, %s : i32, i32
      } lanewise {
      ^bb0(%k: i32, %s: i32):
        %all = cluster.all_reduce(%k) scope(warp) kind(maxsi) : i32
        %sum = cluster.all_reduce(%s) scope(warp) kind(add) : i32
        cluster.yield %all, %sum : i32, i32
      }
      %isLast = arith.cmpi uge, %number, %c96 : i32
      scf.if %isLast {
        %i = arith.index_cast %lane : i32 to index
        memref.store %m, %largest[%i] : memref<32xi32>
        memref.store %n, %count[%i] : memref<32xi32>
      }
      gpu.return
    }
  }
}

// CHECK: 16 passed, 0 failed
