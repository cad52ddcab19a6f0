//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Maps.h"

#include "lint/Numbers.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The innermost of a way that is in the variable's own function; null where none is.
const Frame *homeOf(const VarDecl *variable, const Frame &way) {
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  for (const Frame *at = &way; at; at = at->caller.get())
    if (function && at->function == function)
      return at;
  return nullptr;
}

/// As far as both are known.
bool isSameWay(const Frame *a, const Frame *b) {
  for (; a && b && a->call && b->call; a = a->caller.get(), b = b->caller.get())
    if (a->call != b->call)
      return false;
  return a && b;
}

/// What a copy is made of.
const Expr *copied(const Expr *value) {
  for (;;) {
    value = value->IgnoreParenImpCasts();
    const auto *made = dyn_cast<CXXConstructExpr>(value);
    if (const auto *cleanups = dyn_cast<FullExpr>(value))
      value = cleanups->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(value))
      value = temporary->getSubExpr();
    else if (made && made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor())
      value = made->getArg(0);
    else
      return value;
  }
}

/// Follows a map back to the calls that encode it.
class Origins {
public:
  Origins(const Functions &functions, ArrayRef<EncodedMap> all) : functions(functions), all(all) {}

  std::vector<const EncodedMap *> ofVariable(const Location &place, const Frame &frame,
                                             unsigned depth = 0) const;

private:
  std::vector<const EncodedMap *> ofValue(const Expr *value, const Frame &frame, int64_t offset,
                                          unsigned depth) const;
  std::vector<const EncodedMap *> ofResult(const CallExpr *call, const Frame &frame, int64_t offset,
                                           unsigned depth) const;

  static constexpr unsigned deepest = 8;
  const Functions &functions;
  ArrayRef<EncodedMap> all;
};

/// What a function returns, where it returns in one place.
std::vector<const EncodedMap *> Origins::ofResult(const CallExpr *call, const Frame &frame,
                                                  int64_t offset, unsigned depth) const {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || !callee->hasBody(callee))
    return {};
  std::vector<const Expr *> returned;
  forEachStatement(callee->getBody(), [&](const Stmt *statement) {
    if (const auto *own = dyn_cast<ReturnStmt>(statement))
      returned.push_back(own->getRetValue());
  });
  if (returned.size() != 1 || !returned.front())
    return {};
  return ofValue(returned.front(), {callee, call, std::make_shared<const Frame>(frame)}, offset,
                 depth + 1);
}

std::vector<const EncodedMap *> Origins::ofValue(const Expr *value, const Frame &frame,
                                                 int64_t offset, unsigned depth) const {
  if (depth > deepest || value->isValueDependent())
    return {};
  value = copied(value);
  if (const auto *call = dyn_cast<CallExpr>(value))
    return ofResult(call, frame, offset, depth);
  std::optional<Location> place = locationOfLvalue(value, frame, functions);
  if (!place)
    return {};
  place->offset += offset;
  return ofVariable(*place, frame, depth + 1);
}

std::vector<const EncodedMap *> Origins::ofVariable(const Location &place, const Frame &frame,
                                                    unsigned depth) const {
  const VarDecl *variable = place.variable;
  const Frame *home = homeOf(variable, frame);
  if (!home || !variable->hasLocalStorage() || place.more != 0)
    return {}; // anybody may have set it
  const VariableFacts &facts = functions.factsOf(home->function);
  if (llvm::any_of(facts.changesOf(variable),
                   [](const Change &change) { return change.kind != Change::Kind::Initialised; }))
    return {}; // to another one; a call that encodes it only gets its address
  std::vector<const EncodedMap *> found;
  for (const EncodedMap &each : all) {
    if (!each.place || each.place->variable != variable ||
        !isSameWay(homeOf(variable, *each.way), home))
      continue;
    if (each.place->more != 0)
      return {};
    if (each.place->offset == place.offset)
      found.push_back(&each);
  }
  if (!found.empty())
    return found;
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
    // A constant stays what it is, whoever has its address.
    const Expr *argument = parameter->getType().isConstQualified()
                               ? home->argumentFor(parameter)
                               : onlyArgumentFor(parameter, *home, functions);
    return argument ? ofValue(argument, *home->caller, place.offset, depth + 1)
                    : std::vector<const EncodedMap *>();
  }
  const Expr *value = variable->getType().isConstQualified() ? variable->getInit()
                                                             : onlyValueOf(variable, functions);
  return value ? ofValue(value, *home, place.offset, depth + 1) : std::vector<const EncodedMap *>();
}

} // namespace

std::vector<const EncodedMap *> encodedAt(const Location &place, const Frame &frame,
                                          const Functions &functions, ArrayRef<EncodedMap> all) {
  return Origins(functions, all).ofVariable(place, frame);
}

} // namespace tilelift
