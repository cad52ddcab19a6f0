//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Emitter.h"

#include "emit/Assumptions.h"
#include "emit/LaunchText.h"
#include "emit/LauncherText.h"
#include "emit/RuntimeInclude.h"
#include "kernel/Orders.h"
#include "support/Locations.h"
#include "support/Words.h"
#include "text/Formatted.h"
#include "text/Names.h"
#include "writable/Naming.h"
#include "writable/Writable.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/MapVector.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class Emitter {
public:
  Emitter(ASTContext &context, const Program &program, const DirectiveList &directives,
          const ProgramFacts &others, const Effects &effects, Output output)
      : context(context),
        source(context),
        program(program),
        macros(directives.macros),
        variants(directives.variants),
        others(others),
        effects(effects),
        output(output),
        fresh(source),
        siblings(source, fresh) {}

  EmitResult run(const std::vector<KernelPlan> &kernels);

private:
  void emitKernel(const KernelPlan &kernel, const KernelNames &names);
  void refuse(const KernelPlan &kernel, Diagnostic problem);
  std::optional<std::string> macroAmong(StringRef written, StringRef planType,
                                        llvm::ArrayRef<const clang::FunctionDecl *> users) const;
  std::string instantiations(const KernelPlan &kernel, const KernelNames &names,
                             const KernelWriter &writer) const;
  bool emitWithoutProducer(const KernelPlan &kernel, const KernelNames &names, Diagnostic reason);
  KernelNames nameKernel(const KernelPlan &kernel);
  void redirectLaunches(const KernelPlan &kernel, const KernelNames &names);
  void redirectForeign();
  void declare(const FunctionDecl *kernel, const std::string &launcher);
  void declareLaterTypes(const KernelPlan &kernel);
  StringRef fileName(unsigned offset) const { return source.nameOf(offset); }
  bool isLaunchedElsewhere(const FunctionDecl *kernel) const {
    return others.launched.count(sharedNameOf(kernel)) > 0;
  }
  void addIncludes(ArrayRef<KernelPlan> kernels);
  Place placeOfChange(const UserFile &file, const EditSet &edits) const;
  void say(Diagnostic diagnostic) {
    bool isKnown = llvm::any_of(result.diagnostics, [&](const Diagnostic &known) {
      return known.id == diagnostic.id && known.place == diagnostic.place &&
             known.text == diagnostic.text && known.notes == diagnostic.notes;
    });
    if (!isKnown)
      result.diagnostics.push_back(std::move(diagnostic));
  }

  ASTContext &context;
  SourceText source;
  const Program &program;
  const MacroUses &macros;
  const Variants &variants;
  const ProgramFacts &others;
  const Effects &effects;
  const Output output;
  FreshNames fresh;
  FunctionSiblings siblings;
  std::vector<RedirectedLaunch> redirected;
  /// What became of the copies of each pragma.
  llvm::MapVector<const Directive *, std::string> outcomes;
  EmitResult result;
};

EmitResult Emitter::run(const std::vector<KernelPlan> &kernels) {
  for (const KernelPlan &kernel : kernels) {
    if (!kernel.instances.empty())
      emitKernel(kernel, nameKernel(kernel));
    for (const Directive *directive : kernel.plain)
      outcomes.insert({directive, "stays a loop"});
  }
  if (output == Output::Program) {
    redirectForeign();
    LaunchChanges changes = changesOfLaunches(redirected, context, source, macros, variants);
    llvm::for_each(changes.diagnostics, [&](const Diagnostic &each) { say(each); });
    result.edits.add(editsOf(changes, context.getLangOpts(), source, macros));
  }
  for (Edit &edit : siblings.edits())
    result.edits.add(std::move(edit));
  addIncludes(kernels);
  // The originals keep their loops; their pragmas have done their work.
  for (const auto &[directive, outcome] : outcomes)
    result.edits.add(source.pragmaComment(*directive, outcome));
  return std::move(result);
}

