//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of some bytes at once: memcpy, and those that a program already leaves to the
// hardware, which are cp.async as inline assembly, __pipeline_memcpy_async,
// cuda::memcpy_async and cooperative_groups::memcpy_async.
//
// To the relation each is a load and a store, some bytes at once. The groups, barriers
// and pipelines that the program waits with stay as they are: with nothing left to
// wait for they pass, and the lifted copy has been waited for by then.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "support/Builtins.h"

#include "clang/Basic/Builtins.h"

#include "llvm/Support/Regex.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// One instruction of inline assembly: `@p cp.async.cg.shared.global [%0], [%1], 16, %2`.
struct AsmInstruction {
  StringRef predicate; ///< "p" or "!p"
  StringRef name;
  SmallVector<StringRef, 4> operands;

  bool setsPredicate() const {
    return name.starts_with("setp.ne") && operands.size() == 3 && operands[2] == "0";
  }
  bool isCopy() const {
    return name.starts_with("cp.async.c") && name.contains(".shared") && name.contains(".global") &&
           operands.size() >= 3 && operands.size() <= 4;
  }
};

namespace {

AsmInstruction parse(StringRef text) {
  AsmInstruction result;
  text = text.trim();
  if (text.consume_front("@")) {
    std::tie(result.predicate, text) = text.split(' ');
    text = text.trim();
  }
  std::tie(result.name, text) = text.split(' ');
  SmallVector<StringRef, 4> operands;
  text.split(operands, ',', -1, false);
  for (StringRef operand : operands)
    result.operands.push_back(operand.trim());
  return result;
}

/// Without what declares registers, and what groups copies and waits for them.
SmallVector<AsmInstruction, 8> instructionsIn(StringRef text) {
  SmallVector<StringRef, 8> lines;
  text.split(lines, ';');
  SmallVector<AsmInstruction, 8> instructions;
  for (StringRef line : lines) {
    line = line.trim();
    line.consume_front("{");
    line.consume_front("}");
    line = line.trim();
    if (!line.empty() && line != "{" && line != "}" && !line.starts_with(".reg") &&
        !line.starts_with("cp.async.commit") && !line.starts_with("cp.async.wait"))
      instructions.push_back(parse(line));
  }
  return instructions;
}

/// The number of the operand in "%3" or "[%3]".
std::optional<unsigned> operandNumber(StringRef text) {
  text.consume_front("[");
  text.consume_back("]");
  unsigned number;
  if (!text.trim().consume_front("%") || text.trim().drop_front().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// What a pointer argument points to, below the conversion to `void *`.
QualType pointeeOf(const Expr *argument) {
  QualType type = argument->IgnoreParenImpCasts()->getType();
  if (const auto *array = type->getAsArrayTypeUnsafe())
    return array->getElementType();
  return type->getPointeeType();
}

constexpr int64_t mostBytes = 227 << 10; ///< of shared memory, on any device

/// The size of the smallest number in an object, which divides those of all others in it.
uint64_t smallestIn(QualType type, const ASTContext &context) {
  type = context.getBaseElementType(type);
  if (type->isIncompleteType()) // behind a `void *`
    return 1;
  const RecordDecl *record = type->getAsRecordDecl();
  uint64_t bytes = uint64_t(context.getTypeSizeInChars(type).getQuantity());
  if (record && record->getDefinition())
    for (const FieldDecl *field : record->fields())
      bytes = std::gcd(bytes, smallestIn(field->getType(), context));
  return bytes;
}

/// Computes outputs from inputs, and nothing else.
bool isArithmetic(const GCCAsmStmt *assembly) {
  for (unsigned i = 0; i < assembly->getNumClobbers(); ++i)
    if (assembly->getClobber(i) == "memory")
      return false;
  return !assembly->isVolatile() && assembly->getNumOutputs() > 0;
}

} // namespace

/// Copies in units that the element's size divides.
void Interpreter::copyAsync(const Value &to, const Value &from, uint64_t bytes, unsigned each,
                            Place place) {
  ASTContext &context = kernel.context;
  QualType unit = each % 16 == 0  ? context.UnsignedInt128Ty
                  : each % 8 == 0 ? context.UnsignedLongLongTy
                  : each % 4 == 0 ? context.UnsignedIntTy
                  : each % 2 == 0 ? context.UnsignedShortTy
                                  : context.UnsignedCharTy;
  auto moved = [&](const Value &address, uint64_t by) {
    return address.map([&](const Scalar &base) {
      return base.is(Scalar::Kind::Address)
                 ? Scalar::ofAddress(base.space, base.object, base.number + Polynomial(int64_t(by)),
                                     base.needs)
                 : base;
    });
  };
  for (uint64_t at = 0; at < bytes; at += sizeOf(unit))
    store(moved(to, at), load(moved(from, at), unit, place), unit, place);
}

/// cp.async with a size of what is used; the rest is zero.
void Interpreter::fillAsync(const Value &to, const Value &from, uint64_t bytes, const Value &used,
                            Place place) {
  Condition before = mask;
  for (const ValueCase &each : used.getCases()) {
    bool isNumber = each.scalar.is(Scalar::Kind::Number) && each.scalar.number.isConstant();
    int64_t count = isNumber ? each.scalar.number.constantTerm() : -1;
    mask = before && each.guard;
    if (mask.isNever())
      continue;
    if (count == 0) {
      Source zero;
      zero.kind = Source::Kind::Constant;
      zero.bits = APInt(unsigned(8 * bytes), 0);
      QualType unit = bytes == 16  ? kernel.context.UnsignedInt128Ty
                      : bytes == 8 ? kernel.context.UnsignedLongLongTy
                                   : kernel.context.UnsignedIntTy;
      store(to, Scalar::ofData(zero), unit, place);
    } else if (count == int64_t(bytes)) {
      copyAsync(to, from, bytes, unsigned(bytes), place);
    } else {
      fail(diagnose(diag::unsupported_statement, place, "a cp.async of which only a part is used"));
    }
  }
  mask = before;
}

/// Instructions of the cp.async family, perhaps under a predicate.
void Interpreter::runAssembly(const GCCAsmStmt *assembly) {
  Place place = placeOf(assembly);
  if (isArithmetic(assembly)) {
    for (unsigned i = 0; i < assembly->getNumOutputs(); ++i) {
      const Expr *output = assembly->getOutputExpr(i);
      store(addressOf(output), Scalar::unknown("is computed by inline assembly", place),
            output->getType(), place);
    }
    return;
  }
  std::string text = assembly->getAsmString();
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::map<StringRef, Condition> predicates;
  for (const AsmInstruction &instruction : instructionsIn(text))
    if (!runInstruction(instruction, assembly, predicates))
      return fail(
          diagnose(diag::unsupported_statement, place, "inline assembly other than cp.async"));
}

/// The value of an input that the text names by its number, or a number in the text.
std::optional<Value> Interpreter::asmInput(const GCCAsmStmt *assembly, StringRef name) {
  if (int64_t literal; !name.getAsInteger(10, literal))
    return Scalar::ofNumber(literal);
  std::optional<unsigned> number = operandNumber(name);
  unsigned outputs = assembly->getNumOutputs();
  if (!number || *number < outputs || *number - outputs >= assembly->getNumInputs())
    return std::nullopt;
  return evaluate(assembly->getInputExpr(*number - outputs));
}

/// False for what is not followed.
bool Interpreter::runInstruction(const AsmInstruction &instruction, const GCCAsmStmt *assembly,
                                 std::map<StringRef, Condition> &predicates) {
  const Place place = placeOf(assembly);
  const ArrayRef<StringRef> operands = instruction.operands;
  if (instruction.setsPredicate()) {
    std::optional<Value> value = asmInput(assembly, operands[1]);
    if (value)
      predicates[operands[0]] = asCondition(*value, kernel.context.IntTy, place);
    return value.has_value();
  }
  if (!instruction.isCopy())
    return false;
  std::optional<Value> to = asmInput(assembly, operands[0]), from = asmInput(assembly, operands[1]);
  if (!to || !from)
    return false;
  std::optional<Value> size = asmInput(assembly, operands[2]);
  std::optional<Value> used = operands.size() == 4 ? asmInput(assembly, operands[3]) : size;
  if (!size || !used || !size->asConstant())
    return false;
  Condition before = mask;
  if (StringRef name = instruction.predicate; !name.empty()) {
    bool isNegated = name.consume_front("!");
    auto known = predicates.find(name);
    if (known == predicates.end())
      return false;
    mask = mask && (isNegated ? !known->second : known->second);
  }
  fillAsync(*to, *from, uint64_t(*size->asConstant()), *used, place);
  mask = before;
  return true;
}

/// A number of bytes, plain or as cuda::aligned_size_t.
std::optional<uint64_t> Interpreter::sizeArgument(const Expr *argument) {
  Value value = evaluate(argument);
  if (argument->getType()->isRecordType())
    value = load(value, kernel.context.getSizeType(), placeOf(argument));
  std::optional<int64_t> bytes = value.asConstant();
  return bytes && *bytes >= 0 ? std::optional(uint64_t(*bytes)) : std::nullopt;
}

/// Whether the call is one of the library's copies, which then is done.
bool Interpreter::runAsyncCopy(const FunctionDecl *callee, const CallExpr *call) {
  StringRef name = callee->getDeclName().isIdentifier() ? callee->getName() : StringRef();
  if (name == "__pipeline_memcpy_async" && call->getNumArgs() >= 3)
    return runPipelineCopy(call);
  if (callee->getMemoryFunctionKind() == Builtin::BImemcpy && call->getNumArgs() == 3) {
    runMemcpy(call);
    return true;
  }
  return name == "memcpy_async" &&
         (isInNamespace(callee, "cuda") || isInNamespace(callee, "cooperative_groups")) &&
         runGroupCopy(call);
}

/// `__pipeline_memcpy_async(to, from, bytes, unused = 0)`.
bool Interpreter::runPipelineCopy(const CallExpr *call) {
  Value to = evaluate(call->getArg(0)), from = evaluate(call->getArg(1));
  std::optional<uint64_t> bytes = sizeArgument(call->getArg(2));
  Value unused = call->getNumArgs() > 3 ? evaluate(call->getArg(3)) : Value(Scalar::ofNumber(0));
  if (!bytes)
    return false;
  Value used = unused.map([&](const Scalar &scalar) {
    return scalar.is(Scalar::Kind::Number)
               ? Scalar::ofNumber(Polynomial(int64_t(*bytes)) - scalar.number, scalar.needs)
               : scalar;
  });
  fillAsync(to, from, *bytes, used, placeOf(call));
  return true;
}

void Interpreter::runMemcpy(const CallExpr *call) {
  const Place place = placeOf(call);
  const Expr *to = call->getArg(0), *from = call->getArg(1);
  std::optional<int64_t> size = evaluate(call->getArg(2)).asConstant();
  if (!size || *size < 0 || *size > mostBytes)
    return fail(diagnose(diag::unsupported_statement, place,
                         size ? "a memcpy of more bytes than a block has of shared memory"
                              : "a memcpy of a size that is not constant"));
  const uint64_t bytes = uint64_t(*size);
  const uint64_t each = std::gcd(std::gcd(smallestIn(pointeeOf(to), kernel.context),
                                          smallestIn(pointeeOf(from), kernel.context)),
                                 bytes);
  const Value target = evaluate(to);
  copyAsync(target, evaluate(from), bytes, unsigned(each), place);
}

/// `memcpy_async(group, to, from, bytes)`, or the same without a group.
bool Interpreter::runGroupCopy(const CallExpr *call) {
  const QualType group = call->getArg(0)->getType();
  unsigned first =
      group->isPointerType() || call->getArg(0)->IgnoreParenImpCasts()->getType()->isArrayType()
          ? 0
          : 1;
  if (call->getNumArgs() < first + 3 || !call->getArg(first + 1)->getType()->isPointerType())
    return false;
  const Expr *to = call->getArg(first), *from = call->getArg(first + 1);
  std::optional<uint64_t> bytes = sizeArgument(call->getArg(first + 2));
  if (!bytes)
    return false;
  // The whole group copies together: once is enough, if it is the block.
  bool isBlock = first == 1 && group.getAsString().find("thread_block") != std::string::npos &&
                 group.getAsString().find("tile") == std::string::npos;
  if (!isBlock || threadNumber == 0) {
    unsigned each = std::gcd(sizeOf(pointeeOf(to)), 16u);
    const Value target = evaluate(to);
    copyAsync(target, evaluate(from), *bytes, each, placeOf(call));
  }
  return true;
}

} // namespace tilelift
