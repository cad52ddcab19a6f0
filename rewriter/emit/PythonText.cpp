//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/PythonText.h"

#include "support/Words.h"
#include "tilelift/version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilelift {
namespace {

bool isKeyword(StringRef name) {
  static const StringSet<> names = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return names.contains(name);
}

/// Not as a module of ours, or Python, calls something else.
std::string pythonName(StringRef name) {
  static const StringSet<> taken = {"launch", "quotient",       "remainder", "counted", "between",
                                    "Kernel", "function_names", "either",    "_launch", "_typing"};
  return (name + (isKeyword(name) || taken.contains(name) ? "_" : "")).str();
}

/// Numbers are written as in docs/hosts.md; only names are others.
class Python : public HostLanguage {
public:
  std::string argument(StringRef name) const override {
    const StringRef root = name.take_while(isOfName);
    std::string text = root == "gridDim" ? "launch.grid" : pythonName(root);
    SmallVector<StringRef, 2> members;
    name.drop_front(root.size()).split(members, '.', -1, /*KeepEmpty=*/false);
    for (StringRef member : members)
      text = isKeyword(member) ? "getattr(" + text + ", \"" + member.str() + "\")"
                               : text + "." + member.str();
    return text;
  }

  std::string function(HostNumber::Kind kind) const override {
    return (kind == HostNumber::Kind::BlockIndex ? "launch." : "") + HostLanguage::function(kind);
  }
};

std::string pythonText(const HostNumber &number) { return print(number, Python()); }

std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text)
    result += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "\"";
}

std::string tuple(ArrayRef<std::string> parts) {
  return "(" + llvm::join(parts, ", ") + (parts.size() == 1 ? ",)" : ")");
}

template <typename Numbers> std::string tupleOf(const Numbers &numbers) {
  std::vector<std::string> parts;
  for (auto number : numbers)
    parts.push_back(std::to_string(number));
  return tuple(parts);
}

/// How the value is passed: "pointer", "i32", "f64", or bytes of an object.
std::string kindOf(const RecipeArgument &argument) {
  switch (argument.kind) {
  case RecipeArgument::Kind::Pointer: return quoted("pointer");
  case RecipeArgument::Kind::Integer:
    return quoted((argument.isSigned ? "i" : "u") + std::to_string(argument.bytes * 8));
  case RecipeArgument::Kind::Floating: return quoted("f" + std::to_string(argument.bytes * 8));
  case RecipeArgument::Kind::Object: return std::to_string(argument.bytes);
  }
  return "";
}

std::string limit(int64_t number) {
  bool isOpen = number == Interval::lowest || number == Interval::highest;
  return isOpen ? "None" : std::to_string(number);
}

std::string checkText(const RecipeCheck &check) {
  const std::string rule = quoted(name_of(check.rule)), value = pythonText(check.value);
  switch (check.kind) {
  case RecipeCheck::Kind::Fours:
    return "launch.require_fours(" + quoted(check.text) + ", " +
           std::to_string(check.multiple.front()) + ")";
  case RecipeCheck::Kind::Multiple:
    return "launch.require_multiple(" + rule + ", " + value + ", " +
           std::to_string(check.multiple.front()) + ", " + quoted(check.text) + ")";
  case RecipeCheck::Kind::Line:
  case RecipeCheck::Kind::Range:
    return std::string("launch.require") +
           (check.kind == RecipeCheck::Kind::Line ? "_line(" : "(") + rule + ", " + value + ", " +
           limit(check.low.front()) + ", " + limit(check.high.front()) + ", " + quoted(check.text) +
           ")";
  }
  return "";
}

/// (elements, text[, stride, text[, count, step, text, first, text]])
std::string extentText(const RecipeExtent &extent) {
  std::vector<std::string> parts;
  parts.push_back(extent.lastStart  ? "launch.end_of(" + pythonText(*extent.lastStart) + ", " +
                                          std::to_string(extent.lastLength.front()) + ")"
                  : extent.elements ? pythonText(*extent.elements)
                                    : "None");
  parts.push_back(quoted(extent.elementsText));
  if (extent.stride) {
    parts.push_back(pythonText(*extent.stride));
    parts.push_back(quoted(extent.strideText));
  }
  if (const auto &walk = extent.walk) {
    parts.push_back(walk->count ? pythonText(*walk->count) : "None");
    parts.push_back(pythonText(walk->step));
    parts.push_back(quoted(walk->stepText));
    parts.push_back(pythonText(walk->first));
    parts.push_back(quoted(walk->firstText));
  }
  return tuple(parts);
}

