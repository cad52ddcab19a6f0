//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM code of kernels.
//
// Clang's code generator makes it from the AST that has been parsed, so that
// all of C++ (references, constructors, destructors, conversions, lambdas)
// has become loads, stores, calls and assembly. What a kernel calls is put
// into its place, and local variables become values as far as that goes, so
// that an address can be followed to where it was taken.
//
// No instruction that accesses other memory than local variables is removed, merged or moved, and
// no branch is folded: each keeps the place in the source that it was made for.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_DEVICECODE_H
#define TILELIFT_EFFECTS_DEVICECODE_H

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace clang {
class ASTContext;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace llvm {
class DISubprogram;
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace tilelift {

class DeviceCode {
public:
  DeviceCode(clang::ASTContext &context, llvm::ArrayRef<const clang::FunctionDecl *> kernels);
  ~DeviceCode();

  /// The kernel with all that it calls in place; null if no code can be made of it.
  const llvm::Function *of(const clang::FunctionDecl *kernel);

  /// Whether a kernel may call a function, or another instance of the same lambda, whose code is
  /// not inlined into the kernel's: through a pointer, or because the kernel would get too large.
  bool mayCallFromAfar(const clang::FunctionDecl *kernel, const clang::FunctionDecl *callee);

  /// The function in whose text an instruction was written, by the scope of its debug location;
  /// null if it is not known.
  const clang::FunctionDecl *functionOf(const llvm::DISubprogram *scope) const;
  /// The declaration of a function that has no body here; null for one that only Clang
  /// knows of.
  const clang::FunctionDecl *declarationOf(const llvm::Function &function) const;
  /// The declaration of a variable of the module; null if the source does not declare it.
  const clang::VarDecl *variableOf(const llvm::GlobalVariable &variable) const;
  /// The module's variable of a shared array; null if no code names the array.
  const llvm::GlobalVariable *sharedArray(const clang::VarDecl *array) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

/// Whether two functions are one, or instances of one lambda.
bool isOfSameText(const clang::FunctionDecl *function, const clang::FunctionDecl *other);

/// Whether an instruction in the code of a DeviceCode may come from a copy of bytes (`memcpy`),
/// which may access memory of any type.
bool isOfBytes(const llvm::Instruction &instruction);

} // namespace tilelift

#endif
