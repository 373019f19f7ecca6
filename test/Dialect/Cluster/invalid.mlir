// RUN: cascade-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{the enclosing function is here}}
func.func @outside() {
  // expected-error @below {{works only in a kernel: move it into a gpu.func}}
  %r = cluster.rank : i32
  return
}

// -----

gpu.module @k {
  // expected-note @below {{makes clusters of 32 blocks}}
  gpu.func @size() kernel attributes {known_cluster_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{needs a cluster of 1 to 16 blocks: change known_cluster_size}}
    %r = cluster.size : i32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @wait_relaxed() kernel {
    // expected-error @below {{has an ordering only on 'arrive'}}
    "cluster.barrier"() <{ordering = #cluster<ordering relaxed>, phase = #cluster<barrier_phase wait>}> : () -> ()
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  // expected-note @below {{makes clusters of 4 blocks}}
  gpu.func @rank() workgroup(%m: memref<8xf32, #wg>) kernel
      attributes {known_cluster_size = array<i32: 4, 1, 1>} {
    %c4 = arith.constant 4 : i32
    // expected-error @below {{operand 'rank' is 4, outside the cluster: use 0 to 3}}
    %p = cluster.map_shared %m, %c4 : memref<8xf32, #wg> to memref<8xf32, 7 : i32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @global(%m: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{operand 'source' of type 'memref<8xf32>' must be in the shared memory of this block}}
    %p = cluster.map_shared %m, %c0 : memref<8xf32> to memref<8xf32, 7 : i32>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @bf16(%v: bf16) workgroup(%m: memref<8xbf16, #wg>, %b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %r = cluster.rank : i32
    // expected-error @below {{cannot store a value of type 'bf16' in one piece}}
    cluster.store_async %v to %m[%c0] mbar %b[%c0] rank %r : memref<8xbf16, #wg>, memref<1xi64, #wg>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @indices(%v: f32) workgroup(%m: memref<8xf32, #wg>, %b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %r = cluster.rank : i32
    // expected-error @below {{operand 'dest' of rank 1 needs as many indices, not 0}}
    cluster.store_async %v to %m[] mbar %b[%c0] rank %r : memref<8xf32, #wg>, memref<1xi64, #wg>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @bulk() workgroup(%m: memref<8xf32, #wg>, %b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %c20 = arith.constant 20 : i32
    %r = cluster.rank : i32
    // expected-error @below {{operand 'bytes' is 20; use a positive multiple of 16}}
    cluster.copy_async %m[%c0] to %m[%c0] mbar %b[%c0] rank %r bytes %c20
        : memref<8xf32, #wg>, memref<8xf32, #wg>, memref<1xi64, #wg>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @bulk_load(%x: !llvm.ptr<1>) workgroup(%m: memref<8xf32, #wg>, %b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    // expected-error @below {{operand 'bytes' is 0; use a positive multiple of 16}}
    cluster.load_async %x to %m[%c0] mbar %b[%c0] bytes %c0_i32
        : !llvm.ptr<1>, memref<8xf32, #wg>, memref<1xi64, #wg>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @parity() workgroup(%b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : i32
    // expected-error @below {{operand 'parity' is 2; use 0 to 1}}
    cluster.mbarrier.wait %b[%c0], %c2 : memref<1xi64, #wg>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @lanes(%x: f32) kernel {
    // expected-error @below {{'lanes' is 12; use a power of two from 1 to 32}}
    %0 = cluster.all_reduce(%x) scope(warp) lanes(12) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @stride_over_warp(%x: f32) kernel {
    // expected-error @below {{'stride' of 8 lanes is 8; use a power of two from 1 to 4}}
    %0 = cluster.all_reduce(%x) scope(warp) lanes(8, stride 8) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @stride_not_power(%x: f32) kernel {
    // expected-error @below {{'stride' of 4 lanes is 3; use a power of two from 1 to 8}}
    %0 = cluster.all_reduce(%x) scope(warp) lanes(4, stride 3) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @stride_zero(%x: f32) kernel {
    // expected-error @below {{'stride' of 4 lanes is 0; use a power of two from 1 to 8}}
    %0 = cluster.all_reduce(%x) scope(warp) lanes(4, stride 0) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-note @below {{makes blocks of 192 threads}}
  gpu.func @warps(%x: f32) kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // expected-error @below {{'warps' is 4, which does not divide the 6 warps of the block: use a divisor}}
    %0 = cluster.all_reduce(%x) scope(block) warps(4) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-note @below {{makes blocks of 100 threads}}
  gpu.func @whole(%x: f32) kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    // expected-error @below {{needs whole warps: make known_block_size a multiple of 32}}
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-note @below {{makes clusters of 17 blocks}}
  gpu.func @cluster(%x: f32) kernel attributes {known_cluster_size = array<i32: 17, 1, 1>} {
    // expected-error @below {{works in clusters of 1 to 16 blocks: change known_cluster_size}}
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @scope(%x: f32) kernel {
    // expected-error @below {{'algorithm' chooses the exchange between blocks: drop it, or use scope(cluster)}}
    %0 = cluster.all_reduce(%x) scope(block) algorithm(tree) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @type(%x: index) kernel {
    // expected-error @below {{operand #0 has type 'index', which cannot be exchanged}}
    %0 = cluster.all_reduce(%x) scope(warp) kind(add) : index
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @kind(%x: i32) kernel {
    // expected-error @below {{kind 'max' of operand #0 reduces float values, not 'i32'}}
    %0 = cluster.all_reduce(%x) scope(warp) kind(max) : i32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @count(%x: f32) kernel {
    // expected-error @below {{has 1 operands and 2 kinds: give one kind an operand}}
    %0 = cluster.all_reduce(%x) scope(warp) kind(max, add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @neither(%x: f32) kernel {
    // expected-error @below {{needs either kind(...) or a merge region}}
    %0 = cluster.all_reduce(%x) scope(warp) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @region(%x: f32) kernel {
    // expected-error @below {{needs a merge region with arguments ('f32', 'f32'): the lower state, then the higher}}
    %0 = cluster.all_reduce(%x) scope(warp) : f32 {
    // expected-note @below {{its arguments are ('f32', 'f64')}}
    ^bb0(%a: f32, %b: f64):
      cluster.yield %a : f32
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @yield(%x: f32) kernel {
    // expected-note @below {{of this collective}}
    %0 = cluster.all_reduce(%x) scope(warp) : f32 {
    ^bb0(%a: f32, %b: f32):
      // expected-error @below {{must yield the merged state ('f32'), not ('f32', 'f32')}}
      cluster.yield %a, %b : f32, f32
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @root(%x: f32) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{'root' is 2, which is no rank of the scope: use 0 to 1}}
    %0 = cluster.broadcast(%x) scope(cluster) root(2) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @gathered(%x: f32) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{result #0 must be a vector of 'f32' with 2 elements, 1 a rank, not 'vector<4xf32>'}}
    %0 = cluster.all_gather(%x) scope(cluster) : (f32) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @unknown(%x: f32) kernel {
    // expected-error @below {{unknown reduction kind 'median'; known are add mul max}}
    %0 = cluster.all_reduce(%x) scope(warp) kind(median) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @lanewise_alone(%x: f32) kernel {
    // expected-error @below {{needs a lanewise region with arguments ('f32'): the state of a lane}}
    %0 = cluster.all_reduce(%x) scope(warp) : f32 {
    ^bb0(%a: f32, %b: f32):
      cluster.yield %a : f32
    } lanewise {
    // expected-note @below {{its arguments are ('f32', 'f32')}}
    ^bb0(%a: f32, %b: f32):
      cluster.yield %a : f32
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @lanewise_scope(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{needs a lanewise region without side effects}}
    %0 = cluster.all_reduce(%x) scope(warp) : f32 {
    ^bb0(%a: f32, %b: f32):
      cluster.yield %a : f32
    } lanewise {
    ^bb0(%a: f32):
      // expected-note @below {{this operation has some}}
      %s = cluster.all_reduce(%a) scope(block) kind(add) : f32
      cluster.yield %s : f32
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%v: vector<6xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand #0 has type 'vector<6xf32>'; to scatter it over 4 ranks, give a vector whose length they divide}}
    %0 = cluster.reduce(%v) scope(cluster) scatter kind(add) : (vector<6xf32>) -> vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%v: vector<8xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{result #0 must be a slice of operand #0, a vector of 2 elements, not 'vector<8xf32>'}}
    %0 = cluster.reduce(%v) scope(cluster) scatter kind(add) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{'root' is 4, which is no rank of the scope: use 0 to 3}}
    %0 = cluster.reduce(%x) scope(cluster) root(4) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{needs exactly one of root(...) and scatter}}
    %0 = cluster.reduce(%x) scope(cluster) root(0) scatter kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{'root' is 2, which is no rank of the scope: use 0 to 1}}
    %0 = cluster.broadcast(%x) scope(block) root(2) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{'root' is 8, which is no rank of the scope: use 0 to 7}}
    %0 = cluster.gather(%x) scope(warp) lanes(8) root(8) : (f32) -> vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{with scatter shares the groups of a block out to the blocks of a cluster: use scope(cluster)}}
    %0 = cluster.gather(%x) scope(warp) lanes(8) scatter : (f32) -> vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{needs exactly one of root(...) and scatter}}
    %0 = cluster.gather(%x) scope(cluster) : (f32) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%v: vector<2x2xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand #0 has type 'vector<2x2xf32>', which cannot be exchanged}}
    %0 = cluster.broadcast(%v) scope(cluster) root(0) : vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%v: vector<4xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{kind 'max' of operand #0 reduces float values, not 'i32'}}
    %0 = cluster.all_reduce(%v) scope(cluster) kind(max) : vector<4xi32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32, %w: memref<8xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{has a workspace of type 'memref<8xf32>'; use a memref of one dimension of i32 in global memory}}
    %0 = cluster.all_reduce(%x) scope(cluster) algorithm(global) workspace(%w : memref<8xf32>) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32, %w: memref<8xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{has a workspace, which only algorithm(global) uses: drop it}}
    %0 = cluster.all_reduce(%x) scope(cluster) algorithm(tree) workspace(%w : memref<8xi32>) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<16388xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand 'buffer' has 65552 bytes, of 65536 at most: exchange it in parts}}
    cluster.slice.all_gather %m : memref<16388xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<8x8xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand 'buffer' has type 'memref<8x8xf32, #gpu.address_space<workgroup>>'; use one dimension of static size}}
    cluster.slice.all_gather %m : memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<20xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand 'buffer' of 80 bytes is no multiple of 4 slices of 16 bytes: pad it}}
    cluster.slice.all_gather %m : memref<20xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<6xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{operand 'buffer' of 24 bytes is no multiple of 16 bytes: pad it}}
    cluster.slice.broadcast %m root(0) : memref<6xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{'root' is -1, which is no rank of the scope: use 0 to 3}}
    cluster.slice.broadcast %m root(-1) : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{needs exactly one of root(...) and scatter}}
    cluster.slice.reduce %m kind(add) : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{needs either kind(...) or a merge region}}
    cluster.slice.all_reduce %m : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{has 1 operands and 2 kinds: give one kind an operand}}
    cluster.slice.all_reduce %m kind(add, add) : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// expected-note @below {{the enclosing function is here}}
func.func @outside(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{works only in a kernel: move it into a gpu.func}}
  cluster.slice.all_gather %m : memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// expected-note @below {{the enclosing function is here}}
func.func @outside(%x: f32) {
  // expected-error @below {{works only in a kernel: move it into a gpu.func}}
  %0 = cluster.broadcast(%x) scope(cluster) root(0) : f32
  return
}

// -----

gpu.module @k {
  // expected-note @below {{makes clusters of 18 blocks}}
  gpu.func @k() workgroup(%m: memref<576xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_cluster_size = array<i32: 3, 3, 2>} {
    // expected-error @below {{works in clusters of 1 to 16 blocks: change known_cluster_size}}
    cluster.slice.all_gather %m : memref<576xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @no_arrivals(%x: !llvm.ptr<1>) kernel {
    %n = arith.constant 0 : i32
    // expected-error @below {{operand 'count' is 0; use 1 to 2147483647}}
    %last = cluster.arrive_last %x count %n : !llvm.ptr<1>
    gpu.return
  }
}

// -----

// expected-note @below {{the enclosing function is here}}
func.func @arrival_outside_kernel(%x: !llvm.ptr<1>, %n: i32) {
  // expected-error @below {{works only in a kernel: move it into a gpu.func}}
  %last = cluster.arrive_last %x count %n : !llvm.ptr<1>
  return
}

// -----

gpu.module @k {
  // expected-error @below {{'cluster.workspace_bytes' must be an array of i64 on a function}}
  gpu.func @workspace_type(%x: !llvm.ptr<1>) kernel attributes {cluster.workspace_bytes = 16 : i64} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @below {{'cluster.workspace_bytes' has 2 parts: give the function as many !llvm.ptr<1> as its last arguments}}
  gpu.func @workspace_arguments(%n: i32, %x: !llvm.ptr<1>) kernel attributes {cluster.workspace_bytes = array<i64: 16, 16>} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @below {{'cluster.workspace_bytes' has a part of 12 bytes; use a positive multiple of 16}}
  gpu.func @workspace_size(%x: !llvm.ptr<1>) kernel attributes {cluster.workspace_bytes = array<i64: 12>} {
    gpu.return
  }
}
