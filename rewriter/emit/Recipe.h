//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host has to do to launch a lifted kernel: a value that all hosts are written from, so that
// none can drift from another. docs/hosts.md explains it; the manifest is this, as JSON.
//
// A recipe is of one or of several instances of the kernel: a launcher of the CUDA runtime is one
// text for all of them, other hosts launch each by itself. What differs between instances is a list
// with one value for each, in the order of `instances`.
//
// Whatever depends on the kernel's arguments is a tree (spelling/HostNumber.h), which each host
// prints in its own language. What is not here is how such numbers are computed, and which function
// of which API does what.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_RECIPE_H
#define TILELIFT_EMIT_RECIPE_H

#include "kernel/LaunchCall.h"
#include "spelling/HostNumber.h"
#include "support/Diagnostics.h"

namespace tilelift {

struct KernelPlan;
struct KernelNames;
class KernelWriter;

/// One argument of the kernel, as it is passed.
struct RecipeArgument {
  enum class Kind { Pointer, Integer, Floating, Object };
  std::string name;
  std::string type; ///< as the program spells it
  Kind kind = Kind::Integer;
  bool isSigned = false;
  unsigned bytes = 0;
  unsigned alignment = 0;
};

/// What has to hold of the arguments, or the plain kernel runs.
struct RecipeCheck {
  enum class Kind {
    Range,    ///< all of the value's numbers lie between two
    Line,     ///< the same, but only below compute capability 10.0, which has no im2col::w
    Multiple, ///< the value is a multiple of `multiple`
    Fours,    ///< the device has compute capability 10.0 or higher: it copies four rows at once
  };
  size_t copy = 0; ///< the first of the kernel's that asks for it
  Kind kind = Kind::Range;
  rule_id rule = rule_id::guard;
  HostNumber value;
  /// The value as an expression of the program, for messages. If the instances have different ones,
  /// "an index of the copy to '<tile>'"; for Kind::Fours, the name of the tile.
  std::string text;
  InstanceNumbers low, high; ///< of a range
  InstanceNumbers multiple;
};

/// One dimension of a tensor.
struct RecipeExtent {
  std::optional<HostNumber> elements; ///< none: nothing bounds it
  std::string elementsText;
  /// If only the boxes bound the dimension: the range of their starts. Its largest number plus
  /// `lastLength` takes the place of `elements`.
  std::optional<HostNumber> lastStart;
  InstanceNumbers lastLength;
  std::optional<HostNumber> stride; ///< bytes; not of the innermost dimension
  std::string strideText;
  struct Walk {
    std::optional<HostNumber> count; ///< none: the next dimension never follows
    HostNumber step;
    std::string stepText;
    HostNumber first;
    std::string firstText;
  };
  std::optional<Walk> walk;
};

/// What one operation moves.
struct RecipeBox {
  element_type element = element_type::f32;
  swizzle_mode swizzle = swizzle_mode::none;
  llvm::SmallVector<int64_t, 5> sizes; ///< Mode::Tile; innermost first, as all of this is
  int64_t channels = 0, pixels = 0;    ///< Mode::Im2col
  bool isInLines = false;
};

/// A tensor that a copy goes through: with a map, or bytes from an address.
struct RecipeTensor {
  size_t copy = 0; ///< the number of the copy that goes through this tensor
  Mode mode = Mode::Tile;
  std::string map; ///< the kernel's parameter
  std::string tile, tensor;
  std::string
      address; ///< an argument or a member of one; empty: the variable `tensor` of the device
  /// The mangled name of that variable, which tool/Emission finds in the lifted source.
  std::string variable;
  HostNumber offset; ///< bytes
  /// Boxes outside of the tensor read where it starts, so there has to be memory.
  bool isReadAtStart = false;
  /// The ranges of the starts of boxes, one for each dimension. They may tell the launcher that no
  /// box lies outside of the tensor, so that no memory is needed at its start. Empty if the ranges
  /// are not known.
  std::vector<HostNumber> boxStarts;
  /// Bytes that L2 fetches at once; none where the program does not say it.
  std::optional<unsigned> promotion;
  llvm::SmallVector<RecipeBox, 1> boxes;
  std::vector<RecipeExtent> extents;
};

constexpr unsigned usualPromotion = 128;

/// One of the kernel's instances.
struct RecipeInstance {
  /// "<4, 64>" of an instantiation.
  std::string templateArguments;
  /// The mangled names of the plain and the lifted instance; tool/Emission finds the latter in the
  /// lifted source.
  std::string entry, liftedEntry;
  std::vector<RecipeArgument> arguments;
  BlockShape block{1, 1, 1}, liftedBlock{1, 1, 1}, cluster{1, 1, 1};
  /// Bytes of dynamic shared memory that the lifted kernel has more.
  int64_t ringBytes = 0;
};

struct Recipe {
  std::string kernel, lifted;
  std::string scope; ///< "stencils::"
  std::vector<RecipeInstance> instances;
  /// Made ahead of the tensors' maps.
  std::vector<LaunchCall> calls;
  /// `fallback(error)`: the plain kernel never runs instead.
  bool mustLift = false;
  /// Whether some rule for the copies depends on the architecture that the kernel is compiled for,
  /// as those for im2col::w and for copies of four rows do.
  bool dependsOnTarget = false;
  std::vector<RecipeCheck> checks;
  std::vector<RecipeTensor> tensors;
  Place place;

  /// Of a recipe of one instance.
  const RecipeInstance &instance() const {
    assert(instances.size() == 1 && "asked of a recipe of one instance");
    return instances.front();
  }
  RecipeInstance &instance() {
    assert(instances.size() == 1 && "asked of a recipe of one instance");
    return instances.front();
  }
  std::string nameOfInstance() const { return kernel + instance().templateArguments; }
};

/// Makes the recipe of some instances of the kernel, by their numbers. `writer` gives the names of
/// the maps; its sibling() must have been called before.
Recipe recipeOf(const KernelPlan &kernel, llvm::ArrayRef<size_t> instances,
                const KernelNames &names, const KernelWriter &writer);

} // namespace tilelift

#endif
