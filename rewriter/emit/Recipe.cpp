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

std::vector<const Plan *> plansOf(ArrayRef<const InstancePlan *> instances, size_t copy) {
  std::vector<const Plan *> plans;
  for (const InstancePlan *instance : instances)
    plans.push_back(&instance->copies[copy].plan);
  return plans;
}

class RecipeWriter {
public:
  RecipeWriter(const KernelPlan &kernel, ArrayRef<size_t> chosen, const KernelNames &names,
               const KernelWriter &writer)
      : kernel(kernel), names(names), writer(writer) {
    for (size_t i : chosen)
      instances.push_back(&kernel.instances[i]);
  }

  Recipe run();

private:
  void addLaunch();
  RecipeInstance instanceOf(const InstancePlan &instance) const;
  void addCheck(size_t copy, size_t index);
  void addTensors();

  const std::vector<PlannedCopy> &copies() const { return instances.front()->copies; }

  const KernelPlan &kernel;
  SmallVector<const InstancePlan *, 4> instances;
  const KernelNames &names;
  const KernelWriter &writer;
  Recipe recipe;
};

/// The numbers of one tensor, as trees and in the program's words.
class TensorNumbers {
public:
  explicit TensorNumbers(std::vector<const Plan *> plans)
      : plans(std::move(plans)), numbers(this->plans) {}

  using Number = function_ref<Polynomial(const Plan &)>;
  HostNumber number(Number value) { return known(numbers.number(numbers.each(value))); }
  HostNumber range(Number value) { return known(numbers.range(numbers.each(value))); }
  InstanceNumbers each(function_ref<int64_t(const Plan &)> value) const {
    InstanceNumbers values;
    for (const Plan *plan : plans)
      values.push_back(value(*plan));
    return values;
  }
  /// Returns the value in the program's words, or `otherwise` if the instances have different ones.
  std::string words(Number value, const std::string &otherwise) const {
    const std::string text = first().symbols.print(value(first()));
    const bool isOne = llvm::all_of(
        plans, [&](const Plan *plan) { return plan->symbols.print(value(*plan)) == text; });
    return isOne ? text : otherwise;
  }
  RecipeExtent extent(size_t d);
  RecipeExtent::Walk walk(size_t i);
  const Plan &first() const { return *plans.front(); }

private:
  std::vector<const Plan *> plans;
  HostNumbers numbers;
};

constexpr const char *byElementSize = "by the element's size";

RecipeInstance RecipeWriter::instanceOf(const InstancePlan &instance) const {
  const ASTContext &context = instance.function->getASTContext();
  RecipeInstance made;
  made.entry = ASTNameGenerator(const_cast<ASTContext &>(context)).getName(instance.function);
  made.templateArguments = templateArgumentsOf(instance.function);
  for (const ParmVarDecl *parameter : instance.function->parameters())
    made.arguments.push_back(argumentOf(parameter, context));
  made.block = instance.block;
  made.liftedBlock = writer.hasProducer() ? withAddedWarp(instance.block) : instance.block;
  made.cluster = instance.cluster;
  made.addedBytes = ringBytes(instance) + overhangBytes(instance);
  return made;
}

void RecipeWriter::addLaunch() {
  recipe.kernel = names.kernel;
  recipe.lifted = names.lifted;
  recipe.scope = kernel.pattern->getQualifiedNameAsString();
  recipe.scope.resize(recipe.scope.size() - names.kernel.size());
  recipe.place =
      placeOf(kernel.pattern->getASTContext().getSourceManager(), kernel.pattern->getLocation());
  for (const InstancePlan *instance : instances)
    recipe.instances.push_back(instanceOf(*instance));
  recipe.calls = instances.front()->launchCalls;
  recipe.mustLift = llvm::any_of(copies(), [](const PlannedCopy &copy) {
    return copy.directive->clauses.fallback == Fallback::Error;
  });
  recipe.dependsOnTarget = llvm::any_of(copies(), [](const PlannedCopy &copy) {
    return copy.plan.inLines() || copy.plan.isByFours();
  });
}

