//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/LauncherText.h"

#include "text/Names.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::string quoted(StringRef text) { return ("\"" + text + "\"").str(); }

/// The kernel's name where an argument of that name would hide it.
std::string qualified(const FunctionDecl *kernel) {
  std::string name = kernel->getNameAsString();
  if (llvm::none_of(kernel->parameters(), [&](const ParmVarDecl *parameter) {
        return parameter->getNameAsString() == name;
      }))
    return name;
  for (const DeclContext *at = kernel->getDeclContext(); at; at = at->getParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(at); space && !space->isAnonymousNamespace())
      name = space->getNameAsString() + "::" + name;
  return "::" + name;
}

std::string signatureOf(const SourceText &source, const FunctionDecl *declaration,
                        const std::string &launcher, const std::string &config) {
  FunctionTypeLoc type = declaration->getFunctionTypeLoc();
  unsigned begin = source.endOfToken(type.getLParenLoc());
  std::string parameters = source.between(begin, source.offsetOf(type.getRParenLoc())).str();
  // What only a kernel's parameter may be, from behind.
  for (const ParmVarDecl *parameter : llvm::reverse(declaration->parameters()))
    if (const auto *attribute = parameter->getAttr<CUDAGridConstantAttr>())
      parameters.erase(source.offsetOf(attribute->getLocation()) - begin,
                       source.endOfToken(attribute->getLocation()) -
                           source.offsetOf(attribute->getLocation()));
  parameters = StringRef(parameters).trim().str();
  if (endsInComment(parameters, declaration->getASTContext().getLangOpts()))
    parameters += "\n";
  std::string header = templateHeader(source, declaration);
  return header + (header.empty() ? "" : "\n") + "[[maybe_unused]] " + launcher +
         "(const tilelift::launch_config &" + config +
         (parameters.empty() || parameters == "void" ? "" : ", " + parameters) + ")";
}

class Writer {
public:
  Writer(const SourceText &source, const KernelPlan &kernel, const KernelNames &names,
         KernelWriter &writer, bool isForAll)
      : source(source), kernel(kernel), names(names), writer(writer), isForAll(isForAll) {}

  LauncherText run() {
    LauncherText text;
    // Default arguments are given once, where the kernel has them.
    const FunctionDecl *first = kernel.pattern->getCanonicalDecl();
    if (first != kernel.pattern)
      text.declaration = signature(first, "") + ";\n";
    text.definition = signature(kernel.pattern, names.config) + " {\n" + body() + "}\n";
    return text;
  }

private:
  std::string signature(const FunctionDecl *declaration, const std::string &config);
  std::string originalKernel() const;
  std::string body();
  std::string arguments() const;
  std::string checks();
  std::string maps();
  std::string mapText(size_t copy);
  std::string boxStarts(size_t copy, CodeText &code);
  std::string extentText(size_t copy, size_t d, CodeText &code);
  std::string walkText(size_t copy, size_t i, CodeText &code);
  std::string spelled(size_t copy, function_ref<Polynomial(const Plan &)> value) const;
  std::string elementType(size_t copy, CodeText &code);
  std::string lastLength(size_t copy, size_t d, CodeText &code);
  std::string swizzleOf(size_t copy, CodeText &code);
  std::string require(size_t copy, size_t index);
  const std::vector<PlannedCopy> &copies() const { return kernel.instances.front().copies; }

  const SourceText &source;
  const KernelPlan &kernel;
  const KernelNames &names;
  KernelWriter &writer;
  bool isForAll;
};

std::string Writer::signature(const FunctionDecl *declaration, const std::string &config) {
  // Declared by an alias of its type, a kernel has its parameters where it is defined.
  return signatureOf(source, declaration->getFunctionTypeLoc() ? declaration : kernel.pattern,
                     (isForAll ? "" : "static ") + ("cudaError_t " + names.launcher), config);
}

