//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/BlockSize.h"

#include "support/LoopsAndLabels.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Shape = std::array<unsigned, 3>;

class Evaluator {
public:
  Evaluator(const FunctionDecl *function, const ASTContext &context) : context(context) {
    if (function)
      facts.emplace(CallPath(function->getDefinition() ? function->getDefinition() : function));
  }

  std::optional<int64_t> constant(const Expr *expression) const {
    Expr::EvalResult result;
    if (!expression->isValueDependent() && expression->EvaluateAsInt(result, context))
      return result.Val.getInt().isRepresentableByInt64()
                 ? std::optional(result.Val.getInt().getExtValue())
                 : std::nullopt;
    const Expr *init = onlyValue(expression->IgnoreParenImpCasts());
    return init ? constant(init) : std::nullopt;
  }

  std::optional<unsigned> number(const Expr *expression) const {
    std::optional<int64_t> value = constant(expression);
    return value && *value >= 1 && *value <= 1024 ? std::optional(unsigned(*value)) : std::nullopt;
  }

  std::optional<Shape> shape(const Expr *expression) const {
    if (++followed > mostFollowed)
      return std::nullopt;
    const QualType wanted = expression->getType();
    expression = expression->IgnoreUnlessSpelledInSource();
    if (isOtherClass(expression->getType(), wanted))
      return std::nullopt; // a conversion function makes the block
    if (const auto *construct = dyn_cast<CXXConstructExpr>(expression)) {
      if (construct->getConstructor()->isCopyOrMoveConstructor())
        return shape(construct->getArg(0));
      return fromArguments(construct->arguments());
    }
    if (const auto *list = dyn_cast<InitListExpr>(expression))
      return fromArguments(list->inits());
    if (const auto *cast = dyn_cast<CXXFunctionalCastExpr>(expression))
      return shape(cast->getSubExpr());
    if (expression->getType()->isIntegralOrEnumerationType()) {
      std::optional<unsigned> x = number(expression);
      return x ? std::optional<Shape>(Shape{*x, 1, 1}) : std::nullopt;
    }
    if (const Expr *init = onlyValue(expression))
      return shape(init);
    return shapeByMembers(expression);
  }

  std::optional<Shape> shapeOfConfig(const Expr *expression) const {
    expression = expression->IgnoreParenImpCasts();
    if (const auto *unary = dyn_cast<UnaryOperator>(expression);
        unary && unary->getOpcode() == UO_AddrOf)
      expression = unary->getSubExpr()->IgnoreParenImpCasts();
    const VarDecl *config = rootVariable(expression);
    if (!config || !facts)
      return std::nullopt;
    std::optional<Shape> block;
    for (const Change &change : facts->changesOf(config))
      if (!follow(change, config, expression->getBeginLoc(), block))
        return std::nullopt;
    return block;
  }

private:
  static bool isOtherClass(QualType type, QualType wanted) {
    const CXXRecordDecl *own = type->getAsCXXRecordDecl(), *other = wanted->getAsCXXRecordDecl();
    return own && other && own->getCanonicalDecl() != other->getCanonicalDecl();
  }

  /// Whether a statement always runs before the variable is used at a place, or never before it.
  /// This is known only of statements directly in the compound statement that declares the
  /// variable.
  enum class Order { Before, After, Unknown };
  Order orderOf(const Stmt *statement, const VarDecl *variable, SourceLocation use) const {
    const Stmt *parent = facts->parentOf(statement);
    while (evaluatesAllOfIt(parent))
      parent = facts->parentOf(parent);
    const auto *block = dyn_cast_or_null<CompoundStmt>(parent);
    bool declares = block && llvm::any_of(block->body(), [&](const Stmt *each) {
                      const auto *declaration = dyn_cast<DeclStmt>(each);
                      return declaration && llvm::is_contained(declaration->decls(), variable);
                    });
    if (!declares || hasLabel(block))
      return Order::Unknown;
    const SourceManager &sources = context.getSourceManager();
    return sources.isBeforeInTranslationUnit(statement->getBeginLoc(), use) ? Order::Before
                                                                            : Order::After;
  }

  /// Whether an expression that is evaluated evaluates all of its parts.
  static bool evaluatesAllOfIt(const Stmt *expression) {
    const auto *binary = dyn_cast_or_null<BinaryOperator>(expression);
    return (binary && !binary->isLogicalOp()) ||
           isa_and_nonnull<FullExpr, ParenExpr, CastExpr, CXXOperatorCallExpr>(expression);
  }

