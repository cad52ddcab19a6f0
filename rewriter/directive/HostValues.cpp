//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/HostValues.h"

#include "directive/LaunchSites.h"
#include "support/LoopsAndLabels.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Shape = std::array<unsigned, 3>;
using Functions = std::vector<const FunctionDecl *>;

class Evaluator {
public:
  Evaluator(const FunctionDecl *function, HostFacts &known, ArrayRef<HostCall> path)
      : context(known.context), known(known), facts(known.of(function)), path(path) {}

  std::optional<int64_t> constant(const Expr *expression) const {
    Expr::EvalResult result;
    if (!expression->isValueDependent() && expression->EvaluateAsInt(result, context))
      return result.Val.getInt().isRepresentableByInt64()
                 ? std::optional(result.Val.getInt().getExtValue())
                 : std::nullopt;
    expression = expression->IgnoreParenImpCasts();
    if (++followed > mostFollowed)
      return std::nullopt;
    if (const auto *binary = dyn_cast<BinaryOperator>(expression))
      return computed(binary);
    return valueIn<int64_t>(expression, [](const Evaluator &caller, const Expr *value) {
      return caller.constant(value);
    });
  }

  /// Returns the functions that a pointer can hold, as far as its assignments are followed. An
  /// empty list means that this is not known, and that it can hold any function.
  Functions functions(const Expr *pointer) const {
    if (const DeclRefExpr *named = functionReference(pointer))
      return {cast<FunctionDecl>(named->getDecl())};
    if (++followed > mostFollowed)
      return {};
    pointer = pointer->IgnoreParenCasts();
    if (const auto *choice = dyn_cast<ConditionalOperator>(pointer)) {
      const Functions yes = functions(choice->getTrueExpr()),
                      no = functions(choice->getFalseExpr());
      return yes.empty() || no.empty() ? Functions() : both(yes, no);
    }
    if (const auto *unary = dyn_cast<UnaryOperator>(pointer);
        unary && (unary->getOpcode() == UO_Deref || unary->getOpcode() == UO_AddrOf))
      return functions(unary->getSubExpr());
    const auto *reference = dyn_cast<DeclRefExpr>(pointer);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable))
      return fromCaller<Functions>(parameter,
                                   [](const Evaluator &caller, const Expr *value) {
                                     const Functions found = caller.functions(value);
                                     return found.empty() ? std::nullopt : std::optional(found);
                                   })
          .value_or(Functions());
    return variable ? ofVariable(variable) : inTable(pointer);
  }

  /// The function whose callers may know what is not known here.
  const FunctionDecl *askCallersOf() const { return wanted; }

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
    if (std::optional<Shape> given = valueIn<Shape>(
            expression, [](const Evaluator &from, const Expr *value) { return from.shape(value); }))
      return given;
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

  /// The same for a variable all of whose initialisations and assignments are known.
  Functions ofVariable(const VarDecl *variable) const {
    if (!variable->hasLocalStorage())
      return variable->getType().isConstQualified() && variable->getInit()
                 ? functions(variable->getInit())
                 : Functions();
    if (!facts || facts->escapes(variable))
      return {};
    Functions all;
    for (const Change &change : facts->changesOf(variable)) {
      if (change.kind == Change::Kind::Initialised && !change.value)
        continue;
      const Functions more = isPlain(change) ? functions(change.value) : Functions();
      if (more.empty())
        return {};
      all = both(all, more);
    }
    return all;
  }

  /// The same for an element of a constant table: all functions that the table's initialiser names.
  Functions inTable(const Expr *element) const {
    while (true) {
      element = element->IgnoreParenCasts();
      if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(element))
        element = subscript->getBase();
      else if (const auto *member = dyn_cast<MemberExpr>(element); member && !member->isArrow())
        element = member->getBase();
      else
        break;
    }
    const auto *reference = dyn_cast<DeclRefExpr>(element);
    const auto *table = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!table || !table->getInit() ||
        !context.getBaseElementType(table->getType()).isConstQualified())
      return {};
    Functions all;
    SmallVector<const Stmt *, 16> work{table->getInit()};
    while (!work.empty()) {
      const Stmt *part = work.pop_back_val();
      const auto *named = dyn_cast_or_null<DeclRefExpr>(part);
      if (const auto *function = named ? dyn_cast<FunctionDecl>(named->getDecl()) : nullptr)
        all = both(all, {function});
      if (part)
        work.append(part->child_begin(), part->child_end());
    }
    return all;
  }

  static Functions both(Functions all, const Functions &more) {
    for (const FunctionDecl *each : more)
      if (!llvm::is_contained(all, each))
        all.push_back(each);
    return all;
  }

  std::optional<int64_t> computed(const BinaryOperator *binary) const {
    const std::optional<int64_t> left = constant(binary->getLHS()),
                                 right = constant(binary->getRHS());
    int64_t result = 0;
    if (!left || !right)
      return std::nullopt;
    switch (binary->getOpcode()) {
    case BO_Add:
      return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BO_Sub:
      return __builtin_sub_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BO_Mul:
      return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
    case BO_Div: return *right > 0 ? std::optional(*left / *right) : std::nullopt;
    default: return std::nullopt;
    }
  }

  static bool isPlain(const Change &change) {
    return change.value &&
           (change.kind == Change::Kind::Initialised || change.kind == Change::Kind::Assigned);
  }

  /// What `evaluate` finds for a variable: for all values that it is ever given the same, or, of a
  /// parameter, what the caller gives.
  template <typename Value, typename Evaluate>
  std::optional<Value> valueIn(const Expr *expression, Evaluate evaluate) const {
    const auto *reference = dyn_cast<DeclRefExpr>(expression);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable)
      return std::nullopt;
    if (const auto *parameter = dyn_cast<ParmVarDecl>(variable))
      return fromCaller<Value>(parameter, evaluate);
    if (!variable->hasLocalStorage())
      return variable->getType().isConstQualified() && variable->getInit()
                 ? evaluate(*this, variable->getInit())
                 : std::nullopt;
    if (!facts || facts->escapes(variable))
      return std::nullopt;
    std::optional<Value> same;
    for (const Change &change : facts->changesOf(variable)) {
      if (change.kind == Change::Kind::Initialised && !change.value)
        continue; // what nobody has set yet is not read
      const std::optional<Value> value =
          isPlain(change) ? evaluate(*this, change.value) : std::nullopt;
      if (!value || (same && *same != *value))
        return std::nullopt;
      same = value;
    }
    return same;
  }

  template <typename Value, typename Evaluate>
  std::optional<Value> fromCaller(const ParmVarDecl *parameter, Evaluate evaluate) const {
    const auto *function = dyn_cast<FunctionDecl>(parameter->getDeclContext());
    const VariableFacts *own = function ? known.of(function) : nullptr;
    if (!own || own->escapes(parameter) ||
        llvm::any_of(own->changesOf(parameter),
                     [](const Change &change) { return change.kind != Change::Kind::Initialised; }))
      return std::nullopt;
    const auto *from = llvm::find_if(path, [&](const HostCall &each) {
      const FunctionDecl *called = each.call->getDirectCallee();
      return called && called->getCanonicalDecl() == function->getCanonicalDecl();
    });
    if (from == path.end()) {
      wanted = function;
      return std::nullopt;
    }
    const ArrayRef<const Expr *> given = partsOf(from->call).arguments;
    const unsigned index = parameter->getFunctionScopeIndex();
    if (index >= given.size())
      return std::nullopt;
    const Evaluator caller(from->in, known, path.drop_front(size_t(from - path.begin()) + 1));
    caller.followed = followed;
    const std::optional<Value> value = evaluate(caller, given[index]);
    followed = caller.followed;
    if (caller.wanted)
      wanted = caller.wanted;
    return value;
  }

  const ASTContext &context;
  HostFacts &known;
  const VariableFacts *facts;
  ArrayRef<HostCall> path;
  /// Variables may be made of themselves: `int n = n;`.
  static constexpr unsigned mostFollowed = 64;
  mutable unsigned followed = 0;
  mutable const FunctionDecl *wanted = nullptr;
};

} // namespace

