# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps as objects, for kernels whose TMA is written by hand.

    tile = TensorMap.tiled(tensor, box=(64, 32), swizzle="b128")
    pixels = TensorMap.im2col(tensor, lower=(-1, -1), upper=(-1, -1), channels=64, pixels=128)
    kernel(kernels, grid, tile, pixels, out)

Everything is row-major, as the tensor is: box, element strides, and corners, which are [H, W] or
[D, H, W]. Numbers are elements, strides of a View bytes. Of a request that breaks rules, all of them
are in one error; what they are, and their limits, is in docs/tensor_maps.md. The driver is not asked
before.
"""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Optional, Sequence, Tuple

from . import rules
from ._dtypes import DType, element_of
from ._driver import bindings, bytes_of, call, encode
from ._views import View, chosen, view_of

__all__ = ["TensorMap", "TensorMapError", "TensorMapOptions", "View"]


class TensorMapError(ValueError):
    """Rules that a request breaks: `violations` has them one by one."""

    def __init__(self, violations: Sequence[rules.Violation]) -> None:
        super().__init__("; ".join(map(str, violations)))
        self.violations = tuple(violations)


@dataclass(frozen=True)
class TensorMapOptions:
    """What maps of all kinds may say besides their box.

    dtype            how TMA sees an element, as "f32" or a type of NumPy, ml_dtypes, PyTorch or DLPack; None: as the
                     tensor says
    element_strides  from one element that is copied to the next, in each dimension: 1 to 8
    swizzle          "none", "b32", "b64", "b128", and on Blackwell "b128_atom_32", "b128_atom_32_flip_8",
                     "b128_atom_64"
    interleave       "none", "b16", "b32"
    promotion        bytes that L2 fetches at once: 0, 64, 128 or 256
    fill             what is read outside of the tensor: "zero" or "nan"
    """
    dtype: Optional[DType] = None
    element_strides: Optional[Sequence[int]] = None
    swizzle: str = "none"
    interleave: str = "none"
    promotion: int = 0
    fill: str = "zero"


_NAMES = tuple(field.name for field in fields(TensorMapOptions))
_ALLOWED = {"dtype": rules.ELEMENTS, "swizzle": rules.SWIZZLES, "interleave": rules.INTERLEAVES,
            "promotion": rules.PROMOTIONS, "fill": rules.FILLS}


def _options(options: Optional[TensorMapOptions], given: dict[str, Any]) -> TensorMapOptions:
    unknown = [name for name in given if name not in _NAMES]
    if unknown:
        raise TypeError(f"no option is called '{unknown[0]}'; there are {', '.join(_NAMES)}")
    if options is not None and given:
        raise TypeError(f"'{next(iter(given))}' is given beside options: say all of them in one place")
    if options is not None and not isinstance(options, TensorMapOptions):
        raise TypeError(f"options are TensorMapOptions, not {type(options).__name__}")
    own = options or TensorMapOptions(**given)
    own = replace(own, dtype=element_of(own.dtype))
    for name, allowed in _ALLOWED.items():
        value = getattr(own, name)
        if value is not None or name != "dtype":
            chosen(name, value, allowed)
    return own


def _numbers(name: str, values: Sequence[int], count: int) -> Tuple[int, ...]:
    try:
        numbers = tuple(values)
    except TypeError:
        raise TypeError(f"'{name}' is {values!r}, which is no sequence of numbers") from None
    for number in numbers:
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"'{name}' has {number!r}, which is no whole number")
    if len(numbers) != count:
        raise ValueError(f"'{name}' has {len(numbers)} numbers, the tensor asks for {count}")
    return tuple(number.__index__() for number in numbers)


def _element(view: View, options: TensorMapOptions) -> str:
    if options.dtype is None:
        if view.dtype is None:
            raise TypeError(f"elements are {view.elements}: the tensor's type is none of TMA's; 'dtype' says which to "
                            f"take it for: {', '.join(rules.ELEMENTS)}")
        return view.dtype
    # Of packed elements, several may be in what the tensor counts as one.
    if options.dtype not in rules.PACKED and rules.BITS[options.dtype] != view.item_bits:
        unit, name = (1, "bits") if view.item_bits % 8 else (8, "bytes")
        raise ValueError(f"an element of the tensor has {view.item_bits // unit} {name}, a {options.dtype} has "
                         f"{rules.BITS[options.dtype] // unit}: extents would count something else")
    return options.dtype


def _in_a_row(view: View, element: str) -> int:
    """How many elements TMA sees there. Where packed ones do not fill it, their whole number breaks a rule, too."""
    return view.shape[-1] * view.item_bits // rules.BITS[element]


class TensorMap:
    """A map, the memory that it leads to, and the context in which it was made."""

    _key = object()

    def __init__(self, key: Any, driver: Any = None, context: int = 0, device: int = 0, view: Optional[View] = None,
                 request: Optional[rules.MapRequest] = None) -> None:
        if key is not self._key:
            raise RuntimeError("a TensorMap is made by TensorMap.tiled, TensorMap.im2col or TensorMap.im2col_wide")
        assert view is not None and request is not None
        self._driver, self._context, self._device = driver, context, device
        self._view, self._request = view, request
        self._elements = view.elements  # as the tensor has them; the request says what TMA takes them for
        self._made = encode(driver, request)

    @classmethod
    def tiled(cls, tensor: Any, box: Sequence[int], *, options: Optional[TensorMapOptions] = None, driver: Any = None,
              **given: Any) -> "TensorMap":
        """Boxes of so many elements in each dimension: 1 to 256, rows of a multiple of 16 bytes."""
        own = _options(options, given)
        view = view_of(tensor)
        rank = len(view.shape)
        _check_rank("tiled", rank, 1)
        sizes = _numbers("box", box, rank)
        return cls._make(driver, view, own, mode="tile", box=sizes[::-1])

    @classmethod
    def im2col(cls, tensor: Any, lower: Sequence[int], upper: Sequence[int], channels: int, pixels: int, *,
               options: Optional[TensorMapOptions] = None, driver: Any = None, **given: Any) -> "TensorMap":
        """Pixels of a tensor [N, W, C], [N, H, W, C] or [N, D, H, W, C]. For a convolution, lower is
        -padding, and upper is padding - (filter - 1) * dilation; element strides are its strides."""
        own = _options(options, given)
        view = view_of(tensor)
        rank = len(view.shape)
        _check_rank("im2col", rank, 3)
        corners = [_numbers(name, values, rank - 2)[::-1] for name, values in (("lower", lower), ("upper", upper))]
        return cls._make(driver, view, own, mode="im2col", lower=corners[0], upper=corners[1],
                         channels=_numbers("channels", (channels,), 1)[0], pixels=_numbers("pixels", (pixels,), 1)[0])

    @classmethod
    def im2col_wide(cls, tensor: Any, lower: int, upper: int, channels: int, pixels: int, *, mode: str = "w",
                    options: Optional[TensorMapOptions] = None, driver: Any = None, **given: Any) -> "TensorMap":
        """Pixels of one line each, on Blackwell; the corners are those of W. mode is "w" or "w128"."""
        if mode not in ("w", "w128"):
            raise ValueError(f"'mode' is {mode!r}; there are w, w128")
        own = _options(options, given if options or "swizzle" in given else {"swizzle": "b128", **given})
        view = view_of(tensor)
        rank = len(view.shape)
        _check_rank("im2col wide", rank, 3)
        ends = [_numbers(name, (value,), 1) + (0,) * (rank - 3) for name, value in (("lower", lower), ("upper", upper))]
        return cls._make(driver, view, own, mode=mode, lower=ends[0], upper=ends[1],
                         channels=_numbers("channels", (channels,), 1)[0], pixels=_numbers("pixels", (pixels,), 1)[0])

    @classmethod
    def _make(cls, driver: Any, view: View, options: TensorMapOptions, **members: Any) -> "TensorMap":
        driver = driver if driver is not None else bindings()
        context, device, capability = _current(driver)
        _check_place(driver, view, device)
        if members["mode"] in ("w", "w128") and capability < 100:
            raise RuntimeError("im2col wide needs compute capability 10.0, the device has "
                               f"{capability // 10}.{capability % 10}")
        element = _element(view, options)
        rank = len(view.shape)
        steps = (1,) * rank if options.element_strides is None else _numbers("element_strides",
                                                                            options.element_strides, rank)
        if view.strides[-1] != view.item_size:
            raise ValueError(f"elements of a row are {view.strides[-1]} bytes apart, and have {view.item_size}: TMA "
                             "copies rows that are dense")
        dimensions = tuple(map(rules.Dimension, (*view.shape[:-1], _in_a_row(view, element)), (*view.strides[:-1], 0),
                               steps))[::-1]
        request = rules.MapRequest(tile="tile", tensor="tensor", element=element, address=view.address,
                                   dimensions=dimensions, swizzle=options.swizzle, interleave=options.interleave,
                                   promotion=options.promotion, fill=options.fill, capability=capability, **members)
        found = rules.violations(request)
        if found:
            raise TensorMapError(found)
        return cls(cls._key, driver, context, device, view, request)

    @property
    def device(self) -> int:
        """The number of the device that the map is for."""
        return self._device

    @property
    def rank(self) -> int:
        return self._request.rank

    @property
    def dtype(self) -> str:
        return self._request.element

    @property
    def address(self) -> int:
        """Of the tensor."""
        return self._request.address

    def __repr__(self) -> str:
        own = self._request
        box = f"box={own.box[::-1]}" if own.mode == "tile" else f"channels={own.channels}, pixels={own.pixels}"
        kind = {"tile": "tiled", "im2col": "im2col", "w": "im2col wide w", "w128": "im2col wide w128"}[own.mode]
        return f"TensorMap({kind}, rank={own.rank}, dtype={own.element}, {box}, swizzle={own.swizzle})"

    def __bytes__(self) -> bytes:
        """As a kernel takes it by value: 128 bytes, of the context in which it was made."""
        context, device, _ = _current(self._driver)
        if (context, device) != (self._context, self._device):
            raise RuntimeError(f"the map was made in another context, on device {self._device}")
        return bytes_of(self._made)

    def replace_address(self, tensor: Any) -> None:
        """Leads to another tensor of the same shape, strides and type from now on; kernels that have
        been launched keep theirs. If that cannot be, nothing changes."""
        view = view_of(tensor)
        context, device, _ = _current(self._driver)
        if (context, device) != (self._context, self._device):
            raise RuntimeError(f"the map was made in another context, on device {self._device}")
        _check_place(self._driver, view, device)
        if (view.shape, view.strides) != (self._view.shape, self._view.strides):
            raise ValueError(f"the tensor has shape {view.shape} and strides {view.strides}, the map is of "
                             f"{self._view.shape} and {self._view.strides}")
        if view.item_bits != self._view.item_bits or (view.elements != self._elements and view.dtype != self.dtype):
            raise ValueError(f"elements of the tensor are {view.elements}, those of the map {self._elements}")
        found = rules.address_violations(view.address, rules.alignment_of(self._request))
        if found:
            raise TensorMapError(found)
        # Another address is another map: what drivers have to be helped with is done again.
        request = self._request._replace(address=view.address)
        made = encode(self._driver, request)
        self._request, self._view, self._made = request, view, made


def _check_rank(kind: str, rank: int, least: int) -> None:
    if not least <= rank <= rules.MAX_RANK:
        raise ValueError(f"the tensor has {rank} dimensions, a map that is {kind} has {least} to {rules.MAX_RANK}")


def _current(driver: Any) -> Tuple[int, int, int]:
    """The context, its device, and what that can do."""
    context = int(call(driver, "cuCtxGetCurrent", "a tensor map"))
    if context == 0:
        raise RuntimeError("there is no current CUDA context")
    device = int(call(driver, "cuCtxGetDevice", "a tensor map"))
    attributes = driver.CUdevice_attribute
    major, minor = (int(call(driver, "cuDeviceGetAttribute", "the device", attribute, device))
                    for attribute in (attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                      attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
    if major < 9:
        raise RuntimeError(f"tensor maps need compute capability 9.0, the device has {major}.{minor}")
    return context, device, 10 * major + minor


def _check_place(driver: Any, view: View, device: int) -> None:
    """Memory of the host that the device reaches is nobody's device's."""
    if view.device is not None and view.device != device:
        raise ValueError(f"the tensor is on device {view.device}, the current one is {device}")