  /// The axis of a member that an assignment sets, of a block or of a block in a configuration.
  struct SetAxis {
    size_t axis;
    unsigned count;
  };
  std::optional<SetAxis> axisSetBy(const Stmt *statement) const {
    const auto *assign = dyn_cast<BinaryOperator>(statement);
    const auto *member = assign && assign->getOpcode() == BO_Assign
                             ? dyn_cast<MemberExpr>(assign->getLHS()->IgnoreParens())
                             : nullptr;
    size_t axis = member ? StringRef("xyz").find(member->getMemberDecl()->getName()) : 3;
    std::optional<unsigned> count = axis < 3 ? number(assign->getRHS()) : std::nullopt;
    return count ? std::optional(SetAxis{axis, *count}) : std::nullopt;
  }

  /// Of `dim3 block; block.x = 128;`, as it is where the expression stands.
  std::optional<Shape> shapeByMembers(const Expr *expression) const {
    const VarDecl *variable = rootVariable(expression);
    if (!variable || !facts || facts->escapes(variable))
      return std::nullopt;
    std::optional<Shape> result; // stays empty for a parameter
    for (const Change &change : facts->changesOf(variable)) {
      if (change.kind == Change::Kind::Initialised && !isa<ParmVarDecl>(variable)) {
        result = change.value ? shape(change.value) : std::nullopt;
        if (!result)
          return std::nullopt;
        continue;
      }
      const Order order = orderOf(change.statement, variable, expression->getBeginLoc());
      if (order == Order::After)
        continue;
      std::optional<SetAxis> set = axisSetBy(change.statement);
      if (order == Order::Unknown || !set || !result)
        return std::nullopt;
      (*result)[set->axis] = set->count;
    }
    return result;
  }

  /// The block of threads in `config.blockDim` and `config.blockDim.x`, or null.
  static const MemberExpr *blockIn(const Expr *target) {
    const auto *member = dyn_cast<MemberExpr>(target->IgnoreParenImpCasts());
    while (member && member->getMemberDecl()->getName() != "blockDim")
      member = dyn_cast<MemberExpr>(member->getBase()->IgnoreParenImpCasts());
    return member;
  }

  /// Applies one change of a configuration to the block size that was found so far. Returns false
  /// if the block size is unknown because of the change.
  bool follow(const Change &change, const VarDecl *config, SourceLocation use,
              std::optional<Shape> &block) const {
    if (const auto *assign = dyn_cast<CXXOperatorCallExpr>(change.statement))
      return followAssignment(assign, assign->getArg(0), assign->getArg(1), config, use, block);
    if (const auto *assign = dyn_cast<BinaryOperator>(change.statement))
      return followAssignment(assign, assign->getLHS(), assign->getRHS(), config, use, block);
    if (change.kind == Change::Kind::Initialised && change.value)
      if (const auto *list = dyn_cast<InitListExpr>(change.value->IgnoreUnlessSpelledInSource()))
        if (list->getNumInits() > 1 && isSpelled(list->getInit(1))) {
          block = shape(list->getInit(1));
          return block.has_value();
        }
    return true;
  }

  bool followAssignment(const Stmt *statement, const Expr *target, const Expr *value,
                        const VarDecl *config, SourceLocation use,
                        std::optional<Shape> &block) const {
    const MemberExpr *member = blockIn(target);
    if (!member)
      return true;
    const Order order = orderOf(statement, config, use);
    if (order != Order::Before)
      return order == Order::After;
    // The configuration may be one of an array or a struct, and the launch may use another one.
    const bool isOneOfSeveral = !isa<DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
    if (member == target->IgnoreParenImpCasts()) {
      const std::optional<Shape> before = block;
      block = shape(value);
      return block && (!isOneOfSeveral || !before || *before == *block);
    }
    std::optional<SetAxis> set = axisSetBy(statement);
    if (!set || isOneOfSeveral || (!block && !isLeftToDefaults(config)))
      return false;
    if (!block)
      block = Shape{1, 1, 1};
    (*block)[set->axis] = set->count;
    return true;
  }

  /// Whether a configuration begins with a list of values or with none, and not as a copy of
  /// another.
  static bool isLeftToDefaults(const VarDecl *config) {
    const Expr *init = config->getInit();
    init = init ? init->IgnoreUnlessSpelledInSource() : nullptr;
    const auto *construct = dyn_cast_or_null<CXXConstructExpr>(init);
    return isa_and_nonnull<InitListExpr>(init) || (construct && construct->getNumArgs() == 0);
  }

  /// Not what `= {}` makes of a member that it does not mention.
  static bool isSpelled(const Expr *init) {
    const auto *construct = dyn_cast<CXXConstructExpr>(init->IgnoreImplicit());
    bool isDefault = construct && llvm::all_of(construct->arguments(), [](const Expr *argument) {
                       return isa<CXXDefaultArgExpr>(argument);
                     });
    return !isDefault && !isa<ImplicitValueInitExpr>(init);
  }