KernelNames Emitter::nameKernel(const KernelPlan &kernel) {
  KernelNames names;
  names.kernel = kernel.pattern->getNameAsString();
  const DeclContext *scope = kernel.pattern->getDeclContext();
  names.lifted = fresh.take(scope, names.kernel + "_tma");
  names.plan = fresh.take(scope, names.kernel + "_tma_plan");
  names.launcher = fresh.take(scope, names.kernel + "_tma_launch");
  names.barrier = source.unused("tma_barrier");
  names.phase = source.unused("tma_phase");
  names.meeting = source.unused("tma_meeting");
  names.stores = source.unused("tma_stores");
  // An array that has C++ linkage in one kernel cannot have that of C in another one.
  names.memory = source.unused(kernel.pattern->isExternC() ? "tma_memory_of_c" : "tma_memory");
  names.slot = source.unused("tma_slot");
  names.lifts = source.unused("tma_lifts");
  // The launcher repeats the kernel's parameters and their types.
  const unsigned begin = source.beginOf(kernel.pattern);
  const unsigned end = source.offsetOf(kernel.pattern->getBody()->getBeginLoc());
  const std::string signature = source.between(begin, end).str() + pointerTypeOf(kernel.pattern);
  const std::vector<StringRef> taken = wordsIn(signature);
  auto beside = [&](std::string name) {
    while (variants.macros.contains(name) || llvm::is_contained(taken, name))
      name = "tma_" + name;
    return name;
  };
  names.config = beside("config");
  names.facts = beside("facts");
  names.launch = beside("launch");
  names.planParameter = source.unused("tma_plan");
  if (const FunctionTemplateDecl *primary = kernel.pattern->getDescribedFunctionTemplate()) {
    for (const NamedDecl *parameter : *primary->getTemplateParameters())
      names.arguments += (names.arguments.empty() ? "" : ", ") + parameter->getNameAsString() +
                         (parameter->isTemplateParameterPack() ? "..." : "");
    names.arguments = "<" + names.arguments + ">";
  }
  return names;
}

/// A kernel that cannot be written stays as it is, if all of its copies may.
void Emitter::refuse(const KernelPlan &kernel, Diagnostic problem) {
  result.refused.push_back(kernel.pattern);
  bool mayStay = llvm::all_of(kernel.instances.front().copies, [](const PlannedCopy &copy) {
    return copy.directive->clauses.fallback == Fallback::Loop;
  });
  const Directive *last = nullptr;
  if (!mayStay || problem.severity != Severity::Error) { // each copy is named
    for (const PlannedCopy &copy : kernel.instances.front().copies)
      if (std::exchange(last, copy.directive) != copy.directive &&
          !(copy.directive->statement == problem.place || copy.directive->begin == problem.place))
        problem.notes.push_back({copy.directive->statement, "so this copy is not lifted"});
    return say(std::move(problem));
  }
  for (const PlannedCopy &copy : kernel.instances.front().copies) {
    outcomes[copy.directive] = "stays a loop";
    if (std::exchange(last, copy.directive) == copy.directive)
      continue;
    Diagnostic plain = diagnose(diag::stays_plain, copy.directive->statement, problem.text);
    plain.notes = problem.notes;
    if (problem.place.isKnown())
      plain.notes.push_back({problem.place, "because of what is here"});
    say(std::move(plain));
  }
  for (const PlannedPipeline &pipeline : kernel.instances.front().pipelines)
    outcomes[pipeline.directive] = "stays a loop";
}

/// A macro that would change what is written behind the first of the functions that it is made of.
std::optional<std::string> Emitter::macroAmong(StringRef written, StringRef planType,
                                               ArrayRef<const FunctionDecl *> users) const {
  const unsigned end = source.endOfToken(users.front()->getBody()->getEndLoc());
  return macroAmongNames(written, planType, users, source, variants, {source.fileOf(end).begin},
                         {end});
}

