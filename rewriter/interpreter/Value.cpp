//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "interpreter/Value.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Bounds in the guards of all cases: enough for the counter of a loop that a guard
/// ends after any of 64 rounds. Past it a value is not followed.
constexpr size_t maxBounds = 128;

bool sameScalar(const Scalar &a, const Scalar &b) {
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Scalar::Kind::Unknown: return true;
  case Scalar::Kind::Number: return a.number == b.number && a.residueBits == b.residueBits;
  case Scalar::Kind::Truth: return a.truth == b.truth;
  case Scalar::Kind::Address:
    return a.space == b.space && a.object == b.object && a.number == b.number;
  case Scalar::Kind::Data: return a.data->sameValue(*b.data);
  }
  return false;
}

/// The bits of a constant that takes so many bytes.
std::optional<APInt> constantBits(const Scalar &scalar, unsigned size) {
  if (scalar.is(Scalar::Kind::Data) && scalar.data->kind == Source::Kind::Constant)
    return scalar.data->bits.zextOrTrunc(8 * size);
  if (scalar.is(Scalar::Kind::Number) && scalar.number.isConstant())
    return APInt(64, uint64_t(*scalar.number.asConstant())).sextOrTrunc(8 * size);
  return std::nullopt;
}

} // namespace

Scalar Scalar::unknown(std::string why, Place place) {
  Scalar result;
  result.why = std::move(why);
  result.place = place;
  return result;
}

Scalar Scalar::ofNumber(Polynomial number, Needs needs) {
  Scalar result;
  result.needs = std::move(needs);
  if (!number.isValid()) {
    result.why = "leaves 64 bits";
    return result;
  }
  result.kind = Kind::Number;
  result.number = std::move(number);
  return result;
}

Scalar Scalar::ofTruth(Condition truth) {
  Scalar result;
  result.kind = Kind::Truth;
  result.truth = std::move(truth);
  return result;
}

Scalar Scalar::ofAddress(Space space, unsigned object, Polynomial offset, Needs needs) {
  Scalar result = ofNumber(std::move(offset), std::move(needs));
  if (result.kind != Kind::Number)
    return result;
  result.kind = Kind::Address;
  result.space = space;
  result.object = object;
  return result;
}

Scalar Scalar::ofBits(APInt bits) {
  Source source;
  source.kind = Source::Kind::Constant;
  source.bits = std::move(bits);
  return ofData(std::move(source));
}

Scalar Scalar::ofData(Source source) {
  Scalar result;
  result.kind = Kind::Data;
  result.data = std::move(source);
  return result;
}

Value::Value(Scalar scalar)
    : cases(std::make_shared<const Cases>(1, ValueCase{Condition::always(), std::move(scalar)})) {}

const Scalar *Value::unknownPart() const {
  for (const ValueCase &one : *cases)
    if (one.scalar.is(Scalar::Kind::Unknown) && !one.scalar.why.empty())
      return &one.scalar;
  return nullptr;
}

std::optional<int64_t> Value::asConstant() const {
  const Scalar *scalar = single();
  if (!scalar || !scalar->is(Scalar::Kind::Number))
    return std::nullopt;
  return scalar->number.asConstant();
}

Value Value::overwritten(const Condition &guard, const Value &chosen) const {
  if (guard.isAlways())
    return chosen;
  if (guard.isNever())
    return *this;
  Cases result;
  Condition otherwise = !guard;
  for (const ValueCase &mine : *cases)
    result.push_back({mine.guard && otherwise, mine.scalar});
  for (const ValueCase &theirs : *chosen.cases)
    result.push_back({theirs.guard && guard, theirs.scalar});
  return normalized(std::move(result));
}

Value Value::given(const Condition &condition) const {
  if (cases->size() == 1)
    return *this;
  Cases result = *cases;
  llvm::erase_if(result, [&](const ValueCase &one) { return (one.guard && condition).isNever(); });
  return normalized(std::move(result));
}

Value Value::map(function_ref<Scalar(const Scalar &)> function) const {
  if (const Scalar *scalar = single())
    return function(*scalar);
  Cases result;
  for (const ValueCase &one : *cases)
    result.push_back({one.guard, function(one.scalar)});
  return normalized(std::move(result));
}

Value Value::combine(const Value &a, const Value &b,
                     function_ref<Scalar(const Scalar &, const Scalar &)> function) {
  if (a.single() && b.single())
    return function(*a.single(), *b.single());
  Cases result;
  for (const ValueCase &left : *a.cases)
    for (const ValueCase &right : *b.cases) {
      Condition guard = left.guard && right.guard;
      if (!guard.isNever())
        result.push_back({std::move(guard), function(left.scalar, right.scalar)});
    }
  return normalized(std::move(result));
}

