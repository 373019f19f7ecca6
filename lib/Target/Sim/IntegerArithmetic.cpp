//===- IntegerArithmetic.cpp - Operations on integers and bits ------------===//

#include "Arithmetic.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <limits>

using namespace cascade::sim;
using cascade::runtime::byteSize;

namespace {
template <typename T, typename F>
void binary(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  forLanes(l.mask, [=](unsigned k) {
    d[k] = T::put(F::template apply<T>(a[k], b[k]));
  });
}

/// Operations of which arith leaves some operands undefined.
template <typename T, typename F>
void checkedBinary(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  for (uint32_t mask = l.mask; mask; mask &= mask - 1) {
    unsigned k = __builtin_ctz(mask);
    if (const char *fault = F::template check<T>(a[k], b[k])) {
      l.fault = fault;
      d[k] = 0;
    } else {
      d[k] = T::put(F::template apply<T>(a[k], b[k]));
    }
  }
}

#define OPERATION(NAME, EXPRESSION)                                            \
  struct NAME {                                                                \
    template <typename T>                                                      \
    static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {    \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
OPERATION(Add, a + b)
OPERATION(Sub, a - b)
OPERATION(Mul, a *b)
OPERATION(And, a &b)
OPERATION(Or, a | b)
OPERATION(Xor, a ^ b)
// A shift by the width or more is poison in arith; PTX clamps the amount.
OPERATION(ShL, b >= T::width ? 0 : a << b)
OPERATION(ShRU, b >= T::width ? 0 : a >> b)
OPERATION(ShRS, typename T::Lane(T::sign(a) >>
                                 std::min<typename T::Lane>(b, T::width - 1)))
OPERATION(MinS, T::sign(a) < T::sign(b) ? a : b)
OPERATION(MaxS, T::sign(a) > T::sign(b) ? a : b)
OPERATION(MinU, a < b ? a : b)
OPERATION(MaxU, a > b ? a : b)
#undef OPERATION

constexpr const char *kByZero = "divides by zero";

struct DivU {
  template <typename T>
  static const char *check(typename T::Lane, typename T::Lane b) {
    return b == 0 ? kByZero : nullptr;
  }
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    return a / b;
  }
};
struct RemU : DivU {
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    return a % b;
  }
};
struct CeilDivU : DivU {
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    return a / b + (a % b != 0);
  }
};
struct DivS {
  template <typename T>
  static const char *check(typename T::Lane a, typename T::Lane b) {
    if (b == 0)
      return kByZero;
    bool isLowest = a == typename T::Lane(1) << (T::width - 1);
    return isLowest && T::sign(b) == -1 ? "divides the lowest number by -1"
                                        : nullptr;
  }
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    return T::sign(a) / T::sign(b);
  }
};
struct RemS : DivS {
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    return T::sign(a) % T::sign(b);
  }
};
struct FloorDivS : DivS {
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    auto x = T::sign(a), y = T::sign(b);
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
  }
};
struct CeilDivS : DivS {
  template <typename T>
  static typename T::Lane apply(typename T::Lane a, typename T::Lane b) {
    auto x = T::sign(a), y = T::sign(b);
    return x / y + (x % y != 0 && (x < 0) == (y < 0));
  }
};
} // namespace

template <typename T>
static void countLeadingZeros(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) {
    d[k] = llvm::countl_zero(T::put(a[k])) - (T::laneBits - T::width);
  });
}

template <typename T>
static const llvm::StringMap<ScalarOp> &tableFor() {
  constexpr Kind fault = Kind::MayFault;
  static const llvm::StringMap<ScalarOp> table = {
      {"math.ctlz", {countLeadingZeros<T>}},
      {"arith.addi", {binary<T, Add>}},
      {"arith.subi", {binary<T, Sub>}},
      {"arith.muli", {binary<T, Mul>}},
      {"arith.andi", {binary<T, And>}},
      {"arith.ori", {binary<T, Or>}},
      {"arith.xori", {binary<T, Xor>}},
      {"arith.shli", {binary<T, ShL>}},
      {"arith.shrui", {binary<T, ShRU>}},
      {"arith.shrsi", {binary<T, ShRS>}},
      {"arith.minsi", {binary<T, MinS>}},
      {"arith.maxsi", {binary<T, MaxS>}},
      {"arith.minui", {binary<T, MinU>}},
      {"arith.maxui", {binary<T, MaxU>}},
      {"arith.divui", {checkedBinary<T, DivU>, fault}},
      {"arith.remui", {checkedBinary<T, RemU>, fault}},
      {"arith.ceildivui", {checkedBinary<T, CeilDivU>, fault}},
      {"arith.divsi", {checkedBinary<T, DivS>, fault}},
      {"arith.remsi", {checkedBinary<T, RemS>, fault}},
      {"arith.floordivsi", {checkedBinary<T, FloorDivS>, fault}},
      {"arith.ceildivsi", {checkedBinary<T, CeilDivS>, fault}},
  };
  return table;
}