std::string Writer::arguments() const {
  std::string list;
  for (const ParmVarDecl *parameter : kernel.pattern->parameters())
    list += ", " + parameter->getNameAsString() + (parameter->isParameterPack() ? "..." : "");
  return list;
}

/// One of several functions of its name has to be picked by its type.
std::string Writer::originalKernel() const {
  const FunctionDecl *pattern = kernel.pattern;
  std::string kernelName = qualified(pattern) + names.arguments;
  const FunctionDecl *first = pattern->getCanonicalDecl();
  const FunctionTemplateDecl *primary = first->getDescribedFunctionTemplate();
  auto isOther = [&](const NamedDecl *named) {
    return named->getUnderlyingDecl()->getCanonicalDecl() != first->getCanonicalDecl() &&
           (!primary ||
            named->getUnderlyingDecl()->getCanonicalDecl() != primary->getCanonicalDecl());
  };
  if (llvm::none_of(pattern->getDeclContext()->getRedeclContext()->lookup(pattern->getDeclName()),
                    isOther))
    return kernelName;
  return "static_cast<" + pointerTypeOf(pattern) + ">(" + kernelName + ")";
}

std::string Writer::body() {
  bool isTemplate = kernel.pattern->getDescribedFunctionTemplate() != nullptr;
  bool refuses = llvm::any_of(copies(), [](const PlannedCopy &copy) {
    return copy.directive->clauses.fallback == Fallback::Error;
  });
  std::string plain = originalKernel(), lifted = names.lifted + names.arguments;
  std::string text = "  static tilelift::kernel_facts " + names.facts + ";\n";
  text += "  [[maybe_unused]] const dim3 gridDim = " + names.config + ".config.gridDim;\n";
  text += "  tilelift::launch " + names.launch + "(" + quoted(names.kernel) + ", " + names.config +
          ", " + writer.planReference() + "::block);\n";
  bool dependsOnTarget = llvm::any_of(copies(), [](const PlannedCopy &copy) {
    return copy.plan.inLines() || copy.plan.isByFours();
  });
  if (dependsOnTarget)
    text += "  " + names.launch + ".compiled_as(" + lifted + ", " + names.facts + ");\n";
  text += checks();
  if (const std::optional<Persistence> &kept = kernel.instances.front().persistence)
    text += "  " + names.launch + ".persist(" + quoted(kept->tensor) + ", " + kept->share + ");\n";
  text += maps();
  if (hasDynamicRings(kernel))
    text += "  " + names.launch + ".reserve(" + writer.planReference() + "::ring_bytes);\n";
  if (writer.hasClusters())
    text += "  " + names.launch + ".in_clusters(" + writer.planReference() + "::cluster);\n";
  if (writer.hasProducer())
    text += "  " + names.launch + ".launch_as(" + writer.planReference() + "::lifted_block);\n";
  text +=
      "  if (" + names.launch + ".can_lift(" + lifted + ", " + plain + ", " + names.facts + "))\n";
  std::string mapArguments;
  for (size_t i = 0; i < copies().size(); ++i)
    if (!writer.namesOf(i).map.empty())
      mapArguments += ", " + writer.namesOf(i).map;
  text += "    return " + names.launch + ".start(" + lifted + arguments() + mapArguments + ");\n";
  text += refuses ? "  return " + names.launch + ".refuse();\n"
                  : "  return " + names.launch + ".start(" + plain + arguments() + ");\n";
  if (!isTemplate)
    return text;
  // An instantiation that nobody checked runs as it was written.
  std::string indented;
  SmallVector<StringRef, 32> lines;
  StringRef(text).split(lines, '\n', -1, false);
  for (StringRef line : lines)
    indented += ("  " + line + "\n").str();
  return "  if constexpr (" + writer.planReference() + "::lifted) {\n" + indented +
         "  } else {\n    return " + names.config + ".start(" + plain + arguments() + ");\n  }\n";
}

