//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Addresses.h"

#include "lint/Numbers.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A type whose layout can be asked for: what does not parse may hold itself.
bool hasLayout(QualType type) {
  const QualType element(type->getBaseElementTypeUnsafe(), 0);
  if (element->isIncompleteType() || element->isDependentType() || element->isFunctionType())
    return false;
  const RecordDecl *record = element->getAsRecordDecl();
  return !record ||
         (!record->isInvalidDecl() && llvm::all_of(record->fields(), [](const FieldDecl *field) {
           return !field->isInvalidDecl();
         }));
}

/// Follows addresses back to the variable that they lead into.
class Addresses {
public:
  Addresses(const Functions &functions) : functions(functions), context(functions.context) {}

  /// Nothing where nobody knows.
  std::optional<Location> placeOf(const Expr *address, const Frame &frame,
                                  unsigned depth = 0) const;
  std::optional<Location> ofLvalue(const Expr *expression, const Frame &frame,
                                   unsigned depth = 0) const;

private:
  std::optional<Location> ofCast(const CastExpr *cast, const Frame &frame, unsigned depth) const;
  std::optional<Location> ofCall(const CallExpr *call, const Frame &frame, unsigned depth) const;
  std::optional<Location> convertedByAssembly(const VarDecl *variable, const Frame &frame,
                                              unsigned depth) const;
  static std::optional<Location> member(std::optional<Location> place, const FieldDecl *field,
                                        int64_t bytes) {
    if (!place)
      return place;
    place->declared = field;
    place->start = place->offset += bytes;
    return place;
  }
  /// So many elements further.
  std::optional<Location> moved(std::optional<Location> place, const Expr *index, QualType element,
                                const Frame &frame) const {
    if (!place || !hasLayout(element))
      return std::nullopt;
    const quantity number = numberOf(index, frame, functions);
    const int64_t size = context.getTypeSizeInChars(element).getQuantity();
    if (number.is_exact())
      place->offset += size * number.low;
    else
      place->more = std::gcd(place->more, uint64_t(size * std::abs(number.divisor)));
    return place;
  }

  static constexpr unsigned deepest = 24;
  const Functions &functions;
  const ASTContext &context;
};

std::optional<Location> Addresses::ofLvalue(const Expr *expression, const Frame &frame,
                                            unsigned depth) const {
  expression = expression->IgnoreParens();
  if (depth > deepest || expression->isValueDependent())
    return std::nullopt;
  if (const auto *cast = dyn_cast<CastExpr>(expression)) // a reference to constants
    return cast->getCastKind() == CK_NoOp ? ofLvalue(cast->getSubExpr(), frame, depth + 1)
                                          : std::nullopt;
  if (const auto *member = dyn_cast<MemberExpr>(expression)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!field || field->getParent()->isDependentContext() || field->getParent()->isInvalidDecl() ||
        field->isInvalidDecl())
      return std::nullopt;
    return Addresses::member(member->isArrow() ? placeOf(member->getBase(), frame, depth + 1)
                                               : ofLvalue(member->getBase(), frame, depth + 1),
                             field, int64_t(context.getFieldOffset(field) / 8));
  }
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(expression))
    return moved(placeOf(element->getBase(), frame, depth + 1), element->getIdx(),
                 element->getType(), frame);
  if (const auto *pointed = dyn_cast<UnaryOperator>(expression))
    if (pointed->getOpcode() == UO_Deref)
      return placeOf(pointed->getSubExpr(), frame, depth + 1);
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable)
    return std::nullopt;
  if (variable->isInvalidDecl() || !hasLayout(variable->getType().getNonReferenceType()))
    return std::nullopt;
  if (!variable->getType()->isReferenceType())
    return Location{variable, variable, uint64_t(context.getDeclAlign(variable).getQuantity())};
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
    const Expr *argument = frame.argumentFor(parameter); // a reference stays what it is
    return argument ? ofLvalue(argument, *frame.caller, depth + 1) : std::nullopt;
  }
  return variable->getInit() ? ofLvalue(variable->getInit(), frame, depth + 1) : std::nullopt;
}

/// cvta by assembly: a variable that is nothing but its output.
std::optional<Location> Addresses::convertedByAssembly(const VarDecl *variable, const Frame &frame,
                                                       unsigned depth) const {
  const GCCAsmStmt *found = nullptr;
  forEachStatement(frame.function->getBody(), [&](const Stmt *statement) {
    const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
    if (assembly && assembly->getNumOutputs() == 1 && assembly->getNumInputs() == 1 &&
        rootVariable(assembly->getOutputExpr(0)) == variable &&
        StringRef(assembly->getAsmString()).contains("cvta.to.shared"))
      found = assembly;
  });
  return found ? placeOf(found->getInputExpr(0), frame, depth + 1) : std::nullopt;
}

