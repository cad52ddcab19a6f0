//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan type, which the sibling kernel and the launcher share: boxes, tiles, rings and the
// numbers that differ between instantiations.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "emit/DeadVariables.h"
#include "facts/MemoryUses.h"
#include "support/DeclaredNames.h"
#include "support/Words.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::string boxType(const Plan &plan) {
  const char *names[] = {
      "unsigned char", "unsigned short", "unsigned", "int",    "unsigned long long",
      "long long",     "unsigned short", "float",    "double", "unsigned short",
      "float"};
  bool isBox = plan.mode == Mode::Tile;
  std::string type = std::string(isBox ? "tilelift::box<" : "tilelift::pixel_box<") +
                     names[unsigned(plan.element)];
  if (!isBox)
    return type + ", " + std::to_string(plan.dims.size()) + ", " +
           std::to_string(plan.dims[0].boxOfPiece()) + ", " + std::to_string(plan.pixelsOfPiece()) +
           (plan.inLines ? ", tilelift::in_lines>" : ">");
  for (const PlanDimension &dim : plan.dims)
    type += ", " + std::to_string(dim.boxOfPiece());
  return type + ">";
}

std::string tileType(const Plan &plan) {
  SmallVector<int64_t, 3> extents = plan.extentsWithRows();
  unsigned span = span_of(plan.layout.swizzle);
  std::string type = "tilelift::" + std::string(span != 0 ? "swizzled_" : "") +
                     (plan.layout.folded ? "flat_tile<" : "tile<") + plan.tileElement;
  for (int64_t extent : extents)
    type += "[" + std::to_string(extent) + "]";
  type += ", " + std::to_string(plan.layout.pitch) + ", " + std::to_string(plan.layout.lead);
  if (span != 0)
    type += ", " + std::to_string(span);
  int64_t rows = 1, needed = plan.layout.bytes / plan.tileElementSize;
  for (int64_t extent : ArrayRef(extents).drop_back())
    rows *= extent;
  if (needed > rows * plan.layout.pitch)
    type += ", " + std::to_string(needed);
  return type + ">";
}

/// A tile of a ring that keeps its type.
std::string slotType(const PlannedCopy &copy) {
  const ASTContext &context = copy.tile->getASTContext();
  int64_t alignment = copy.plan.layout.alignment();
  // The plan stands outside of the function.
  QualType type = copy.tile->getType().getUnqualifiedType();
  std::string extents;
  while (const auto *array = context.getAsConstantArrayType(type)) {
    extents += "[" + std::to_string(array->getZExtSize()) + "]";
    type = array->getElementType().getUnqualifiedType();
  }
  return "tilelift::slot<" + nameOutside(type, context) + extents +
         (alignment == 128 ? "" : ", " + std::to_string(alignment)) + ">";
}

} // namespace

std::string KernelWriter::planType() const {
  bool isTemplate = kernel.pattern->getDescribedFunctionTemplate() != nullptr;
  std::string text;
  for (size_t i = 0; i < kernel.instances.size(); ++i) {
    const InstancePlan &instance = kernel.instances[i];
    if (isTemplate) {
      text += "template <> struct " + names.plan + templateArgumentsOf(instance.function) + " {\n";
      text += "  static constexpr bool lifted = true;\n";
    } else {
      text += "struct " + names.plan + " {\n";
    }
    text += "  static constexpr tilelift::block_size block = {" +
            std::to_string(instance.block[0]) + ", " + std::to_string(instance.block[1]) + ", " +
            std::to_string(instance.block[2]) + "};\n";
    if (hasClusters()) {
      text += formatv("  static constexpr tilelift::block_size cluster = {{{0}, {1}, {2}};\n",
                      instance.cluster[0], instance.cluster[1], instance.cluster[2]);
      text += peerTypes(instance);
    }
    if (hasProducer()) {
      BlockShape block = withAddedWarp(instance.block);
      text += formatv("  static constexpr tilelift::block_size lifted_block = {{{0}, {1}, {2}};\n",
                      block[0], block[1], block[2]);
    }
    for (size_t copy = 0; copy < copyNames.size(); ++copy) {
      const Plan &plan = instance.copies[copy].plan;
      const bool first = isFirstOfTile(copy);
      if (moved(copy) && first)
        text += "  using " + tileTypeName(copy) + " = " + tileType(plan) + ";\n";
      else if (first && !tilesOf(copy).empty() && needsSlots(copy))
        text += "  using " + tileTypeName(copy) + " = " + slotType(instance.copies[copy]) + ";\n";
      if (plan.mode == Mode::Bulk)
        text += "  static constexpr unsigned " + copyNames[copy].bytes + " = " +
                std::to_string(plan.expectedBytes / plan.pieces()) + ";\n";
      else
        text += "  using " + copyNames[copy].box + " = " + boxType(plan) + ";\n  static_assert(" +
                copyNames[copy].box +
                "::bytes == " + std::to_string(plan.expectedBytes / plan.pieces()) +
                (plan.kind == CopyKind::Load ? ", \"the barrier expects what the map delivers\");\n"
                                             : ", \"the map takes what the tile has\");\n");
      if (!copyNames[copy].operation.empty())
        text += "  using " + copyNames[copy].operation + " = decltype(" +
                operatorOf(*plan.reduction) + ");\n";
      if (!copyNames[copy].number.empty())
        text += "  using " + copyNames[copy].number + " = " + numberNameOf(*plan.reduction) + ";\n";
      if (moved(copy) && first && plan.hasMap())
        text += "  static_assert(sizeof(" + tileTypeName(copy) +
                ") >= " + std::to_string(plan.expectedBytes) + ", \"the box fits the tile\");\n";
    }
    if (int64_t bytes = ringBytes(instance))
      text += "  static constexpr int ring_bytes = " + std::to_string(bytes) + ";\n";
    for (const PlanConstant &constant : planConstants) {
      bool fitsInt = llvm::all_of(constant.values, [](int64_t v) { return isInt<32>(v); });
      text += "  static constexpr " + std::string(fitsInt ? "int " : "long long ") + constant.name +
              " = " + std::to_string(constant.values[i]) + ";\n";
    }
    text += "};\n";
  }
  return text;
}

} // namespace tilelift