/// Without cases that cannot happen, with equal ones joined, and several truth values
/// turned into one.
Value Value::normalized(Cases cases) {
  Cases kept;
  for (ValueCase &one : cases) {
    if (one.guard.isNever())
      continue;
    auto same = llvm::find_if(
        kept, [&](const ValueCase &other) { return sameScalar(one.scalar, other.scalar); });
    if (same == kept.end()) {
      kept.push_back(std::move(one));
      continue;
    }
    same->guard = same->guard || one.guard;
    addNeeds(same->scalar.needs, one.scalar.needs);
  }
  bool allTruth =
      llvm::all_of(kept, [](const ValueCase &one) { return one.scalar.is(Scalar::Kind::Truth); });
  if (kept.size() > 1 && allTruth) {
    Condition truth;
    for (const ValueCase &one : kept)
      truth = truth || (one.guard && one.scalar.truth);
    return Scalar::ofTruth(truth);
  }
  size_t bounds = 0;
  for (const ValueCase &one : kept)
    bounds += one.guard.countBounds();
  bool undecided = kept.empty() || bounds > maxBounds ||
                   llvm::any_of(kept, [](const ValueCase &one) { return one.guard.isUnknown(); });
  if (undecided)
    return Scalar::unknown("depends on too many conditions", {});
  if (kept.size() == 1)
    return std::move(kept[0].scalar);
  Value result;
  result.cases = std::make_shared<const Cases>(std::move(kept));
  return result;
}

std::optional<Polynomial> flagOf(const Condition &condition, const Symbols &symbols) {
  const Condition possible = condition.possible(symbols);
  const Conjunction *bounds = possible.asConjunction();
  if (!bounds || bounds->size() != 1)
    return std::nullopt;
  const Bound &bound = bounds->front();
  if (!Interval{0, 1}.contains(symbols.rangeOf(bound.value)))
    return std::nullopt;
  const bool isOne = bound.range.contains({1, 1});
  if (isOne == bound.range.contains({0, 0}))
    return std::nullopt; // either way
  return isOne ? bound.value : Polynomial(1) - bound.value;
}

Value counted(const Value &value, const Symbols &symbols) {
  auto isOpen = [](const Scalar &scalar) {
    return scalar.is(Scalar::Kind::Truth) && !scalar.truth.isAlways() && !scalar.truth.isNever() &&
           !scalar.truth.isUnknown();
  };
  auto flag = [&](const Scalar &scalar) {
    return isOpen(scalar) ? flagOf(scalar.truth, symbols) : std::nullopt;
  };
  if (llvm::none_of(value.getCases(), [&](const ValueCase &one) { return isOpen(one.scalar); }))
    return value;
  Value result = value.map([&](const Scalar &scalar) {
    return isOpen(scalar) ? Scalar::ofNumber(flag(scalar).value_or(Polynomial())) : scalar;
  });
  for (const ValueCase &one : value.getCases())
    if (isOpen(one.scalar) && !flag(one.scalar))
      result = result.overwritten(one.guard && one.scalar.truth, Scalar::ofNumber(1));
  return result;
}

Value atOnePlace(const Value &address, const Symbols &symbols) {
  ArrayRef<ValueCase> cases = address.getCases();
  auto isThere = [&](const ValueCase &one) {
    return one.scalar.is(Scalar::Kind::Address) && one.scalar.space == Scalar::Space::Shared &&
           one.scalar.object == cases[0].scalar.object;
  };
  if (cases.size() != 2 || !llvm::all_of(cases, isThere))
    return address;
  const Scalar &first = cases[0].scalar, &second = cases[1].scalar;
  std::optional<Polynomial> flag = flagOf(cases[0].guard, symbols);
  if (!flag || cases[1].guard.possible(symbols) != (!cases[0].guard).possible(symbols))
    return address;
  Needs needs = first.needs;
  addNeeds(needs, second.needs);
  return Scalar::ofAddress(first.space, first.object,
                           second.number + (first.number - second.number) * *flag,
                           std::move(needs));
}

bool isSameAddress(const Value &a, const Value &b) {
  const Scalar *x = a.single(), *y = b.single();
  return x && y && x->is(Scalar::Kind::Address) && y->is(Scalar::Kind::Address) &&
         x->space == y->space && x->object == y->object && x->number == y->number;
}