std::string Writer::require(size_t copy, size_t index) {
  std::vector<const Plan *> plans = writer.plansOf(copy);
  CodeText code(plans, writer.planReference(), writer.constants());
  const Check &check = plans.front()->launchChecks[index];
  if (check.subject == Check::Subject::Target)
    return "  " + names.launch + ".require_fours(" + quoted(plans.front()->tile) + ", " +
           code.number([](const Plan &plan) { return plan.gather->distance; },
                       writer.namesOf(copy).tile + "_distance") +
           ");\n";
  auto values = code.each([&](const Plan &plan) { return plan.launchChecks[index].value; });
  const bool isOne = llvm::all_of(plans, [&](const Plan *plan) {
    return plan->symbols.print(plan->launchChecks[index].value) ==
           plans.front()->symbols.print(check.value);
  });
  std::string what = isOne ? plans.front()->symbols.print(check.value)
                           : "an index of the copy to '" + plans.front()->tile + "'",
              text;
  if (check.within.low != Interval::lowest || check.within.high != Interval::highest) {
    auto limit = [&](function_ref<int64_t(const Check &)> part, StringRef hint) {
      std::vector<int64_t> numbers;
      for (const Plan *plan : plans)
        numbers.push_back(part(plan->launchChecks[index]));
      bool none = numbers.front() == Interval::lowest || numbers.front() == Interval::highest;
      if (none) // further out than any index
        return std::string(numbers.front() == Interval::lowest ? "-" : "") +
               "9223372036854775807ll";
      return code.number(numbers, hint);
    };
    bool isOfLine = check.rule == rule_id::line_offset;
    text += "  " + names.launch +
            (isOfLine ? ".require_line(" : ".require(" + quoted(name_of(check.rule)) + ", ") +
            known(code.asRange(values, "check", names.launch)) + ", " +
            limit([](const Check &c) { return c.within.low; }, "least") + ", " +
            limit([](const Check &c) { return c.within.high; }, "most") + ", " + quoted(what) +
            ");\n";
  }
  if (check.multiple != 1) {
    std::vector<int64_t> multiples;
    for (const Plan *plan : plans)
      multiples.push_back(plan->launchChecks[index].multiple);
    text += "  " + names.launch + ".require_multiple(" + quoted(name_of(check.rule)) + ", " +
            known(code.inLauncher(values, "check")) + ", " + code.number(multiples, "multiple") +
            ", " + quoted(what) + ");\n";
  }
  return text;
}

std::string Writer::checks() {
  std::string text;
  for (size_t copy = 0; copy < copies().size(); ++copy)
    for (size_t i = 0; i < copies()[copy].plan.launchChecks.size(); ++i) {
      std::string one = require(copy, i);
      if (text.find(one) == std::string::npos) // copies often ask for the same
        text += one;
    }
  return text;
}

std::string Writer::mapText(size_t copy) {
  std::vector<const Plan *> plans = writer.plansOf(copy);
  const Plan &first = *plans.front();
  const CopyNames &own = writer.namesOf(copy);
  CodeText code(plans, writer.planReference(), writer.constants());
  std::string base = first.base.spelling;
  std::string tile = quoted(first.tile), tensor = quoted(base);
  if (!first.base.symbol.empty())
    base = "tilelift::address_of(" + first.base.symbol + ")";
  if (!first.base.knownAtLaunch)
    return ""; // tested at the copy
  if (first.bulk())
    return "  " + names.launch + ".bulk(" + tile + ", " + tensor + ", " + base + ");\n";

  std::string address = base;
  auto offsets = code.each([](const Plan &plan) { return plan.offset(); });
  if (llvm::any_of(offsets, [](const Polynomial &offset) { return !offset.isZero(); }))
    address = "reinterpret_cast<const char *>(" + base + ") + " +
              known(code.inLauncher(offsets, own.tile + "_offset"));
  if (llvm::any_of(plans, [](const Plan *plan) { return plan->map()->readsStart; }))
    address = "tilelift::memory_at(" + address + boxStarts(copy, code) + ")";
  std::string extents;
  for (size_t d = 0; d < first.dims().size(); ++d) {
    bool isWalked = d > 0 && d <= first.walks().size();
    extents += (d == 0 ? "{" : ", {") + extentText(copy, d, code) +
               (isWalked ? walkText(copy, d - 1, code) : "") + "}";
  }
  bool dependent = kernel.pattern->getDescribedFunctionTemplate() != nullptr;
  std::string promotion;
  std::string swizzle = swizzleOf(copy, code);
  std::optional<unsigned> promoted = copies()[copy].directive->clauses.promotion;
  if (promoted || !swizzle.empty())
    promotion = ", " + std::to_string(promoted.value_or(128)) + swizzle;
  return "  CUtensorMap " + own.map + " = " + names.launch + "." + (dependent ? "template " : "") +
         (first.pixels() ? "pixels<" : "map<") + (dependent ? "typename " : "") +
         writer.planReference() + "::" + own.box + ">(\n      " + elementType(copy, code) + ", " +
         tile + ", " + tensor + ", " + address + ", {" + extents + "}" + promotion + ");\n";
}