ScalarOp cascade::sim::findIntegerOp(llvm::StringRef name, ElementType type) {
  ScalarOp op;
  withInteger(type,
              [&](auto tag) { op = tableFor<decltype(tag)>().lookup(name); });
  return op;
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

namespace {
template <typename T, unsigned Predicate>
void compareIntegers(Lanes &l, const Instr &i) {
  auto *d = l.at<uint32_t>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  forLanes(l.mask, [=](unsigned k) {
    auto x = a[k], y = b[k];
    auto sx = T::sign(x), sy = T::sign(y);
    // The order of arith::CmpIPredicate.
    if constexpr (Predicate == 0)
      d[k] = x == y;
    else if constexpr (Predicate == 1)
      d[k] = x != y;
    else if constexpr (Predicate == 2)
      d[k] = sx < sy;
    else if constexpr (Predicate == 3)
      d[k] = sx <= sy;
    else if constexpr (Predicate == 4)
      d[k] = sx > sy;
    else if constexpr (Predicate == 5)
      d[k] = sx >= sy;
    else if constexpr (Predicate == 6)
      d[k] = x < y;
    else if constexpr (Predicate == 7)
      d[k] = x <= y;
    else if constexpr (Predicate == 8)
      d[k] = x > y;
    else
      d[k] = x >= y;
  });
}

template <typename From, typename To, bool IsSigned>
void convertInteger(Lanes &l, const Instr &i) {
  auto *d = l.at<typename To::Lane>(i.dst);
  auto *a = l.at<typename From::Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) {
    if constexpr (IsSigned)
      d[k] = To::put(typename To::Lane(int64_t(From::sign(a[k]))));
    else
      d[k] = To::put(typename To::Lane(a[k]));
  });
}

template <typename Lane>
void select(Lanes &l, const Instr &i) {
  auto *d = l.at<Lane>(i.dst);
  auto *a = l.at<Lane>(i.a), *b = l.at<Lane>(i.b);
  auto *c = l.at<uint32_t>(i.c);
  forLanes(l.mask, [=](unsigned k) { d[k] = c[k] ? a[k] : b[k]; });
}

template <typename Lane>
void move(Lanes &l, const Instr &i) {
  auto *d = l.at<Lane>(i.dst), *a = l.at<Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) { d[k] = a[k]; });
}

template <typename From, typename To>
void extractBits(Lanes &l, const Instr &i) {
  auto *d = l.at<typename To::Lane>(i.dst);
  auto *a = l.at<From>(i.a);
  unsigned shift = i.imm;
  forLanes(l.mask, [=](unsigned k) {
    d[k] = To::put(typename To::Lane(a[k] >> shift));
  });
}

template <typename From, typename To>
void insertBits(Lanes &l, const Instr &i) {
  auto *d = l.at<To>(i.dst);
  auto *a = l.at<From>(i.a);
  unsigned shift = i.imm;
  if (i.b == Instr::none)
    return forLanes(l.mask, [=](unsigned k) { d[k] = To(a[k]) << shift; });
  auto *b = l.at<To>(i.b);
  forLanes(l.mask, [=](unsigned k) { d[k] = To(a[k]) << shift | b[k]; });
}
} // namespace

Instr::Compute cascade::sim::findIntegerCompare(unsigned predicate,
                                                ElementType type) {
  Instr::Compute compute = nullptr;
  withInteger(type, [&](auto tag) {
    using T = decltype(tag);
    static constexpr Instr::Compute table[] = {
        compareIntegers<T, 0>, compareIntegers<T, 1>, compareIntegers<T, 2>,
        compareIntegers<T, 3>, compareIntegers<T, 4>, compareIntegers<T, 5>,
        compareIntegers<T, 6>, compareIntegers<T, 7>, compareIntegers<T, 8>,
        compareIntegers<T, 9>};
    compute = predicate < std::size(table) ? table[predicate] : nullptr;
  });
  return compute;
}

Instr::Compute cascade::sim::findIntegerConversion(llvm::StringRef name,
                                                   ElementType from,
                                                   ElementType to) {
  bool isSigned = name == "arith.extsi" || name == "arith.index_cast" ||
                  name == "index.casts";
  if (!isSigned && name != "arith.extui" && name != "arith.trunci" &&
      name != "arith.index_castui" && name != "index.castu")
    return nullptr;
  Instr::Compute compute = nullptr;
  withInteger(from, [&](auto f) {
    withInteger(to, [&](auto t) {
      using From = decltype(f);
      using To = decltype(t);
      compute = isSigned ? convertInteger<From, To, true>
                         : convertInteger<From, To, false>;
    });
  });
  return compute;
}

Instr::Compute cascade::sim::selectOp(bool isWide) {
  return isWide ? select<uint64_t> : select<uint32_t>;
}

Instr::Compute cascade::sim::moveOp(bool isWide) {
  return isWide ? move<uint64_t> : move<uint32_t>;
}

Instr::Compute cascade::sim::extractBitsOp(bool isWide, ElementType to) {
  switch (byteSize(to)) {
  case 8:
    return extractBits<uint64_t, Int<64>>;
  case 4:
    return isWide ? extractBits<uint64_t, Int<32>>
                  : extractBits<uint32_t, Int<32>>;
  case 2:
    return isWide ? extractBits<uint64_t, Int<16>>
                  : extractBits<uint32_t, Int<16>>;
  default:
    return isWide ? extractBits<uint64_t, Int<8>>
                  : extractBits<uint32_t, Int<8>>;
  }
}

Instr::Compute cascade::sim::insertBitsOp(bool fromWide, bool toWide) {
  if (fromWide)
    return insertBits<uint64_t, uint64_t>;
  return toWide ? insertBits<uint32_t, uint64_t>
                : insertBits<uint32_t, uint32_t>;
}