/// A function that does nothing but compute an address.
std::optional<Location> Addresses::ofCall(const CallExpr *call, const Frame &frame,
                                          unsigned depth) const {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return std::nullopt;
  StringRef name = callee->getDeclName().isIdentifier() ? callee->getName() : "";
  const bool isConversion = name == "__cvta_generic_to_shared" ||
                            name == "__nv_cvta_generic_to_shared_impl" ||
                            (callee->getBuiltinID() != 0 && name.contains("addressof"));
  if (isConversion && call->getNumArgs() == 1)
    return call->getArg(0)->isGLValue() && !call->getArg(0)->getType()->isPointerType()
               ? ofLvalue(call->getArg(0), frame, depth + 1)
               : placeOf(call->getArg(0), frame, depth + 1);
  if (!callee->hasBody(callee))
    return std::nullopt;
  const ReturnStmt *only = nullptr;
  bool isOne = true;
  forEachStatement(callee->getBody(), [&](const Stmt *statement) {
    const auto *returned = dyn_cast<ReturnStmt>(statement);
    isOne &= !returned || !only;
    only = returned ? returned : only;
  });
  const Frame inside{callee, call, std::make_shared<const Frame>(frame)};
  return only && isOne && only->getRetValue() ? placeOf(only->getRetValue(), inside, depth + 1)
                                              : std::nullopt;
}

/// Who says that something of a type lies there says on how many bytes, too.
std::optional<Location> Addresses::ofCast(const CastExpr *cast, const Frame &frame,
                                          unsigned depth) const {
  if (cast->getCastKind() == CK_ArrayToPointerDecay)
    return ofLvalue(cast->getSubExpr(), frame, depth + 1);
  if (cast->getCastKind() == CK_DerivedToBase || cast->getCastKind() == CK_UncheckedDerivedToBase ||
      cast->getCastKind() == CK_BaseToDerived)
    return std::nullopt; // it may lie anywhere in the object
  std::optional<Location> place = placeOf(cast->getSubExpr(), frame, depth + 1);
  const QualType type = cast->getType()->getPointeeType();
  if (!place || type.isNull() || !hasLayout(type))
    return place;
  const uint64_t said = uint64_t(context.getTypeAlignInChars(type).getQuantity());
  if (place->more != 0)
    place->more = std::max(place->more, said);
  else if (place->multipleAt(place->offset) % said != 0)
    return Location{place->variable, place->declared, said};
  return place;
}

std::optional<Location> Addresses::placeOf(const Expr *address, const Frame &frame,
                                           unsigned depth) const {
  if (depth > deepest || address->isValueDependent())
    return std::nullopt;
  address = address->IgnoreParens();
  if (const auto *cast = dyn_cast<CastExpr>(address))
    return ofCast(cast, frame, depth);
  if (const auto *cleanups = dyn_cast<FullExpr>(address))
    return placeOf(cleanups->getSubExpr(), frame, depth + 1);
  if (const auto *taken = dyn_cast<UnaryOperator>(address))
    return taken->getOpcode() == UO_AddrOf ? ofLvalue(taken->getSubExpr(), frame, depth + 1)
                                           : std::nullopt;
  if (const auto *sum = dyn_cast<BinaryOperator>(address); sum && sum->getOpcode() == BO_Add) {
    const QualType type = sum->getLHS()->getType();
    const QualType element = type->isPointerType() ? type->getPointeeType() : context.CharTy;
    return moved(placeOf(sum->getLHS(), frame, depth + 1), sum->getRHS(), element, frame);
  }
  if (const auto *call = dyn_cast<CallExpr>(address))
    return ofCall(call, frame, depth);
  const auto *reference = dyn_cast<DeclRefExpr>(address);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable)
    return std::nullopt;
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
    const Expr *argument = onlyArgumentFor(parameter, frame, functions);
    return argument ? placeOf(argument, *frame.caller, depth + 1) : std::nullopt;
  }
  if (variable->getType()->isArrayType() || variable->getType()->isReferenceType())
    return ofLvalue(address, frame, depth + 1);
  if (const Expr *value = onlyValueOf(variable, functions))
    return placeOf(value, frame, depth + 1);
  return convertedByAssembly(variable, frame, depth);
}

} // namespace

std::optional<Location> locationOf(const Expr *address, const Frame &frame,
                                   const Functions &functions) {
  return Addresses(functions).placeOf(address, frame);
}

std::optional<Location> locationOfLvalue(const Expr *named, const Frame &frame,
                                         const Functions &functions) {
  return Addresses(functions).ofLvalue(named, frame);
}

} // namespace tilelift
