//===- CacheHints.h - Accesses that tell the caches what follows -*- C++
//-*-===//
//
// LLVM has no cache hints for NVPTX: accesses with one are inline assembly, of
// 16 bytes. Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_CACHEHINTS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_CACHEHINTS_H

#include "mlir/IR/Builders.h"

namespace cascade {

/// What a load tells the caches.
struct CacheHint {
  /// Whether its line goes past the L1 cache.
  bool streams = false;
  /// What the L2 cache does with it (`createCachePolicy`); null for nothing.
  mlir::Value policy;
};

/// An i64 that says which lines leave the L2 cache before others: `priority` is
/// "evict_last" or "evict_first".
mlir::Value createCachePolicy(mlir::OpBuilder &b, mlir::Location loc,
                              llvm::StringRef priority);

/// Loads a `type` of 16 bytes from `address`, a !llvm.ptr<1> to what no thread
/// writes; `fixed` keeps the load where it is.
mlir::Value loadHinted(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                       mlir::Value address, CacheHint hint, bool fixed);

/// Stores `value`, of 16 bytes, which are the first to leave the caches.
void storeStreaming(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                    mlir::Value address);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_CACHEHINTS_H
