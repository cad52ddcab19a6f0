//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates what stands outside of functions: variables, the layout of shared
// memory, which kernel may reach what, and the tables that the machine reads.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_MODULETRANSLATOR_H
#define TILELIFT_EMULATOR_PTX_MODULETRANSLATOR_H

#include "ptx/Ptx.h"
#include "ptx/Translate.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace tilelift::ptx {

/// Where each of several parameters lies when they are passed in one piece.
struct ParameterLayout {
  std::vector<uint32_t> offsets;
  uint32_t bytes = 0;
};
ParameterLayout layOut(llvm::ArrayRef<Variable> parameters);

class ModuleTranslator {
public:
  ModuleTranslator(const Module &program, const TranslateOptions &options,
                   llvm::LLVMContext &context, std::string &problem);
  /// Null where `problem` says why.
  std::unique_ptr<llvm::Module> run();

  // For the functions.
  llvm::Module &ir() { return *output; }
  llvm::Function *function(llvm::StringRef name);
  /// A function of the machine: (thread, arguments...) -> result.
  llvm::FunctionCallee machine(llvm::StringRef name, llvm::Type *result,
                               llvm::ArrayRef<llvm::Type *> arguments);
  /// Returns the number of a variable in shared memory, or -1.
  int sharedVariable(llvm::StringRef name) const;
  /// Adds a variable in shared memory. `owner` is the function whose body declares it, or null.
  void addShared(const Variable &variable, const llvm::Function *owner = nullptr);
  /// Where the machine writes the address of a variable, or null.
  llvm::GlobalVariable *variableAddress(llvm::StringRef name) const;
  /// Returns the access to a local variable whose failed test calls `function`; null for
  /// other functions.
  const LocalAccess *localAccess(llvm::StringRef function) const;
  unsigned site(unsigned place);
  llvm::Constant *text(llvm::StringRef text);

  /// What a function does itself, and which others it calls.
  struct Facts {
    llvm::SetVector<unsigned> shared;
    llvm::SetVector<const llvm::Function *> calls;
    uint32_t traits = 0;
    bool callsUnknown = false;
    llvm::BitVector written; ///< parameters of a kernel
  };
  Facts &factsOf(const llvm::Function *function) { return facts[function]; }

private:
  bool isLibrary(llvm::StringRef file) const;
  void findWrites();
  void findPointedAt();
  void declareFunctions();
  void declareVariables();
  Facts reachableFrom(const llvm::Function *kernel);
  llvm::Constant *kernelEntry(const Function &kernel);
  llvm::Constant *parameterTable(const Function &kernel);
  std::vector<unsigned> sharedInOrder(const llvm::Function *kernel, const Facts &reached) const;
  std::pair<llvm::Constant *, uint32_t> sharedTable(llvm::ArrayRef<unsigned> variables);
  llvm::Constant *variableTable();
  void moduleEntry(llvm::ArrayRef<llvm::Constant *> kernels);
  llvm::Constant *table(llvm::ArrayRef<llvm::Constant *> rows, llvm::Type *type, const char *name);
  llvm::Constant *row(llvm::ArrayRef<llvm::Constant *> fields);
  llvm::Constant *number(uint64_t value, unsigned bits = 32);

  const Module &program;
  const TranslateOptions &options;
  llvm::LLVMContext &context;
  std::string &problem;
  std::unique_ptr<llvm::Module> output;
  llvm::PointerType *pointerType;
  llvm::StringMap<llvm::Function *> functions;
  llvm::StringMap<int> sharedNumbers;
  std::vector<Variable> shared;
  std::vector<const llvm::Function *> sharedOwners; ///< null for those of the module
  std::vector<const Variable *> variables;
  llvm::StringMap<unsigned> variableNumbers;
  std::vector<llvm::GlobalVariable *> variablePlaces;
  std::vector<Frame> sites;
  llvm::DenseMap<unsigned, unsigned> sitesOfPlaces;
  llvm::StringMap<llvm::Constant *> texts;
  std::map<const llvm::Function *, Facts> facts;
  llvm::SetVector<const llvm::Function *> pointedAt; ///< by code or by what variables start with
};

} // namespace tilelift::ptx

#endif
