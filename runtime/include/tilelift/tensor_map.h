//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps as objects, for kernels whose TMA is written by hand:
//
//   auto tile = tilelift::tensor_map::tiled(tilelift::tensor_view(in, {h, w}), {32, 64});
//   kernel<<<grid, block>>>(tile, out);   // takes const __grid_constant__ CUtensorMap
//
// Everything is row-major, as the tensor is: box, element strides, and corners, which are [H, W] or
// [D, H, W]. A request that breaks rules throws one error that has all of them; the driver is not
// asked before. Not included by <tilelift/tilelift.cuh>, as lifted code needs none of it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TENSOR_MAP_H
#define TILELIFT_TENSOR_MAP_H

#include <tilelift/entry.h>
#include <tilelift/tensor_view.h>

#include <variant>

namespace tilelift {

/// Rules that a request breaks, one by one.
class tensor_map_error : public std::invalid_argument {
public:
  explicit tensor_map_error(std::vector<finding> found)
      : std::invalid_argument(sentence(found)), found(std::move(found)) {}

  const std::vector<finding> &violations() const { return found; }

private:
  static std::string sentence(const std::vector<finding> &found) {
    std::string all;
    for (const finding &each : found)
      all += (all.empty() ? "" : "; ") + each.text + " [" + name_of(each.rule) + "]";
    return all;
  }

  std::vector<finding> found;
};

/// What maps of all kinds may say besides their box.
struct tensor_map_options {
  /// How TMA sees an element; without it, as the tensor says.
  std::optional<element_type> type;
  /// From one element that is copied to the next, in each dimension: 1 to 8.
  std::vector<int> element_strides;
  swizzle_mode swizzle = swizzle_mode::none;
  interleave_layout interleave = interleave_layout::none;
  l2_promotion promotion = l2_promotion::none;
  outside_fill fill = outside_fill::zero;
};

namespace detail {

/// Where maps are made and used.
struct place {
  CUcontext context;
  int device;

  static place current() {
    using get_current = CUresult (*)(CUcontext *);
    static const auto ask = reinterpret_cast<get_current>(driver_function("cuCtxGetCurrent", 4000));
    place here = {nullptr, -1};
    compute_capability_major(here.device);
    if (!ask || ask(&here.context) != CUDA_SUCCESS || !here.context)
      throw std::runtime_error("there is no current CUDA context");
    return here;
  }
  /// Times ten.
  int capability() const {
    int own = device, minor = 0;
    const int major = compute_capability_major(own);
    if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
      throw std::runtime_error("device " + std::to_string(device) + " does not say what it can do");
    return 10 * major + minor;
  }
};

template <typename Number>
void require_count(const char *name, const std::vector<Number> &numbers, std::size_t count) {
  if (numbers.size() != count)
    throw std::invalid_argument(quoted(name) + " has " + std::to_string(numbers.size()) +
                                " numbers, the tensor asks for " + std::to_string(count));
}

inline std::string names_of_types() {
  std::string all;
  for (unsigned type = 0; type < element_types; ++type)
    all += (all.empty() ? "" : ", ") + std::string(name_of(element_type(type)));
  return all;
}

inline std::string number_of(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

} // namespace detail

/// A map, what keeps the memory that it leads to, and the context in which it was made.
class tensor_map {
public:
  using numbers = std::vector<int>;

  /// Boxes of so many elements in each dimension: 1 to 256, rows of a multiple of 16 bytes.
  template <typename Tensor>
  static tensor_map tiled(const Tensor &tensor, const numbers &box,
                          const tensor_map_options &options = {}) {
    tensor_view view = view_of(tensor);
    require_rank("tiled", view, 1);
    detail::require_count("box", box, view.extents.size());
    tile_request request;
    for (int d = 0; d < view.rank(); ++d)
      request.dims[d].box = quantity::exactly(box[std::size_t(view.rank() - 1 - d)]);
    return tensor_map(std::move(request), std::move(view), options);
  }

  /// Pixels of a tensor [N, W, C], [N, H, W, C] or [N, D, H, W, C]. For a convolution, lower is
  /// -padding, and upper is padding - (filter - 1) * dilation; element strides are its strides.
  template <typename Tensor>
  static tensor_map im2col(const Tensor &tensor, const numbers &lower, const numbers &upper,
                           int channels, int pixels, const tensor_map_options &options = {}) {
    tensor_view view = view_of(tensor);
    require_rank("im2col", view, 3);
    detail::require_count("lower", lower, view.extents.size() - 2);
    detail::require_count("upper", upper, view.extents.size() - 2);
    im2col_request request = pixels_of(im2col_mode::im2col, channels, pixels);
    for (int i = 0; i < view.rank() - 2; ++i) {
      request.lower[i] = quantity::exactly(lower[std::size_t(view.rank() - 3 - i)]);
      request.upper[i] = quantity::exactly(upper[std::size_t(view.rank() - 3 - i)]);
    }
    return tensor_map(std::move(request), std::move(view), options);
  }

