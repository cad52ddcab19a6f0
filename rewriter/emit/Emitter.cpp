//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Emitter.h"

#include "emit/RedirectedLaunches.h"
#include "emit/RuntimeInclude.h"
#include "support/Locations.h"
#include "support/Words.h"
#include "text/Formatted.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"

#include <set>

#include "llvm/ADT/Sequence.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

Emitter::Emitter(const FileFacts &file, const SourceText &source)
    : file(file), source(source), fresh(source), siblings(source, fresh) {}

KernelNames Emitter::nameKernel(const KernelPlan &kernel) {
  KernelNames names;
  names.kernel = kernel.pattern->getNameAsString();
  const DeclContext *scope = kernel.pattern->getDeclContext();
  names.lifted = fresh.take(scope, names.kernel + "_tma");
  names.plan = fresh.take(scope, names.kernel + "_tma_plan");
  names.launcher = fresh.take(scope, names.kernel + "_tma_launch");
  names.known = fresh.take(scope, names.kernel + "_tma_known");
  names.barrier = source.unused("tma_barrier");
  names.phase = source.unused("tma_phase");
  names.groups = source.unused("tma_groups");
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
    while (file.directives.variants.macros.contains(name) || llvm::is_contained(taken, name))
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

/// What stands in front of the lifted kernel.
std::string Emitter::textBefore(const WritableKernel &kernel, const KernelNames &names,
                                const std::string &planType) const {
  const std::string header = templateHeader(source, kernel.plan.pattern);
  std::string before =
      "// " + names.kernel + ", lifted: what its copies are" +
      (isForProgram() ? ", the kernel, and its launcher.\n" : ", and the kernel.\n");
  if (!header.empty())
    before +=
        header + " struct " + names.plan + " {\n  static constexpr bool lifted = false;\n};\n";
  for (const std::string &condition : kernel.assumptions.conditions)
    before += "TILELIFT_LIFTED_FOR(" + condition + ");\n";
  before += planType;
  // What is computed for one file is no other's that includes the header.
  if (source.isInHeader(source.endOfToken(kernel.plan.pattern->getBody()->getEndLoc())))
    before = "namespace {\n" + before + "} // namespace\n";
  return before;
}

LiftedText Emitter::write(const WritableKernel &kernel) {
  const FunctionDecl *pattern = kernel.plan.pattern;
  LiftedText text;
  text.plan = &kernel.plan;
  text.names = nameKernel(kernel.plan);
  text.firstSibling = siblings.count();
  text.launcherDeclared = kernel.launcherDeclared;
  text.isForAll =
      file.others.launched.count(sharedNameOf(pattern)) > 0 || isDeclaredForAll(source, pattern);
  KernelWriter writer(source, kernel, text.names, file.effects, file.directives.variants);
  text.kernel = writer.sibling(siblings);
  const auto instances = llvm::to_vector(llvm::seq<size_t>(0, kernel.plan.instances.size()));
  text.launcher =
      writeLauncher(source, kernel.plan, text.names,
                    recipeOf(kernel.plan, instances, text.names, writer), writer, text.isForAll);
  text.written = writtenText(text, writer);
  for (size_t instance : instances)
    text.recipes.push_back(recipeOf(kernel.plan, instance, text.names, writer));
  text.before = textBefore(kernel, text.names, text.written.planType);
  text.known = knownByAddress(kernel.plan);
  text.behind = isForProgram() ? text.launcher.definition + registrations(text)
                               : instantiations(kernel.plan, text.names, writer);
  return text;
}

/// The instances whose addresses are taken, and for which a launcher can be found by them.
std::vector<const FunctionDecl *> Emitter::knownByAddress(const KernelPlan &kernel) const {
  std::vector<const FunctionDecl *> known;
  for (const InstancePlan &instance : kernel.instances) {
    const FunctionDecl *own = instance.function->getCanonicalDecl();
    if (!notCopiedByBytes(own) &&
        llvm::any_of(file.program.addressUses, [&](const AddressUse &each) {
          return each.use->getDecl()->getCanonicalDecl() == own;
        }))
      known.push_back(own);
  }
  return known;
}

/// Tells the runtime the launchers of kernels that are launched through pointers.
std::string Emitter::registrations(const LiftedText &text) const {
  std::string code;
  for (const FunctionDecl *kernel : text.known) {
    const std::string arguments =
        kernel->isTemplateInstantiation() ? templateArgumentsOf(kernel) : "";
    code += (code.empty() ? "[[maybe_unused]] static const tilelift::known_kernel " +
                                text.names.known + "[] = {"
                          : ", ") +
            ("{" + kernelAsPointer(kernel, text.names.kernel + arguments) + ", " +
             text.names.launcher + arguments + "}");
  }
  return code.empty() ? code : "\n" + code + "};\n";
}

WrittenText Emitter::writtenText(const LiftedText &text, const KernelWriter &writer) const {
  WrittenText written;
  written.kernel = text.launcher.definition;
  for (const Piece &piece : text.kernel)
    written.kernel += "\n" + piece.text;
  written.planType = writer.planType();
  siblings.forEachFrom(text.firstSibling,
                       [&](const FunctionDecl *pattern, const std::string &sibling) {
                         written.functions.push_back({pattern, sibling});
                       });
  written.called = writer.calledSiblings();
  return written;
}

void Emitter::keep(const LiftedText &text) {
  const FunctionDecl *pattern = text.plan->pattern;
  noteOutcomes(text);
  declareLaterTypes(*text.plan);
  const unsigned end = source.endOfToken(pattern->getBody()->getEndLoc());
  Edit edit{end, end, {}};
  edit.pieces.push_back(Piece::own("\n\n" + formatted(text.before, fileName(end)) + "\n"));
  edit.pieces.insert(edit.pieces.end(), text.kernel.begin(), text.kernel.end());
  if (!text.behind.empty())
    edit.pieces.push_back(
        Piece::own("\n\n" + StringRef(formatted(text.behind, fileName(end))).rtrim().str(),
                   source.offsetOf(pattern->getLocation())));
  result.edits.add(std::move(edit));
  if (text.launcherDeclared)
    declare(*text.launcherDeclared, text.launcher.declaration);
  if (text.isForAll)
    result.launchers[sharedNameOf(pattern)] = text.names.launcher;
  result.kernels.push_back({placeOf(file.context.getSourceManager(), pattern->getLocation()),
                            text.names.kernel, text.names.lifted});
  llvm::append_range(result.recipes, text.recipes);
  DenseSet<SourceLocation> done;
  for (const Launch &launch : file.program.launches)
    if (isForProgram() && launch.pattern == pattern &&
        done.insert(launch.callee->getLocation()).second)
      redirected.push_back(byName(launch, text.names.kernel, text.names.launcher));
  for (const InstancePlan &instance : text.plan->instances)
    lifted.push_back(instance.function->getCanonicalDecl());
  known.insert(known.end(), text.known.begin(), text.known.end());
}

void Emitter::noteOutcomes(const LiftedText &text) {
  const InstancePlan &first = text.plan->instances.front();
  for (const PlannedCopy &copy : first.copies) {
    std::string where = siblings.namesOf(patternOf(copy.path.textFunction()));
    outcomes[copy.directive] = "lifted in " + (where.empty() ? text.names.lifted : where);
  }
  for (const PlannedPipeline &pipeline : first.pipelines)
    if (pipeline.directive)
      outcomes[pipeline.directive] = "in " + text.names.lifted;
}

/// Where nobody launches them, templates are instantiated for whoever asks for them by name.
std::string Emitter::instantiations(const KernelPlan &kernel, const KernelNames &names,
                                    const KernelWriter &writer) const {
  std::string text, maps;
  if (!kernel.pattern->getDescribedFunctionTemplate())
    return text;
  for (size_t i = 0; i < writer.countMaps(); ++i)
    maps += ", const __grid_constant__ CUtensorMap";
  PrintingPolicy policy = file.context.getPrintingPolicy();
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

void Emitter::addLaunches(const LaunchChanges &changes, const ForeignLaunches &foreign) {
  for (const ForeignKernel &kernel : foreign.kernels)
    declare(kernel.at, launcherDeclaration(source, kernel.first, kernel.launcher));
  result.edits.add(editsOf(changes, file.context.getLangOpts(), source, file.directives.macros));
}

/// Behind the kernel's first declaration.
void Emitter::declare(unsigned at, const std::string &launcher) {
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
void Emitter::addIncludes() {
  for (const UserFile &user : source.all()) {
    const EditSet own = result.edits.within(user.begin, user.end());
    if (!own.empty())
      result.edits.add(
          runtimeInclude(user, own.begin(), file.directives.variants, file.context.getLangOpts()));
  }
}

EmitResult Emitter::finish() {
  for (Edit &edit : siblings.edits())
    result.edits.add(std::move(edit));
  addIncludes();
  // The originals keep their loops; their pragmas have done their work.
  for (const auto &[directive, outcome] : outcomes) {
    result.edits.add(source.pragmaComment(*directive, outcome));
    for (const Directive &joined : directive->joined)
      result.edits.add(source.pragmaComment(joined, outcome));
  }
  return std::move(result);
}

} // namespace tilelift
