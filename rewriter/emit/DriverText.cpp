//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/DriverText.h"

#include "support/Words.h"
#include "text/Formatted.h"
#include "tilelift/version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilelift {
namespace {

/// An argument that has the name of something of ours.
std::string cppName(StringRef name) {
  bool isTaken = llvm::is_contained({"launch", "kernels", "config", "into"}, name);
  return (name + (isTaken ? "_" : "")).str();
}

/// C++: in 64 bits, or by ranges of single numbers, which do not overflow.
class Cpp : public HostLanguage {
public:
  explicit Cpp(bool mayOverflow) : mayOverflow(mayOverflow) {}

  std::string number(int64_t value) const override { return std::to_string(value) + "ll"; }

  std::string argument(StringRef name) const override {
    const StringRef root = name.take_while(isOfName), members = name.drop_front(root.size());
    if (root == "gridDim")
      return "launch.grid_size(" + std::to_string(members.back() - 'x') + ")";
    const std::string text = "(long long)" + cppName(root) + members.str();
    return mayOverflow ? "tilelift::range(" + text + ")" : text;
  }

  std::string function(HostNumber::Kind kind) const override {
    switch (kind) {
    case HostNumber::Kind::BlockIndex: return "launch.block_index";
    case HostNumber::Kind::Between: return "tilelift::range";
    default: return "tilelift::" + HostLanguage::function(kind);
    }
  }

private:
  bool mayOverflow;
};

std::string cppText(const HostNumber &number) { return print(number, Cpp(false)); }

/// Does not overflow where 64 bits may not hold the number.
std::string exactText(const HostNumber &number) { return print(number, Cpp(number.mayOverflow)); }

std::string quoted(StringRef text) { return ("\"" + text + "\"").str(); }

/// A number that C++ can write down.
std::string limit(int64_t number) {
  return number == Interval::lowest    ? "-9223372036854775807ll"
         : number == Interval::highest ? "9223372036854775807ll"
                                       : std::to_string(number) + "ll";
}

std::string blockText(const BlockShape &block) {
  return "{" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ", " +
         std::to_string(block[2]) + "}";
}

std::string typeOf(const RecipeArgument &argument, size_t number) {
  const std::string bits = std::to_string(argument.bytes * 8);
  switch (argument.kind) {
  case RecipeArgument::Kind::Pointer: return "CUdeviceptr";
  case RecipeArgument::Kind::Integer:
    return std::string("std::") + (argument.isSigned ? "int" : "uint") + bits + "_t";
  case RecipeArgument::Kind::Floating: return argument.bytes == 8 ? "double" : "float";
  case RecipeArgument::Kind::Object: return "const Object" + std::to_string(number) + " &";
  }
  return "";
}

std::string checkText(const RecipeCheck &check) {
  const std::string rule = quoted(name_of(check.rule)), what = quoted(check.text);
  switch (check.kind) {
  case RecipeCheck::Kind::Fours:
    return "require_fours(" + what + ", " + std::to_string(check.multiple.front()) + ")";
  case RecipeCheck::Kind::Multiple:
    return "require_multiple(" + rule + ", " + cppText(check.value) + ", " +
           std::to_string(check.multiple.front()) + "ll, " + what + ")";
  case RecipeCheck::Kind::Line:
  case RecipeCheck::Kind::Range:
    return (check.kind == RecipeCheck::Kind::Line ? "require_line(" : "require(" + rule + ", ") +
           exactText(check.value) + ", " + limit(check.low.front()) + ", " +
           limit(check.high.front()) + ", " + what + ")";
  }
  return "";
}

std::string extentText(const RecipeExtent &extent) {
  std::string text = "{" +
                     (extent.lastStart ? "tilelift::end_of(" + exactText(*extent.lastStart) + ", " +
                                             std::to_string(extent.lastLength.front()) + "ll)"
                      : extent.elements ? exactText(*extent.elements)
                                        : "tilelift::unbounded") +
                     ", " + quoted(extent.elementsText);
  if (extent.stride)
    text += ", " + cppText(*extent.stride) + ", " + quoted(extent.strideText);
  if (const auto &walk = extent.walk)
    text += ", " + (walk->count ? cppText(*walk->count) : "tilelift::endless") + ", " +
            cppText(walk->step) + ", " + quoted(walk->stepText) + ", " + cppText(walk->first) +
            ", " + quoted(walk->firstText);
  return text + "}";
}

/// The box, in elements of whatever type has that size.
std::string boxText(const RecipeTensor &tensor) {
  const RecipeBox &box = tensor.boxes.front();
  constexpr const char *bySize[] = {"", "char", "short", "", "int", "", "", "", "double"};
  const std::string element = bySize[size_of(box.element)];
  if (tensor.mode == Mode::Im2col)
    return "tilelift::pixel_box<" + element + ", " + std::to_string(tensor.extents.size()) + ", " +
           std::to_string(box.channels) + ", " + std::to_string(box.pixels) +
           (box.isInLines ? ", tilelift::in_lines>" : ">");
  std::string text = "tilelift::box<" + element;
  for (int64_t elements : box.sizes)
    text += ", " + std::to_string(elements);
  return text + ">";
}

std::string addressOf(const RecipeTensor &tensor) {
  if (tensor.address.empty())
    return "launch.variable(" + quoted(tensor.variable) + ")";
  auto [root, members] = StringRef(tensor.address).split('.');
  return "tilelift::driver::address_of(" + cppName(root) +
         (members.empty() ? "" : "." + members.str()) + ")";
}

std::string startsText(const RecipeTensor &tensor) {
  std::string text;
  for (const HostNumber &start : tensor.boxStarts)
    text += (text.empty() ? ", {" : ", ") + exactText(start);
  return text + (text.empty() ? "" : "}");
}

std::string tensorText(const RecipeTensor &tensor) {
  const std::string names = quoted(tensor.tile) + ", " + quoted(tensor.tensor) + ", ";
  if (tensor.mode == Mode::Bulk)
    return "  launch.bulk(" + names + "tilelift::driver::at(" + addressOf(tensor) + ", 0));\n";
  std::string extents;
  for (const RecipeExtent &extent : tensor.extents)
    extents += (extents.empty() ? "" : ",\n       ") + extentText(extent);
  const unsigned span = span_of(tensor.boxes.front().swizzle);
  std::string start =
      "tilelift::driver::at(" + addressOf(tensor) + ", " + cppText(tensor.offset) + ")";
  if (tensor.isReadAtStart)
    start = "tilelift::memory_at(" + start + startsText(tensor) + ")";
  return "  const CUtensorMap " + tensor.map + " = launch." +
         (tensor.mode == Mode::Im2col ? "pixels<" : "map<") + boxText(tensor) +
         ">(\n      tilelift::element_type::" + name_of(tensor.boxes.front().element) + ", " +
         names + "\n      " + start + ",\n      {" + extents + "},\n      " +
         std::to_string(tensor.promotion.value_or(usualPromotion)) +
         ", tilelift::swizzle_mode::" + (span == 0 ? "none" : "b" + std::to_string(span)) + ");\n";
}

std::string functionName(const Recipe &recipe, StringSet<> &taken) {
  std::string name = recipe.kernel;
  for (char c : recipe.instance().templateArguments)
    name += isAlnum(c) ? c : '_';
  while (name.back() == '_' && name.size() > recipe.kernel.size())
    name.pop_back();
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

std::string functionText(const Recipe &recipe, StringSet<> &taken) {
  const RecipeInstance &own = recipe.instance();
  std::string parameters, passed, objects, checks, maps;
  int count = 0;
  for (size_t i = 0; i < own.arguments.size(); ++i) {
    const RecipeArgument &argument = own.arguments[i];
    const std::string name = cppName(argument.name), type = typeOf(argument, i);
    parameters += ",\n    " + type + (StringRef(type).ends_with("&") ? "" : " ") + name;
    passed += ", " + name;
    if (argument.kind != RecipeArgument::Kind::Object)
      continue;
    objects += (objects.empty() ? "" : ", ") + ("typename Object" + std::to_string(i));
    checks += "  static_assert(sizeof(" + name + ") == " + std::to_string(argument.bytes) +
              ", \"'" + argument.name + "' is a " + argument.type + "\");\n";
  }
  std::string text = "\n/// " + recipe.nameOfInstance() + "(";
  for (const RecipeArgument &argument : own.arguments)
    text += (&argument == &own.arguments.front() ? "" : ", ") + argument.type +
            (StringRef(argument.type).ends_with("*") ? "" : " ") + argument.name;
  text += "), in blocks of " + std::to_string(own.block[0]) + " x " + std::to_string(own.block[1]) +
          " x " + std::to_string(own.block[2]) + "\n";
  text += objects.empty() ? "" : "template <" + objects + ">\n";
  text += "inline CUresult " + functionName(recipe, taken) +
          "(\n    tilelift::driver::kernels &kernels, const CUlaunchConfig &config" + parameters +
          ",\n    tilelift::driver::dispatch *into = nullptr) {\n" + checks;
  text += "  tilelift::driver::launch launch(" + quoted(recipe.kernel) + ", kernels, " +
          quoted(own.entry) + ",\n      " + quoted(own.liftedEntry) + ", config, " +
          blockText(own.block) + ", into);\n";
  for (const RecipeCheck &check : recipe.checks)
    text += "  launch." + checkText(check) + ";\n";
  for (const LaunchCall &call : recipe.calls)
    text += "  launch." + call.text() + ";\n";
  for (const RecipeTensor &tensor : recipe.tensors) {
    text += tensorText(tensor);
    if (tensor.mode == Mode::Bulk)
      continue;
    maps += (maps.empty() ? "" : ", ") + tensor.map;
    ++count;
  }
  if (own.addedBytes != 0)
    text += "  launch.reserve(" + std::to_string(own.addedBytes) + ");\n";
  if (own.cluster != BlockShape{1, 1, 1})
    text += "  launch.in_clusters(" + blockText(own.cluster) + ");\n";
  if (own.liftedBlock != own.block)
    text += "  launch.launch_as(" + blockText(own.liftedBlock) + ");\n";
  return text + "  return launch.finish(" + (recipe.mustLift ? "true" : "false") +
         ", std::array<CUtensorMap, " + std::to_string(count) + ">{" + maps + "}" + passed +
         ");\n}\n";
}

} // namespace

std::string driverOf(ArrayRef<Recipe> recipes, StringRef source) {
  std::string space = sys::path::stem(source).str();
  for (char &c : space)
    c = isAlnum(c) ? c : '_';
  if (isDigit(space.front()))
    space = "_" + space;
  std::string text =
      "// Launchers of the lifted kernels of " + sys::path::filename(source).str() +
      " over the driver API, written by tilelift " TILELIFT_VERSION_STRING ".\n//\n"
      "// Each takes kernels by their entry names, a launch configuration, and the "
      "kernel's own arguments;\n// `into` leaves its start to a dispatch of several.\n"
      "#pragma once\n\n#include <tilelift/driver.h>\n\n#include <cstdint>\n\n"
      "namespace " +
      space + "_launchers {\n";
  StringSet<> taken;
  for (const Recipe &recipe : recipes)
    text += functionText(recipe, taken);
  text += "\n} // namespace " + space + "_launchers\n";
  return formatted(text, space + ".h");
}

} // namespace tilelift
