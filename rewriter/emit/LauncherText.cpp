//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/LauncherText.h"

#include "emit/LauncherNumbers.h"
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
         const Recipe &recipe, KernelWriter &writer, bool isForAll)
      : source(source),
        kernel(kernel),
        names(names),
        recipe(recipe),
        writer(writer),
        numbers(names.launch, writer.planReference(), writer.constants()),
        isForAll(isForAll) {}

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
  std::string arguments() const;
  std::string body();
  std::string inInstances(const std::string &body, const std::string &plain) const;
  std::string call(const std::string &call) const {
    return "  " + names.launch + "." + call + ";\n";
  }
  std::string checkText(const RecipeCheck &check) const;
  std::string bound(const InstanceNumbers &bounds, StringRef hint) const;
  std::string tensorText(const RecipeTensor &tensor) const;
  std::string startOf(const RecipeTensor &tensor) const;
  std::string extentText(const RecipeExtent &extent, const std::string &tile, size_t d) const;
  std::string walkText(const RecipeExtent::Walk &walk, const std::string &hint) const;
  std::string mapSettings(const RecipeTensor &tensor) const;
  std::string elementType(const RecipeTensor &tensor) const;
  const std::string &tileName(size_t copy) const { return writer.namesOf(copy).tile; }
  bool isTemplate() const { return kernel.pattern->getDescribedFunctionTemplate() != nullptr; }

  const SourceText &source;
  const KernelPlan &kernel;
  const KernelNames &names;
  const Recipe &recipe;
  KernelWriter &writer;
  LauncherNumbers numbers;
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

std::string Writer::body() {
  const std::string plain = kernelAsPointer(kernel.pattern,
                                            qualified(kernel.pattern) + names.arguments),
                    lifted = names.lifted + names.arguments;
  std::string text = "  static tilelift::kernel_facts " + names.facts + ";\n";
  text += "  [[maybe_unused]] const dim3 gridDim = " + names.config + ".config.gridDim;\n";
  text += "  tilelift::launch " + names.launch + "(" + quoted(names.kernel) + ", " + names.config +
          ", " + writer.planReference() + "::block);\n";
  if (recipe.dependsOnTarget)
    text += call("compiled_as(" + lifted + ", " + names.facts + ")");
  for (const RecipeCheck &check : recipe.checks)
    text += call(checkText(check));
  for (const LaunchCall &each : recipe.calls)
    text += call(each.text());
  std::string maps;
  for (const RecipeTensor &tensor : recipe.tensors) {
    text += tensorText(tensor);
    maps += tensor.map.empty() ? "" : ", " + tensor.map;
  }
  std::string added = hasDynamicRings(kernel) ? writer.planReference() + "::ring_bytes" : "";
  if (hasOverhang(kernel))
    added += (added.empty() ? "" : " + ") + writer.planReference() + "::overhang_bytes";
  if (!added.empty())
    text += call("reserve(" + added + ")");
  if (writer.hasClusters())
    text += call("in_clusters(" + writer.planReference() + "::cluster)");
  if (writer.hasProducer())
    text += call("launch_as(" + writer.planReference() + "::lifted_block)");
  text +=
      "  if (" + names.launch + ".can_lift(" + lifted + ", " + plain + ", " + names.facts + "))\n";
  text += "    return " + names.launch + ".start(" + lifted + arguments() + maps + ");\n";
  text += recipe.mustLift ? "  return " + names.launch + ".refuse();\n"
                          : "  return " + names.launch + ".start(" + plain + arguments() + ");\n";
  return isTemplate() ? inInstances(text, plain) : text;
}

/// An instantiation that nobody checked runs as it was written.
std::string Writer::inInstances(const std::string &body, const std::string &plain) const {
  std::string indented;
  SmallVector<StringRef, 32> lines;
  StringRef(body).split(lines, '\n', -1, false);
  for (StringRef line : lines)
    indented += ("  " + line + "\n").str();
  return "  if constexpr (" + writer.planReference() + "::lifted) {\n" + indented +
         "  } else {\n    return " + names.config + ".start(" + plain + arguments() + ");\n  }\n";
}

/// A number that C++ can write down, where there is none further out than any index.
std::string Writer::bound(const InstanceNumbers &bounds, StringRef hint) const {
  const int64_t first = bounds.front();
  if (first == Interval::lowest || first == Interval::highest)
    return std::string(first == Interval::lowest ? "-" : "") + "9223372036854775807ll";
  return numbers.constant(bounds, hint);
}

std::string Writer::checkText(const RecipeCheck &check) const {
  const std::string rule = quoted(name_of(check.rule)), what = quoted(check.text);
  switch (check.kind) {
  case RecipeCheck::Kind::Fours:
    return "require_fours(" + what + ", " +
           numbers.constant(check.multiple, tileName(check.copy) + "_distance") + ")";
  case RecipeCheck::Kind::Multiple: {
    const std::string value = numbers.number(check.value, "check");
    return "require_multiple(" + rule + ", " + value + ", " +
           numbers.constant(check.multiple, "multiple") + ", " + what + ")";
  }
  case RecipeCheck::Kind::Line:
  case RecipeCheck::Kind::Range: break;
  }
  std::string text =
      check.kind == RecipeCheck::Kind::Line ? "require_line(" : "require(" + rule + ", ";
  text += numbers.range(check.value, "check") + ", ";
  text += bound(check.low, "least") + ", ";
  return text + bound(check.high, "most") + ", " + what + ")";
}