/// Where boxes start in each dimension, if all instances can tell.
std::string Writer::boxStarts(size_t copy, CodeText &code) {
  std::vector<const Plan *> plans = writer.plansOf(copy);
  const size_t count = plans.front()->map()->boxStarts.size();
  std::vector<std::string> starts;
  for (size_t d = 0; d < count; ++d) {
    if (llvm::any_of(plans,
                     [&](const Plan *plan) { return plan->map()->boxStarts.size() != count; }))
      return "";
    std::optional<std::string> start =
        code.asRange(code.each([&](const Plan &plan) { return plan.map()->boxStarts[d]; }),
                     writer.namesOf(copy).tile + "_" + std::to_string(d) + "_start", names.launch);
    if (!start)
      return "";
    starts.push_back(*start);
  }
  return starts.empty() ? "" : ", {" + llvm::join(starts, ", ") + "}";
}

/// How far a dimension goes, and how far apart its elements are.
std::string Writer::extentText(size_t copy, size_t d, CodeText &code) {
  const Plan &first = *writer.plansOf(copy).front();
  const PlanDimension &dim = first.dims()[d];
  std::string hint = writer.namesOf(copy).tile + "_" + std::to_string(d), text;
  auto inLauncher = [&](function_ref<Polynomial(const Plan &)> part, const char *suffix) {
    return known(code.inLauncher(code.each(part), hint + suffix)) + ", " + spelled(copy, part);
  };
  auto extent = [&](const Plan &plan) { return *plan.dims()[d].extent; };
  if (dim.extent)
    text = known(code.inLauncherExactly(code.each(extent), hint + "_extent")) + ", " +
           spelled(copy, extent);
  else if (dim.lastLength)
    text =
        "tilelift::end_of(" +
        known(code.asRange(code.each([&](const Plan &plan) { return plan.dims()[d].coordinate; }),
                           hint + "_start", names.launch)) +
        ", " + lastLength(copy, d, code) + "), \"the end of the last box\"";
  else
    text = "tilelift::unbounded, \"unbounded\"";
  if (d > 0)
    text += ", " + inLauncher([&](const Plan &plan) { return plan.dims()[d].stride; }, "_stride");
  return text;
}

/// How pixels are walked through in a dimension.
std::string Writer::walkText(size_t copy, size_t i, CodeText &code) {
  std::string hint = writer.namesOf(copy).tile + "_walk";
  auto inLauncher = [&](function_ref<Polynomial(const Plan &)> part) {
    return known(code.inLauncher(code.each(part), hint));
  };
  auto step = [&](const Plan &plan) { return plan.walks()[i].step; };
  auto start = [&](const Plan &plan) { return plan.walks()[i].first; };
  bool isCounted = writer.plansOf(copy).front()->walks()[i].count.has_value();
  return ", " +
         (isCounted ? inLauncher([&](const Plan &plan) { return *plan.walks()[i].count; })
                    : "tilelift::endless") +
         ", " + inLauncher(step) + ", " + spelled(copy, step) + ", " + inLauncher(start) + ", " +
         spelled(copy, start);
}

