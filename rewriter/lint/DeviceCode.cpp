//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels give to TMA's instructions: the map, the place in shared memory, the bytes. The
// instruction is found where its text is, in whatever function, and its operands are followed back
// through the calls that lead there. What the assembler refuses by itself is left to it.
//===----------------------------------------------------------------------===//

#include "lint/Addresses.h"
#include "lint/Findings.h"
#include "lint/Numbers.h"
#include "support/Locations.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// One instruction of an assembly statement, with the numbers of the operands in brackets and of
/// those that stand by themselves.
struct Instruction {
  std::string name;
  SmallVector<std::string, 8> operands;

  bool isTensor() const { return StringRef(name).contains(".tensor"); }
  bool isPrefetch() const { return StringRef(name).contains(".prefetch"); }
  /// "gather4" or "scatter4", which copy four rows by themselves; else nothing.
  StringRef ofFourRows() const {
    for (StringRef mode : {"gather4", "scatter4"})
      if (StringRef(name).contains(".tile::" + mode.str()))
        return mode;
    return {};
  }
  /// The operand with the address in shared memory: behind the tensor where that is written to.
  size_t sharedOperand() const {
    const size_t global = StringRef(name).find(".global"), shared = StringRef(name).find(".shared");
    return global < shared ? 1 : 0;
  }
};

/// At commas outside of brackets and braces.
SmallVector<std::string, 8> operandsOf(StringRef text) {
  SmallVector<std::string, 8> operands(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      operands.emplace_back();
    else if (!isSpace(c))
      operands.back() += c;
  }
  return operands;
}

std::vector<Instruction> instructionsOf(StringRef assembly) {
  std::vector<Instruction> found;
  SmallVector<StringRef, 8> lines;
  assembly.split(lines, ';');
  for (StringRef line : lines) {
    const size_t begin = std::min(line.find("cp.async.bulk"), line.find("cp.reduce.async.bulk"));
    if (begin == StringRef::npos)
      continue;
    line = line.drop_front(begin);
    const StringRef name = line.take_until([](char c) { return isSpace(c); });
    const StringRef operands = line.drop_front(name.size());
    if (operands.contains('['))
      found.push_back({name.str(), operandsOf(operands)});
  }
  return found;
}

/// "%2", "[%2]" or "[%2, {...}]": its number among outputs and inputs.
std::optional<unsigned> operandNumber(StringRef text) {
  text = text.ltrim("[");
  unsigned number = 0;
  return text.consume_front("%") && !text.consumeInteger(10, number) ? std::optional(number)
                                                                     : std::nullopt;
}

class AssemblyCheck {
public:
  AssemblyCheck(const GCCAsmStmt *assembly, const Frame &frame, const Functions &functions,
                ArrayRef<EncodedMap> maps, Findings &findings, Reach reach)
      : assembly(assembly),
        frame(frame),
        functions(functions),
        maps(maps),
        findings(findings),
        reach(reach) {}

