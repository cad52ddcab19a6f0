//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Emission.h"

#include "emit/DriverText.h"
#include "emit/KernelText.h"
#include "emit/Manifest.h"
#include "emit/PythonText.h"
#include "host/HeaderCache.h"
#include "host/LiftFile.h"
#include "tool/Installation.h"
#include "tool/Invocation.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Mangle.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A kernel that the compiler makes code for, or a variable of the device.
struct Entry {
  std::string name; ///< blur_tma<4>
  std::string symbol;
  bool isHidden = false;
};
struct Entries {
  std::vector<Entry> kernels, variables;
};

class EntryFinder : public ASTConsumer, public DynamicRecursiveASTVisitor {
public:
  explicit EntryFinder(Entries &entries) : entries(entries) {
    ShouldVisitTemplateInstantiations = true;
  }

  void HandleTranslationUnit(ASTContext &context) override {
    TraverseDecl(context.getTranslationUnitDecl());
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    bool isEntry = function->hasAttr<CUDAGlobalAttr>() && !function->isDependentContext() &&
                   function->isThisDeclarationADefinition();
    if (isEntry)
      entries.kernels.push_back(
          {function->getQualifiedNameAsString() + templateArgumentsOf(function),
           ASTNameGenerator(function->getASTContext()).getName(function),
           !function->isExternallyVisible()});
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->hasAttr<CUDADeviceAttr>() && variable->hasGlobalStorage())
      entries.variables.push_back({variable->getQualifiedNameAsString(),
                                   ASTNameGenerator(variable->getASTContext()).getName(variable),
                                   !variable->isExternallyVisible()});
    return true;
  }

private:
  Entries &entries;
};

class EntryAction : public ASTFrontendAction {
public:
  explicit EntryAction(Entries &entries) : entries(entries) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<EntryFinder>(entries);
  }

private:
  Entries &entries;
};

/// False, with a message, if the text does not compile.
bool findEntries(const std::string &name, const std::string &text, const ToolOptions &options,
                 Entries &entries, std::string &problem) {
  ToolOptions own = options;
  own.verify = false;
  own.compilerFlags.push_back("-isystem" + runtimeHeaders());
  auto files = filesWith({{name, text}});
  raw_string_ostream messages(problem);
  auto invocation = makeInvocation(name, own, files, analysis, messages);
  if (!invocation)
    return false;
  makeCanonical(*invocation, *files, options.arch.empty() ? firstArchWithTma : options.arch);
  useHeaderCache(*invocation, files);
  clang::DiagnosticOptions &style = invocation->getDiagnosticOpts();
  CompilerInstance compiler(std::move(invocation));
  TextDiagnosticPrinter printer(messages, style);
  compiler.setVirtualFileSystem(files);
  compiler.setVerboseOutputStream(std::make_unique<raw_null_ostream>());
  compiler.createDiagnostics(&printer, /*ShouldOwnClient=*/false);
  compiler.getDiagnostics().setIgnoreAllWarnings(true);
  if (!compiler.createTarget())
    return false;
  compiler.createFileManager();
  compiler.createSourceManager();
  EntryAction action(entries);
  return compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
}

/// Asks the text what the driver calls a kernel and its variables; says what a host cannot ask for.
std::string nameBy(const Entries &entries, Recipe &recipe) {
  RecipeInstance &own = recipe.instance();
  const std::string lifted = recipe.scope + recipe.lifted + own.templateArguments;
  for (const Entry &entry : entries.kernels)
    if (entry.name == lifted)
      own.liftedEntry = entry.symbol;
  for (const Entry &entry : entries.kernels)
    if (entry.symbol == own.entry && entry.isHidden)
      return "'" + recipe.kernel +
             "' is this file's own, so that no host can ask for it by name: " +
             "take it out of its unnamed namespace, and 'static' away";
  if (own.liftedEntry.empty())
    return "the device source has no kernel '" + lifted + "'";
  for (RecipeTensor &tensor : recipe.tensors) {
    if (!tensor.address.empty())
      continue;
    for (const Entry &entry : entries.variables)
      if (entry.name == tensor.tensor) {
        tensor.variable = entry.symbol;
        if (entry.isHidden)
          return "'" + tensor.tensor + "' is this file's own, so that no host can ask where it " +
                 "is: take it out of its unnamed namespace, and 'static' away";
      }
    if (tensor.variable.empty())
      return "the device source has no variable '" + tensor.tensor + "'";
  }
  return {};
}

/// At the head of the source, what a host asks for.
std::string commentOn(ArrayRef<Recipe> recipes, StringRef name) {
  std::string text = ("// " + sys::path::filename(name) + ", its device code, lifted.\n").str();
  if (!recipes.empty())
    text += "//\n// Entries, each as it was written and lifted:\n";
  for (const Recipe &recipe : recipes) {
    const RecipeInstance &own = recipe.instance();
    const bool isNamed = own.entry == recipe.kernel;
    text += "//   " + recipe.nameOfInstance();
    text += isNamed ? " (extern \"C\")" : ": " + own.entry;
    text += isNamed ? ", " + own.liftedEntry + "\n" : "\n//     " + own.liftedEntry + "\n";
  }
  return text + "\n";
}

} // namespace

std::variant<Emission, std::string> emissionOf(const std::string &name, std::string device,
                                               std::vector<Recipe> recipes,
                                               const ToolOptions &options) {
  Entries entries;
  std::string problem;
  if (!findEntries(name, device, options, entries, problem))
    return "the device source of '" + name + "' does not compile by itself:\n" + problem;
  for (Recipe &recipe : recipes)
    if (std::string refused = nameBy(entries, recipe); !refused.empty())
      return refused;
  Emission emission;
  emission.device = commentOn(recipes, name) + device;
  emission.manifest = manifestOf(recipes, name);
  emission.python = pythonOf(recipes, name);
  emission.pythonTypes = pythonTypesOf(recipes, name);
  emission.driver = driverOf(recipes, name);
  emission.recipes = std::move(recipes);
  return emission;
}

const std::string &textFor(const Emission &emission, Emit kind) {
  switch (kind) {
  case Emit::Manifest: return emission.manifest;
  case Emit::Python: return emission.python;
  case Emit::PythonTypes: return emission.pythonTypes;
  case Emit::Driver: return emission.driver;
  default: return emission.device;
  }
}

} // namespace tilelift