/// Where boxes start, if they say which of them lie outside; else any may.
std::string startsText(const RecipeTensor &tensor) {
  std::vector<std::string> starts;
  for (const HostNumber &start : tensor.boxStarts)
    starts.push_back(pythonText(start));
  return tuple(starts);
}

std::string tensorText(const RecipeTensor &tensor) {
  const std::string names = quoted(tensor.tile) + ", " + quoted(tensor.tensor);
  const std::string address = tensor.address.empty()
                                  ? "launch.variable(" + quoted(tensor.variable) + ")"
                                  : Python().argument(tensor.address);
  if (tensor.mode == Mode::Bulk)
    return "    launch.bulk(" + names + ", " + address + ")\n";
  const RecipeBox &box = tensor.boxes.front();
  std::string text = tensor.mode == Mode::Tile ? "launch.tiled(" : "launch.pixels(";
  text = "    " + text + quoted(tensor.map) + ", " + names + ", " + quoted(name_of(box.element)) +
         ", " + address + ", " + pythonText(tensor.offset) + ",\n";
  const std::string indent(8, ' ');
  text += indent +
          (tensor.mode == Mode::Tile ? tupleOf(box.sizes)
                                     : tupleOf(SmallVector<int64_t, 2>{box.channels, box.pixels})) +
          ", [";
  for (const RecipeExtent &extent : tensor.extents)
    text += (&extent == &tensor.extents.front() ? "" : ",\n" + indent + " ") + extentText(extent);
  text += "],\n" + indent + "swizzle=" + std::to_string(span_of(box.swizzle)) +
          ", promotion=" + std::to_string(tensor.promotion.value_or(usualPromotion)) +
          (tensor.isReadAtStart ? ", reads_start=" + startsText(tensor) : "");
  return text + (box.isInLines ? ", in_lines=True)\n" : ")\n");
}

