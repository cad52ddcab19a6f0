//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the local variables of a kernel, and of the functions on the way to
// a copy, that hold whatever branches are taken: where each is changed, whether its
// address gets away, and which of them the copy depends on. The functions on the way
// count as if their bodies stood where they are called.
//
// All of it is flow-insensitive and on the safe side. The interpreter uses it
// to skip statements that do not matter to a copy.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_VARIABLEFACTS_H
#define TILELIFT_SUPPORT_VARIABLEFACTS_H

#include "support/CallPath.h"
#include "support/ConstDrops.h"
#include "support/Lvalues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace clang {
class CXXDefaultInitExpr;
class CXXMethodDecl;
class CXXRecordDecl;
class DeclRefExpr;
class Expr;
class ImplicitCastExpr;
class LambdaExpr;
} // namespace clang

namespace tilelift {

/// One place where a variable gets a value.
struct Change {
  enum class Kind { Initialised, Assigned, Added, Unclear };

  const clang::Stmt *statement = nullptr;
  Kind kind = Kind::Unclear;
  /// The new value, or what is added; null for ++ and --.
  const clang::Expr *value = nullptr;
  /// Added: 1 for +=, -1 for -=.
  int direction = 1;
};

/// What a method, or a constructor, may do to the object that it is called for, and a function to
/// what it gets by reference. Unless its body says otherwise: all of this.
struct ObjectUse {
  bool isChanged = true;
  /// Others may know its address, or that of a part, afterwards.
  bool isKept = true;
  /// The result may be a reference to a part of it, by which it can be changed.
  bool isReturned = true;
};

/// Finds the ObjectUse of functions, and remembers it, so that each body is analysed once.
class ObjectUses {
public:
  ObjectUse of(const clang::CXXMethodDecl *method);
  /// What a function may do to the object that one of its reference parameters is bound to.
  ObjectUse ofParameter(const clang::FunctionDecl *function, unsigned parameter);
  /// Whether an initialiser may store the address of the object that it initialises.
  bool isKeptBy(const clang::Stmt *initialiser);

private:
  bool isKeptBy(const clang::Stmt *part, llvm::DenseSet<const clang::Stmt *> &seen);
  ObjectUse inBody(const clang::CXXMethodDecl *method);
  ObjectUse inBody(const clang::FunctionDecl *function, unsigned parameter);
  bool isKeptByDefault(const clang::CXXDefaultInitExpr *member);

  std::map<const clang::FunctionDecl *, ObjectUse> known;
  std::map<std::pair<const clang::FunctionDecl *, unsigned>, ObjectUse> knownParameters;
};

class VariableFacts {
public:
  /// Whether what a pointer to constants leads to may be written all the same, by a cast or as a
  /// mutable member. What is proved has to ask for it; what is only read need not.
  enum class ConstPointers { MayWrite, OnlyRead };

  explicit VariableFacts(const CallPath &path, ConstPointers pointers = ConstPointers::MayWrite);

  llvm::ArrayRef<Change> changesOf(const clang::VarDecl *variable) const;
  /// Changes that lie inside a statement.
  llvm::SmallVector<Change, 2> changesWithin(const clang::VarDecl *variable,
                                             const clang::Stmt *statement) const;
  /// All variables changed inside a statement.
  llvm::ArrayRef<const clang::VarDecl *> changedWithin(const clang::Stmt *statement) const;

  /// Its address is taken or a reference bound to it: changes are not all known.
  bool escapes(const clang::VarDecl *variable) const {
    const clang::QualType type = variable->getType();
    const bool isConstant =
        type->isScalarType() && type.isConstQualified() && !type.isVolatileQualified();
    return !isConstant && escaped.contains(variable);
  }
  /// How a variable escapes: "may be changed through ...".
  std::string describeEscape(const clang::VarDecl *variable) const;
  /// A reference of these functions is bound to it or a part of it.
  bool isReferredTo(const clang::VarDecl *variable) const;
  /// Variables that pointers to constants lead to: what is read through them may change.
  const llvm::DenseSet<const clang::VarDecl *> &variablesPointedTo() const { return pointedTo; }
  /// Whether a lambda captures this reference by copy: inside, its name means a copy of the
  /// referent.
  bool isCopiedByLambda(const clang::VarDecl *reference) const {
    return copiedReferences.contains(reference);
  }
  /// Whether it is one of these functions'; nothing is known of others.
  bool knows(const clang::VarDecl *variable) const;
  /// Whether a method on the path changes its object, which is no variable of these functions.
  bool changesUnseenObject() const { return unseenObject; }
  /// The kernel's parameters, the parameters of the other functions on the path, and all variables
  /// that these functions initialise or change, in the order in which they were found.
  llvm::ArrayRef<const clang::VarDecl *> allVariables() const { return order.getArrayRef(); }

  /// The variables that the value of anything in `roots` can depend on.
  llvm::DenseSet<const clang::VarDecl *>
  relevantTo(llvm::ArrayRef<const clang::Stmt *> roots) const;