Scalar partOf(const Scalar &whole, int64_t offset, unsigned size) {
  if (whole.is(Scalar::Kind::Number) && whole.number.isConstant()) {
    Source source;
    source.kind = Source::Kind::Constant;
    source.bits = constantBits(whole, 8)->lshr(unsigned(8 * offset)).trunc(8 * size);
    source.place = whole.place;
    return Scalar::ofData(source);
  }
  if (!whole.is(Scalar::Kind::Data))
    return whole.is(Scalar::Kind::Unknown)
               ? whole
               : Scalar::unknown("is a part of another value", whole.place);
  Scalar part = whole;
  if (whole.data->isMemory()) {
    part.data.edit().offset += Polynomial(offset);
    part.data.edit().widenedFrom = 0;
    part.data.edit().isSigned.reset();
    part.data.edit().typeIdentity = nullptr;
  } else if (whole.data->kind == Source::Kind::Constant) {
    unsigned low = unsigned(8 * offset), count = 8 * size;
    part.data.edit().bits = whole.data->bits.zextOrTrunc(low + count).lshr(low).trunc(count);
  }
  return part;
}

Value LocalObject::read(int64_t offset, unsigned size, Place place) const {
  auto next = parts.upper_bound(offset);
  if (next == parts.begin())
    return rest.why.empty() ? Scalar::unknown("is used before it is set", place) : rest;
  const auto &[start, part] = *std::prev(next);
  int64_t end = start + part.size;
  if (offset >= end)
    return rest.why.empty() ? Scalar::unknown("is used before it is set", place) : rest;
  if (start == offset && part.size == size)
    return part.value;
  if (offset + size <= end) {
    const int64_t skipped = offset - start;
    return part.value.map([&](const Scalar &whole) { return partOf(whole, skipped, size); });
  }

  // Several parts: data that is contiguous in global memory reads as one.
  unsigned first = unsigned(end - offset);
  Value low = read(offset, first, place), high = read(end, size - first, place);
  return Value::combine(low, high, [&](const Scalar &a, const Scalar &b) {
    bool bothData = a.is(Scalar::Kind::Data) && b.is(Scalar::Kind::Data);
    if (bothData && a.data->isMemory() && a.data->kind == b.data->kind &&
        a.data->base == b.data->base && b.data->offset == a.data->offset + Polynomial(first)) {
      Scalar both = a;
      addNeeds(both.needs, b.needs);
      return both;
    }
    std::optional<APInt> lowBits = constantBits(a, first), highBits = constantBits(b, size - first);
    if (lowBits && highBits) {
      Source both;
      both.kind = Source::Kind::Constant;
      both.bits = highBits->concat(*lowBits);
      both.place = place;
      return Scalar::ofData(both);
    }
    return Scalar::unknown("is put together from several values", place);
  });
}

void LocalObject::write(int64_t offset, unsigned size, const Condition &guard, const Value &value) {
  auto same = parts.find(offset);
  if (same != parts.end() && same->second.size == size) {
    same->second.value = same->second.value.overwritten(guard, value);
    return;
  }
  Value before = guard.isAlways() ? Value() : read(offset, size, {});
  // Split what overlaps, so that old and new parts line up.
  std::map<int64_t, Part> pieces;
  for (auto it = parts.begin(); it != parts.end();) {
    int64_t start = it->first, end = start + it->second.size;
    if (end <= offset || start >= offset + size) {
      ++it;
      continue;
    }
    auto keep = [&](int64_t from, int64_t to) {
      if (from < to)
        pieces[from] = {unsigned(to - from), it->second.value.map([&](const Scalar &whole) {
                          return partOf(whole, from - start, unsigned(to - from));
                        })};
    };
    keep(start, std::min(end, offset));
    keep(std::max(start, offset + int64_t(size)), end);
    it = parts.erase(it);
  }
  parts.merge(pieces);
  parts[offset] = {size, before.overwritten(guard, value)};
}

void LocalObject::copy(int64_t offset, const LocalObject &from, int64_t begin, unsigned size,
                       const Condition &guard) {
  if (guard.isNever())
    return;
  write(offset, size, guard, from.rest);
  for (const auto &[start, part] : from.parts) {
    int64_t first = std::max(start, begin), end = std::min(start + part.size, begin + size);
    if (first < end)
      write(offset + first - begin, unsigned(end - first), guard,
            from.read(first, unsigned(end - first), {}));
  }
}

void LocalObject::forget(std::string why, Place place) {
  parts.clear();
  rest = Scalar::unknown(std::move(why), place);
}

void LocalObject::assume(const Condition &condition) {
  for (auto &[offset, part] : parts) {
    part.value = part.value.given(condition);
    if (const Scalar *only = part.value.single())
      part.value = Value(*only);
  }
}

} // namespace tilelift