/// `conv_4_64` of an instantiation, and another name where there are two of one.
std::string nameOf(const Recipe &recipe, StringSet<> &taken) {
  std::string name = recipe.kernel;
  for (char c : recipe.instance().templateArguments)
    name += isAlnum(c) ? c : '_';
  while (name.back() == '_' && name.size() > recipe.kernel.size())
    name.pop_back();
  name = pythonName(name);
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

/// The kernel as the program declares it.
std::string signatureOf(const Recipe &recipe) {
  std::string parameters;
  for (const RecipeArgument &argument : recipe.instance().arguments)
    parameters += (parameters.empty() ? "" : ", ") + argument.type +
                  (StringRef(argument.type).ends_with("*") ? "" : " ") + argument.name;
  return "void " + recipe.nameOfInstance() + "(" + parameters + ")";
}

std::string kernelText(const Recipe &recipe, StringSet<> &taken) {
  const RecipeInstance &own = recipe.instance();
  const std::string name = nameOf(recipe, taken);
  std::string parameters = "launch", plan;
  std::vector<std::string> arguments;
  for (const RecipeArgument &argument : own.arguments) {
    parameters += ", " + pythonName(argument.name);
    arguments.push_back("(" + quoted(argument.name) + ", " + kindOf(argument) + ")");
  }
  for (const RecipeCheck &check : recipe.checks)
    plan += "    " + checkText(check) + "\n";
  for (const LaunchCall &call : recipe.calls)
    plan += "    launch." + call.text() + "\n";
  for (const RecipeTensor &tensor : recipe.tensors)
    plan += tensorText(tensor);
  std::string text =
      "\n\ndef _plan_" + name + "(" + parameters + "):\n" + (plan.empty() ? "    pass\n" : plan);
  text += "\n\n" + name + " = Kernel(\n    " + quoted(recipe.nameOfInstance()) +
          ", signature=" + quoted(signatureOf(recipe)) + ",\n    entry=" + quoted(own.entry) +
          ",\n    lifted_entry=" + quoted(own.liftedEntry) +
          ",\n    arguments=" + tuple(arguments) + ",\n    block=" + tupleOf(own.block);
  if (own.liftedBlock != own.block)
    text += ", lifted_block=" + tupleOf(own.liftedBlock);
  if (own.cluster != BlockShape{1, 1, 1})
    text += ", cluster=" + tupleOf(own.cluster);
  if (own.addedBytes != 0)
    text += ", ring_bytes=" + std::to_string(own.addedBytes);
  if (recipe.mustLift)
    text += ", must_lift=True";
  if (!recipe.scope.empty())
    text += ", scope=" + quoted(recipe.scope);
  return text + ", plan=_plan_" + name + ").launcher\n";
}

/// What a type checker lets a caller give for the argument.
std::string typeOf(const RecipeArgument &argument) {
  switch (argument.kind) {
  case RecipeArgument::Kind::Pointer: return "_launch.Pointer";
  case RecipeArgument::Kind::Integer: return "_launch.Integer";
  case RecipeArgument::Kind::Floating: return "_launch.Floating";
  case RecipeArgument::Kind::Object: return "_launch.Object";
  }
  return "";
}

/// What every launcher takes by name.
constexpr StringRef parametersByName = "        block: _typing.Optional[_launch.Sizes] = ..., "
                                       "shared: int = ..., stream: _typing.Any = ...,\n"
                                       "        attributes: _typing.Sequence[_typing.Any] = ..., "
                                       "into: _typing.Optional[_launch.Dispatch] = ...,\n";

std::string launcherType(const Recipe &recipe, StringSet<> &taken) {
  const std::string name = nameOf(recipe, taken);
  StringSet<> parameters = {"self",   "kernels", "grid",       "block",
                            "shared", "stream",  "attributes", "into"};
  std::string arguments;
  for (const RecipeArgument &argument : recipe.instance().arguments) {
    std::string own = pythonName(argument.name);
    while (!parameters.insert(own).second)
      own += "_";
    arguments += " " + own + ": " + typeOf(argument) + ",";
  }
  return "\n\nclass _Launcher_" + name + "(_typing.Protocol):\n    \"\"\"" + signatureOf(recipe) +
         "\"\"\"\n    kernel: _launch.Kernel\n\n    def __call__(\n"
         "        self, kernels: _launch.Handles, grid: _launch.Sizes," +
         arguments + " /, *,\n" + parametersByName.str() + "    ) -> bool: ...\n\n\n" + name +
         ": _Launcher_" + name + "\n";
}

} // namespace

std::string pythonTypesOf(ArrayRef<Recipe> recipes, StringRef source) {
  std::string text =
      "# Types of the launchers of " + sys::path::filename(source).str() +
      ", written by tilelift " TILELIFT_VERSION_STRING ".\n"
      "import typing as _typing\n\n"
      "from tilelift import launch as _launch\n\nfunction_names: _typing.List[str]\n";
  StringSet<> taken;
  for (const Recipe &recipe : recipes)
    text += launcherType(recipe, taken);
  return text;
}

std::string pythonOf(ArrayRef<Recipe> recipes, StringRef source) {
  std::string text =
      "# Launchers of the lifted kernels of " + sys::path::filename(source).str() +
      ", written by tilelift " TILELIFT_VERSION_STRING ".\n#\n"
      "# Each takes the handles of what the device source was compiled to, by the "
      "names in\n# function_names, a grid, and the kernel's own arguments.\n"
      "from tilelift.launch import Kernel, between, counted, either, quotient, remainder  # "
      "noqa: F401\n\nfunction_names = [";
  for (const Recipe &recipe : recipes)
    text += std::string(&recipe == &recipes.front() ? "" : ",") + "\n    " +
            quoted(recipe.instance().entry) + ",\n    " + quoted(recipe.instance().liftedEntry);
  text += recipes.empty() ? "]\n" : ",\n]\n";
  StringSet<> taken;
  for (const Recipe &recipe : recipes)
    text += kernelText(recipe, taken);
  return text;
}

} // namespace tilelift
