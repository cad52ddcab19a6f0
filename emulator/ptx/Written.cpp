//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are followed without regard to the order of instructions: each has all
// that it is ever made of. An address that was loaded from memory may lead anywhere;
// what is narrower than an address is none.
//===----------------------------------------------------------------------===//

#include "ptx/Written.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace tilelift::ptx {
namespace {

/// What a register may be made of.
struct Origin {
  BitVector parameters;
  bool variables = false, unknown = false;

  /// Whether that is more than before.
  bool add(const Origin &other) {
    BitVector before = parameters;
    bool had = variables, was = unknown;
    parameters |= other.parameters;
    variables |= other.variables;
    unknown |= other.unknown;
    return before != parameters || had != variables || was != unknown;
  }
};

class Tracer {
public:
  Tracer(const Function &function, const StringSet<> &variables)
      : function(function), variables(variables), count(unsigned(function.parameters.size())) {
    for (unsigned i = 0; i < count; ++i) {
      Origin origin = none();
      if (function.isKernel)
        origin.parameters.set(i);
      else
        origin.unknown = true; // nobody looks at calls
      origins[function.parameters[i].name] = origin;
    }
  }

  Written run() {
    for (bool isMore = true; isMore;) {
      isMore = false;
      for (const Statement &each : function.body)
        if (each.kind == Statement::Code)
          isMore |= follow(each.code);
    }
    Origin all = none();
    for (const Statement &each : function.body)
      if (const Operand *address = each.kind == Statement::Code ? written(each.code) : nullptr)
        all.add(of(*address));
    return {all.parameters, all.variables, all.unknown};
  }

private:
  Origin none() const {
    Origin origin;
    origin.parameters.resize(count);
    return origin;
  }

  Origin of(const Operand &operand) const {
    Origin origin = none();
    auto known = origins.find(operand.name);
    if (known != origins.end())
      origin.add(known->second);
    origin.variables |= variables.contains(operand.name);
    bool isTensor = operand.kind == Operand::Address; // coordinates lead nowhere
    for (const Operand &element : operand.elements)
      if (!isTensor)
        origin.add(of(element));
    return origin;
  }

  static bool isOwn(const Instruction &code) {
    return code.has("shared") || code.has("shared::cta") || code.has("shared::cluster") ||
           code.has("local") || code.has("param") || code.has("param::func");
  }

  /// The address that an instruction writes, if that may be global memory.
  static const Operand *written(const Instruction &code) {
    StringRef op = code.opcode;
    bool isStore = op == "st" || op == "red" || (op == "wmma" && code.has("store"));
    if (isStore && !isOwn(code))
      return &code.operands[0];
    if (op == "atom" && !isOwn(code))
      return &code.operands[1];
    if (op == "cp" && code.has("bulk_group") && !code.operands.empty())
      return &code.operands[0];
    return nullptr;
  }

  Origin loaded(const Instruction &code) const {
    const Operand &address = code.operands[1];
    bool isParameter = code.has("param") && origins.count(address.name);
    if (isParameter)
      return of(address);
    Origin origin = none();
    if (code.type().bits >= 64) {
      origin = of(address); // a struct that is a parameter, by its address
      origin.unknown = true;
    }
    return origin;
  }

  bool assign(const Operand &to, const Origin &origin) {
    if (to.kind == Operand::Vector || to.kind == Operand::Pair || to.kind == Operand::List) {
      bool isMore = false;
      for (const Operand &element : to.elements)
        isMore |= assign(element, origin);
      return isMore;
    }
    if (to.kind != Operand::Register || to.name.empty())
      return false;
    auto [place, isNew] = origins.try_emplace(to.name, none());
    return place->second.add(origin);
  }

  bool follow(const Instruction &code) {
    StringRef op = code.opcode;
    if (code.operands.empty() || op == "st" || op == "red" || op == "bra" || op == "call")
      return false;
    if (op == "ld" || op == "ldu" || op == "atom") {
      Origin origin = none();
      if (op == "atom")
        origin.unknown = code.type().bits >= 64;
      else
        origin = loaded(code);
      return assign(code.operands[0], origin);
    }
    Origin origin = none();
    for (const Operand &operand : ArrayRef(code.operands).drop_front())
      origin.add(of(operand));
    return assign(code.operands[0], origin);
  }

  const Function &function;
  const StringSet<> &variables;
  unsigned count;
  StringMap<Origin> origins;
};

} // namespace

Written writtenBy(const Function &function, const StringSet<> &variables) {
  return Tracer(function, variables).run();
}

} // namespace tilelift::ptx
