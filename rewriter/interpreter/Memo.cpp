//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "interpreter/Memo.h"

#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Asking costs about as much as a few operations: after so many questions, one in four must have
/// had an answer.
constexpr size_t mostTrials = 256, leastShare = 4;

/// A short number, which is compared as such. Other values are the same if they are the same copy.
const Scalar *asShortNumber(const Value &value) {
  constexpr size_t mostTerms = 8;
  const Scalar *scalar = value.single();
  return scalar && scalar->is(Scalar::Kind::Number) && scalar->number.getTerms().size() <= mostTerms
             ? scalar
             : nullptr;
}

bool isSame(const Value &a, const Value &b) {
  if (a.isSameCopy(b))
    return true;
  const Scalar *x = asShortNumber(a), *y = asShortNumber(b);
  return x && y && x->number == y->number && x->residueBits == y->residueBits &&
         x->place == y->place && x->needs == y->needs;
}

} // namespace

size_t ResultTable::hashOf(const Operands &operands) {
  size_t hash = 0;
  for (const Value &operand : operands) {
    if (const Scalar *number = asShortNumber(operand))
      for (const Term &term : number->number.getTerms())
        hash = hash_combine(hash, term.coefficient,
                            hash_combine_range(term.factors.begin(), term.factors.end()));
    else
      hash = hash_combine(hash, operand.getCases().data());
    hash = hash_combine(hash, operands.size());
  }
  return hash;
}

const Value *ResultTable::find(const Operands &operands, const Condition &mask) {
  ++asked;
  if (!isUseful())
    entries.clear();
  auto same = entries.find(hashOf(operands));
  if (same == entries.end())
    return nullptr;
  for (const Entry &entry : same->second)
    if (entry.mask == mask && std::equal(operands.begin(), operands.end(), entry.operands.begin(),
                                         entry.operands.end(), isSame)) {
      ++found;
      return &entry.result;
    }
  return nullptr;
}

void ResultTable::add(Operands operands, Condition mask, Value result) {
  const size_t hash = hashOf(operands);
  entries[hash].push_back({std::move(operands), std::move(mask), std::move(result)});
}

bool ResultTable::isUseful() const { return asked < mostTrials || found * leastShare > asked; }

} // namespace tilelift
