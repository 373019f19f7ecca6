// The transpose of a matrix of 64 x 64, by one cluster of four blocks. Every block
// loads 16 rows into its shared memory and stores 16 rows of the transpose, whose
// elements lie in the shared memory of all four.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Rows of 65: threads that read a column find it in different banks.
  gpu.func @transpose(%in: memref<64x64xf32>, %out: memref<64x64xf32>)
      workgroup(%rows: memref<16x65xf32, #shared>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %rank32 = cluster.rank : i32
    %rank = arith.index_cast %rank32 : i32 to index
    %first = arith.muli %rank, %c16 : index

    // 4 rows of 64 at a time.
    scf.for %element = %thread to %c1024 step %c256 {
      %row = arith.divui %element, %c64 : index
      %x = arith.remui %element, %c64 : index
      %from = arith.addi %first, %row : index
      %value = memref.load %in[%from, %x] : memref<64x64xf32>
      memref.store %value, %rows[%row, %x] : memref<16x65xf32, #shared>
    }

    // From each block a tile of 16 x 16, a column of which is part of a row.
    %j = arith.divui %thread, %c16 : index
    %i = arith.remui %thread, %c16 : index
    %column = arith.addi %first, %j : index
    scf.for %peer = %c0 to %c4 step %c1 {
      %peer32 = arith.index_cast %peer : index to i32
      %theirs = cluster.map_shared %rows, %peer32
          : memref<16x65xf32, #shared> to memref<16x65xf32, 7 : i32>
      %value = memref.load %theirs[%i, %column] : memref<16x65xf32, 7 : i32>
      %start = arith.muli %peer, %c16 : index
      %to = arith.addi %start, %i : index
      memref.store %value, %out[%column, %to] : memref<64x64xf32>
    }
    gpu.return
  }
}