void Emitter::emitKernel(const KernelPlan &kernel, const KernelNames &names) {
  const InstancePlan &first = kernel.instances.front();
  const size_t siblingsBefore = siblings.count();
  auto refuse = [&](Diagnostic problem) {
    siblings.dropFrom(siblingsBefore);
    this->refuse(kernel, std::move(problem));
  };
  if (std::optional<Diagnostic> obstacle = whyNotWritable(kernel, source, variants, macros))
    return refuse(std::move(*obstacle));
  if (std::optional<Diagnostic> unnamed = whyUnnamed(kernel))
    return refuse(std::move(*unnamed));
  const Assumptions assumptions = assumptionsOf(kernel, variants);
  if (assumptions.line.isValid())
    return refuse(diagnose(diag::not_available_yet,
                           placeOf(context.getSourceManager(), assumptions.line),
                           "a copy with a number that __LINE__ gives"));
  CopyOrders orders = ordersOf(kernel, effects);
  KernelWriter writer(source, kernel, names, orders, effects, variants);
  std::vector<Piece> sibling = writer.sibling(siblings);
  if (writer.failure && emitWithoutProducer(kernel, names, *writer.failure))
    return;
  if (writer.failure)
    return refuse(*writer.failure);
  for (const PlannedCopy &copy : first.copies) {
    std::string where = siblings.namesOf(patternOf(copy.path.textFunction()));
    outcomes[copy.directive] = "lifted in " + (where.empty() ? names.lifted : where);
  }
  for (const PlannedPipeline &pipeline : first.pipelines)
    outcomes[pipeline.directive] = "in " + names.lifted;
  bool isForAll = isLaunchedElsewhere(kernel.pattern) || isDeclaredForAll(source, kernel.pattern);
  const LauncherText launch = writeLauncher(source, kernel, names, writer, isForAll);
  std::string written = launch.definition;
  for (const Piece &piece : sibling)
    written += "\n" + piece.text;
  const unsigned end = source.endOfToken(kernel.pattern->getBody()->getEndLoc());
  std::vector<const FunctionDecl *> users{kernel.pattern};
  for (const PlannedCopy &copy : first.copies)
    users.push_back(patternOf(copy.path.textFunction()));
  std::optional<std::string> macro = macroAmong(written, writer.planType(), users);
  siblings.forEachFrom(siblingsBefore, [&](const FunctionDecl *pattern, const std::string &text) {
    if (!macro)
      macro = macroAmong(text, "", {pattern});
  });
  if (macro)
    return refuse(diagnose(
        diag::not_available_yet, {source.offsetOf(kernel.pattern->getLocation())},
        "a macro named '" + *macro + "', which clashes with a name in the generated code,"));
  for (size_t i = 0; i < kernel.instances.size(); ++i)
    result.recipes.push_back(recipeOf(kernel, i, names, writer));
  for (Diagnostic &remark : remarksOnBarriers(first, orders, context.getSourceManager()))
    say(std::move(remark));

  std::string header = templateHeader(source, kernel.pattern);
  bool isProgram = output == Output::Program;
  std::string before = "// " + names.kernel + ", lifted: what its copies are" +
                       (isProgram ? ", the kernel, and its launcher.\n" : ", and the kernel.\n");
  if (!header.empty())
    before +=
        header + " struct " + names.plan + " {\n  static constexpr bool lifted = false;\n};\n";
  for (const std::string &condition : assumptions.conditions)
    before += "TILELIFT_LIFTED_FOR(" + condition + ");\n";
  before += writer.planType();
  declareLaterTypes(kernel);
  // What is computed for one file is no other's that includes the header.
  if (source.isInHeader(end))
    before = "namespace {\n" + before + "} // namespace\n";
  Edit edit{end, end, {}};
  edit.pieces.push_back(Piece::own("\n\n" + formatted(before, fileName(end)) + "\n"));
  edit.pieces.insert(edit.pieces.end(), sibling.begin(), sibling.end());
  const std::string behind = isProgram ? launch.definition : instantiations(kernel, names, writer);
  if (!behind.empty())
    edit.pieces.push_back(
        Piece::own("\n\n" + StringRef(formatted(behind, fileName(end))).rtrim().str(),
                   source.offsetOf(kernel.pattern->getLocation())));
  result.edits.add(std::move(edit));
  if (isProgram && !launch.declaration.empty())
    declare(kernel.pattern->getCanonicalDecl(), launch.declaration);
  if (isForAll)
    result.launchers[sharedNameOf(kernel.pattern)] = names.launcher;
  result.kernels.push_back({placeOf(context.getSourceManager(), kernel.pattern->getLocation()),
                            names.kernel, names.lifted});
  if (isProgram)
    redirectLaunches(kernel, names);
}

/// Where nobody launches them, templates are instantiated for whoever asks for them by name.
std::string Emitter::instantiations(const KernelPlan &kernel, const KernelNames &names,
                                    const KernelWriter &writer) const {
  std::string text, maps;
  if (!kernel.pattern->getDescribedFunctionTemplate())
    return text;
  for (size_t copy = 0; copy < kernel.instances.front().copies.size(); ++copy)
    if (!writer.namesOf(copy).map.empty())
      maps += ", const __grid_constant__ CUtensorMap";
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.FullyQualifiedName = true;
  policy.SuppressUnwrittenScope = true;
  for (const InstancePlan &instance : kernel.instances) {
    std::string parameters;
    for (const ParmVarDecl *parameter : instance.function->parameters())
      parameters += std::string(", ") +
                    (parameter->hasAttr<CUDAGridConstantAttr>() ? "__grid_constant__ " : "") +
                    parameter->getType().getAsString(policy);
    auto add = [&](const std::string &name, const std::string &all) {
      text += "template __global__ void " + name + templateArgumentsOf(instance.function) + "(" +
              StringRef(all).ltrim(", ").str() + ");\n";
    };
    bool isThere =
        instance.function->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition;
    if (!isThere)
      add(names.kernel, parameters);
    add(names.lifted, parameters + maps);
  }
  return text;
}

/// Where no warp of its own can make the copies, but somebody may.
bool Emitter::emitWithoutProducer(const KernelPlan &kernel, const KernelNames &names,
                                  Diagnostic reason) {
  KernelPlan plain = kernel;
  bool hasProducer = false;
  for (InstancePlan &instance : plain.instances)
    for (PlannedPipeline &pipeline : instance.pipelines) {
      if (pipeline.hasProducer && pipeline.directive->clauses.fallback != Fallback::Loop)
        return false;
      hasProducer |= std::exchange(pipeline.hasProducer, false);
    }
  if (!hasProducer || reason.id != DiagnosticId::no_producer)
    return false;
  reason.severity = Severity::Warning;
  say(std::move(reason));
  emitKernel(plain, names);
  return true;
}