  /// Pixels of one line each, on Blackwell; the corners are those of W.
  template <typename Tensor>
  static tensor_map im2col_wide(const Tensor &tensor, int lower, int upper, int channels,
                                int pixels, im2col_mode mode = im2col_mode::w,
                                const tensor_map_options &options = wide_options()) {
    tensor_view view = view_of(tensor);
    require_rank("im2col wide", view, 3);
    if (mode == im2col_mode::im2col)
      throw std::invalid_argument("'mode' is im2col; wide ones are w, w128");
    im2col_request request = pixels_of(mode, channels, pixels);
    for (int i = 0; i < view.rank() - 2; ++i)
      request.lower[i] = request.upper[i] = quantity::exactly(0);
    request.lower[0] = quantity::exactly(lower);
    request.upper[0] = quantity::exactly(upper);
    return tensor_map(std::move(request), std::move(view), options);
  }

  /// As a kernel takes it by value, in the context in which it was made.
  operator const CUtensorMap &() const {
    require_home();
    return map;
  }

  /// Leads to another tensor of the same extents, strides and type from now on; kernels that have
  /// been launched keep theirs. If that cannot be, nothing changes.
  template <typename Tensor> void replace_address(const Tensor &tensor) {
    replace(view_of(tensor));
  }

  /// The number of the device that the map is for.
  int device() const { return home.device; }
  int rank() const { return view.rank(); }
  element_type type() const { return common().type; }
  const void *address() const { return view.address; }
  /// "tiled, rank 2, f32, box 32 x 64, swizzle 128".
  std::string text() const {
    std::string all;
    if (const auto *tile = std::get_if<tile_request>(&request)) {
      for (int d = rank(); d-- > 0;)
        all += (all.empty() ? "box " : " x ") + std::to_string(tile->dims[d].box.low);
      all = "tiled, " + shape() + all;
    } else {
      const im2col_request &own = std::get<im2col_request>(request);
      all = std::string(own.mode == im2col_mode::im2col ? "im2col"
                        : own.mode == im2col_mode::w    ? "im2col wide w"
                                                        : "im2col wide w128") +
            ", " + shape() + std::to_string(own.channels.low) + " channels of " +
            std::to_string(own.pixels.low) + " pixels";
    }
    return all + ", swizzle " + std::to_string(span_of(common().swizzle));
  }

private:
  using any_request = std::variant<tile_request, im2col_request>;

  template <typename Request>
  tensor_map(Request &&own, tensor_view &&tensor, const tensor_map_options &options)
      : home(detail::place::current()), view(std::move(tensor)), elements(view.type) {
    own.capability = home.capability();
    describe(own, options);
    request = std::move(own);
    map = made_of(request);
  }

  static im2col_request pixels_of(im2col_mode mode, int channels, int pixels) {
    im2col_request request;
    request.mode = mode;
    request.channels = quantity::exactly(channels);
    request.pixels = quantity::exactly(pixels);
    return request;
  }
  static tensor_map_options wide_options() {
    tensor_map_options options;
    options.swizzle = swizzle_mode::b128;
    return options;
  }
  static void require_rank(const char *kind, const tensor_view &view, int least) {
    if (view.rank() < least || view.rank() > max_rank)
      throw std::invalid_argument("the tensor has " + std::to_string(view.rank()) +
                                  " dimensions, a map that is " + kind + " has " +
                                  std::to_string(least) + " to " + std::to_string(max_rank));
  }

