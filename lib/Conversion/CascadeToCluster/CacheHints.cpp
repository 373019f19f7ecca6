//===- CacheHints.cpp - Accesses that tell the caches what follows --------===//

#include "CacheHints.h"
#include "cascade/Analysis/MappingPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade;

static constexpr unsigned wordsOfAccess = MappingPlan::accessBytes / 4;

static LLVM::InlineAsmOp createAsm(OpBuilder &b, Location loc, Type result,
                                   ValueRange operands, StringRef text,
                                   StringRef constraints, bool hasEffects) {
  return LLVM::InlineAsmOp::create(
      b, loc, result, operands, text, constraints, hasEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value cascade::createCachePolicy(OpBuilder &b, Location loc,
                                 StringRef priority) {
  std::string text =
      ("createpolicy.fractional.L2::" + priority + ".b64 $0, 1.0;").str();
  return createAsm(b, loc, b.getI64Type(), {}, text, "=l",
                   /*hasEffects=*/false)
      .getRes();
}

Value cascade::loadHinted(OpBuilder &b, Location loc, Type type, Value address,
                          CacheHint hint, bool fixed) {
  SmallVector<Type> types(wordsOfAccess, b.getI32Type());
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  // An eviction priority of the L2 cache alone goes with accesses of 32 bytes,
  // of later GPUs; a policy goes with any.
  SmallVector<Value> operands{address};
  if (hint.policy)
    operands.push_back(hint.policy);
  std::string text =
      (Twine("ld.global.nc") + (hint.streams ? ".L1::no_allocate" : "") +
       (hint.policy ? ".L2::cache_hint" : "") +
       ".v4.b32 {$0, $1, $2, $3}, [$4]" + (hint.policy ? ", $5;" : ";"))
          .str();
  auto op = createAsm(b, loc, result, operands, text,
                      hint.policy ? "=r,=r,=r,=r,l,l" : "=r,=r,=r,=r,l",
                      /*hasEffects=*/fixed);
  SmallVector<Value> words;
  for (unsigned i = 0; i < wordsOfAccess; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, op.getRes(), i));
  Value bits = vector::FromElementsOp::create(
      b, loc, VectorType::get({wordsOfAccess}, b.getI32Type()), words);
  return vector::BitCastOp::create(b, loc, type, bits);
}

void cascade::storeStreaming(OpBuilder &b, Location loc, Value value,
                             Value address) {
  Type type = VectorType::get({wordsOfAccess}, b.getI32Type());
  Value words = vector::BitCastOp::create(b, loc, type, value);
  SmallVector<Value> operands{address};
  for (unsigned i = 0; i < wordsOfAccess; ++i)
    operands.push_back(vector::ExtractOp::create(b, loc, words, int64_t(i)));
  createAsm(b, loc, Type(), operands,
            "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r",
            /*hasEffects=*/true);
}
