//===- FloatArithmetic.cpp - Operations on floats -------------------------===//
//
// IEEE operations in the type written; functions of libm in f32 or f64. The
// functions of a GPU differ from these by a few units in the last place.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <limits>

using namespace cascade::sim;

namespace {
template <typename T, typename F>
void unary(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) { d[k] = T::put(F()(T::get(a[k]))); });
}

template <typename T, typename F>
void binary(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  forLanes(l.mask,
           [=](unsigned k) { d[k] = T::put(F()(T::get(a[k]), T::get(b[k]))); });
}

template <typename T, typename F>
void ternary(Lanes &l, const Instr &i) {
  auto *d = l.at<typename T::Lane>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  auto *c = l.at<typename T::Lane>(i.c);
  forLanes(l.mask, [=](unsigned k) {
    d[k] = T::put(F()(T::get(a[k]), T::get(b[k]), T::get(c[k])));
  });
}

// NaN wins in maximum and minimum, and loses in maxnum and minnum; +0 is larger
// than -0 in all of them.
template <typename N>
N larger(N a, N b) {
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <typename N>
N smaller(N a, N b) {
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

#define FUNCTION1(NAME, EXPRESSION)                                            \
  struct NAME {                                                                \
    template <typename N>                                                      \
    N operator()(N a) const {                                                  \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
#define FUNCTION2(NAME, EXPRESSION)                                            \
  struct NAME {                                                                \
    template <typename N>                                                      \
    N operator()(N a, N b) const {                                             \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
FUNCTION2(Add, a + b)
FUNCTION2(Sub, a - b)
FUNCTION2(Mul, a *b)
FUNCTION2(Div, a / b)
FUNCTION2(Rem, std::fmod(a, b))
FUNCTION2(Maximum, a != a ? a : b != b ? b : larger(a, b))
FUNCTION2(Minimum, a != a ? a : b != b ? b : smaller(a, b))
FUNCTION2(MaxNum, a != a ? b : b != b ? a : larger(a, b))
FUNCTION2(MinNum, a != a ? b : b != b ? a : smaller(a, b))
FUNCTION2(CopySign, std::copysign(a, b))
FUNCTION2(Pow, std::pow(a, b))
FUNCTION2(Atan2, std::atan2(a, b))
FUNCTION1(Neg, -a)
FUNCTION1(Abs, std::fabs(a))
FUNCTION1(Exp, std::exp(a))
FUNCTION1(Exp2, std::exp2(a))
FUNCTION1(ExpM1, std::expm1(a))
FUNCTION1(Log, std::log(a))
FUNCTION1(Log2, std::log2(a))
FUNCTION1(Log10, std::log10(a))
FUNCTION1(Log1P, std::log1p(a))
FUNCTION1(Sqrt, std::sqrt(a))
FUNCTION1(RSqrt, N(1) / std::sqrt(a))
FUNCTION1(CbRt, std::cbrt(a))
FUNCTION1(Sin, std::sin(a))
FUNCTION1(Cos, std::cos(a))
FUNCTION1(Tan, std::tan(a))
FUNCTION1(Asin, std::asin(a))
FUNCTION1(Acos, std::acos(a))
FUNCTION1(Atan, std::atan(a))
FUNCTION1(SinH, std::sinh(a))
FUNCTION1(CosH, std::cosh(a))
FUNCTION1(TanH, std::tanh(a))
FUNCTION1(AsinH, std::asinh(a))
FUNCTION1(AcosH, std::acosh(a))
FUNCTION1(AtanH, std::atanh(a))
FUNCTION1(Erf, std::erf(a))
FUNCTION1(ErfC, std::erfc(a))
FUNCTION1(Floor, std::floor(a))
FUNCTION1(Ceil, std::ceil(a))
FUNCTION1(Trunc, std::trunc(a))
FUNCTION1(Round, std::round(a))
FUNCTION1(RoundEven, std::nearbyint(a))
#undef FUNCTION1
#undef FUNCTION2

struct Fma {
  template <typename N>
  N operator()(N a, N b, N c) const {
    return std::fma(a, b, c);
  }
};

using Table = llvm::StringMap<Instr::Compute>;
} // namespace

template <typename T>
static const Table &tableFor() {
  static const Table table = {
      {"arith.addf", binary<T, Add>},
      {"arith.subf", binary<T, Sub>},
      {"arith.mulf", binary<T, Mul>},
      {"arith.divf", binary<T, Div>},
      {"arith.remf", binary<T, Rem>},
      {"arith.maximumf", binary<T, Maximum>},
      {"arith.minimumf", binary<T, Minimum>},
      {"arith.maxnumf", binary<T, MaxNum>},
      {"arith.minnumf", binary<T, MinNum>},
      {"math.copysign", binary<T, CopySign>},
      {"math.powf", binary<T, Pow>},
      {"math.atan2", binary<T, Atan2>},
      {"math.fma", ternary<T, Fma>},
      {"arith.negf", unary<T, Neg>},
      {"math.absf", unary<T, Abs>},
      {"math.exp", unary<T, Exp>},
      {"math.exp2", unary<T, Exp2>},
      {"math.expm1", unary<T, ExpM1>},
      {"math.log", unary<T, Log>},
      {"math.log2", unary<T, Log2>},
      {"math.log10", unary<T, Log10>},
      {"math.log1p", unary<T, Log1P>},
      {"math.sqrt", unary<T, Sqrt>},
      {"math.rsqrt", unary<T, RSqrt>},
      {"math.cbrt", unary<T, CbRt>},
      {"math.sin", unary<T, Sin>},
      {"math.cos", unary<T, Cos>},
      {"math.tan", unary<T, Tan>},
      {"math.asin", unary<T, Asin>},
      {"math.acos", unary<T, Acos>},
      {"math.atan", unary<T, Atan>},
      {"math.sinh", unary<T, SinH>},
      {"math.cosh", unary<T, CosH>},
      {"math.tanh", unary<T, TanH>},
      {"math.asinh", unary<T, AsinH>},
      {"math.acosh", unary<T, AcosH>},
      {"math.atanh", unary<T, AtanH>},
      {"math.erf", unary<T, Erf>},
      {"math.erfc", unary<T, ErfC>},
      {"math.floor", unary<T, Floor>},
      {"math.ceil", unary<T, Ceil>},
      {"math.trunc", unary<T, Trunc>},
      {"math.round", unary<T, Round>},
      {"math.roundeven", unary<T, RoundEven>},
  };
  return table;
}

/// Calls `visit` with the type that stands for `type`; false for an integer.
template <typename Visit>
static bool withFloat(ElementType type, Visit visit) {
  switch (type) {
  case ElementType::F64:
    visit(F64());
    return true;
  case ElementType::F32:
    visit(F32());
    return true;
  case ElementType::F16:
    visit(F16());
    return true;
  case ElementType::BF16:
    visit(BF16());
    return true;
  case ElementType::F8E4M3FN:
    visit(F8E4M3FN());
    return true;
  case ElementType::F8E5M2:
    visit(F8E5M2());
    return true;
  default:
    return false;
  }
}

ScalarOp cascade::sim::findFloatOp(llvm::StringRef name, ElementType type) {
  ScalarOp op;
  withFloat(type, [&](auto tag) {
    op.compute = tableFor<decltype(tag)>().lookup(name);
  });
  return op;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {
/// arith.cmpf by which of less, equal, greater and unordered hold.
template <typename T, unsigned Holds>
void compareFloats(Lanes &l, const Instr &i) {
  auto *d = l.at<uint32_t>(i.dst);
  auto *a = l.at<typename T::Lane>(i.a);
  auto *b = l.at<typename T::Lane>(i.b);
  forLanes(l.mask, [=](unsigned k) {
    auto x = T::get(a[k]), y = T::get(b[k]);
    bool less = x<y, equal = x == y, greater = x> y;
    bool unordered = x != x || y != y;
    d[k] = (less && (Holds & 1)) || (equal && (Holds & 2)) ||
           (greater && (Holds & 4)) || (unordered && (Holds & 8));
  });
}
} // namespace

Instr::Compute cascade::sim::findFloatCompare(unsigned predicate,
                                              ElementType type) {
  Instr::Compute compute = nullptr;
  withFloat(type, [&](auto tag) {
    using T = decltype(tag);
    // The order of arith::CmpFPredicate.
    static constexpr Instr::Compute table[] = {
        compareFloats<T, 0>,  compareFloats<T, 2>,  compareFloats<T, 4>,
        compareFloats<T, 6>,  compareFloats<T, 1>,  compareFloats<T, 3>,
        compareFloats<T, 5>,  compareFloats<T, 7>,  compareFloats<T, 10>,
        compareFloats<T, 12>, compareFloats<T, 14>, compareFloats<T, 9>,
        compareFloats<T, 11>, compareFloats<T, 13>, compareFloats<T, 8>,
        compareFloats<T, 15>};
    compute = predicate < std::size(table) ? table[predicate] : nullptr;
  });
  return compute;
}

//===----------------------------------------------------------------------===//
// Conversions from and to floats
//===----------------------------------------------------------------------===//

namespace {
template <typename From, typename To>
void convertFloat(Lanes &l, const Instr &i) {
  auto *d = l.at<typename To::Lane>(i.dst);
  auto *a = l.at<typename From::Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) {
    if constexpr (std::is_same_v<typename From::Number, float>)
      d[k] = To::put(From::get(a[k]));
    else
      d[k] = To::round(From::get(a[k]));
  });
}

/// An integer to a float; 64-bit integers and f32 round once.
template <typename From, typename To, bool IsSigned>
void fromInteger(Lanes &l, const Instr &i) {
  auto *d = l.at<typename To::Lane>(i.dst);
  auto *a = l.at<typename From::Lane>(i.a);
  forLanes(l.mask, [=](unsigned k) {
    if constexpr (IsSigned && std::is_same_v<To, F32>)
      d[k] = float(From::sign(a[k]));
    else if constexpr (std::is_same_v<To, F32>)
      d[k] = float(a[k]);
    else if constexpr (IsSigned)
      d[k] = To::round(double(From::sign(a[k])));
    else
      d[k] = To::round(double(a[k]));
  });
}

/// Towards zero; saturates, and NaN becomes 0, as PTX's cvt.rzi does.
template <typename From, typename To, bool IsSigned>
void toInteger(Lanes &l, const Instr &i) {
  auto *d = l.at<typename To::Lane>(i.dst);
  auto *a = l.at<typename From::Lane>(i.a);
  constexpr double limit = IsSigned
                               ? double(uint64_t(1) << (To::width - 1))
                               : 2 * double(uint64_t(1) << (To::width - 1));
  using Wide = std::conditional_t<IsSigned, int64_t, uint64_t>;
  constexpr Wide highest = IsSigned ? Wide((uint64_t(1) << (To::width - 1)) - 1)
                                    : Wide(~uint64_t(0) >> (64 - To::width));
  constexpr Wide lowest = IsSigned ? -highest - 1 : 0;
  forLanes(l.mask, [=](unsigned k) {
    double value = std::trunc(double(From::get(a[k])));
    Wide result = value != value   ? 0
                  : value >= limit ? highest
                  : value < lowest ? lowest
                                   : Wide(value);
    d[k] = To::put(typename To::Lane(result));
  });
}

} // namespace

Instr::Compute cascade::sim::findConversion(llvm::StringRef name,
                                            ElementType from, ElementType to) {
  Instr::Compute compute = nullptr;
  if (name == "arith.extf" || name == "arith.truncf") {
    withFloat(from, [&](auto f) {
      withFloat(to, [&](auto t) {
        compute = convertFloat<decltype(f), decltype(t)>;
      });
    });
  } else if (name == "arith.sitofp" || name == "arith.uitofp") {
    bool isSigned = name == "arith.sitofp";
    withInteger(from, [&](auto f) {
      withFloat(to, [&](auto t) {
        using From = decltype(f);
        using To = decltype(t);
        compute = isSigned ? fromInteger<From, To, true>
                           : fromInteger<From, To, false>;
      });
    });
  } else if (name == "arith.fptosi" || name == "arith.fptoui") {
    bool isSigned = name == "arith.fptosi";
    withFloat(from, [&](auto f) {
      withInteger(to, [&](auto t) {
        using From = decltype(f);
        using To = decltype(t);
        compute =
            isSigned ? toInteger<From, To, true> : toInteger<From, To, false>;
      });
    });
  } else {
    compute = findIntegerConversion(name, from, to);
  }
  return compute;
}
