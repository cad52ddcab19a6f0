//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Somebody's tensor as an address, extents, strides and a type: what a tensor map is made of.
//
// Everything is row-major, strides are bytes. mdspans and tensors of DLPack are taken as they come,
// by their members; no header of theirs is needed. What may be copied is not decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TENSOR_VIEW_H
#define TILELIFT_TENSOR_VIEW_H

#include <tilelift/rules.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

struct __half;
struct __nv_bfloat16;

namespace tilelift {

namespace detail {

constexpr std::optional<element_type> integer_of(std::size_t bytes, bool is_signed) {
  if (bytes == 4)
    return is_signed ? element_type::i32 : element_type::u32;
  if (bytes == 8)
    return is_signed ? element_type::i64 : element_type::u64;
  if (is_signed)
    return std::nullopt; // TMA has no short signed integers, and does not add them
  return bytes == 1 ? element_type::u8 : element_type::u16;
}

/// What TMA takes a C++ type for, if it has one like it.
template <typename Element> constexpr std::optional<element_type> element_of() {
  using type = std::remove_cv_t<Element>;
  if constexpr (std::is_same_v<type, __half>)
    return element_type::f16;
  else if constexpr (std::is_same_v<type, __nv_bfloat16>)
    return element_type::bf16;
  else if constexpr (std::is_same_v<type, float>)
    return element_type::f32;
  else if constexpr (std::is_same_v<type, double>)
    return element_type::f64;
  else if constexpr (std::is_same_v<type, std::byte>)
    return element_type::u8;
  else if constexpr (std::is_integral_v<type> && !std::is_same_v<type, bool>)
    return integer_of(sizeof(type), std::is_signed_v<type>);
  else
    return std::nullopt;
}

/// What elements are called for which TMA has no type; the same for whoever describes the tensor,
/// as far as C++ and DLPack have them both.
inline std::string short_integer(std::size_t bytes) { return "i" + std::to_string(8 * bytes); }
template <typename Element> std::string name_without_type() {
  using type = std::remove_cv_t<Element>;
  if constexpr (std::is_same_v<type, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<type>)
    return short_integer(sizeof(type));
#ifdef _MSC_VER
  return __FUNCSIG__;
#else
  // Compilers write "... [with Element = NAME; ...]" here: the name ends at the first ';' or ']'.
  const std::string_view own = __PRETTY_FUNCTION__;
  const std::size_t first = own.find("Element = ") + 10;
  return std::string(own.substr(first, own.find_first_of(";]", first) - first));
#endif
}

} // namespace detail

/// A tensor of the device's memory.
struct tensor_view {
  tensor_view() = default;
  /// By hand; without strides, rows follow each other without a gap.
  template <typename Element>
  tensor_view(Element *address, std::vector<long long> extents, std::vector<long long> strides = {})
      : address(address),
        extents(std::move(extents)),
        strides(std::move(strides)),
        element_bytes(int(sizeof(Element))),
        type(detail::element_of<Element>()),
        other_type(type ? "" : detail::name_without_type<Element>()) {
    complete();
  }

  int rank() const { return int(extents.size()); }
  /// What an extent counts.
  int element_bits() const { return packed_bits > 0 ? packed_bits : 8 * element_bytes; }

  const void *address = nullptr;
  std::vector<long long> extents;
  std::vector<long long> strides;
  int element_bytes = 1;
  /// Of elements that are smaller than a byte, and lie without a gap; 0 of all others. Their stride
  /// in a row is 1.
  int packed_bits = 0;
  /// How TMA sees an element; none where it has no such type.
  std::optional<element_type> type;
  /// What it is called where TMA has no such type.
  std::string other_type;
  /// The device that the memory is on; none where nobody says so, or all reach it.
  std::optional<int> device;
  /// What keeps the memory, if anything does.
  std::shared_ptr<const void> owner;

