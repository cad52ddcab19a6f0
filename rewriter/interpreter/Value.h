//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that the interpreter computes with, for one thread.
//
// A scalar is a whole number (a polynomial over uniform symbols), a truth value
// (a condition), an address, some data that was loaded or written down, or
// something we do not follow. A value is a scalar for each of several
// conditions that exclude each other: `y < 0 ? 0 : y` has two.
//
// A number of an unsigned type stands for its residue: the polynomial may be
// negative or too large, and the conversion that makes this matter asks for a
// requirement (see Interpreter).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_INTERPRETER_VALUE_H
#define TILELIFT_INTERPRETER_VALUE_H

#include "relation/CopyRelation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>

namespace tilelift {

struct Scalar {
  enum class Kind { Unknown, Number, Truth, Address, Data };
  enum class Space { Global, Shared, Local };

  Kind kind = Kind::Unknown;
  /// Number: the value. Address: bytes past the object.
  Polynomial number;
  /// Number: the bits of the unsigned type from which it was widened, or 0. `number` may still
  /// differ from the program's value by a multiple of 2^residueBits.
  unsigned residueBits = 0;
  Condition truth;
  /// Number, Address, Data: the requirements under which it is what the program computes.
  Needs needs;
  /// Address: which base, shared array or local object.
  Space space = Space::Global;
  unsigned object = 0;
  /// Data.
  CopyOnWrite<Source> data;
  /// Unknown: what we met, as in "is read from shared memory".
  std::string why;
  Place place;

  static Scalar unknown(std::string why, Place place);
  static Scalar ofNumber(Polynomial number, Needs needs = {});
  static Scalar ofTruth(Condition truth);
  static Scalar ofAddress(Space space, unsigned object, Polynomial offset, Needs needs = {});
  static Scalar ofData(Source source);
  /// A constant.
  static Scalar ofBits(llvm::APInt bits);

  bool is(Kind other) const { return kind == other; }
  /// The number zero, or data whose bits are all zero.
  bool isZero() const {
    return (kind == Kind::Number && number.isZero()) ||
           (kind == Kind::Data && data->kind == Source::Kind::Constant && data->bits.isZero());
  }
};

struct ValueCase {
  Condition guard;
  Scalar scalar;
};

class Value {
public:
  Value() : Value(Scalar()) {}
  Value(Scalar scalar);

  llvm::ArrayRef<ValueCase> getCases() const { return *cases; }
  /// The scalar, when it is the same under all conditions.
  const Scalar *single() const { return cases->size() == 1 ? &(*cases)[0].scalar : nullptr; }
  bool isSameCopy(const Value &other) const { return cases == other.cases; }
  std::optional<int64_t> asConstant() const;
  /// The first scalar that is unknown and has a reason for it; null if there is none.
  const Scalar *unknownPart() const;

  /// `chosen` where `guard` holds, this value elsewhere.
  Value overwritten(const Condition &guard, const Value &chosen) const;
  /// Without the cases that the condition excludes.
  Value given(const Condition &condition) const;
  /// The function of each scalar.
  Value map(llvm::function_ref<Scalar(const Scalar &)> function) const;
  static Value combine(const Value &a, const Value &b,
                       llvm::function_ref<Scalar(const Scalar &, const Scalar &)> function);

private:
  using Cases = llvm::SmallVector<ValueCase, 1>;
  static Value normalized(Cases cases);

  /// Never changed: most values are read many times.
  std::shared_ptr<const Cases> cases;
};

/// Returns the polynomial that is 1 where the condition holds and 0 elsewhere, if the condition
/// tests a single value that is always 0 or 1, such as a bool argument; nothing for other
/// conditions.
std::optional<Polynomial> flagOf(const Condition &condition, const Symbols &symbols);

/// Replaces truth values that depend on symbols by the numbers 1 (true) and 0 (false).
Value counted(const Value &value, const Symbols &symbols);

/// If a flag chooses between two places in one shared array, returns the address as one formula of
/// the flag, because a box starts at a single address. Returns other values unchanged.
Value atOnePlace(const Value &address, const Symbols &symbols);

/// Whether both are the same address, whatever holds.
bool isSameAddress(const Value &a, const Value &b);

/// A local variable, as the bytes that were written to it.
class LocalObject {
public:
  /// What is read back from `size` bytes at `offset`: a value stored there, a part of one, or
  /// several that together are one: constants, or bytes that lie side by side in one array in
  /// global or shared memory.
  Value read(int64_t offset, unsigned size, Place place) const;
  /// The value of exactly these bytes, if they were written at once; null otherwise.
  const Value *holds(int64_t offset, unsigned size) const {
    auto part = parts.find(offset);
    return part != parts.end() && part->second.size == size ? &part->second.value : nullptr;
  }
  void write(int64_t offset, unsigned size, const Condition &guard, const Value &value);
  /// Of another object, bytes from `begin` on.
  void copy(int64_t offset, const LocalObject &from, int64_t begin, unsigned size,
            const Condition &guard);
  void forget(std::string why, Place place);
  /// Drops the cases that the condition excludes, because it holds from here on.
  void assume(const Condition &condition);
  bool isEmpty() const { return parts.empty(); }
  void forEach(llvm::function_ref<void(int64_t offset, unsigned size, const Value &)> use) const {
    for (const auto &[offset, part] : parts)
      use(offset, part.size, part.value);
  }

private:
  struct Part {
    unsigned size;
    Value value;
  };
  std::map<int64_t, Part> parts;
  Scalar rest;
};

/// `size` bytes of `whole`, `offset` bytes in. Only data and constant numbers can be taken apart;
/// of other values, the part is unknown.
Scalar partOf(const Scalar &whole, int64_t offset, unsigned size);

} // namespace tilelift

#endif
