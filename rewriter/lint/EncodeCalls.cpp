//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that encode a tensor map, known by what they are given: programs get these functions from
// the driver under names of their own.
//===----------------------------------------------------------------------===//

#include "lint/Findings.h"
#include "lint/Numbers.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

enum class Kind { Tiled, Im2col, Wide };

/// Where the arguments of each function are; what one of them does not have is 0.
struct Layout {
  Kind kind;
  const char *name;
  unsigned count, box, steps, lower, upper, channels, pixels, interleave, swizzle, fill;
};
constexpr Layout layouts[] = {
    {Kind::Tiled, "cuTensorMapEncodeTiled", 12, 6, 7, 0, 0, 0, 0, 8, 9, 11},
    {Kind::Im2col, "cuTensorMapEncodeIm2col", 15, 0, 10, 6, 7, 8, 9, 11, 12, 14},
    {Kind::Wide, "cuTensorMapEncodeIm2colWide", 16, 0, 10, 6, 7, 8, 9, 11, 13, 15},
};
constexpr unsigned mapArgument = 0, typeArgument = 1, rankArgument = 2, addressArgument = 3,
                   extentsArgument = 4, stridesArgument = 5;

/// As the driver's header declares it, for C.
bool isNamed(QualType type, StringRef name) {
  const TagDecl *tag = type->getAsTagDecl();
  return tag && (tag->getName() == name || tag->getName() == (name + "_st").str() ||
                 tag->getName() == (name + "_enum").str());
}

/// By the types of all that decides what an argument is.
const Layout *layoutOf(const CallExpr *call) {
  if (call->isTypeDependent() || isa<CXXOperatorCallExpr>(call))
    return nullptr;
  QualType callee = call->getCallee()->IgnoreParenImpCasts()->getType();
  if (callee->isFunctionPointerType() || callee->isFunctionReferenceType())
    callee = callee->getPointeeType();
  const auto *type = callee->getAs<FunctionProtoType>();
  const Layout *found = llvm::find_if(layouts, [&](const Layout &each) {
    return type && each.count == type->getNumParams() && each.count == call->getNumArgs();
  });
  if (found == std::end(layouts) || !isNamed(type->getReturnType(), "cudaError"))
    return nullptr;
  auto parameter = [&](unsigned number) { return type->getParamType(number); };
  auto isPointer = [&](unsigned number) { return parameter(number)->isPointerType(); };
  const bool isEncode =
      isPointer(mapArgument) && isNamed(parameter(mapArgument)->getPointeeType(), "CUtensorMap") &&
      isNamed(parameter(typeArgument), "CUtensorMapDataType") &&
      parameter(rankArgument)->isIntegerType() && isPointer(addressArgument) &&
      isPointer(extentsArgument) && isPointer(stridesArgument) && isPointer(found->steps) &&
      isNamed(parameter(found->interleave), "CUtensorMapInterleave") &&
      isNamed(parameter(found->swizzle), "CUtensorMapSwizzle") &&
      isNamed(parameter(found->fill), "CUtensorMapFloatOOBfill");
  return isEncode ? found : nullptr;
}

} // namespace

bool isEncodeCall(const CallExpr *call) { return layoutOf(call) != nullptr; }
bool isTensorMap(QualType type) { return isNamed(type, "CUtensorMap"); }

namespace {

class EncodeCall {
public:
  EncodeCall(const CallExpr *call, const Layout &layout, const Frame &frame,
             const Functions &functions, Findings &findings, Reach reach)
      : call(call),
        layout(layout),
        frame(frame),
        functions(functions),
        findings(findings),
        reach(reach) {}

