//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sibling kernel: the original's text with the copies replaced, and the
// plan type that it shares with the launcher.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_KERNELTEXT_H
#define TILELIFT_EMIT_KERNELTEXT_H

#include "emit/CodeText.h"
#include "emit/Emitter.h"
#include "relation/BarrierFacts.h"

#include "llvm/ADT/StringSet.h"

namespace tilelift {

/// The user's file, and what is needed to cut text out of it.
class SourceText {
public:
  explicit SourceText(clang::ASTContext &context);

  llvm::StringRef file() const { return text; }
  llvm::StringRef between(unsigned begin, unsigned end) const { return text.slice(begin, end); }
  unsigned offsetOf(clang::SourceLocation location) const;
  /// One past the last character of the token at a location.
  unsigned endOfToken(clang::SourceLocation location) const;
  /// One past a statement and its semicolon.
  unsigned endOf(const clang::Stmt *statement) const;
  /// A whole declaration, with its template header.
  unsigned beginOf(const clang::FunctionDecl *function) const;
  std::string indentationAt(unsigned offset) const;
  unsigned columnOf(unsigned offset) const;
  /// `name`, or name_1, ... if the file has that word already.
  std::string unused(llvm::StringRef name) const;
  /// Whether a range is a stretch of the file, whole macro calls included.
  bool isPlainText(clang::SourceRange range) const;
  /// A comment in the place of a pragma, indented like its statement.
  Edit pragmaComment(const Directive &directive, llvm::StringRef what) const;
  /// Takes a stretch out, with its line when nothing else is on it.
  Edit removal(unsigned begin, unsigned end) const;

private:
  const clang::SourceManager &sources;
  const clang::LangOptions &language;
  llvm::StringRef text;
  /// All identifiers of the file, outside of comments.
  llvm::StringSet<> words;
};

/// What the pieces of text about one kernel have in common.
struct KernelNames {
  std::string kernel;   ///< blur
  std::string lifted;   ///< blur_tma
  std::string plan;     ///< blur_tma_plan
  std::string launcher; ///< blur_tma_launch
  std::string barrier;  ///< tma_barrier
  std::string phase;    ///< tma_phase
  std::string memory;   ///< tma_memory
  /// How code in the template names this instantiation: "<TX, TY>", or "".
  std::string arguments;
};

/// One copy as both kernel and launcher call it.
struct CopyNames {
  std::string tile;  ///< tile
  std::string map;   ///< tile_map; empty for bulk copies
  std::string box;   ///< tile_box
  std::string bytes; ///< an expression, the same in kernel and launcher
};

class KernelWriter {
public:
  KernelWriter(const SourceText &source, const KernelToEmit &kernel, const KernelNames &names,
               const BarrierFacts &barriers);

  /// The sibling's text as pieces of the file and own text.
  std::vector<Piece> sibling();
  /// The plan type, complete only after sibling() and the launcher's text have
  /// put their constants into it.
  std::string planType() const;
  std::vector<PlanConstant> &constants() { return planConstants; }
  const CopyNames &namesOf(size_t copy) const { return copyNames[copy]; }
  /// The plans of one copy, one for each instantiation.
  std::vector<const Plan *> plansOf(size_t copy) const;
  std::string planReference() const { return names.plan + names.arguments; }

  std::optional<Diagnostic> failure;

private:
  void nameCopies();
  void declareTile(size_t copy);
  std::string checksOf(size_t first, size_t end);
  void replaceStatement(size_t first);
  void removeDeadVariables();
  std::string wrapped(const std::string &parameters, unsigned at) const;
  std::string waitText(const std::string &indent) const;
  std::string issueText(size_t first, size_t last, const std::string &indent);
  std::string bulkText(size_t copy, std::string to, const std::string &policy,
                       const std::string &indent);
  void moveDynamicMemory(const clang::Stmt *within);
  std::string destination(size_t copy, const std::string &slot) const;
  std::string loadText(size_t copy, const std::string &indent);
  std::string checksText(size_t copy);
  std::string expectedBytes(size_t first) const;
  bool moved(size_t copy) const;
  bool startsFirst() const;
  std::string typePrefix() const { return kernel.pattern->isTemplated() ? "typename " : ""; }

  const SourceText &source;
  const KernelToEmit &kernel;
  const KernelNames &names;
  const BarrierFacts &barriers;
  std::vector<CopyNames> copyNames;
  std::vector<PlanConstant> planConstants;
  std::vector<Edit> edits;
};

/// Pieces for a stretch of the file with edits inside it.
std::vector<Piece> editedCopy(unsigned begin, unsigned end, std::vector<Edit> edits);

} // namespace tilelift

#endif
