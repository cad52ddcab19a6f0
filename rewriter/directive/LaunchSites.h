//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where host code launches kernels, by their names or through pointers, and what it launches them
// with: the block size and the arguments that are constants, also where the callers of a function
// hold them and the function launches.
//
// Which kernel a pointer leads to is followed through variables, tables and parameters, to know the
// block that the kernel is planned for. No launch is redirected because of it: that the running
// program decides, by the pointer.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_LAUNCHSITES_H
#define TILELIFT_DIRECTIVE_LAUNCHSITES_H

#include "directive/HostValues.h"
#include "support/Place.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace clang {
class DeclRefExpr;
} // namespace clang

namespace tilelift {

struct LaunchSite {
  enum class Form {
    Chevrons,    ///< kernel<<<grid, block>>>(...)
    LaunchEx,    ///< cudaLaunchKernelEx(&config, kernel, ...)
    Symbol,      ///< cudaLaunchKernel(kernel, grid, block, arguments, ...)
    Cooperative, ///< cudaLaunchCooperativeKernel(kernel, grid, block, arguments, ...)
    SymbolEx,    ///< cudaLaunchKernelExC(&config, kernel, arguments)
  };

  Form form = Form::Chevrons;
  const clang::CallExpr *call = nullptr;
  Place place;
  /// The host function that it stands in, or null.
  const clang::FunctionDecl *in = nullptr;
  /// The launch, whose type is void, is an operand or a returned value. There, the launcher's error
  /// code has to be cast to void.
  bool isUsedAsValue = false;

  /// The expression that says which kernel.
  const clang::Expr *kernelExpression() const;
  /// The expression that holds the block: itself, or in a configuration. Null where it is left out.
  const clang::Expr *blockExpression() const;
  bool hasConfiguration() const { return form == Form::LaunchEx || form == Form::SymbolEx; }
  /// Whether the arguments are an array of addresses.
  bool isByAddresses() const { return form != Form::Chevrons && form != Form::LaunchEx; }
};

struct Launch : LaunchSite {
  /// The pattern, as in AnnotatedKernel.
  const clang::FunctionDecl *pattern = nullptr;
  const clang::FunctionDecl *instance = nullptr;
  /// The reference to the kernel within the call.
  const clang::DeclRefExpr *callee = nullptr;
  /// In other instantiations of the code around it, the same text launches other kernels.
  bool isOneOfSeveral = false;
};

/// A launch of the kernel that a pointer leads to when the program runs.
struct PointerLaunch : LaunchSite {
  /// The functions that the pointer is seen to lead to.
  std::vector<const clang::FunctionDecl *> leadsTo;
  /// Whether it may lead to others of its type, too.
  bool isOpen = false;
  /// The block size where the pointer is open, if it is a constant.
  std::optional<std::array<unsigned, 3>> openBlock = {};

  bool mayLaunch(const clang::FunctionDecl *kernel) const;
};

/// A place where a kernel's address is taken, to be launched elsewhere or to be given away.
struct AddressUse {
  const clang::DeclRefExpr *use = nullptr;
  /// Whether it stays a pointer to a function of the kernel's type within the program's own code:
  /// it is not cast to something else, and not passed to a library.
  bool staysTyped = false;
};

/// A kernel, and what one launch gives it, on one of the ways that lead to that launch.
struct LaunchedWith {
  const clang::FunctionDecl *instance = nullptr;
  /// Of the launch.
  Place place;
  /// The block size, where it is a constant.
  std::optional<std::array<unsigned, 3>> block;
  /// The arguments that are constants, by their names.
  std::map<llvm::StringRef, int64_t> arguments;

  bool isOf(const clang::FunctionDecl *kernel) const;
  /// The kernel's argument with that name, where the launch or a caller spells it out.
  std::optional<int64_t> constantArgument(llvm::StringRef name) const;
};

/// The functions that are called by their names, and where.
class HostCalls {
public:
  void add(const clang::CallExpr *call, const clang::FunctionDecl *in);
  llvm::ArrayRef<HostCall> of(const clang::FunctionDecl *function) const;

private:
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<HostCall>> calls;
};

/// The reference to a function that an expression is; null if it is anything else.
const clang::DeclRefExpr *functionReference(const clang::Expr *expression);

/// Notes which functions each launch's pointer leads to, and returns what they and the kernels that
/// are launched by name get.
std::vector<LaunchedWith> followLaunches(llvm::ArrayRef<Launch> launches,
                                         llvm::MutableArrayRef<PointerLaunch> pointers,
                                         const HostCalls &calls, const clang::ASTContext &context);

} // namespace tilelift

#endif
