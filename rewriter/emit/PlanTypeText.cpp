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
  const PixelAccess *pixels = plan.pixels();
  std::string type = std::string(pixels ? "tilelift::pixel_box<" : "tilelift::box<") +
                     names[unsigned(plan.element)];
  if (pixels)
    return type + ", " + std::to_string(pixels->dims.size()) + ", " +
           std::to_string(pixels->dims[0].boxOfPiece().count()) + ", " +
           std::to_string(pixels->pixelsOfPiece()) +
           (pixels->inLines ? ", tilelift::in_lines>" : ">");
  for (const PlanDimension &dim : plan.dims())
    type += ", " + std::to_string(dim.boxOfPiece().count());
  return type + ">";
}

std::string tileType(const Plan &plan) {
  SmallVector<int64_t, 3> extents = plan.extentsWithRows();
  unsigned span = span_of(plan.layout.swizzle);
  std::string type = "tilelift::" + std::string(span != 0 ? "swizzled_" : "") +
                     (plan.layout.folded ? "flat_tile<" : "tile<") + plan.tileElement;
  for (int64_t extent : extents)
    type += "[" + std::to_string(extent) + "]";
  type += ", " + std::to_string(plan.layout.pitch.count()) + ", " +
          std::to_string(plan.layout.lead.count());
  if (span != 0)
    type += ", " + std::to_string(span);
  int64_t rows = 1;
  const TileElements needed(plan.layout.bytes / Bytes(plan.tileElementSize));
  for (int64_t extent : ArrayRef(extents).drop_back())
    rows *= extent;
  if (needed > rows * plan.layout.pitch)
    type += ", " + std::to_string(needed.count());
  type += ">";
  if (!plan.layout.transposed)
    return type;
  const unsigned atOnce = plan.layout.readAtOnce;
  return "tilelift::transposed<" + type + (atOnce == 1 ? "" : ", " + std::to_string(atOnce)) + ">";
}

/// A tile of a ring that keeps its type.
std::string slotType(const PlannedCopy &copy) {
  const ASTContext &context = copy.tile->getASTContext();
  int64_t alignment = copy.plan.layout.alignment().count();
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

/// Declares a constant in the plan type: `static constexpr tilelift::block_size NAME = {x, y, z};`.
static std::string blockConstant(StringRef name, const BlockShape &shape) {
  return formatv("  static constexpr tilelift::block_size {0} = {{{1}, {2}, {3}};\n", name,
                 shape[0], shape[1], shape[2]);
}

/// The blocks that the kernel is lifted for, and what they make together.
std::string KernelWriter::blockConstants(const InstancePlan &instance) const {
  std::string text = blockConstant("block", instance.block);
  if (hasClusters())
    text += blockConstant("cluster", instance.cluster) + peerTypes(instance);
  if (hasProducer())
    text += blockConstant("lifted_block", withAddedWarp(instance.block));
  return text;
}

/// How much a copy brings at once, in bytes or as a box.
std::string KernelWriter::boxOrBytes(size_t copy, const Plan &plan) const {
  const CopyNames &own = copyNames[copy];
  const std::string bytes = std::to_string((plan.expectedBytes / plan.pieces()).count());
  if (plan.bulk())
    return "  static constexpr unsigned " + own.bytes + " = " + bytes + ";\n";
  return "  using " + own.box + " = " + boxType(plan) + ";\n  static_assert(" + own.box +
         "::bytes == " + bytes +
         (plan.kind == CopyKind::Load ? ", \"the barrier expects what the map delivers\");\n"
                                      : ", \"the map takes what the tile has\");\n");
}

/// The types and numbers of one copy, and of its tile where it is the tile's first.
std::string KernelWriter::copyTypes(size_t copy, const InstancePlan &instance) const {
  const Plan &plan = instance.copies[copy].plan;
  const CopyNames &own = copyNames[copy];
  const bool isFirst = isFirstOfTile(copy), isMoved = moved(copy) && isFirst;
  std::string text;
  if (isMoved)
    text += "  using " + tileTypeName(copy) + " = " + tileType(plan) + ";\n";
  else if (isFirst && !tilesOf(copy).empty() && needsSlots(copy))
    text += "  using " + tileTypeName(copy) + " = " + slotType(instance.copies[copy]) + ";\n";
  text += boxOrBytes(copy, plan);
  if (!own.operation.empty())
    text += "  using " + own.operation + " = decltype(" + operatorOf(*plan.reduction) + ");\n";
  if (!own.number.empty())
    text += "  using " + own.number + " = " + numberNameOf(*plan.reduction) + ";\n";
  if (isMoved && plan.hasMap())
    text += "  static_assert(sizeof(" + tileTypeName(copy) +
            ") >= " + std::to_string(plan.expectedBytes.count()) +
            ", \"the box fits the tile\");\n";
  return text;
}

/// Declares the constants in which the instances that share one text differ, with the values of one
/// instance.
std::string KernelWriter::constantsOf(size_t instance) const {
  std::string text;
  for (const PlanConstant &constant : planConstants) {
    const bool fitsInt = llvm::all_of(constant.values, [](int64_t v) { return isInt<32>(v); });
    text += "  static constexpr " + std::string(fitsInt ? "int " : "long long ") + constant.name +
            " = " + std::to_string(constant.values[instance]) + ";\n";
  }
  return text;
}

std::string KernelWriter::planType() const {
  const bool isTemplate = kernel.pattern->getDescribedFunctionTemplate() != nullptr;
  std::string text;
  for (size_t i = 0; i < kernel.instances.size(); ++i) {
    const InstancePlan &instance = kernel.instances[i];
    text += isTemplate
                ? "template <> struct " + names.plan + templateArgumentsOf(instance.function) +
                      " {\n  static constexpr bool lifted = true;\n"
                : "struct " + names.plan + " {\n";
    text += blockConstants(instance);
    for (size_t copy = 0; copy < copyNames.size(); ++copy)
      text += copyTypes(copy, instance);
    if (int64_t bytes = ringBytes(instance))
      text += "  static constexpr int ring_bytes = " + std::to_string(bytes) + ";\n";
    if (hasOverhang(kernel))
      text += "  static constexpr int overhang_bytes = " + std::to_string(overhangBytes(instance)) +
              ";\n";
    text += constantsOf(i) + "};\n";
  }
  return text;
}

} // namespace tilelift
