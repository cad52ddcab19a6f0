//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Recipe.h"

#include "emit/KernelText.h"

#include "clang/AST/Mangle.h"
#include "clang/Basic/TargetInfo.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

RecipeArgument argumentOf(const ParmVarDecl *parameter, const ASTContext &context) {
  RecipeArgument argument;
  const QualType type = parameter->getType().getCanonicalType();
  argument.name = parameter->getNameAsString();
  argument.type = parameter->getType().getAsString(context.getPrintingPolicy());
  argument.bytes = unsigned(context.getTypeSizeInChars(type).getQuantity());
  argument.alignment = unsigned(context.getTypeAlignInChars(type).getQuantity());
  argument.isSigned = type->isSignedIntegerOrEnumerationType();
  argument.kind = type->isPointerType() || type->isReferenceType() ? RecipeArgument::Kind::Pointer
                  : type->isIntegralOrEnumerationType()            ? RecipeArgument::Kind::Integer
                  : type->isRealFloatingType()                     ? RecipeArgument::Kind::Floating
                                                                   : RecipeArgument::Kind::Object;
  return argument;
}

HostNumber number(const Plan &plan, const Polynomial &value) {
  return known(HostNumbers(plan).number(value));
}

HostNumber range(const Plan &plan, const Polynomial &value) {
  return known(HostNumbers(plan).range(value));
}

class RecipeWriter {
public:
  RecipeWriter(const KernelPlan &kernel, const InstancePlan &instance, const KernelNames &names,
               const KernelWriter &writer)
      : kernel(kernel), instance(instance), names(names), writer(writer) {}

  Recipe run();

private:
  void addLaunch();
  void addCheck(const Plan &plan, const Check &check);
  void addTensor(const Plan &plan, const PlannedCopy &copy, const CopyNames &own);
  void addBoxStarts(const Plan &plan, RecipeTensor &tensor);
  RecipeExtent extentOf(const Plan &plan, size_t d);

  const KernelPlan &kernel;
  const InstancePlan &instance;
  const KernelNames &names;
  const KernelWriter &writer;
  Recipe recipe;
};

void RecipeWriter::addLaunch() {
  const FunctionDecl *function = instance.function;
  const ASTContext &context = function->getASTContext();
  recipe.kernel = names.kernel;
  recipe.lifted = names.lifted;
  recipe.scope = kernel.pattern->getQualifiedNameAsString();
  recipe.scope.resize(recipe.scope.size() - names.kernel.size());
  recipe.place = placeOf(context.getSourceManager(), kernel.pattern->getLocation());
  recipe.entry = ASTNameGenerator(const_cast<ASTContext &>(context)).getName(function);
  recipe.templateArguments = templateArgumentsOf(function);
  for (const ParmVarDecl *parameter : function->parameters())
    recipe.arguments.push_back(argumentOf(parameter, context));
  recipe.block = instance.block;
  recipe.liftedBlock = writer.hasProducer() ? withAddedWarp(instance.block) : instance.block;
  recipe.cluster = instance.cluster;
  recipe.ringBytes = ringBytes(instance);
  if (const std::optional<Persistence> &persistence = instance.persistence) {
    recipe.persistent = persistence->tensor;
    recipe.share = persistence->share;
  }
  recipe.mustLift = llvm::any_of(instance.copies, [](const PlannedCopy &copy) {
    return copy.directive->clauses.fallback == Fallback::Error;
  });
  recipe.dependsOnTarget = llvm::any_of(instance.copies, [](const PlannedCopy &copy) {
    return copy.plan.inLines() || copy.plan.isByFours();
  });
}

void RecipeWriter::addCheck(const Plan &plan, const Check &check) {
  RecipeCheck made;
  made.rule = check.rule;
  made.text = plan.symbols.print(check.value);
  made.mayOverflow = plan.symbols.mayOverflow(check.value);
  auto add = [&] {
    bool isKnown = llvm::any_of(recipe.checks, [&](const RecipeCheck &known) {
      return known.kind == made.kind && known.rule == made.rule && known.value == made.value &&
             known.low == made.low && known.high == made.high && known.multiple == made.multiple;
    });
    if (!isKnown) // copies often ask for the same
      recipe.checks.push_back(made);
  };
  if (check.subject == Check::Subject::Target) {
    made.kind = RecipeCheck::Kind::Fours;
    made.text = plan.tile;
    made.multiple = plan.gather->distance;
    return add();
  }
  if (check.within.low != Interval::lowest || check.within.high != Interval::highest) {
    made.kind =
        made.rule == rule_id::line_offset ? RecipeCheck::Kind::Line : RecipeCheck::Kind::Range;
    made.value = range(plan, check.value);
    made.low = check.within.low;
    made.high = check.within.high;
    add();
  }
  if (check.multiple == 1)
    return;
  made.kind = RecipeCheck::Kind::Multiple;
  made.value = number(plan, check.value);
  made.low = made.high = 0;
  made.multiple = check.multiple;
  add();
}

