//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/DeviceSource.h"

#include "support/Locations.h"
#include "support/Toolkit.h"
#include "support/Words.h"
#include "text/Names.h"
#include "text/SourceText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

const FunctionDecl *functionIn(const Decl *declaration) {
  if (const auto *pattern = dyn_cast<FunctionTemplateDecl>(declaration))
    return pattern->getTemplatedDecl();
  return dyn_cast<FunctionDecl>(declaration);
}

bool isOfHost(const FunctionDecl *function) {
  bool runsOnDevice = function->hasAttr<CUDAGlobalAttr>() || function->hasAttr<CUDADeviceAttr>();
  return !runsOnDevice && !function->isConstexpr();
}

/// A number that is written down stays; whatever else is not said to be the device's goes.
bool isOfHost(const VarDecl *variable) {
  bool isOnDevice = variable->hasAttr<CUDADeviceAttr>() || variable->hasAttr<CUDAConstantAttr>() ||
                    variable->hasAttr<CUDASharedAttr>() || variable->hasAttr<HIPManagedAttr>();
  const ASTContext &context = variable->getASTContext();
  return !isOnDevice && !variable->isConstexpr() &&
         !variable->mightBeUsableInConstantExpressions(context);
}

/// Every declaration that a piece of the program names.
class NameFinder : public DynamicRecursiveASTVisitor {
public:
  llvm::DenseSet<const Decl *> found;