  template <typename Range> std::optional<Shape> fromArguments(Range arguments) const {
    Shape result{1, 1, 1};
    unsigned axis = 0;
    for (const Expr *argument : arguments) {
      if (axis == 3)
        return std::nullopt;
      if (!isa<CXXDefaultArgExpr>(argument)) {
        std::optional<unsigned> count = number(argument);
        if (!count)
          return std::nullopt;
        result[axis] = *count;
      }
      ++axis;
    }
    return result;
  }

  /// What a variable was initialised with, if nothing else ever sets it.
  const Expr *onlyValue(const Expr *expression) const {
    const auto *reference = dyn_cast<DeclRefExpr>(expression);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || isa<ParmVarDecl>(variable))
      return nullptr;
    if (!variable->hasLocalStorage())
      return variable->getType().isConstQualified() ? variable->getInit() : nullptr;
    if (!facts)
      return nullptr;
    ArrayRef<Change> changes = facts->changesOf(variable);
    if (++followed > mostFollowed)
      return nullptr;
    bool once = changes.size() == 1 && changes[0].kind == Change::Kind::Initialised &&
                !facts->escapes(variable);
    return once ? changes[0].value : nullptr;
  }

  const ASTContext &context;
  std::optional<VariableFacts> facts;
  /// Variables may be made of themselves: `int n = n;`.
  static constexpr unsigned mostFollowed = 64;
  mutable unsigned followed = 0;
};

} // namespace

std::optional<Shape> constantBlock(const Expr *block, const FunctionDecl *in,
                                   const ASTContext &context) {
  return Evaluator(in, context).shape(block);
}

std::optional<Shape> constantBlockOfConfig(const Expr *config, const FunctionDecl *in,
                                           const ASTContext &context) {
  return Evaluator(in, context).shapeOfConfig(config);
}

std::optional<int64_t> constantArgument(const Expr *argument, const FunctionDecl *in,
                                        const ASTContext &context) {
  return Evaluator(in, context).constant(argument);
}

std::optional<std::string> wrongBlock(const Shape &shape) {
  uint64_t threads = uint64_t(shape[0]) * shape[1] * shape[2];
  if (threads > 1024)
    return "a block has at most 1024 threads, these are " + std::to_string(threads);
  if (shape[2] > 64)
    return "a block has at most 64 threads in z, these are " + std::to_string(shape[2]);
  return std::nullopt;
}

namespace {

int64_t valueOf(const APSInt &number) {
  return number.isRepresentableByInt64() ? number.getExtValue() : INT64_MAX;
}

std::optional<int64_t> constantIn(const Decl *declaration, const ASTContext &context) {
  if (const auto *enumerator = dyn_cast<EnumConstantDecl>(declaration))
    return valueOf(enumerator->getInitVal());
  const auto *variable = dyn_cast<VarDecl>(declaration);
  Expr::EvalResult result;
  if (variable && variable->getInit() && variable->mightBeUsableInConstantExpressions(context) &&
      variable->getInit()->EvaluateAsInt(result, context))
    return valueOf(result.Val.getInt());
  return std::nullopt;
}

} // namespace

std::optional<int64_t> constantNamed(StringRef name, const FunctionDecl *kernel) {
  if (const FunctionTemplateDecl *primary = kernel->getPrimaryTemplate()) {
    const TemplateArgumentList *arguments = kernel->getTemplateSpecializationArgs();
    for (unsigned i = 0; arguments && i < arguments->size(); ++i)
      if (primary->getTemplateParameters()->getParam(i)->getName() == name &&
          arguments->get(i).getKind() == TemplateArgument::Integral)
        return valueOf(arguments->get(i).getAsIntegral());
  }
  const ASTContext &context = kernel->getASTContext();
  // Of several in the kernel, nobody knows which one is meant.
  std::optional<int64_t> own;
  SmallVector<const Decl *, 16> declared;
  for (const Decl *each : kernel->decls()) {
    declared.push_back(each);
    if (const auto *enumeration = dyn_cast<EnumDecl>(each); enumeration && !enumeration->isScoped())
      declared.append(enumeration->enumerator_begin(), enumeration->enumerator_end());
  }
  for (const Decl *each : declared)
    if (const auto *named = dyn_cast<NamedDecl>(each);
        named && named->getIdentifier() && named->getName() == name) {
      std::optional<int64_t> value = constantIn(each, context);
      if (!value || (own && *own != *value))
        return std::nullopt;
      own = value;
    }
  if (own)
    return own;
  for (const DeclContext *scope = kernel->getDeclContext(); scope; scope = scope->getParent())
    for (const Decl *each : scope->lookup(&context.Idents.get(name)))
      return constantIn(each, context);
  return std::nullopt;
}

} // namespace tilelift
