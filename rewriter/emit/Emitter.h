//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plans to text.
//
// For each kernel: a sibling beside it, the original's text with the copies
// replaced; a launcher that checks, encodes and launches; and the launches of
// this file turned into calls of the launcher. Nothing is refused here: what can be
// written was decided before (writable/), and each kernel's text can be read over
// before it is kept.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_EMITTER_H
#define TILELIFT_EMIT_EMITTER_H

#include "emit/KernelText.h"
#include "emit/LauncherText.h"
#include "emit/Recipe.h"
#include "kernel/FileFacts.h"
#include "text/EditSet.h"
#include "text/FreshNames.h"
#include "writable/Launches.h"

#include "llvm/ADT/MapVector.h"

namespace tilelift {

/// A kernel of the file, and the name of its lifted sibling.
struct LiftedKernel {
  Place place;
  std::string name;
  std::string lifted;
};

struct EmitResult {
  EditSet edits;
  /// The launchers of kernels that other files may launch, by the shared names of the kernels.
  std::map<std::string, std::string> launchers;
  std::vector<LiftedKernel> kernels;
  /// One for each instance that is lifted.
  std::vector<Recipe> recipes;
};

/// The text of one lifted kernel with its launcher. It becomes part of the file when the emitter
/// keeps it.
struct LiftedText {
  const KernelPlan *plan = nullptr;
  KernelNames names;
  std::vector<Piece> kernel;
  /// What stands in front of the kernel and behind it.
  std::string before, behind;
  std::optional<unsigned> launcherDeclared;
  LauncherText launcher;
  /// Other files may launch the kernel, so its launcher has external linkage.
  bool isForAll = false;
  std::vector<Recipe> recipes;
  /// Instances whose launchers can be found by the kernels' addresses.
  std::vector<const clang::FunctionDecl *> known;
  /// The number of the first function sibling that was written for this kernel; later ones are its
  /// own, too.
  size_t firstSibling = 0;
  /// The same text as whyNotKept() examines it (writable/TextReview).
  WrittenText written;
};

class Emitter {
public:
  Emitter(const FileFacts &file, const SourceText &source);

  LiftedText write(const WritableKernel &kernel);
  /// Adds the text of a lifted kernel to the edits of the file.
  void keep(const LiftedText &text);
  /// Discards the text, with the function siblings that were written for it.
  void drop(const LiftedText &text) { siblings.dropFrom(text.firstSibling); }
  /// Notes that the copies or the loop of a pragma stay loops, for the comment that replaces the
  /// pragma. If a lifted kernel has copies of the same pragma, the comment says so instead.
  void staysPlain(const Directive &directive) { outcomes.insert({&directive, "stays a loop"}); }

  /// The launches in this file that become calls of launchers, of all kernels whose text was kept.
  const std::vector<RedirectedLaunch> &launches() const { return redirected; }
  /// All instances whose text was kept, and those of them that are found by their addresses.
  const std::vector<const clang::FunctionDecl *> &liftedKernels() const { return lifted; }
  const std::vector<const clang::FunctionDecl *> &knownByAddress() const { return known; }
  void addLaunches(const LaunchChanges &changes, const ForeignLaunches &foreign);
  EmitResult finish();

private:
  KernelNames nameKernel(const KernelPlan &kernel);
  std::string textBefore(const WritableKernel &kernel, const KernelNames &names,
                         const std::string &planType) const;
  std::string instantiations(const KernelPlan &kernel, const KernelNames &names,
                             const KernelWriter &writer) const;
  std::vector<const clang::FunctionDecl *> knownByAddress(const KernelPlan &kernel) const;
  std::string registrations(const LiftedText &text) const;
  WrittenText writtenText(const LiftedText &text, const KernelWriter &writer) const;
  void noteOutcomes(const LiftedText &text);
  void declare(unsigned at, const std::string &launcher);
  void declareLaterTypes(const KernelPlan &kernel);
  void addIncludes();
  llvm::StringRef fileName(unsigned offset) const { return source.nameOf(offset); }
  bool isForProgram() const { return file.selection.output == Output::Program; }

  const FileFacts &file;
  const SourceText &source;
  FreshNames fresh;
  FunctionSiblings siblings;
  std::vector<RedirectedLaunch> redirected;
  std::vector<const clang::FunctionDecl *> lifted, known;
  /// What became of the copies of each pragma.
  llvm::MapVector<const Directive *, std::string> outcomes;
  EmitResult result;
};

} // namespace tilelift

#endif
