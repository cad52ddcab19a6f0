//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the body of one PTX function. The instructions are spread over
// files by what they do: Arithmetic, Conversions, MemoryAccess, Synchronization,
// AsyncCopies, Matrices. Each gives back false for what it does not know.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_FUNCTIONTRANSLATOR_H
#define TILELIFT_EMULATOR_PTX_FUNCTIONTRANSLATOR_H

#include "machine/Abi.h"
#include "ptx/ModuleTranslator.h"
#include "ptx/Ptx.h"

#include "llvm/IR/IRBuilder.h"

namespace tilelift::ptx {

class FunctionTranslator {
public:
  FunctionTranslator(ModuleTranslator &module, const Function &source, llvm::Function *target);
  void run();

private:
  // Statements.
  void declare(const Variable &variable);
  void labels();
  void statement(const Statement &statement);
  void instruction(const Instruction &code);
  bool dispatch(const Instruction &code);
  void unsupported(const Instruction &code);
  llvm::BasicBlock *block(const llvm::Twine &name);
  llvm::BasicBlock *labelled(llvm::StringRef label);

  // Families of instructions.
  bool integerArithmetic(const Instruction &code);
  bool laneArithmetic(const Instruction &code);
  bool bitOperation(const Instruction &code);
  bool floatArithmetic(const Instruction &code);
  bool comparison(const Instruction &code);
  bool conversion(const Instruction &code);
  bool memoryAccess(const Instruction &code);
  bool control(const Instruction &code);
  bool synchronization(const Instruction &code);
  bool barrierObject(const Instruction &code);
  bool asyncCopy(const Instruction &code);
  bool matrix(const Instruction &code);

  // Operands. A value has the IR type of the PTX type it is asked for.
  llvm::Type *irType(Type type);
  llvm::Value *read(const Operand &operand, Type type);
  llvm::Value *readBits(const Operand &operand, unsigned bits);
  llvm::Value *readRegister(const Operand &operand);
  void write(const Operand &operand, llvm::Value *value, Type type);
  llvm::Value *address(const Operand &operand); ///< i64
  llvm::Value *symbol(llvm::StringRef name);    ///< i64, null if there is none
  llvm::Value *specialRegister(llvm::StringRef name);
  llvm::Value *asBits(llvm::Value *value);
  llvm::Value *fromBits(llvm::Value *bits, Type type);
  llvm::Value *integer(uint64_t value, unsigned bits = 32);
  llvm::Value *field(size_t offset, llvm::Type *type);
  llvm::Value *pointer(llvm::Value *address);
  /// Room for values that the machine reads or writes by address.
  llvm::AllocaInst *room(llvm::Type *type, unsigned count = 1);

  // Calls of the machine; the thread and, at the end, the site are added.
  llvm::Value *call(llvm::StringRef function, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *host(llvm::Value *address, unsigned bytes, llvm::StringRef space, bool isWrite);
  llvm::StringRef spaceOf(const Instruction &code) const;
  void noteWidth(unsigned bytes, llvm::StringRef space);
  static unsigned orderOf(const Instruction &code);
  static emulator::AddressSpace numberOf(llvm::StringRef space);
  void loadOrStore(const Instruction &code, bool isStore);
  void settleStore();
  void atomic(const Instruction &code, bool hasResult);
  void callFunction(const Instruction &code);
  llvm::Value *packed(llvm::ArrayRef<Variable> layout, llvm::ArrayRef<Operand> operands);

  // Arithmetic.
  void addWithCarry(const Instruction &code, bool subtract);
  void multiply(const Instruction &code);
  llvm::Value *product(const Instruction &code, llvm::Value *a, llvm::Value *b, Type type);
  llvm::Value *flushed(llvm::Value *value, const Instruction &code);
  llvm::Value *canonical(llvm::Value *value, Type type);
  llvm::Value *saturated(llvm::Value *value, const Instruction &code);
  llvm::Value *narrowedToBrain(llvm::Value *value);
  llvm::Value *fused(const Instruction &code, llvm::Value *a, llvm::Value *b, llvm::Value *c,
                     Type type);
  llvm::Value *rounded(llvm::StringRef operation, const Instruction &code,
                       llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *minMax(const Instruction &code, llvm::Value *a, llvm::Value *b, Type type);
  llvm::Value *compare(llvm::StringRef relation, llvm::Value *a, llvm::Value *b, Type type);
  llvm::Value *shifted(const Instruction &code, llvm::Value *value, llvm::Value *by, Type type);
  llvm::Value *permuted(const Instruction &code);
  llvm::Value *anyFunction(llvm::Value *a, llvm::Value *b, llvm::Value *c, unsigned table);
  llvm::Value *converted(const Instruction &code, llvm::Value *value, Type from, Type to);
  llvm::Value *toFloat(llvm::Value *value, Type from);
  void convertPair(const Instruction &code, Type from, Type to);

  llvm::Value *sharedAddress(const Operand &operand, llvm::StringRef space);
  llvm::Value *tensorOperands(const Instruction &code, const Operand &map, const Operand *shared,
                              const Operand *barrier, unsigned extra);
  llvm::Value *matrixShape(const emulator::MatrixShape &shape);
  void fragment(llvm::ArrayRef<Operand> registers, llvm::AllocaInst *into, Type type);
  void unpackFragment(llvm::AllocaInst *from, llvm::ArrayRef<Operand> registers, Type type);

  struct Register {
    llvm::AllocaInst *place;
    unsigned bits;
  };
  struct Scope {
    llvm::StringMap<Register> registers;
    llvm::StringMap<llvm::Value *> memory; ///< i64 addresses of .local and .param variables
    llvm::StringMap<llvm::BasicBlock *> labels;
  };
  template <typename Get> auto find(Get &&get) -> decltype(get(std::declval<Scope &>())) {
    for (Scope &scope : llvm::reverse(scopes))
      if (auto found = get(scope))
        return found;
    return {};
  }

  ModuleTranslator &module;
  const Function &source;
  llvm::Function *target;
  llvm::IRBuilder<> builder;
  llvm::Value *thread;
  llvm::AllocaInst *carry = nullptr;
  llvm::BasicBlock *entry;
  std::vector<Scope> scopes;
  std::vector<llvm::StringMap<llvm::BasicBlock *>> scopeLabels; ///< by number of the scope
  unsigned openedScopes = 0;
  llvm::StringMap<const Statement *> targetLists;
  llvm::StringMap<std::vector<Variable>> parameterLists; ///< of .param variables by name
  unsigned place = 0;
  bool known = true;
};

} // namespace tilelift::ptx

#endif