void RecipeWriter::addCheck(size_t copy, size_t index) {
  const std::vector<const Plan *> plans = plansOf(instances, copy);
  TensorNumbers numbers(plans);
  const Check &check = plans.front()->launchChecks[index];
  auto value = [&](const Plan &plan) { return plan.launchChecks[index].value; };
  RecipeCheck made;
  made.copy = copy;
  made.rule = check.rule;
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
    made.text = plans.front()->tile;
    made.multiple = numbers.each([](const Plan &plan) { return plan.gather->distance.count(); });
    return add();
  }
  made.text = numbers.words(value, "an index of the copy to '" + plans.front()->tile + "'");
  if (check.within.low != Interval::lowest || check.within.high != Interval::highest) {
    made.kind =
        made.rule == rule_id::line_offset ? RecipeCheck::Kind::Line : RecipeCheck::Kind::Range;
    made.value = numbers.range(value);
    made.low = numbers.each([&](const Plan &p) { return p.launchChecks[index].within.low; });
    made.high = numbers.each([&](const Plan &p) { return p.launchChecks[index].within.high; });
    add();
  }
  if (check.multiple == 1)
    return;
  made.kind = RecipeCheck::Kind::Multiple;
  made.value = numbers.number(value);
  made.low = made.high = {};
  made.multiple = numbers.each([&](const Plan &p) { return p.launchChecks[index].multiple; });
  add();
}

/// How far a dimension goes, how far apart its elements are, how pixels are walked through.
RecipeExtent TensorNumbers::extent(size_t d) {
  const PlanDimension &dim = first().dims()[d];
  RecipeExtent extent;
  if (dim.extent) {
    auto elements = [&](const Plan &plan) { return plan.dims()[d].extent->count(); };
    extent.elements = number(elements);
    extent.elementsText = words(elements, byElementSize);
  } else if (dim.lastLength) {
    extent.lastStart = range([&](const Plan &plan) { return plan.dims()[d].coordinate.count(); });
    extent.lastLength = each([&](const Plan &plan) { return plan.dims()[d].lastLength->count(); });
    extent.elementsText = "the end of the last box";
  } else {
    extent.elementsText = "unbounded";
  }
  if (d > 0) {
    auto stride = [&](const Plan &plan) { return plan.dims()[d].stride.count(); };
    extent.stride = number(stride);
    extent.strideText = words(stride, byElementSize);
  }
  if (d > 0 && d <= first().walks().size())
    extent.walk = walk(d - 1);
  return extent;
}

RecipeExtent::Walk TensorNumbers::walk(size_t i) {
  auto step = [&](const Plan &plan) { return plan.walks()[i].step.count(); };
  auto start = [&](const Plan &plan) { return plan.walks()[i].first.count(); };
  RecipeExtent::Walk walk{std::nullopt, number(step), words(step, byElementSize), number(start),
                          words(start, byElementSize)};
  if (first().walks()[i].count)
    walk.count = number([&](const Plan &plan) { return *plan.walks()[i].count; });
  return walk;
}

/// Where boxes start, if the launcher has names for all that they depend on.
std::vector<HostNumber> boxStartsOf(const std::vector<const Plan *> &plans) {
  const size_t count = plans.front()->map()->boxStarts.size();
  std::vector<HostNumber> starts;
  // The boxes of a tile that a cluster's blocks share start in several places.
  if (llvm::any_of(plans, [&](const Plan *plan) {
        return plan->map()->boxStarts.size() != count || plan->peerCount() > 1;
      }))
    return starts;
  HostNumbers numbers(plans);
  for (size_t d = 0; d < count; ++d) {
    std::optional<HostNumber> start = numbers.range(
        numbers.each([&](const Plan &plan) { return plan.map()->boxStarts[d].count(); }));
    if (!start)
      return {};
    starts.push_back(std::move(*start));
  }
  return starts;
}

RecipeBox boxOf(const Plan &plan) {
  RecipeBox box;
  box.element = plan.element;
  box.swizzle = plan.layout.swizzle;
  box.isInLines = plan.inLines();
  if (const PixelAccess *pixels = plan.pixels()) {
    box.channels = pixels->dims[0].boxOfPiece().count();
    box.pixels = pixels->pixelsOfPiece();
  } else {
    for (const PlanDimension &dim : plan.dims())
      box.sizes.push_back(dim.boxOfPiece().count());
  }
  return box;
}