  bool VisitDeclRefExpr(DeclRefExpr *reference) override { return add(reference->getDecl()); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override { return add(type.getDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return add(type.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    return add(type.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }
  bool VisitUsingTypeLoc(UsingTypeLoc type) override {
    return add(type.getDecl()->getTargetDecl());
  }

private:
  bool add(const Decl *declaration) {
    if (declaration)
      found.insert(declaration->getCanonicalDecl());
    return true;
  }
};

bool definesAny(StringRef text, const StringSet<> &words) {
  SmallVector<StringRef, 64> lines;
  text.split(lines, '\n');
  return llvm::any_of(lines, [&](StringRef line) {
    line = line.ltrim();
    bool isDefinition =
        line.consume_front("#") && (line = line.ltrim(), line.consume_front("define"));
    StringRef name = line.ltrim().take_while(isOfName);
    return isDefinition && words.contains(name);
  });
}

class HostFinder {
public:
  HostFinder(ASTContext &context, ArrayRef<IncludeLine> includes)
      : context(context),
        sources(context.getSourceManager()),
        source(context),
        includes(includes) {}

  EditSet run();

private:
  void collect(const DeclContext *scope);
  bool isHeaderOfHost(StringRef path, unsigned nameLength) const;
  bool comesFromHost(const Decl *declaration) const;
  bool isMadeOfHost(const Decl *declaration) const;
  bool isInMainFile(const Decl *declaration) const {
    return sources.isWrittenInMainFile(sources.getExpansionLoc(declaration->getBeginLoc()));
  }
  std::set<unsigned> neededLines() const;
  bool definesMacroInUse(unsigned line) const;
  void removeIncludes();
  void remove(const Decl *declaration);

  ASTContext &context;
  const SourceManager &sources;
  SourceText source;
  ArrayRef<IncludeLine> includes;
  llvm::SmallVector<const Decl *, 64> own;
  llvm::DenseSet<const Decl *> dropped;
  EditSet edits;
};

void HostFinder::collect(const DeclContext *scope) {
  for (const Decl *each : scope->decls()) {
    if (each->isImplicit() || !isInMainFile(each))
      continue;
    if (isa<NamespaceDecl, LinkageSpecDecl>(each))
      collect(cast<DeclContext>(each));
    else
      own.push_back(each);
  }
}

/// The folder that it was found in, by its name in the #include.
bool HostFinder::isHeaderOfHost(StringRef path, unsigned nameLength) const {
  StringRef folder = nameLength < path.size() ? path.drop_back(nameLength) : StringRef();
  return !isToolkit(folder, sources.getFileManager().getVirtualFileSystem());
}

/// It is declared in a header of the system that is not the toolkit's.
bool HostFinder::comesFromHost(const Decl *declaration) const {
  if (dropped.count(declaration->getCanonicalDecl()))
    return true;
  SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
  if (place.isInvalid() || !sources.isInSystemHeader(place))
    return false;
  OptionalFileEntryRef file = sources.getFileEntryRefForID(sources.getFileID(place));
  StringRef folder = file ? sys::path::parent_path(file->getName()) : StringRef();
  vfs::FileSystem &files = sources.getFileManager().getVirtualFileSystem();
  for (; !folder.empty(); folder = sys::path::parent_path(folder))
    if (isToolkit(folder, files) || folder.ends_with("cuda_wrappers"))
      return false;
  // What Clang brings along stands for what NVRTC has itself.
  return file && !StringRef(file->getName()).contains("__clang_cuda");
}

bool HostFinder::isMadeOfHost(const Decl *declaration) const {
  if (const auto *directive = dyn_cast<UsingDirectiveDecl>(declaration))
    return directive->getNominatedNamespace()->isStdNamespace();
  NameFinder names;
  names.TraverseDecl(const_cast<Decl *>(declaration));
  return llvm::any_of(names.found, [&](const Decl *each) { return comesFromHost(each); });
}

void HostFinder::remove(const Decl *declaration) {
  const SourceRange range = declaration->getSourceRange();
  unsigned begin = source.offsetOf(sources.getExpansionLoc(range.getBegin()));
  unsigned end = source.endOfToken(sources.getExpansionRange(range.getEnd()).getEnd());
  if (std::optional<unsigned> semicolon = source.nextToken(range.getEnd(), tok::semi))
    end = *semicolon + 1;
  edits.add(source.removal(begin, end));
}

/// Lines of #include in the main file that lead to something which stays names.
std::set<unsigned> HostFinder::neededLines() const {
  NameFinder names;
  for (const Decl *each : own)
    if (!dropped.count(each->getCanonicalDecl()))
      names.TraverseDecl(const_cast<Decl *>(each));
  std::set<unsigned> lines;
  for (const Decl *each : names.found) {
    SourceLocation at = sources.getExpansionLoc(each->getLocation());
    while (at.isValid() && !sources.isWrittenInMainFile(at)) {
      at = sources.getIncludeLoc(sources.getFileID(at));
      if (at.isValid() && sources.isWrittenInMainFile(at))
        lines.insert(sources.getSpellingLineNumber(at));
    }
  }
  return lines;
}

/// Whether what stays has a word that the file, or one that it includes, defines as a macro.
bool HostFinder::definesMacroInUse(unsigned line) const {
  StringSet<> words;
  for (const Decl *each : own)
    if (!dropped.count(each->getCanonicalDecl()))
      for (StringRef word : wordsIn(source.between(
               source.offsetOf(sources.getExpansionLoc(each->getBeginLoc())),
               source.endOfToken(sources.getExpansionRange(each->getEndLoc()).getEnd()))))
        words.insert(word);
  for (const UserFile &file : source.all()) {
    SourceLocation at = sources.getIncludeLoc(file.id);
    while (at.isValid() && !sources.isWrittenInMainFile(at))
      at = sources.getIncludeLoc(sources.getFileID(at));
    if (at.isValid() && sources.getSpellingLineNumber(at) == line && definesAny(file.text, words))
      return true;
  }
  return false;
}

/// Headers of the system go if they are the host's, those of the user's if nothing needs them.
void HostFinder::removeIncludes() {
  const std::set<unsigned> needed = neededLines();
  for (const IncludeLine &line : includes) {
    bool isOwn = line.hash.isKnown() && !source.isInHeader(line.hash.offset) && line.length > 2;
    if (!isOwn)
      continue;
    bool isSystems = source.between(line.begin.offset, line.begin.offset + 1) == "<";
    unsigned number = sources.getSpellingLineNumber(locationOf(sources, line.begin));
    if (isSystems ? isHeaderOfHost(line.path, line.length - 2)
                  : !needed.count(number) && !definesMacroInUse(number))
      edits.add(source.removal(line.hash.offset, line.begin.offset + line.length));
  }
}

EditSet HostFinder::run() {
  collect(context.getTranslationUnitDecl());
  for (const Decl *each : own) {
    const FunctionDecl *function = functionIn(each);
    const auto *variable = dyn_cast<VarDecl>(each);
    if ((function && isOfHost(function)) || (variable && isOfHost(variable)))
      dropped.insert(each->getCanonicalDecl());
  }
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (const Decl *each : own) {
      const FunctionDecl *function = functionIn(each);
      bool isDevices = function && !isOfHost(function);
      if (!isDevices && !dropped.count(each->getCanonicalDecl()) && isMadeOfHost(each))
        isMore |= dropped.insert(each->getCanonicalDecl()).second;
    }
  }
  unsigned last = 0; // several variables of one declaration
  for (const Decl *each : own) {
    unsigned begin = source.offsetOf(sources.getExpansionLoc(each->getBeginLoc()));
    if (dropped.count(each->getCanonicalDecl()) && (begin != last || last == 0))
      remove(each), last = begin;
  }
  removeIncludes();
  return std::move(edits);
}

} // namespace

EditSet withoutHost(ASTContext &context, ArrayRef<IncludeLine> includes) {
  return HostFinder(context, includes).run();
}

} // namespace tilelift