  /// Finds strides that are not given.
  void complete() {
    if (strides.empty()) {
      strides.resize(extents.size(), element_bytes);
      long long elements = 1;
      for (std::size_t d = extents.size(); d-- > 1;)
        strides[d - 1] = (elements *= extents[d]) * element_bits() / 8;
    }
    if (strides.size() != extents.size())
      throw std::invalid_argument("a tensor of " + std::to_string(extents.size()) +
                                  " dimensions has " + std::to_string(strides.size()) + " strides");
  }
};

inline const tensor_view &view_of(const tensor_view &view) { return view; }

/// Of cuda::std::mdspan, and of all that has its members.
template <typename Span>
auto view_of(const Span &span) -> decltype(span.data_handle(), span.stride(0), tensor_view()) {
  tensor_view view;
  view.address = span.data_handle();
  view.element_bytes = int(sizeof(typename Span::element_type));
  view.type = detail::element_of<typename Span::element_type>();
  if (!view.type)
    view.other_type = detail::name_without_type<typename Span::element_type>();
  for (std::size_t d = 0; d < Span::rank(); ++d) {
    view.extents.push_back((long long)(span.extent(d)));
    view.strides.push_back((long long)(span.stride(d)) * view.element_bytes);
  }
  return view;
}

namespace detail {

/// By DLPack's codes of types: signed, unsigned, floating, bfloat.
inline std::optional<element_type> element_of(int code, int bits) {
  if ((code == 0 || code == 1) && (bits == 8 || bits == 16 || bits == 32 || bits == 64))
    return integer_of(std::size_t(bits) / 8, code == 0);
  if (code == 2 && (bits == 16 || bits == 32 || bits == 64))
    return bits == 16 ? element_type::f16 : bits == 32 ? element_type::f32 : element_type::f64;
  return code == 4 && bits == 16 ? std::optional(element_type::bf16) : std::nullopt;
}
inline std::string name_without_type(int code, int bits) {
  if (code == 0 && bits % 8 == 0)
    return short_integer(std::size_t(bits) / 8);
  return code == 6
             ? "bool"
             : "of DLPack's code " + std::to_string(code) + ", " + std::to_string(bits) + " bits";
}

} // namespace detail

/// Of a DLTensor, which has to outlive the view.
template <typename Tensor>
auto view_of(const Tensor &tensor) -> decltype(tensor.byte_offset, tensor.ndim, tensor_view()) {
  constexpr int on_device = 2, pinned = 3, managed = 13; // DLPack's kinds of devices
  const int kind = int(tensor.device.device_type);
  if (kind != on_device && kind != pinned && kind != managed)
    throw std::invalid_argument(
        "the tensor is in memory that the device cannot reach (DLPack's kind " +
        std::to_string(kind) + ")");
  if (tensor.dtype.lanes != 1)
    throw std::invalid_argument("elements of " + std::to_string(tensor.dtype.lanes) +
                                " lanes have no type of TMA's");
  tensor_view view;
  view.address = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  view.element_bytes = tensor.dtype.bits < 8 ? 1 : tensor.dtype.bits / 8;
  view.packed_bits = tensor.dtype.bits < 8 ? tensor.dtype.bits : 0;
  view.type = detail::element_of(int(tensor.dtype.code), tensor.dtype.bits);
  if (!view.type)
    view.other_type = detail::name_without_type(int(tensor.dtype.code), tensor.dtype.bits);
  for (int d = 0; d < tensor.ndim; ++d) {
    const int bits = d + 1 < tensor.ndim ? view.element_bits() : 8 * view.element_bytes;
    view.extents.push_back(tensor.shape[d]);
    if (tensor.strides)
      view.strides.push_back(tensor.strides[d] * bits / 8);
  }
  view.complete();
  if (kind == on_device)
    view.device = int(tensor.device.device_id);
  return view;
}

/// Of a DLManagedTensor, versioned or not, which the view owns from now on: its deleter is called
/// when nobody has it any more, or at once where it is no tensor for TMA.
template <typename Managed>
auto view_of(Managed *managed) -> decltype(managed->dl_tensor, managed->deleter, tensor_view()) {
  std::shared_ptr<Managed> owner(managed, [](Managed *own) {
    if (own->deleter)
      own->deleter(own);
  });
  tensor_view view = view_of(owner->dl_tensor);
  view.owner = std::move(owner);
  return view;
}

} // namespace tilelift

#endif