  const clang::Stmt *parentOf(const clang::Stmt *statement) const {
    return parents.lookup(statement);
  }
  bool isWithin(const clang::Stmt *inner, const clang::Stmt *outer) const;
  /// The loop that a `continue` goes on with, or the loop or `switch` that a `break` leaves; null
  /// for other jumps.
  const clang::Stmt *targetOf(const clang::Stmt *jump) const;
  /// Or null.
  const clang::Stmt *outermostLoopAround(const clang::Stmt *statement) const;

private:
  friend class ObjectUses;
  /// Of methods of a class, each on its own, with their object in the place of a variable.
  VariableFacts(const clang::CXXRecordDecl *record, ConstPointers pointers, ObjectUses &uses);
  /// Of a function on its own, with what a parameter refers to in the place of a variable.
  VariableFacts(const clang::ParmVarDecl *parameter, ObjectUses &uses);

  void collect(const clang::Stmt *statement);
  void collectDeclaration(const clang::DeclStmt *declaration);
  void noteInitialised(const clang::VarDecl *variable, const clang::Stmt *where);
  void bind(const clang::VarDecl *reference, const clang::Expr *referred);
  bool becomesConst(const clang::Expr *pointer) const;
  void findConstDrops(const CallPath &path);
  const BrokenPromises &promisesOf(const clang::FunctionDecl *callee);
  bool mayComeBack(const clang::CallExpr *call) const;
  bool isBoundInBody(const clang::CallExpr *call, unsigned argument) const;
  void noteArgument(clang::QualType type, const clang::Expr *argument, bool writesConst);
  void noteDecay(const clang::ImplicitCastExpr *decay);
  void noteCall(const clang::CallExpr *call);
  ObjectUse useOfObject(const clang::CallExpr *call);
  bool noteReferenceArgument(const clang::CallExpr *call, unsigned argument);
  void noteResult(const clang::CallExpr *call, const clang::Expr *object);
  bool isInLambda(const clang::Stmt *statement, const clang::LambdaExpr *lambda) const;
  bool isCopyTrue(const clang::LambdaExpr *lambda, const clang::VarDecl *captured) const;
  std::optional<unsigned> memcpyArgument(const clang::Expr *address) const;
  bool isCalled(const clang::Expr *object) const;
  bool isReturned(const clang::Expr *use) const;
  void collectCallee(const clang::CallExpr *call);
  void escapeFromLambdas();
  void note(const clang::Expr *target, Change change);
  const clang::VarDecl *rootOf(const clang::Expr *lvalue) const;
  void lookAtUse(const clang::Expr *use);
  bool isFollowed(const clang::Expr *use) const;
  bool isHeldAsConst(const clang::Expr *init, const clang::DeclStmt *declared) const;
  void noteReference(clang::QualType holder, const clang::Expr *referred);
  void escapeThrough(const clang::Expr *expression);

  ConstPointers constPointers;
  /// On the way to the copy: their bodies are looked at in the place of the calls.
  llvm::DenseSet<const clang::CallExpr *> followedCalls;
  ConstDrops constDrops;
  std::shared_ptr<ObjectUses> uses = std::make_shared<ObjectUses>();
  /// On the path, constants are written through pointers that may lead to anything.
  bool dropsConst = false;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> parents;
  llvm::DenseMap<const clang::VarDecl *, llvm::SmallVector<Change, 2>> changes;
  llvm::SmallSetVector<const clang::VarDecl *, 16> order;
  llvm::SmallVector<const clang::LambdaExpr *, 2> lambdas;
  llvm::DenseSet<const clang::VarDecl *>
      keptClosures; ///< with which more is done than to call them
  llvm::DenseSet<const clang::VarDecl *> escaped, copiedReferences;
  /// Variables that a lambda captures by copy, and that are only changed afterwards by that lambda,
  /// which changes its copy.
  llvm::DenseSet<const clang::VarDecl *> changedAsCopies;
  /// What references lead to: a variable, or null where that is none of these functions' variables.
  /// A write through such a reference changes its referent; the binding itself never changes.
  /// References of which this is not known count as variables that hold what they lead to.
  llvm::MapVector<const clang::VarDecl *, const clang::VarDecl *> referents;
  llvm::DenseSet<const clang::VarDecl *> pointedTo;
  /// The variable whose method is being collected; null if the method's object is no variable.
  const clang::VarDecl *self = nullptr;
  bool isInMethod = false, unseenObject = false;
  /// Set when a single function is analysed on its own: the object or reference parameter whose
  /// uses are wanted, and whether the function may return a reference to it.
  const clang::VarDecl *alone = nullptr;
  bool returnsObject = false;
  /// All variables that `self` has been.
  llvm::SmallVector<const clang::VarDecl *, 2> selves;
  /// What was asked of a statement before: it is asked for each thread.
  mutable std::map<const clang::Stmt *, std::vector<const clang::VarDecl *>> changedIn;
};

inline bool isLoop(const clang::Stmt *statement) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(
      statement);
}

const clang::Stmt *bodyOf(const clang::Stmt *loop);

} // namespace tilelift

#endif