  void describe(map_request &own, const tensor_map_options &options) const {
    require_here(view);
    own.tensor = "tensor";
    own.tile = "tile";
    own.type = type_of(options);
    own.rank = view.rank();
    own.swizzle = options.swizzle;
    own.interleave = options.interleave;
    own.promotion = options.promotion;
    own.fill = options.fill;
    own.address = quantity::exactly(int64_t(reinterpret_cast<uintptr_t>(view.address)));
    if (!options.element_strides.empty())
      detail::require_count("element_strides", options.element_strides, view.extents.size());
    if (view.strides.back() != view.element_bytes)
      throw std::invalid_argument("elements of a row are " + std::to_string(view.strides.back()) +
                                  " bytes apart, and have " + std::to_string(view.element_bytes) +
                                  ": TMA copies rows that are dense");
    for (int d = 0; d < own.rank; ++d) {
      const std::size_t at = std::size_t(own.rank - 1 - d);
      own.dims[d].extent = quantity::exactly(d == 0 ? in_a_row(own.type) : view.extents[at]);
      own.dims[d].stride = quantity::exactly(d == 0 ? 0 : view.strides[at]);
      if (!options.element_strides.empty())
        own.dims[d].step = quantity::exactly(options.element_strides[at]);
    }
  }
  /// The number of elements of `type` that fit into a row of the tensor, rounded down. If packed
  /// elements do not exactly fill a row of whole bytes, the rounded number also breaks the rule
  /// packed_extent.
  long long in_a_row(element_type type) const {
    return view.extents.back() * view.element_bits() / int(bits_of(type));
  }
  element_type type_of(const tensor_map_options &options) const {
    if (!options.type && !view.type)
      throw std::invalid_argument(
          "the tensor's type is none of TMA's; 'type' says which to take it for: " +
          detail::names_of_types());
    const element_type type = options.type ? *options.type : *view.type;
    const int bits = view.element_bits(), unit = bits % 8 == 0 ? 8 : 1;
    if (!is_packed(type) && unsigned(type) < element_types && int(bits_of(type)) != bits)
      throw std::invalid_argument("an element of the tensor has " + std::to_string(bits / unit) +
                                  (unit == 8 ? " bytes, a " : " bits, a ") + name_of(type) +
                                  " has " + std::to_string(int(bits_of(type)) / unit) +
                                  ": extents would count something else");
    return type;
  }

  /// By the rules, then by the driver.
  CUtensorMap made_of(const any_request &any) const {
    return std::visit([this](const auto &own) { return make(own); }, any);
  }
  template <typename Request> CUtensorMap make(const Request &own) const {
    require_unit(own);
    std::vector<finding> broken;
    check(own, [&](const finding &found) {
      if (found.outcome != verdict::holds)
        broken.push_back(found);
    });
    if (!broken.empty())
      throw tensor_map_error(std::move(broken));
    constexpr int bytes[] = {0, 64, 128, 256};
    CUtensorMap made = {};
    const std::string problem = encode(made, own, bytes[unsigned(own.promotion)],
                                       detail::driver_functions(), own.capability >= 100);
    if (!problem.empty())
      throw std::runtime_error("the map cannot be made: " + problem);
    return made;
  }
  static void require_unit(const map_request &own) {
    if (own.capability < 90)
      throw std::runtime_error("tensor maps need compute capability 9.0, the device has " +
                               detail::number_of(own.capability));
  }
  static void require_unit(const im2col_request &own) {
    require_unit(static_cast<const map_request &>(own));
    if (own.mode != im2col_mode::im2col && own.capability < 100)
      throw std::runtime_error("im2col wide needs compute capability 10.0, the device has " +
                               detail::number_of(own.capability));
  }

  void replace(tensor_view other) {
    require_home();
    require_here(other);
    if (other.extents != view.extents || other.strides != view.strides ||
        other.element_bytes != view.element_bytes || other.packed_bits != view.packed_bits)
      throw std::invalid_argument("the tensor has other extents, strides or elements than the "
                                  "map's");
    if (other.type != elements && other.type != type())
      throw std::invalid_argument("elements of the tensor are " + name_of_elements(other.type) +
                                  ", those of the map " + name_of_elements(elements));
    if (!other.type && other.other_type != view.other_type)
      throw std::invalid_argument("elements of the tensor are " + other.other_type +
                                  ", those of the map " + view.other_type);
    any_request moved = request;
    std::visit(
        [&](auto &own) {
          own.address = quantity::exactly(int64_t(reinterpret_cast<uintptr_t>(other.address)));
        },
        moved);
    // Another address is another map: what drivers have to be helped with is done again.
    const CUtensorMap made = made_of(moved);
    request = std::move(moved);
    view = std::move(other);
    map = made;
  }

  std::string name_of_elements(const std::optional<element_type> &type) const {
    return type ? name_of(*type) : "of " + std::to_string(view.element_bytes) + " bytes";
  }
  void require_home() const {
    const detail::place here = detail::place::current();
    if (here.context != home.context || here.device != home.device)
      throw std::runtime_error("the map was made in another context, on device " +
                               std::to_string(home.device));
  }
  void require_here(const tensor_view &tensor) const {
    if (tensor.device && *tensor.device != home.device)
      throw std::invalid_argument("the tensor is on device " + std::to_string(*tensor.device) +
                                  ", the current one is " + std::to_string(home.device));
  }

  const map_request &common() const {
    return std::visit([](const auto &own) -> const map_request & { return own; }, request);
  }
  std::string shape() const {
    return "rank " + std::to_string(rank()) + ", " + name_of(type()) + ", ";
  }

  detail::place home;
  tensor_view view;
  /// As the tensor has them that the map was made of; `type()` is what TMA takes them for.
  std::optional<element_type> elements;
  any_request request;
  CUtensorMap map = {};
};

} // namespace tilelift

#endif