const VariableFacts *HostFacts::of(const FunctionDecl *function) {
  if (!function)
    return nullptr;
  if (const FunctionDecl *definition = function->getDefinition())
    function = definition;
  std::unique_ptr<VariableFacts> &known = facts[function];
  if (!known)
    known = std::make_unique<VariableFacts>(CallPath(function));
  return known.get();
}

/// Whose callers may know a value is asked only where it is not known.
template <typename Value>
static HostValue<Value> answer(std::optional<Value> value, const Evaluator &evaluator) {
  return {value, value ? nullptr : evaluator.askCallersOf()};
}

HostValue<Shape> HostValues::block(const Expr *block) const {
  const Evaluator evaluator(in, facts, path);
  return answer(evaluator.shape(block), evaluator);
}

HostValue<Shape> HostValues::blockOfConfig(const Expr *config) const {
  const Evaluator evaluator(in, facts, path);
  return answer(evaluator.shapeOfConfig(config), evaluator);
}

HostValue<int64_t> HostValues::constant(const Expr *expression) const {
  const Evaluator evaluator(in, facts, path);
  return answer(evaluator.constant(expression), evaluator);
}

HostValue<Functions> HostValues::functions(const Expr *pointer) const {
  const Evaluator evaluator(in, facts, path);
  const Functions found = evaluator.functions(pointer);
  return answer(found.empty() ? std::nullopt : std::optional(found), evaluator);
}

} // namespace tilelift