void Emitter::redirectLaunches(const KernelPlan &kernel, const KernelNames &names) {
  DenseSet<SourceLocation> done;
  if (!isLaunchedElsewhere(kernel.pattern) &&
      llvm::none_of(program.launches,
                    [&](const Launch &launch) { return launch.pattern == kernel.pattern; }))
    say(diagnose(diag::never_launched, {source.offsetOf(kernel.pattern->getLocation())},
                 names.kernel, names.lifted));
  for (const Launch &launch : program.launches)
    if (launch.pattern == kernel.pattern && done.insert(launch.callee->getLocation()).second)
      redirected.push_back({&launch, names.kernel, names.launcher});
}

/// Launches of kernels that are lifted in other files.
void Emitter::redirectForeign() {
  DenseSet<const FunctionDecl *> declared;
  for (const Launch &launch : program.foreignLaunches) {
    auto launcher = others.launchers.find(sharedNameOf(launch.instance));
    if (launcher == others.launchers.end())
      continue;
    const FunctionDecl *first = launch.instance->getCanonicalDecl();
    if (declared.insert(first).second)
      declare(first, launcherDeclaration(source, first, launcher->second));
    redirected.push_back({&launch, launch.instance->getNameAsString(), launcher->second});
  }
}

/// Behind the kernel's first declaration, so that the launcher is known wherever
/// the kernel is.
void Emitter::declare(const FunctionDecl *first, const std::string &launcher) {
  const SourceManager &sources = context.getSourceManager();
  Place place = placeOf(sources, first->getLocation());
  if (!place.isKnown())
    return say(diagnose(diag::not_available_yet, {},
                        "a kernel that a header of the system declares ('" +
                            first->getNameAsString() + "')"));
  if (first->isLocalExternDecl())
    return say(
        diagnose(diag::not_available_yet, place, "a kernel that is declared inside of a function"));
  std::optional<Token> semi =
      Lexer::findNextToken(first->getEndLoc(), sources, context.getLangOpts());
  if (!semi || semi->isNot(tok::semi))
    return say(diagnose(diag::not_available_yet, place,
                        "a kernel whose first declaration is one of several, or ends in a macro,"));
  unsigned at = source.offsetOf(semi->getEndLoc());
  result.edits.add(
      {at, at, {Piece::own("\n" + StringRef(formatted(launcher, fileName(at))).rtrim().str())}});
}

/// Plans of a template's instances name types that may be declared behind the template.
void Emitter::declareLaterTypes(const KernelPlan &kernel) {
  std::set<std::string> done;
  const Decl *outermost = kernel.pattern;
  while (const auto *scope = dyn_cast<NamespaceDecl>(outermost->getDeclContext()))
    outermost = scope;
  unsigned at = outermost == kernel.pattern ? source.beginOf(kernel.pattern)
                                            : source.offsetOf(outermost->getBeginLoc());
  for (const InstancePlan &instance : kernel.instances) {
    std::string text = laterTypesOf(instance.function).declarations;
    if (!text.empty() && done.insert(text).second)
      result.edits.add(insertion(at, text));
  }
}

/// Each file that gets new text says where the runtime is.
void Emitter::addIncludes(ArrayRef<KernelPlan> kernels) {
  for (const UserFile &file : source.all()) {
    EditSet own = result.edits.within(file.begin, file.end());
    if (own.empty())
      continue;
    if (source.isRepeated(file)) {
      say(diagnose(diag::not_available_yet, placeOfChange(file, own),
                   "a header that is included more than once"));
      for (const KernelPlan &kernel : kernels)
        if (source.fileOf(source.offsetOf(kernel.pattern->getLocation())).id == file.id)
          result.refused.push_back(kernel.pattern);
    }
    result.edits.add(runtimeInclude(file, own.begin(), variants, context.getLangOpts()));
  }
}

/// The pragma that a change of a file is for, if that file has one.
Place Emitter::placeOfChange(const UserFile &file, const EditSet &edits) const {
  for (const auto &[directive, outcome] : outcomes)
    if (source.fileOf(directive->begin.offset).begin == file.begin)
      return directive->begin;
  return {file.begin + edits.begin()};
}

} // namespace

EmitResult emit(ASTContext &context, const std::vector<KernelPlan> &kernels, const Program &program,
                const DirectiveList &directives, const ProgramFacts &others, const Effects &effects,
                Output output) {
  return Emitter(context, program, directives, others, effects, output).run(kernels);
}

} // namespace tilelift
