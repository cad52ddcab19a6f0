//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilelift {

double CopyWork::units() const {
  bool isVector =
      bytesOfAccess >= grain.count(); // as many bytes as four elements, by one instruction
  return accesses * (isGuarded ? 2 : 1) * (isVector ? 0.5 : 1);
}

CopyWork workOf(const CopyRelation &relation) {
  CopyWork work;
  unsigned threads = relation.block[0] * relation.block[1] * relation.block[2];
  work.accesses = double(relation.cells.size()) / threads;
  for (const Cell &cell : relation.cells) {
    work.bytesOfAccess = std::max(work.bytesOfAccess, cell.size);
    work.isGuarded |= cell.cases.size() > 1 || llvm::any_of(cell.cases, [](const Case &each) {
                        return !each.guard.isAlways();
                      });
  }
  return work;
}

std::string print(const CopyWork &work) {
  return formatv("{0:f1} elements of {1} bytes, with{2} a guard", work.accesses, work.bytesOfAccess,
                 work.isGuarded ? "" : "out")
      .str();
}

} // namespace tilelift
