//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Manifest.h"

#include "tilelift/version.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

const char *nameOf(RecipeCheck::Kind kind) {
  switch (kind) {
  case RecipeCheck::Kind::Range: return "range";
  case RecipeCheck::Kind::Line: return "line";
  case RecipeCheck::Kind::Multiple: return "multiple";
  case RecipeCheck::Kind::Fours: return "fours";
  }
  return "";
}

json::Value limit(int64_t number) {
  bool isOpen = number == Interval::lowest || number == Interval::highest;
  return isOpen ? json::Value(nullptr) : json::Value(number);
}

json::Array shape(const BlockShape &shape) { return json::Array{shape[0], shape[1], shape[2]}; }

json::Object toJson(const RecipeArgument &argument) {
  return json::Object{{"name", argument.name},
                      {"type", argument.type},
                      {"kind", tilelift::nameOf(argument.kind)},
                      {"signed", argument.isSigned},
                      {"bytes", argument.bytes},
                      {"alignment", argument.alignment}};
}

json::Object toJson(const RecipeCheck &check) {
  json::Object object{{"kind", nameOf(check.kind)}, {"rule", name_of(check.rule)}};
  if (check.kind == RecipeCheck::Kind::Fours) {
    object["tile"] = check.text;
    object["distance"] = check.multiple;
    return object;
  }
  object["value"] = print(check.value);
  object["text"] = check.text;
  if (check.kind == RecipeCheck::Kind::Multiple) {
    object["multiple"] = check.multiple;
  } else {
    object["low"] = limit(check.low);
    object["high"] = limit(check.high);
  }
  return object;
}

json::Value valueOf(const std::optional<HostNumber> &number) {
  return number ? json::Value(print(*number)) : json::Value(nullptr);
}

json::Object toJson(const RecipeExtent &extent) {
  json::Object object{{"text", extent.elementsText}};
  if (extent.lastStart)
    object["endOf"] =
        json::Object{{"starts", print(*extent.lastStart)}, {"length", extent.lastLength}};
  else
    object["elements"] = valueOf(extent.elements);
  if (extent.stride) {
    object["stride"] = print(*extent.stride);
    object["strideText"] = extent.strideText;
  }
  if (const auto &walk = extent.walk)
    object["walk"] = json::Object{{"count", valueOf(walk->count)},
                                  {"step", print(walk->step)},
                                  {"stepText", walk->stepText},
                                  {"first", print(walk->first)},
                                  {"firstText", walk->firstText}};
  return object;
}

json::Object toJson(const RecipeTensor &tensor) {
  json::Object object{{"tile", tensor.tile}, {"tensor", tensor.tensor}};
  if (tensor.address.empty())
    object["variable"] = tensor.variable;
  else
    object["address"] = tensor.address;
  if (tensor.mode == Mode::Bulk) {
    object["mode"] = "bulk";
    return object;
  }
  object["mode"] = tensor.mode == Mode::Tile ? "tile" : tensor.isInLines ? "line" : "im2col";
  object["map"] = tensor.map;
  object["offset"] = print(tensor.offset);
  object["readsStart"] = tensor.isReadAtStart;
  json::Array boxStarts;
  for (const HostNumber &start : tensor.boxStarts)
    boxStarts.push_back(print(start));
  if (!boxStarts.empty())
    object["boxStarts"] = std::move(boxStarts);
  object["element"] = name_of(tensor.element);
  object["swizzle"] = span_of(tensor.swizzle);
  object["promotion"] = tensor.promotion;
  if (tensor.mode == Mode::Tile) {
    json::Array box;
    for (int64_t elements : tensor.box)
      box.push_back(elements);
    object["box"] = std::move(box);
  } else {
    object["channels"] = tensor.channels;
    object["pixels"] = tensor.pixels;
  }
  json::Array extents;
  for (const RecipeExtent &extent : tensor.extents)
    extents.push_back(toJson(extent));
  object["extents"] = std::move(extents);
  return object;
}

template <typename Item> json::Array listOf(const std::vector<Item> &items) {
  json::Array list;
  for (const Item &item : items)
    list.push_back(toJson(item));
  return list;
}

json::Object toJson(const Recipe &recipe) {
  json::Object object{{"name", recipe.kernel + recipe.templateArguments},
                      {"entry", recipe.entry},
                      {"lifted", json::Object{{"name", recipe.lifted + recipe.templateArguments},
                                              {"entry", recipe.liftedEntry},
                                              {"block", shape(recipe.liftedBlock)},
                                              {"cluster", shape(recipe.cluster)},
                                              {"ringBytes", recipe.ringBytes}}},
                      {"block", shape(recipe.block)},
                      {"fallback", recipe.mustLift ? "error" : "plain"},
                      {"arguments", listOf(recipe.arguments)},
                      {"checks", listOf(recipe.checks)},
                      {"tensors", listOf(recipe.tensors)}};
  double share = 0;
  if (!recipe.persistent.empty() && !StringRef(recipe.share).getAsDouble(share))
    object["persist"] = json::Object{{"tensor", recipe.persistent}, {"share", share}};
  return object;
}

} // namespace

const char *nameOf(RecipeArgument::Kind kind) {
  switch (kind) {
  case RecipeArgument::Kind::Pointer: return "pointer";
  case RecipeArgument::Kind::Integer: return "integer";
  case RecipeArgument::Kind::Floating: return "floating";
  case RecipeArgument::Kind::Object: return "object";
  }
  return "";
}

std::string manifestOf(ArrayRef<Recipe> recipes, StringRef source) {
  json::Array kernels;
  for (const Recipe &recipe : recipes)
    kernels.push_back(toJson(recipe));
  std::string text;
  raw_string_ostream(text) << formatv(
      "{0:2}\n", json::Value(json::Object{{"manifest", manifestVersion},
                                          {"tilelift", TILELIFT_VERSION_STRING},
                                          {"runtime", TILELIFT_RUNTIME_ABI},
                                          {"source", sys::path::filename(source)},
                                          {"kernels", std::move(kernels)}}));
  return text;
}

} // namespace tilelift
