//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host has to do to launch a lifted kernel, as a value. The launchers of all hosts are
// written from it, so that they all do the same. docs/hosts.md explains it; the manifest is the
// recipe as JSON.
//
// A recipe is for one or for several instances of the kernel: a launcher of the CUDA runtime is one
// text for all of them, other hosts launch each by itself. What differs between instances is a list
// with one value for each, in the order of `instances`.
//
// Numbers that depend on the kernel's arguments are trees (spelling/HostNumber.h), which each host
// prints in its own language. The recipe does not know which functions of an API a host calls.
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

/// A condition on the arguments or the device. If it does not hold, the plain kernel runs.
struct RecipeCheck {
  enum class Kind {
    Range, ///< all numbers that `value` may be lie between `low` and `high`
    /// The same, but tested only on devices below compute capability 10.0, because these have no
    /// im2col::w.
    Line,
    Multiple, ///< the value is a multiple of `multiple`
    /// The device has compute capability 10.0 or higher, without which rows are not copied four at
    /// a time. A store also tests at the copy whether its target has scatter4.
    Fours,
  };
  size_t copy = 0; ///< the number of the kernel's first copy that needs the check
  Kind kind = Kind::Range;
  rule_id rule = rule_id::guard;
  HostNumber value;
  /// The value as an expression of the program, for messages. If the instances have different ones,
  /// "an index of the copy to '<tile>'"; for Kind::Fours, the name of the tile.
  std::string text;
  InstanceNumbers low, high; ///< Kind::Range and Kind::Line
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
  std::optional<HostNumber> stride; ///< in bytes; none for the innermost dimension
  std::string strideText;
  struct Walk {
    std::optional<HostNumber> count; ///< none: the pixels never reach the next dimension
    HostNumber step;
    std::string stepText;
    HostNumber first;
    std::string firstText;

    bool operator==(const Walk &other) const {
      return count == other.count && step == other.step && first == other.first;
    }
  };
  std::optional<Walk> walk;

  /// Whether both are the same for a map. If only boxes bound the dimension, those of one map all
  /// end in the same place: what lies there in one row need not be there in another.
  bool isAsIn(const RecipeExtent &other) const {
    return elements == other.elements && lastStart == other.lastStart &&
           lastLength == other.lastLength && stride == other.stride && walk == other.walk;
  }
};

/// The box, or the pixels, that one operation moves.
struct RecipeBox {
  element_type element = element_type::f32;
  swizzle_mode swizzle = swizzle_mode::none;
  llvm::SmallVector<int64_t, 5> sizes; ///< Mode::Tile: the innermost dimension first
  int64_t channels = 0, pixels = 0;    ///< Mode::Im2col
  bool isInLines = false;

  bool operator==(const RecipeBox &other) const {
    return element == other.element && swizzle == other.swizzle && sizes == other.sizes &&
           channels == other.channels && pixels == other.pixels && isInLines == other.isInLines;
  }
};

/// The tensor of some copies: one with a map, or bytes at an address.
struct RecipeTensor {
  size_t copy = 0; ///< the number of the first of the copies in the kernel
  Mode mode = Mode::Tile;
  std::string map; ///< the name of the lifted kernel's parameter for the map
  std::string tile, tensor;
  std::string
      address; ///< an argument or a member of one; empty: the variable `tensor` of the device
  /// How code writes the address where that is a private member; else empty.
  std::string code;
  /// The mangled name of that variable, which tool/Emission finds in the lifted source.
  std::string variable;
  HostNumber offset; ///< bytes
  /// Boxes outside of the tensor read where it starts, so there has to be memory.
  bool isReadAtStart = false;
  /// The ranges of the starts of boxes, one for each dimension. They may tell the launcher that no
  /// box lies outside of the tensor, so that no memory is needed at its start. Empty if the ranges
  /// are not known.
  std::vector<HostNumber> boxStarts;
  /// The number of bytes that L2 fetches at once; none if no clause gives it.
  std::optional<unsigned> promotion;
  llvm::SmallVector<RecipeBox, 1> boxes;
  std::vector<RecipeExtent> extents;
};

/// The number of bytes that L2 fetches at once if no clause gives it.
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
  /// The bytes of dynamic shared memory that the lifted kernel needs in addition to the plain
  /// one's.
  int64_t addedBytes = 0;
};

struct Recipe {
  std::string kernel, lifted;
  std::string scope; ///< "stencils::"
  std::vector<RecipeInstance> instances;
  /// The calls that the launcher makes before it makes the tensors' maps.
  std::vector<LaunchCall> calls;
  /// A copy has `fallback(error)`, so the launch fails where the plain kernel would run instead.
  bool mustLift = false;
  /// Whether some rule for the copies depends on the architecture that the kernel is compiled for,
  /// as those for im2col::w and for copies of four rows do.
  bool dependsOnTarget = false;
  std::vector<RecipeCheck> checks;
  std::vector<RecipeTensor> tensors;
  Place place;

  /// Returns the instance of a recipe that is for one only.
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

/// The number of the copy whose map a copy uses, for each copy of the kernel: the first one that
/// moves the same boxes of the same tensor, in all instances.
std::vector<size_t> sharedMaps(const KernelPlan &kernel);

/// Makes the recipe of some instances of the kernel, by their numbers. `writer` gives the names of
/// the maps; its sibling() must have been called before.
Recipe recipeOf(const KernelPlan &kernel, llvm::ArrayRef<size_t> instances,
                const KernelNames &names, const KernelWriter &writer);

} // namespace tilelift

#endif