/// Where the tensor begins, if boxes start so far inside of it.
std::string Writer::startOf(const RecipeTensor &tensor) const {
  const std::string hint = tileName(tensor.copy);
  std::string address = tensor.address.empty() ? "tilelift::address_of(" + tensor.tensor + ")"
                        : tensor.code.empty()  ? tensor.address
                                               : tensor.code;
  if (!tensor.offset.isZero())
    address = "reinterpret_cast<const char *>(" + address + ") + " +
              numbers.number(tensor.offset, hint + "_offset");
  if (!tensor.isReadAtStart)
    return address;
  std::string starts;
  for (size_t d = 0; d < tensor.boxStarts.size(); ++d)
    starts += (starts.empty() ? ", {" : ", ") +
              numbers.range(tensor.boxStarts[d], hint + "_" + std::to_string(d) + "_start");
  return "tilelift::memory_at(" + address + starts + (starts.empty() ? ")" : "})");
}

std::string Writer::tensorText(const RecipeTensor &tensor) const {
  const std::string called = quoted(tensor.tile) + ", " + quoted(tensor.tensor) + ", ";
  if (tensor.mode == Mode::Bulk)
    return call("bulk(" + called + startOf(tensor) + ")");
  const CopyNames &own = writer.namesOf(tensor.copy);
  const std::string start = startOf(tensor);
  std::string extents;
  for (size_t d = 0; d < tensor.extents.size(); ++d) {
    const RecipeExtent &extent = tensor.extents[d];
    extents += (d == 0 ? "{" : ", {") + extentText(extent, own.tile, d) +
               (extent.walk ? walkText(*extent.walk, own.tile + "_walk") : "") + "}";
  }
  const std::string settings = mapSettings(tensor);
  return "  CUtensorMap " + tensor.map + " = " + names.launch + "." +
         (isTemplate() ? "template " : "") + (tensor.mode == Mode::Im2col ? "pixels<" : "map<") +
         (isTemplate() ? "typename " : "") + writer.planReference() + "::" + own.box +
         ">(\n      " + elementType(tensor) + ", " + called + start + ", {" + extents + "}" +
         settings + ");\n";
}

/// How far a dimension goes, and how far apart its elements are.
std::string Writer::extentText(const RecipeExtent &extent, const std::string &tile,
                               size_t d) const {
  const std::string hint = tile + "_" + std::to_string(d);
  std::string text;
  if (extent.lastStart) {
    text = "tilelift::end_of(" + numbers.range(*extent.lastStart, hint + "_start") + ", ";
    text += numbers.constant(extent.lastLength, tile + "_length") + ")";
  } else {
    text =
        extent.elements ? numbers.exact(*extent.elements, hint + "_extent") : "tilelift::unbounded";
  }
  text += ", " + quoted(extent.elementsText);
  if (extent.stride)
    text +=
        ", " + numbers.number(*extent.stride, hint + "_stride") + ", " + quoted(extent.strideText);
  return text;
}

/// How pixels are walked through in a dimension.
std::string Writer::walkText(const RecipeExtent::Walk &walk, const std::string &hint) const {
  std::string text = walk.count ? ", " + numbers.number(*walk.count, hint) : ", tilelift::endless";
  text += ", " + numbers.number(walk.step, hint) + ", " + quoted(walk.stepText);
  return text + ", " + numbers.number(walk.first, hint) + ", " + quoted(walk.firstText);
}

/// Instances may have elements of different types.
std::string Writer::elementType(const RecipeTensor &tensor) const {
  InstanceNumbers types;
  for (const RecipeBox &box : tensor.boxes)
    types.push_back(int64_t(box.element));
  if (llvm::all_equal(types))
    return std::string("tilelift::element_type::") + name_of(tensor.boxes.front().element);
  return "tilelift::element_type(" + numbers.constant(types, tileName(tensor.copy) + "_element") +
         ")";
}

/// Of the map: how much L2 fetches at once, if the program says it, and the swizzle, if some
/// instance has one.
std::string Writer::mapSettings(const RecipeTensor &tensor) const {
  InstanceNumbers modes;
  for (const RecipeBox &box : tensor.boxes)
    modes.push_back(int64_t(box.swizzle));
  const bool isOne = llvm::all_equal(modes), isSwizzled = !isOne || modes.front() != 0;
  if (!tensor.promotion && !isSwizzled)
    return "";
  const std::string promotion = ", " + std::to_string(tensor.promotion.value_or(usualPromotion));
  if (!isSwizzled)
    return promotion;
  if (isOne)
    return promotion + ", tilelift::swizzle_mode::b" +
           std::to_string(span_of(swizzle_mode(modes.front())));
  return promotion + ", tilelift::swizzle_mode(" +
         numbers.constant(modes, tileName(tensor.copy) + "_swizzle") + ")";
}

} // namespace

std::string kernelAsPointer(const FunctionDecl *kernel, const std::string &name) {
  const FunctionDecl *first = patternOf(kernel)->getCanonicalDecl();
  const FunctionTemplateDecl *primary = first->getDescribedFunctionTemplate();
  auto isOther = [&](const NamedDecl *named) {
    const Decl *declared = named->getUnderlyingDecl()->getCanonicalDecl();
    return declared != first && (!primary || declared != primary->getCanonicalDecl());
  };
  const DeclContext *scope = first->getDeclContext()->getRedeclContext();
  return llvm::any_of(scope->lookup(first->getDeclName()), isOther)
             ? "static_cast<" + pointerTypeOf(kernel) + ">(" + name + ")"
             : name;
}

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
                           const KernelNames &names, const Recipe &recipe, KernelWriter &writer,
                           bool isForAll) {
  return Writer(source, kernel, names, recipe, writer, isForAll).run();
}

} // namespace tilelift
