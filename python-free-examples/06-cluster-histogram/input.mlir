// A histogram of the low bytes of 4000 integers, by one cluster of four blocks.
// Every block counts its part, a thread for each of the 256 bins; one collective
// adds the four histograms up.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @histogram(%data: memref<4000xi32>, %histogram: memref<256xi32>)
      workgroup(%tile: memref<256xi32, #shared>, %bins: memref<256xi32, #shared>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %length = arith.constant 4000 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant -1 : i32
    %mask = arith.constant 255 : i32
    %thread = gpu.thread_id x
    %bin = arith.index_cast %thread : index to i32
    %rank32 = cluster.rank : i32
    %rank = arith.index_cast %rank32 : i32 to index
    %part = arith.muli %rank, %c1024 : index

    // Tiles of 256 elements through shared memory; what is beyond the end is in
    // no bin.
    %count = scf.for %first = %c0 to %c1024 step %c256 iter_args(%sum = %zero) -> (i32) {
      %offset = arith.addi %part, %first : index
      %at = arith.addi %offset, %thread : index
      %inside = arith.cmpi ult, %at, %length : index
      %byte = scf.if %inside -> (i32) {
        %value = memref.load %data[%at] : memref<4000xi32>
        %low = arith.andi %value, %mask : i32
        scf.yield %low : i32
      } else {
        scf.yield %none : i32
      }
      memref.store %byte, %tile[%thread] : memref<256xi32, #shared>
      %inTile = scf.for %i = %c0 to %c256 step %c1 iter_args(%n = %sum) -> (i32) {
        %other = memref.load %tile[%i] : memref<256xi32, #shared>
        %isMine = arith.cmpi eq, %other, %bin : i32
        %more = arith.addi %n, %one : i32
        %next = arith.select %isMine, %more, %n : i32
        scf.yield %next : i32
      }
      scf.yield %inTile : i32
    }

    memref.store %count, %bins[%thread] : memref<256xi32, #shared>
    cluster.slice.reduce %bins algorithm(scatter) root(0) kind(add) : memref<256xi32, #shared>
    %isFirst = arith.cmpi eq, %rank, %c0 : index
    scf.if %isFirst {
      %total = memref.load %bins[%thread] : memref<256xi32, #shared>
      memref.store %total, %histogram[%thread] : memref<256xi32>
    }
    gpu.return
  }
}