/// Without the names of the kernel's parameters for maps.
RecipeTensor tensorOf(const std::vector<const Plan *> &plans, const PlannedCopy &copy) {
  const Plan &first = *plans.front();
  RecipeTensor tensor;
  tensor.mode = first.mode();
  tensor.tile = first.tile;
  tensor.tensor = first.base.name();
  tensor.address = first.base.symbol.empty() ? first.base.spelling : "";
  tensor.code = first.base.code;
  if (first.bulk())
    return tensor;
  TensorNumbers numbers(plans);
  tensor.offset = numbers.number([](const Plan &plan) { return plan.offset().count(); });
  tensor.isReadAtStart =
      llvm::any_of(plans, [](const Plan *plan) { return plan->map()->readsStart; });
  tensor.boxStarts = boxStartsOf(plans);
  tensor.promotion = copy.directive->clauses.promotion;
  for (const Plan *plan : plans)
    tensor.boxes.push_back(boxOf(*plan));
  for (size_t d = 0; d < first.dims().size(); ++d)
    tensor.extents.push_back(numbers.extent(d));
  return tensor;
}

/// Whether one map serves the copies of both tensors.
bool haveOneMap(const RecipeTensor &a, const RecipeTensor &b) {
  auto isAsIn = [](const RecipeExtent &one, const RecipeExtent &other) {
    return one.isAsIn(other);
  };
  return a.mode != Mode::Bulk && a.mode == b.mode && a.tensor == b.tensor &&
         a.address == b.address && a.offset == b.offset && a.boxes == b.boxes &&
         a.promotion.value_or(usualPromotion) == b.promotion.value_or(usualPromotion) &&
         llvm::equal(a.extents, b.extents, isAsIn);
}

/// Whether two bases that are spelled alike lead from the same variable.
bool isOneVariable(const GlobalBase &a, const GlobalBase &b) {
  return a.identity == b.identity && a.origin == b.origin && a.originOffset == b.originOffset;
}

/// Adds the boxes of `other`, which has the same map, to those of `tensor`.
void join(RecipeTensor &tensor, const RecipeTensor &other) {
  if (!other.isReadAtStart)
    return;
  if (!tensor.isReadAtStart)
    tensor.boxStarts = other.boxStarts;
  else if (other.boxStarts.empty() || tensor.boxStarts.empty())
    tensor.boxStarts.clear();
  else
    for (auto [start, too] : llvm::zip(tensor.boxStarts, other.boxStarts))
      start = eitherOf(start, too);
  tensor.isReadAtStart = true;
}

void RecipeWriter::addTensors() {
  const std::vector<size_t> owners = sharedMaps(kernel);
  std::map<size_t, size_t> places;
  for (size_t copy = 0; copy < copies().size(); ++copy) {
    if (!copies()[copy].plan.base.knownAtLaunch)
      continue; // tested at the copy
    RecipeTensor tensor = tensorOf(plansOf(instances, copy), copies()[copy]);
    if (owners[copy] != copy) {
      join(recipe.tensors[places.at(owners[copy])], tensor);
      continue;
    }
    tensor.copy = copy;
    tensor.map = writer.namesOf(copy).map;
    places[copy] = recipe.tensors.size();
    recipe.tensors.push_back(std::move(tensor));
  }
}

Recipe RecipeWriter::run() {
  addLaunch();
  for (size_t copy = 0; copy < copies().size(); ++copy)
    for (size_t i = 0; i < copies()[copy].plan.launchChecks.size(); ++i)
      addCheck(copy, i);
  addTensors();
  return std::move(recipe);
}

} // namespace

std::vector<size_t> sharedMaps(const KernelPlan &kernel) {
  SmallVector<const InstancePlan *, 4> instances;
  for (const InstancePlan &instance : kernel.instances)
    instances.push_back(&instance);
  const std::vector<PlannedCopy> &copies = kernel.instances.front().copies;
  std::vector<size_t> owners;
  std::vector<RecipeTensor> tensors;
  for (size_t copy = 0; copy < copies.size(); ++copy) {
    const Plan &plan = copies[copy].plan;
    tensors.emplace_back();
    if (plan.base.knownAtLaunch)
      tensors.back() = tensorOf(plansOf(instances, copy), copies[copy]);
    else
      tensors.back().mode = Mode::Bulk;
    size_t owner = 0;
    while (owner < copy && !(isOneVariable(copies[owner].plan.base, plan.base) &&
                             haveOneMap(tensors[owner], tensors.back())))
      ++owner;
    owners.push_back(owner);
  }
  return owners;
}

Recipe recipeOf(const KernelPlan &kernel, ArrayRef<size_t> instances, const KernelNames &names,
                const KernelWriter &writer) {
  return RecipeWriter(kernel, instances, names, writer).run();
}

} // namespace tilelift