  void check(int capability);

private:
  const Expr *argument(unsigned number) const { return call->getArg(number); }
  quantity number(unsigned which) const { return numberOf(argument(which), frame, functions); }
  std::optional<NumberArray> numbers(unsigned which, int needed, int rank);
  template <typename Enumeration> bool read(unsigned which, Enumeration &value) {
    const quantity found = number(which);
    if (!found.is_exact())
      open.push_back(detail::quoted(found.text));
    value = Enumeration(found.is_exact() ? found.low : 0);
    return found.is_exact();
  }
  bool describe(map_request &request);
  void checkTiled(int capability);
  void checkPixels(int capability);
  bool readCorners(im2col_request &request);
  template <typename Request> void judge(const Request &request);
  void say(Diagnostic diagnostic) {
    findings.add(std::move(diagnostic), call->getBeginLoc(), frame, reach);
  }

  const CallExpr *call;
  const Layout &layout;
  const Frame &frame;
  const Functions &functions;
  Findings &findings;
  Reach reach;
  /// What only a run can tell.
  std::vector<std::string> open;
};

/// One array of the call; nothing where it is too short, which is said.
std::optional<NumberArray> EncodeCall::numbers(unsigned which, int needed, int rank) {
  NumberArray array = arrayOf(argument(which), frame, functions);
  if (!array.length || *array.length >= size_t(needed))
    return array;
  say(diagnose(diag::array_too_short, {}, array.name, *array.length, needed, layout.name, rank));
  return std::nullopt;
}

StringRef nameOf(const Expr *argument, const ASTContext &context) {
  return spellingOf(argument, context).ltrim("&");
}

bool EncodeCall::describe(map_request &request) {
  request.tensor = nameOf(argument(addressArgument)->IgnoreParenCasts(), functions.context);
  request.tile = nameOf(argument(mapArgument)->IgnoreParenCasts(), functions.context);
  request.address = number(addressArgument);
  if (!request.address.is_exact()) // an address that nobody knows
    request.address.text = request.tensor;
  const quantity rank = number(rankArgument);
  if (!rank.is_exact()) {
    open.push_back(detail::quoted(rank.text));
    return false;
  }
  request.rank = int(std::clamp<int64_t>(rank.low, -1, max_rank + 1));
  if (request.rank < 1 || request.rank > max_rank)
    return true; // which is a rule
  const int n = request.rank;
  const auto extents = numbers(extentsArgument, n, n), strides = numbers(stridesArgument, n - 1, n),
             steps = numbers(layout.steps, n, n);
  if (!extents || !strides || !steps)
    return false;
  for (int d = 0; d < n; ++d) {
    request.dims[d].extent = (*extents)[size_t(d)];
    request.dims[d].stride = d == 0 ? quantity::exactly(0) : (*strides)[size_t(d - 1)];
    request.dims[d].step = (*steps)[size_t(d)];
  }
  // Which numbers are allowed depends on these.
  const bool knowsType = read(typeArgument, request.type);
  const bool knowsInterleave = read(layout.interleave, request.interleave);
  const bool knowsSwizzle = read(layout.swizzle, request.swizzle);
  const bool knowsFill = read(layout.fill, request.fill);
  return knowsType && knowsInterleave && knowsSwizzle && knowsFill;
}

template <typename Request> void EncodeCall::judge(const Request &request) {
  tilelift::check(request, [&](const finding &found) {
    if (found.outcome == verdict::fails)
      say(diagnose(diag::rule_violated, {}, found.text + " (" + name_of(found.rule) + ")"));
    else if (found.outcome == verdict::open)
      open.push_back(name_of(found.rule));
  });
}

void EncodeCall::checkTiled(int capability) {
  tile_request request;
  request.capability = capability;
  if (!describe(request))
    return;
  if (request.rank >= 1 && request.rank <= max_rank) {
    const auto box = numbers(layout.box, request.rank, request.rank);
    if (!box)
      return;
    for (int d = 0; d < request.rank; ++d)
      request.dims[d].box = (*box)[size_t(d)];
  }
  judge(request);
}

/// Those of im2col are arrays, those of a wide map numbers of its one dimension.
bool EncodeCall::readCorners(im2col_request &request) {
  if (layout.kind == Kind::Wide) {
    request.mode = im2col_mode::w;
    request.lower[0] = number(layout.lower);
    request.upper[0] = number(layout.upper);
    for (int i = 1; i < request.corners(); ++i)
      request.lower[i] = request.upper[i] = quantity::exactly(0);
    return true;
  }
  const auto lower = numbers(layout.lower, request.corners(), request.rank),
             upper = numbers(layout.upper, request.corners(), request.rank);
  for (int i = 0; lower && upper && i < request.corners(); ++i) {
    request.lower[i] = (*lower)[size_t(i)];
    request.upper[i] = (*upper)[size_t(i)];
  }
  return lower && upper;
}

void EncodeCall::checkPixels(int capability) {
  im2col_request request;
  request.capability = capability;
  if (!describe(request))
    return;
  request.channels = number(layout.channels);
  request.pixels = number(layout.pixels);
  if (request.rank >= 3 && request.rank <= max_rank && !readCorners(request))
    return;
  judge(request);
}

void EncodeCall::check(int capability) {
  if (layout.kind == Kind::Tiled)
    checkTiled(capability);
  else
    checkPixels(capability);
  llvm::sort(open);
  open.erase(llvm::unique(open), open.end());
  if (!open.empty())
    say(diagnose(diag::left_to_the_run, {}, layout.name, llvm::join(open, ", ")));
}

/// A statement of its own. Who casts it to void has said so.
bool isIgnored(const CallExpr *call, const VariableFacts &facts) {
  const Stmt *own = call, *use = facts.parentOf(call);
  for (; isa_and_nonnull<ExprWithCleanups, ParenExpr>(use); use = facts.parentOf(use))
    own = use;
  if (const auto *block = dyn_cast_or_null<CompoundStmt>(use))
    return !isa_and_nonnull<StmtExpr>(facts.parentOf(block)) || block->body_back() != own;
  if (const auto *choice = dyn_cast_or_null<IfStmt>(use))
    return own == choice->getThen() || own == choice->getElse();
  if (const auto *loop = dyn_cast_or_null<ForStmt>(use))
    return own == loop->getBody();
  if (const auto *loop = dyn_cast_or_null<WhileStmt>(use))
    return own == loop->getBody();
  return isa_and_nonnull<SwitchCase, LabelStmt>(use);
}

/// Where the call writes what.
EncodedMap encodedBy(const CallExpr *call, const Layout &layout,
                     const std::shared_ptr<const Frame> &way, const Functions &functions,
                     Reach reach) {
  const Expr *map = call->getArg(mapArgument);
  EncodedMap made{call,
                  way,
                  reach,
                  locationOf(map, *way, functions),
                  nameOf(map->IgnoreParenCasts(), functions.context).str(),
                  {},
                  {}};
  if (layout.kind == Kind::Tiled) {
    made.rank = numberOf(call->getArg(rankArgument), *way, functions);
    made.rows = arrayOf(call->getArg(layout.box), *way, functions)[1];
  }
  return made;
}

} // namespace

std::vector<EncodedMap> lintEncodeCalls(const Functions &functions, int capability,
                                        Findings &findings) {
  std::vector<EncodedMap> maps;
  for (const FunctionDecl *function : functions.all())
    forEachStatement(function->getBody(), [&](const Stmt *statement) {
      const auto *call = dyn_cast<CallExpr>(statement);
      const Layout *layout = call ? layoutOf(call) : nullptr;
      if (!layout)
        return;
      for (const std::shared_ptr<const Frame> &way : functions.waysInto(function))
        if (const Reach reach = reachOf(call, *way, functions); reach != Reach::Never) {
          EncodeCall(call, *layout, *way, functions, findings, reach).check(capability);
          maps.push_back(encodedBy(call, *layout, way, functions, reach));
        }
      if (isIgnored(call, functions.factsOf(function)))
        findings.add(diagnose(diag::map_not_checked, {}, layout->name), call->getBeginLoc(),
                     {function, nullptr, nullptr});
    });
  return maps;
}

} // namespace tilelift
