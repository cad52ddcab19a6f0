//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <set>

using namespace llvm;

namespace tilelift {
namespace {

constexpr int64_t banks = 32, word = 4;

size_t passes(const WarpAccess &access, function_ref<int64_t(int64_t)> placeOf) {
  size_t lanesAtOnce = access.bytes <= word ? 32 : access.bytes <= 2 * word ? 16 : 8, total = 0;
  ArrayRef<int64_t> all = access.offsets;
  for (size_t first = 0; first < all.size(); first += lanesAtOnce) {
    std::array<std::set<int64_t>, banks> words;
    for (int64_t offset : all.slice(first, std::min(lanesAtOnce, all.size() - first))) {
      int64_t begin = placeOf(offset) / word, end = (placeOf(offset) + access.bytes - 1) / word;
      for (int64_t each = begin; each <= end; ++each)
        words[size_t(((each % banks) + banks) % banks)].insert(each);
    }
    size_t most = 0;
    for (const std::set<int64_t> &bank : words)
      most = std::max(most, bank.size());
    total += most;
  }
  return total;
}

double mean(ArrayRef<WarpAccess> accesses, function_ref<size_t(const WarpAccess &)> passesOf) {
  size_t total = 0;
  for (const WarpAccess &access : accesses)
    total += passesOf(access);
  return accesses.empty() ? 0 : double(total) / double(accesses.size());
}

/// The reads of single elements that an access of a transposed tile becomes.
std::vector<WarpAccess> readsOf(const WarpAccess &access, const Plan &plan) {
  if (plan.layout.readAtOnce == 1 || access.bytes <= plan.tileElementSize)
    return {access};
  std::vector<WarpAccess> reads(access.bytes / plan.tileElementSize, access);
  for (size_t i = 0; i < reads.size(); ++i) {
    reads[i].bytes = plan.tileElementSize;
    for (int64_t &offset : reads[i].offsets)
      offset += int64_t(i) * reads[i].bytes;
  }
  return reads;
}

} // namespace

double passesAsDeclared(ArrayRef<WarpAccess> accesses) {
  return mean(accesses, [](const WarpAccess &access) {
    return passes(access, [](int64_t offset) { return offset; });
  });
}

double passesAsPlanned(ArrayRef<WarpAccess> accesses, const Plan &plan) {
  auto placeOf = [&](int64_t offset) { return plan.placeOf(Bytes(offset)).count(); };
  return mean(accesses, [&](const WarpAccess &access) {
    size_t total = 0;
    for (const WarpAccess &read : readsOf(access, plan))
      total += passes(read, placeOf);
    return total;
  });
}

} // namespace tilelift
