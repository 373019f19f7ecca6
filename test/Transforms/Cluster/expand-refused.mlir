// RUN: cascade-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives)))'

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{has no algorithm 'ring': use mailbox, global or auto}}
    %s = cluster.gather(%x) scope(cluster) algorithm(ring) root(0) : (f32) -> vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{by algorithm(global) needs memory to exchange through: add workspace(...)}}
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(global) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{by algorithm(scatter) takes vectors whose length the 2 blocks divide, and kind(...): use algorithm(mailbox)}}
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(scatter) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k(%x: f32, %w: memref<1xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{has a workspace of 1 words, but each cluster needs 2}}
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(global) workspace(%w : memref<1xi32>) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{has no algorithm 'tree': use scatter, ring or auto}}
    cluster.slice.all_reduce %m algorithm(tree) kind(add) : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @block(%x: f32) kernel {
    // expected-error @below {{needs the size of the block: set known_block_size on the gpu.func}}
    %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @cluster(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{needs the size of the cluster: set known_cluster_size on the gpu.func}}
    %s = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @unstructured(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    cf.br ^next
  ^next:
    // expected-error @below {{can be expanded only in structured control flow: expand before --convert-scf-to-cf}}
    %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @below {{would need 65544 bytes of static shared memory, of 49152: use more lanes or warps a group, algorithm(tree), or cluster.dynamic on a large buffer}}
  gpu.func @shared(%x: f64, %y: f64) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %s:2 = cluster.all_reduce(%x, %y) scope(cluster) algorithm(mailbox) lanes(1) warps(1) kind(add, add) : f64, f64
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @below {{keeps 232416 bytes in shared memory and needs 64 for collectives, of 232448: keep fewer inputs, or use more blocks a cluster}}
  gpu.func @kept(%x: f64) workgroup(%kept: memref<14526xvector<4xi32>, #gpu.address_space<workgroup>> {cluster.thread_private}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = cluster.all_reduce(%x) scope(block) kind(add) : f64
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @branch(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    // expected-note @below {{it depends on this number}}
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c32 : index
    // expected-note @below {{the branch is here}}
    scf.if %first {
      // expected-error @below {{stands where not all threads of the block come: move it out of the branch, or mark the branch cluster.uniform if they all take it}}
      %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @rank() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    // expected-note @below {{it depends on this number}}
    %r = cluster.rank : i32
    %first = arith.cmpi eq, %r, %c0 : i32
    // expected-note @below {{the branch is here}}
    scf.if %first {
      // expected-error @below {{stands where not all threads of the cluster come}}
      cluster.slice.broadcast %m root(0) : memref<64xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @loop(%x: f32, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c64 = arith.constant 64 : index
    // expected-note @below {{it depends on this number}}
    %t = gpu.thread_id x
    // expected-note @below {{the branch is here}}
    scf.for %i = %t to %n step %c64 {
      // expected-error @below {{stands where not all threads of the cluster come}}
      %s = cluster.broadcast(%x) scope(cluster) root(0) : f32
    }
    gpu.return
  }
}

// -----

// The threads agree although the condition is computed from their numbers.
gpu.module @k {
  gpu.func @marked(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %all = arith.cmpi ult, %t, %c64 : index
    scf.if %all {
      %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    } {cluster.uniform}
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @threads() workgroup(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 2, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{needs a thread for each of the 4 blocks, but the block has 2}}
    cluster.slice.all_gather %m : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The largest buffer of a collective goes into dynamic shared memory.
gpu.module @k {
  // expected-error @below {{would need 65544 bytes of static shared memory, of 49152}}
  gpu.func @static() workgroup(%m: memref<16384xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    cluster.slice.all_gather %m : memref<16384xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @dynamic() workgroup(%m: memref<16384xf32, #gpu.address_space<workgroup>> {cluster.dynamic}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    cluster.slice.all_gather %m : memref<16384xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
