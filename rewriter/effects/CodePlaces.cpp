//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/CodePlaces.h"

#include "effects/DeviceCode.h"

#include "clang/AST/Decl.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

unsigned CodePlaces::numberOf(const DILocation *location) {
  if (!location)
    return 0;
  if (auto known = numbers.find(location); known != numbers.end())
    return known->second;
  CodePlace place;
  place.location = location;
  place.call = numberOf(location->getInlinedAt());
  place.depth = places[place.call].depth + 1;
  place.spot = spotAt(*location);
  if (const FunctionDecl *function = code.functionOf(location->getScope()->getSubprogram())) {
    place.function = function->getCanonicalDecl();
    place.statements = tableOf(function).at(place.spot);
  }
  numbers[location] = unsigned(places.size());
  places.push_back(std::move(place));
  return unsigned(places.size() - 1);
}

const SpotTable &CodePlaces::tableOf(const FunctionDecl *function) const {
  return tables.try_emplace(function->getCanonicalDecl(), function).first->second;
}

unsigned CodePlaces::atDepth(unsigned number, size_t depth) const {
  while (places[number].depth > depth)
    number = places[number].call;
  return number;
}

unsigned CodePlaces::within(const CallPath &path, unsigned number) const {
  return withinCalls(path, path.textDepth() - 1, number);
}

bool CodePlaces::isEndOf(const CallPath &path, unsigned number) const {
  return withinCalls(path, path.getCalls().size(), number) == number;
}

bool CodePlaces::isWritten(unsigned number) const {
  for (; number != 0; number = places[number].call)
    if (places[number].spot.line == 0 || places[number].spot.column == 0)
      return false;
  return true;
}

/// within(), which tells the first `calls` calls of the path apart from other calls of the same
/// functions.
unsigned CodePlaces::withinCalls(const CallPath &path, size_t calls, unsigned number) const {
  const size_t depth = path.getFunctions().size();
  if (places[number].depth < depth)
    return 0;
  const unsigned last = atDepth(number, depth);
  unsigned at = last;
  for (size_t i = depth; i-- > 0; at = places[at].call) {
    const CodePlace &place = places[at];
    if (!place.function || place.function != path.getFunctions()[i]->getCanonicalDecl())
      return 0;
    if (i < calls && !tableOf(place.function).isAnyWithin(place.statements, path.getCalls()[i]))
      return 0;
  }
  return last;
}

/// Whether a function is a lambda whose text is part of the kernel's.
static bool isPartOf(const FunctionDecl *kernel, const FunctionDecl *lambda) {
  const auto *function = dyn_cast_or_null<FunctionDecl>(textAround(lambda));
  return function && function->getCanonicalDecl() == kernel->getCanonicalDecl();
}

unsigned CodePlaces::inText(const FunctionDecl *kernel, unsigned number) const {
  if (number == 0)
    return 0;
  unsigned innermost = atDepth(number, 1);
  for (size_t depth = 2; depth <= places[number].depth; ++depth) {
    const unsigned next = atDepth(number, depth);
    const FunctionDecl *function = places[next].function;
    if (!function || !isLambda(function) || !isPartOf(kernel, function))
      break;
    innermost = next;
  }
  return innermost;
}

} // namespace tilelift