/// For messages, what a number is made of, if that is the same in all instantiations.
std::string Writer::spelled(size_t copy, function_ref<Polynomial(const Plan &)> value) const {
  std::vector<const Plan *> plans = writer.plansOf(copy);
  std::string text = plans.front()->symbols.print(value(*plans.front()));
  bool isOne = llvm::all_of(
      plans, [&](const Plan *plan) { return plan->symbols.print(value(*plan)) == text; });
  return quoted(isOne ? text : "by the element's size");
}

/// Instantiations may have elements of different types.
std::string Writer::elementType(size_t copy, CodeText &code) {
  std::vector<const Plan *> plans = writer.plansOf(copy);
  std::vector<int64_t> types;
  for (const Plan *plan : plans)
    types.push_back(int64_t(plan->element));
  bool isOne = llvm::all_of(types, [&](int64_t type) { return type == types.front(); });
  if (isOne)
    return std::string("tilelift::element_type::") + name_of(plans.front()->element);
  return "tilelift::element_type(" + code.number(types, writer.namesOf(copy).tile + "_element") +
         ")";
}

/// The argument, if some instantiation has a swizzle.
std::string Writer::swizzleOf(size_t copy, CodeText &code) {
  std::vector<int64_t> modes;
  for (const Plan *plan : writer.plansOf(copy))
    modes.push_back(int64_t(plan->layout.swizzle));
  if (llvm::all_of(modes, [](int64_t mode) { return mode == 0; }))
    return "";
  bool isOne = llvm::all_of(modes, [&](int64_t mode) { return mode == modes.front(); });
  if (isOne)
    return ", tilelift::swizzle_mode::b" + std::to_string(span_of(swizzle_mode(modes.front())));
  return ", tilelift::swizzle_mode(" + code.number(modes, writer.namesOf(copy).tile + "_swizzle") +
         ")";
}

std::string Writer::lastLength(size_t copy, size_t d, CodeText &code) {
  std::vector<int64_t> lengths;
  for (const Plan *plan : writer.plansOf(copy))
    lengths.push_back(*plan->dims()[d].lastLength);
  return code.number(lengths, writer.namesOf(copy).tile + "_length");
}

std::string Writer::maps() {
  std::string text;
  for (size_t copy = 0; copy < copies().size(); ++copy)
    text += mapText(copy);
  return text;
}

} // namespace

std::string templateHeader(const SourceText &source, const FunctionDecl *pattern) {
  const FunctionTemplateDecl *primary = pattern->getDescribedFunctionTemplate();
  if (!primary)
    return "";
  const TemplateParameterList *parameters = primary->getTemplateParameters();
  return source
      .between(source.offsetOf(parameters->getTemplateLoc()),
               source.endOfToken(parameters->getRAngleLoc()))
      .str();
}

bool isDeclaredForAll(const SourceText &source, const FunctionDecl *kernel) {
  unsigned declared = source.offsetOf(kernel->getCanonicalDecl()->getLocation());
  return !sharedNameOf(kernel).empty() &&
         source.fileOf(declared).begin !=
             source.fileOf(source.offsetOf(kernel->getLocation())).begin;
}

std::string launcherDeclaration(const SourceText &source, const FunctionDecl *kernel,
                                const std::string &launcher) {
  return signatureOf(source, kernel, "cudaError_t " + launcher, "") + ";\n";
}

LauncherText writeLauncher(const SourceText &source, const KernelPlan &kernel,
                           const KernelNames &names, KernelWriter &writer, bool isForAll) {
  return Writer(source, kernel, names, writer, isForAll).run();
}

} // namespace tilelift
