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
    object["distance"] = check.multiple.front();
    return object;
  }
  object["value"] = print(check.value);
  object["text"] = check.text;
  if (check.kind == RecipeCheck::Kind::Multiple) {
    object["multiple"] = check.multiple.front();
  } else {
    object["low"] = limit(check.low.front());
    object["high"] = limit(check.high.front());
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
        json::Object{{"starts", print(*extent.lastStart)}, {"length", extent.lastLength.front()}};
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
  const RecipeBox &own = tensor.boxes.front();
  object["mode"] = tensor.mode == Mode::Tile ? "tile" : own.isInLines ? "line" : "im2col";
  object["map"] = tensor.map;
  object["offset"] = print(tensor.offset);
  object["readsStart"] = tensor.isReadAtStart;
  json::Array boxStarts;
  for (const HostNumber &start : tensor.boxStarts)
    boxStarts.push_back(print(start));
  if (!boxStarts.empty())
    object["boxStarts"] = std::move(boxStarts);
  object["element"] = name_of(own.element);
  object["swizzle"] = span_of(own.swizzle);
  object["promotion"] = tensor.promotion.value_or(usualPromotion);
  if (tensor.mode == Mode::Tile) {
    json::Array box;
    for (int64_t elements : own.sizes)
      box.push_back(elements);
    object["box"] = std::move(box);
  } else {
    object["channels"] = own.channels;
    object["pixels"] = own.pixels;
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
  const RecipeInstance &own = recipe.instance();
  json::Object object{{"name", recipe.nameOfInstance()},
                      {"entry", own.entry},
                      {"lifted", json::Object{{"name", recipe.lifted + own.templateArguments},
                                              {"entry", own.liftedEntry},
                                              {"block", shape(own.liftedBlock)},
                                              {"cluster", shape(own.cluster)},
                                              {"ringBytes", own.addedBytes}}},
                      {"block", shape(own.block)},
                      {"fallback", recipe.mustLift ? "error" : "plain"},
                      {"arguments", listOf(own.arguments)},
                      {"checks", listOf(recipe.checks)},
                      {"tensors", listOf(recipe.tensors)}};
  for (const LaunchCall &call : recipe.calls)
    object[call.name] = toJson(call);
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
