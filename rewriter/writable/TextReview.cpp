//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/TextReview.h"

#include "directive/Program.h"
#include "facts/MemoryUses.h"
#include "support/Words.h"
#include "writable/Writable.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A macro of the user's that would replace a generated name in the text that stands behind the
/// first of `users`. The plan's type has no other names. In the rest, what the users name
/// themselves is not looked at, but as a member: macros are meant to expand there.
std::optional<std::string> macroAmong(StringRef written, StringRef planType,
                                      ArrayRef<const FunctionDecl *> users,
                                      const SourceText &source, const Variants &variants) {
  const LangOptions &language = users.front()->getLangOpts();
  auto endOf = [&](const FunctionDecl *function) {
    return source.endOfToken(function->getBody()->getEndLoc());
  };
  const Place at{endOf(users.front())}, file{source.fileOf(at.offset).begin};
  StringSet<> ofUsers;
  for (const FunctionDecl *function : users)
    for (StringRef name :
         namesIn(source.between(source.beginOf(function), endOf(function)), language))
      ofUsers.insert(name);
  for (StringRef name : namesIn(planType, language))
    if (variants.mayBeDefined(name, file, at))
      return name.str();
  for (StringRef name : namesIn(written, language))
    if ((!ofUsers.contains(name) || isMember(name, written)) &&
        variants.mayBeDefined(name, file, at))
      return name.str();
  return std::nullopt;
}

std::optional<std::string> macroIn(const WrittenText &text, const KernelPlan &kernel,
                                   const SourceText &source, const Variants &variants) {
  std::vector<const FunctionDecl *> users{kernel.pattern};
  for (const PlannedCopy &copy : kernel.instances.front().copies)
    users.push_back(patternOf(copy.path.textFunction()));
  if (auto macro = macroAmong(text.kernel, text.planType, users, source, variants))
    return macro;
  for (const WrittenFunction &function : text.functions)
    if (auto macro = macroAmong(function.text, "", {function.pattern}, source, variants))
      return macro;
  return std::nullopt;
}

/// A function with shared memory of its own that the lifted kernel would call in several forms. The
/// shared memory of a sibling is not that of the original, nor that of another sibling.
const FunctionDecl *tornMemory(ArrayRef<CalledSibling> called, const KernelPlan &kernel) {
  for (const CalledSibling &one : called) {
    const FunctionDecl *function = one.path.end(), *pattern = patternOf(function);
    if (staticSharedBytes(function) == 0 && !sharesByLocalType(function))
      continue;
    const bool differs = llvm::any_of(called, [&](const CalledSibling &other) {
      return patternOf(other.path.end()) == pattern && other.name != one.name;
    });
    const bool isPlainElsewhere =
        llvm::any_of(kernel.instances.front().plainPaths, [&](const CallPath &path) {
          return llvm::is_contained(path.getFunctions(), function);
        });
    if (differs || isPlainElsewhere)
      return pattern;
  }
  return nullptr;
}

} // namespace

std::optional<Diagnostic> whyNotKept(const WrittenText &text, const KernelPlan &kernel,
                                     const SourceText &source, const Variants &variants) {
  if (const FunctionDecl *function = tornMemory(text.called, kernel))
    return diagnose(diag::not_available_yet, {source.offsetOf(function->getLocation())},
                    "a copy in a function that has shared memory of its own and is called in "
                    "ways that differ");
  if (std::optional<std::string> macro = macroIn(text, kernel, source, variants))
    return diagnose(diag::not_available_yet, {source.offsetOf(kernel.pattern->getLocation())},
                    "a macro named '" + *macro +
                        "', which clashes with a name in the generated code,");
  return std::nullopt;
}

} // namespace tilelift