  void check(const Instruction &instruction) {
    if (instruction.isPrefetch())
      return;
    checkPlace(instruction);
    if (instruction.isTensor())
      checkMap(instruction);
    else
      checkBytes(instruction);
  }

private:
  const Expr *expressionOf(const Instruction &instruction, size_t operand) const {
    if (operand >= instruction.operands.size())
      return nullptr;
    const auto number = operandNumber(instruction.operands[operand]);
    const unsigned outputs = assembly->getNumOutputs();
    if (!number || *number >= outputs + assembly->getNumInputs())
      return nullptr;
    return *number < outputs ? assembly->getOutputExpr(*number)
                             : assembly->getInputExpr(*number - outputs);
  }
  std::optional<Location> locationOf(const Instruction &instruction, size_t operand) const {
    const Expr *address = expressionOf(instruction, operand);
    return address ? tilelift::locationOf(address, frame, functions) : std::nullopt;
  }
  /// Each thread has its own copy of what it has by value.
  void checkMap(const Instruction &instruction) {
    const auto place = locationOf(instruction, 1 - instruction.sharedOperand());
    if (place && place->variable->hasLocalStorage() &&
        !place->variable->hasAttr<CUDAGridConstantAttr>())
      findings.addOf(place->variable->getLocation(),
                     diagnose(diag::map_parameter, {}, place->variable->getName()),
                     assembly->getBeginLoc(), frame, reach);
    if (place && !instruction.ofFourRows().empty())
      checkRows(instruction.ofFourRows(), *place);
  }
  /// Each of the four rows is a box. Where one of the maps may be right, nobody knows.
  void checkRows(StringRef mode, const Location &place) {
    auto isWrong = [](const EncodedMap *map) {
      return is_within(map->rank, 2, 2) == verdict::fails ||
             is_within(map->rows, 1, 1) == verdict::fails;
    };
    const std::vector<const EncodedMap *> found = encodedAt(place, frame, functions, maps);
    if (!llvm::all_of(found, isWrong))
      return;
    for (const EncodedMap *map : found) {
      const bool isRank = is_within(map->rank, 2, 2) == verdict::fails;
      const std::string text =
          isRank ? formatv("'{0}' has {1} dimensions, and {2} takes maps of 2 (gather-map)",
                           map->name, tilelift::describe(map->rank), mode)
                 : formatv("the box of '{0}' has {1} rows, and {2} takes boxes of 1: each of its "
                           "four rows is one (gather-map)",
                           map->name, tilelift::describe(map->rows), mode);
      findings.addOf(map->call->getBeginLoc(), *map->way, diagnose(diag::rule_violated, {}, text),
                     assembly->getBeginLoc(), frame, std::min(reach, map->reach));
    }
  }
  void checkPlace(const Instruction &instruction) {
    const auto place = locationOf(instruction, instruction.sharedOperand());
    const unsigned needed = instruction.isTensor() ? 128 : 16;
    // What may be more by anything may be right.
    if (!place || !place->variable->hasAttr<CUDASharedAttr>() ||
        place->multipleAt(place->offset) % needed == 0 || place->more % needed != 0)
      return;
    const bool isWithin = place->multipleAt(place->start) % needed == 0;
    const std::string remedy =
        isWithin ? formatv(": copy to a multiple of {0} bytes from its start", needed)
                 : formatv(": declare it 'alignas({0})'", needed);
    Diagnostic found = diagnose(
        diag::shared_alignment, {}, place->declared->getName(), isWithin ? "is used" : "lies",
        place->multipleAt(isWithin ? place->offset : place->start),
        instruction.isTensor() ? "a tensor copy" : "a bulk copy", needed, remedy);
    // Where such memory begins is not said anywhere, and is often far enough.
    if (place->variable->hasExternalStorage())
      found.severity = Severity::Warning;
    findings.addOf(place->declared->getLocation(), std::move(found), assembly->getBeginLoc(), frame,
                   reach);
  }
  /// Behind the two addresses.
  void checkBytes(const Instruction &instruction) {
    const Expr *written = expressionOf(instruction, 2);
    if (!written)
      return;
    const quantity bytes = numberOf(written, frame, functions);
    if (is_multiple(bytes, 16) == verdict::fails)
      findings.add(diagnose(diag::rule_violated, {},
                            "the bulk copy has " + tilelift::describe(bytes) +
                                " bytes, which is no multiple of 16 (bulk-size-16)"),
                   assembly->getBeginLoc(), frame, reach);
  }

  const GCCAsmStmt *assembly;
  const Frame &frame;
  const Functions &functions;
  ArrayRef<EncodedMap> maps;
  Findings &findings;
  Reach reach;
};

} // namespace

void lintDeviceCode(const Functions &functions, ArrayRef<EncodedMap> maps, Findings &findings) {
  for (const FunctionDecl *function : functions.all()) {
    forEachStatement(function->getBody(), [&](const Stmt *statement) {
      const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
      if (!assembly)
        return;
      const std::vector<Instruction> instructions = instructionsOf(assembly->getAsmString());
      if (instructions.empty())
        return;
      for (const std::shared_ptr<const Frame> &way : functions.waysInto(function))
        if (const Reach reach = reachOf(assembly, *way, functions); reach != Reach::Never)
          for (const Instruction &instruction : instructions)
            AssemblyCheck(assembly, *way, functions, maps, findings, reach).check(instruction);
    });
  }
}

} // namespace tilelift