/// How far a dimension goes, how far apart its elements are, how pixels are walked through.
RecipeExtent RecipeWriter::extentOf(const Plan &plan, size_t d) {
  const PlanDimension &dim = plan.dims()[d];
  RecipeExtent extent;
  if (dim.extent) {
    extent.elements = number(plan, *dim.extent);
    extent.mayOverflow = plan.symbols.mayOverflow(*dim.extent);
    extent.elementsText = plan.symbols.print(*dim.extent);
  } else if (dim.lastLength) {
    extent.lastStart = range(plan, dim.coordinate);
    extent.mayOverflow = plan.symbols.mayOverflow(dim.coordinate);
    extent.lastLength = *dim.lastLength;
    extent.elementsText = "the end of the last box";
  } else {
    extent.elementsText = "unbounded";
  }
  if (d > 0) {
    extent.stride = number(plan, dim.stride);
    extent.strideText = plan.symbols.print(dim.stride);
  }
  if (d > 0 && d <= plan.walks().size()) {
    const Walk &walk = plan.walks()[d - 1];
    extent.walk =
        RecipeExtent::Walk{std::nullopt, number(plan, walk.step), plan.symbols.print(walk.step),
                           number(plan, walk.first), plan.symbols.print(walk.first)};
    if (walk.count)
      extent.walk->count = number(plan, *walk.count);
  }
  return extent;
}

/// Where boxes start, if the launcher has names for all that they depend on.
void RecipeWriter::addBoxStarts(const Plan &plan, RecipeTensor &tensor) {
  for (const Polynomial &start : plan.map()->boxStarts) {
    std::optional<HostNumber> number = HostNumbers(plan).range(start);
    if (!number)
      return tensor.boxStarts.clear();
    tensor.boxStarts.push_back(std::move(*number));
    tensor.startsMayOverflow |= plan.symbols.mayOverflow(start);
  }
}

void RecipeWriter::addTensor(const Plan &plan, const PlannedCopy &copy, const CopyNames &own) {
  if (!plan.base.knownAtLaunch)
    return; // tested at the copy
  RecipeTensor tensor;
  tensor.mode = plan.mode();
  tensor.map = own.map;
  tensor.tile = plan.tile;
  tensor.tensor = plan.base.name();
  tensor.address = plan.base.symbol.empty() ? plan.base.spelling : "";
  if (plan.bulk()) {
    recipe.tensors.push_back(std::move(tensor));
    return;
  }
  tensor.offset = number(plan, plan.offset());
  tensor.isReadAtStart = plan.map()->readsStart;
  addBoxStarts(plan, tensor);
  tensor.element = plan.element;
  tensor.swizzle = plan.layout.swizzle;
  tensor.promotion = copy.directive->clauses.promotion.value_or(128);
  tensor.isInLines = plan.inLines();
  if (const PixelAccess *pixels = plan.pixels()) {
    tensor.channels = pixels->dims[0].boxOfPiece();
    tensor.pixels = pixels->pixelsOfPiece();
  } else {
    for (const PlanDimension &dim : plan.dims())
      tensor.box.push_back(dim.boxOfPiece());
  }
  for (size_t d = 0; d < plan.dims().size(); ++d)
    tensor.extents.push_back(extentOf(plan, d));
  recipe.tensors.push_back(std::move(tensor));
}

Recipe RecipeWriter::run() {
  addLaunch();
  for (size_t i = 0; i < instance.copies.size(); ++i)
    for (const Check &check : instance.copies[i].plan.launchChecks)
      addCheck(instance.copies[i].plan, check);
  for (size_t i = 0; i < instance.copies.size(); ++i)
    addTensor(instance.copies[i].plan, instance.copies[i], writer.namesOf(i));
  return std::move(recipe);
}

} // namespace

Recipe recipeOf(const KernelPlan &kernel, size_t instance, const KernelNames &names,
                const KernelWriter &writer) {
  return RecipeWriter(kernel, kernel.instances[instance], names, writer).run();
}

} // namespace tilelift
