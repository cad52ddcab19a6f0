//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To which annotated statements a kernel gets, directly and through the functions that it calls,
// and on which calls a copy cannot be followed: constructors, conversions, and functions that call
// themselves.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_FOLLOWER_H
#define TILELIFT_DIRECTIVE_FOLLOWER_H

#include "directive/Program.h"
#include "support/Locations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilelift {

/// Directives by the places of their statements.
class DirectiveMap {
public:
  /// The one that had the place before, or null.
  const Directive *insert(const Directive &directive) {
    if (!directive.statement.isKnown())
      return nullptr;
    auto [known, isNew] = at.try_emplace(directive.statement.offset, &directive);
    return isNew ? nullptr : known->second;
  }
  const Directive *find(Place place) const {
    return at.empty() || !place.isKnown() ? nullptr : at.lookup(place.offset);
  }

private:
  llvm::DenseMap<unsigned, const Directive *> at;
};

struct RefusedCall {
  Diagnostic reason;
  /// Of the copies that it gets to.
  llvm::SetVector<const Directive *> directives;
};

/// Follows a kernel's calls to the annotated statements.
class Follower {
public:
  Follower(const clang::SourceManager &sources, const DirectiveMap &annotated)
      : sources(sources), annotated(annotated) {}

  std::vector<AnnotatedStatement> statementsOf(const clang::FunctionDecl *kernel) {
    found.clear();
    calls.clear();
    followBody(CallPath(kernel));
    return std::move(found);
  }

  /// Calls by which the kernel that was followed last gets to copies in a way that is refused.
  llvm::ArrayRef<RefusedCall> refusedCalls() const { return calls; }
  /// Whether a call of a function was refused, so that a message says already why its copies are
  /// not reached.
  bool hasRefused(const clang::FunctionDecl *callee) const { return refused.contains(callee); }

private:
  void followBody(const CallPath &path) {
    llvm::DenseSet<const Directive *> bound;
    follow(path.end()->getBody(), path, bound);
  }
  void follow(const clang::Stmt *statement, const CallPath &path,
              llvm::DenseSet<const Directive *> &bound);
  void followCall(const clang::CallExpr *call, const CallPath &path);
  void refuse(const clang::Stmt *call, const clang::FunctionDecl *callee, const char *what) {
    RefusedCall refusal{
        diagnose(diag::not_available_yet, placeOf(sources, call->getBeginLoc()), what), {}};
    llvm::DenseSet<const clang::FunctionDecl *> seen;
    addDirectives(callee->getBody(), refusal.directives, seen);
    calls.push_back(std::move(refusal));
    refused.insert(callee);
  }
  void addDirectives(const clang::Stmt *in, llvm::SetVector<const Directive *> &directives,
                     llvm::DenseSet<const clang::FunctionDecl *> &seen) const;
  const Directive *directiveOf(const clang::Stmt *statement) const;
  bool reaches(const clang::FunctionDecl *definition);
  bool reaches(const clang::Stmt *statement);

  const clang::SourceManager &sources;
  const DirectiveMap &annotated;
  std::vector<AnnotatedStatement> found;
  llvm::DenseMap<const clang::FunctionDecl *, bool> known;
  llvm::DenseSet<const clang::FunctionDecl *> refused;
  std::vector<RefusedCall> calls;
};

} // namespace tilelift

#endif
