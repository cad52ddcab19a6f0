//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PTX module as values: what was written, with its places in the source.
//
// The emulator runs PTX because PTX is where everything that a CUDA program can
// say has come down to one documented instruction set: intrinsics, inline
// assembly, CCCL and the headers of half alike. This file knows the grammar
// only; what an instruction means is the translator's business.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_PTX_H
#define TILELIFT_EMULATOR_PTX_PTX_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilelift::ptx {

/// One frame of the place that an instruction comes from, innermost first.
struct Frame {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};
using Place = std::vector<Frame>;

/// The type of a register, a variable or an instruction: ".f16x2" is {f, 16, 2}.
struct Type {
  enum Kind { None, Pred, Bits, Unsigned, Signed, Float, Brain, Tensor32, E4M3, E5M2 } kind = None;
  unsigned bits = 0;
  unsigned lanes = 1;

  explicit operator bool() const { return kind != None; }
  unsigned totalBits() const { return bits * lanes; }
  unsigned bytes() const { return kind == Pred ? 1 : totalBits() / 8; }
  bool isFloat() const { return kind >= Float; }
  bool isInteger() const { return kind == Unsigned || kind == Signed || kind == Bits; }
  bool operator==(const Type &other) const {
    return kind == other.kind && bits == other.bits && lanes == other.lanes;
  }
};

/// "b32", "f16x2"; no type where the text is none.
Type parseType(llvm::StringRef text);

struct Operand {
  enum Kind {
    Register, ///< name; also special registers, labels, symbols until resolved
    Integer,  ///< value
    Single,   ///< value holds the bits of a float
    Double,   ///< value holds the bits of a double
    Address,  ///< [name + value], or [value] where there is no name; elements are coordinates
    Vector,   ///< elements
    List,     ///< elements, in parentheses
    Pair,     ///< elements[0] | elements[1]
    Sink      ///< _
  } kind = Sink;
  std::string name;
  int64_t value = 0;
  bool negated = false;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                 ///< "ld"
  std::vector<std::string> modifiers; ///< {"global", "b32"}
  std::vector<Operand> operands;
  std::string guard; ///< predicate register, or empty
  bool guardNegated = false;

  bool has(llvm::StringRef modifier) const;
  /// The last modifier that is a type, or the one before it.
  Type type(unsigned fromLast = 0) const;
  std::string text() const; ///< the opcode with its modifiers
};

enum class StateSpace { Reg, Param, Local, Shared, Global, Const };

struct Initializer {
  std::vector<uint8_t> bytes;
  struct Symbol {
    uint64_t offset;
    std::string name;
    int64_t addend;
  };
  std::vector<Symbol> symbols;
};

struct Variable {
  StateSpace space = StateSpace::Reg;
  Type type;
  std::string name;
  unsigned alignment = 1;
  uint64_t bytes = 0; ///< of the whole array; 0 for an array without bounds
  unsigned count = 0; ///< registers: how many, named name0, name1, ...
  bool isExternal = false;
  bool isVisible = false; ///< to other files
  Initializer initial;
};

struct Statement {
  enum Kind { Label, Code, Declaration, Targets, Prototype, Open, Close } kind = Code;
  std::string name; ///< label, list of targets, prototype
  Instruction code;
  std::vector<Variable> variables;
  std::vector<std::string> targets;
  unsigned place = 0; ///< index into Module::places
};

struct Function {
  std::string name;
  bool isKernel = false;
  bool isDefined = false;
  bool isVisible = false; ///< to other files
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Statement> body;
  unsigned maxThreads = 0;
  unsigned cluster[3] = {0, 0, 0};
};

struct Module {
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Place> places; ///< places[0] is nowhere
  unsigned architecture = 0; ///< 90 of sm_90a
};

/// The module, or null and what is wrong in which line.
std::unique_ptr<Module> parse(llvm::StringRef text, std::string &problem);

} // namespace tilelift::ptx

#endif
