# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launcher's plan as one function of a launch's numbers.

A plan says what launches are checked for, with the words for what does not hold. To go through it takes
longer than a launch. But it has no branches, so it is gone through once for each kernel, with expressions
instead of numbers, and what it asks becomes the source of a function that says of any numbers whether all
rules hold, and if so, what the driver is told of each map. Which rules do not hold, and in which words, is
asked of the plan itself, with the numbers (Launch in launch.py).
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import rules
from ._arguments import address_of, bounds_of, is_object
from ._driver import making
from ._numbers import (Expression, Number, OnLine, Range, Whole, all_of, are_known, end_of, line_of, quotient,
                       remainder)
from ._source import defined, function, tuple_of
from ._way import bound, starting


class Plan:
    """What plans call: what is the same for numbers and for expressions of them."""

    grid: Any  # x, y, z
    is_blackwell: bool

    def block_index(self, axis: int) -> Range:
        return Range(0, self.grid[axis] - 1)

    @staticmethod
    def end_of(starts: Number, length: int) -> Any:
        return end_of(starts, length, rules.MAX_EXTENT)

    def require_line(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        if not self.is_blackwell:
            self.require(rule, value, low, high, text)

    def tiled(self, map_name: str, tile: str, tensor: str, element: str, address: Any, offset: Any,
              box: Tuple[int, ...], extents: Sequence[Tuple[Any, ...]], swizzle: int = 0, promotion: int = 128,
              reads_start: Optional[Tuple[Number, ...]] = None) -> None:
        self.add(rules.MapRequest("tile", tile, tensor, element, self.start_of(address, tensor) + offset,
                                  tuple(map(_dimension, extents)), box=box, swizzle=_swizzle(swizzle), promotion=promotion,
                                  reads_start=reads_start))

    def pixels(self, map_name: str, tile: str, tensor: str, element: str, address: Any, offset: Any,
               box: Tuple[int, int], extents: Sequence[Tuple[Any, ...]], swizzle: int = 0, promotion: int = 128,
               in_lines: bool = False, reads_start: Optional[Tuple[Number, ...]] = None) -> None:
        wide = in_lines and self.is_blackwell
        dimensions = [_dimension(extent) for extent in extents]
        corners: List[Tuple[Any, ...]] = []
        for d in range(1, len(extents) - 1):
            corner: Sequence[Any] = (0, 0, "", "")  # where the line is, the instruction says
            if not wide or d == 1:
                dimensions[d], *corner = _walked(dimensions[d], extents[d], len(extents))
            corners.append(tuple(corner))
        lower, upper, lower_text, upper_text = zip(*corners)
        self.add(rules.MapRequest("w" if wide else "im2col", tile, tensor, element, self.start_of(address, tensor) + offset,
                                  tuple(dimensions), channels=box[0], pixels=box[1], lower=lower, upper=upper,
                                  lower_text=lower_text, upper_text=upper_text, swizzle=_swizzle(swizzle),
                                  promotion=promotion, reads_start=reads_start))

    def require(self, rule: str, value: Any, low: Optional[int], high: Optional[int], text: str) -> None:
        raise NotImplementedError

    def start_of(self, address: Any, tensor: str) -> Any:
        """Of memory: a number, an argument, or a member of one, which may be somebody's array."""
        raise NotImplementedError

    def add(self, request: rules.MapRequest) -> None:
        raise NotImplementedError


def _swizzle(span: int) -> str:
    return "none" if span == 0 else f"b{span}"


def _dimension(extent: Tuple[Any, ...]) -> rules.Dimension:
    elements, text, *stride = extent[:4]
    return rules.Dimension(rules.MAX_EXTENT if elements is None else elements, stride[0] if stride else 0,
                           extent_text=text, stride_text=stride[1] if stride else "")


def _walked(own: rules.Dimension, extent: Tuple[Any, ...], rank: int) -> Tuple[rules.Dimension, Any, Any, str, str]:
    """Where the box of a pixel's first positions ends: after so many as there are. A tensor
    without an end goes as far as the filter may reach; only such a one may be endless."""
    count, step, step_text, first, first_text = extent[4:]
    reach = {3: 32768, 4: 128, 5: 16}[rank]
    last = None if count is None else first + (count - 1) * step
    if extent[0] is None and last is not None:
        own = own._replace(extent=last + 1 + reach, extent_text="as far as the filter reaches")
    upper = -reach if last is None else last + 1 - own.extent
    return own._replace(step=step, step_text=step_text), first, upper, first_text, ""


def are_inside(request: rules.MapRequest) -> bool:
    """Whether each box has a part inside of its tensor, if one can tell."""
    starts = [Range.of(start) for start in request.reads_start or ()]
    return bool(starts) and all(-box < start.low and start.high < dimension.extent
                                for start, dimension, box in zip(starts, request.dimensions, request.box))


class Window(NamedTuple):
    """What stays in L2; where it is, stands behind the numbers of all maps."""
    tensor: str
    share: float


class Judgement(NamedTuple):
    """Two functions of the grid and of the arguments as they are passed and, of objects, as they were given.
    `numbers(g, v, o)`: for each site, what its map is made of (rules.Numbers), or nothing where a rule is broken. Of a
    way (_way.py), `of_way` makes `launch(g, stream, *v, *objects)`, which starts the kernel with its maps; False where a
    rule is broken, None where the grid or an argument is not what is passed."""
    numbers: Callable[[Sequence[int], Sequence[Any], Sequence[Any]], Optional[Tuple[Any, ...]]]
    of_way: Callable[..., Callable[..., Optional[bool]]]
    sites: Tuple[Any, ...]
    window: Optional[Window]
    source: str


_GRID = ("gx", "gy", "gz")
# The sizes of a grid `g`, where it is a number or a tuple of one to three; others are somebody else's to read.
_UNPACKED = ["size = len(g) if g.__class__ is tuple else 0",
             "if size == 2:", "    gx, gy = g", "    gz = 1",
             "elif size == 3:", "    gx, gy, gz = g",
             "elif size == 1:", "    gx, = g", "    gy = gz = 1",
             "else:", "    gx, gy, gz = g, 1, 1"]


class _Grid(NamedTuple):
    x: Expression
    y: Expression
    z: Expression


class _Limits:
    """Of one number, all limits that are asked for."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.low: Optional[int] = None
        self.high: Optional[int] = None

    def narrow(self, low: Optional[int], high: Optional[int]) -> None:
        if low is not None and (self.low is None or low > self.low):
            self.low = low
        if high is not None and (self.high is None or high < self.high):
            self.high = high

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value} <= {self.high}" if self.low is None else f"{self.value} >= {self.low}"
        return f"{self.value} == {self.low}" if self.low == self.high else f"{self.low} <= {self.value} <= {self.high}"


class Tracer(Plan):
    """Stands for the launch in a plan, and writes down what it asks."""

    def __init__(self, capability: int, is_blackwell: bool, variable: Callable[[str], int], kernel: str = "") -> None:
        self.capability, self.is_blackwell, self.variable, self.kernel = capability, is_blackwell, variable, kernel
        self.grid = _Grid(*map(Expression, _GRID))
        self.asked: Dict[str, None] = {}  # in the order in which they were asked
        self.limits: Dict[str, _Limits] = {}
        self.names: Dict[str, str] = {}  # of what is computed for rules and maps
        self.requests: List[rules.MapRequest] = []
        self.numbers: List[rules.Numbers] = []
        self.window: Optional[Window] = None
        self.kept: List[Tuple[str, str]] = []

    def named(self, value: Whole) -> Any:
        if are_known(value) or str(value).isidentifier():
            return value
        name, line = self.names.setdefault(str(value), f"t{len(self.names)}"), line_of(value)
        return OnLine(name, line) if line.of.isidentifier() else Expression(name)

    def conditions(self) -> str:
        return " and ".join([*map(str, self.limits.values()), *self.asked]) or "True"

    # What the rules ask of numbers.

    def within(self, value: Whole, low: Optional[int], high: Optional[int]) -> None:
        if isinstance(value, int):
            self.hold((low is None or low <= value) and (high is None or value <= high))
            return
        line = line_of(value)
        low, high = line.limits(low, high)
        if line.of in _GRID and low is not None and low <= 1:
            low = None  # of any grid
        if low is not None or high is not None:
            self.limits.setdefault(line.of, _Limits(line.of)).narrow(low, high)

    def multiple(self, value: Whole, of: int) -> None:
        if isinstance(value, int):
            self.hold(value % of == 0)
        else:
            self.asked[f"not {value} % {of}"] = None

    def has_pixel(self, extent: Whole, lower: Whole, upper: Whole) -> None:
        self.asked[f"has_pixel({extent}, {lower}, {upper})"] = None

    def hold(self, is_so: bool) -> None:
        """What is known already."""
        if not is_so:
            self.asked["False"] = None

    # What plans call.

    def require(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        if isinstance(value, Range):
            for least in all_of(min, value.low):
                self.within(least, low, None)
            for most in all_of(max, value.high):
                self.within(most, None, high)
        else:
            self.within(value, low, high)

    def require_multiple(self, rule: str, value: Whole, multiple: int, text: str) -> None:
        self.multiple(value, multiple)

    def require_fours(self, tile: str, distance: int) -> None:
        self.hold(self.is_blackwell)

    def persist(self, tensor: str, share: float) -> None:
        self.window = Window(tensor, share)

    def bulk(self, tile: str, tensor: str, address: Whole) -> None:
        self._start(tensor, self.named(self.start_of(address, tensor)), 16, str(rules.MAX_EXTENT))

    def start_of(self, address: Whole, tensor: str) -> Whole:
        is_member = isinstance(address, Expression) and not str(address).isidentifier()
        what = f"{self.kernel}(): '{tensor}'"
        return Expression(f"address_of({address}, {what!r})") if is_member else address

    def add(self, request: rules.MapRequest) -> None:
        dimensions = [d._replace(extent=self.named(d.extent), stride=self.named(d.stride), step=self.named(d.step))
                      for d in request.dimensions]
        lower, upper = [*map(self.named, request.lower)], [*map(self.named, request.upper)]
        address = self.named(request.address)
        rules.require_numbers(self, request, dimensions, lower, upper)
        self.within(address, None, (1 << 57) - 1)
        reach = ", ".join([f"{dimensions[0].extent} * {rules.BITS[request.element]} // 8",
                           *(f"{d.extent} * {d.stride}" for d in dimensions[1:]), "0"])
        self._start(request.tensor, address, rules.alignment_of(request), f"max({reach})")
        if request.reads_start is not None:
            inside = self._inside(request.reads_start, dimensions, request.box)
            self.asked[f"({inside} or has_memory({address}))"] = None
        own = request._replace(address=address, dimensions=tuple(dimensions), lower=tuple(lower), upper=tuple(upper))
        self.numbers.append(own.varying())
        self._judge_once(request)

    @staticmethod
    def _inside(starts: Sequence[Number], dimensions: Sequence[rules.Dimension], box: Sequence[int]) -> str:
        """The condition that each box has a part inside of its tensor."""
        inside: Dict[str, None] = {}
        for start, dimension, length in zip(map(Range.of, starts), dimensions, box):
            inside.update((f"{most} < {dimension.extent}", None) for most in all_of(max, start.high))
            inside.update((f"{least} > {-length}", None) for least in all_of(min, start.low))
        return " and ".join(inside) or "False"

    def _judge_once(self, request: rules.MapRequest) -> None:
        """What no launch changes, with numbers that are allowed in place of those that it does."""
        allowed = tuple(rules.Dimension(1 << 10, 1 << 10 if d else 0) for d in range(request.rank))
        corners = (0,) * len(request.lower)
        constant = request._replace(capability=self.capability, address=1 << 10, dimensions=allowed, lower=corners,
                                    upper=corners)
        self.hold(not rules.violations(constant))
        self.requests.append(constant)

    def _start(self, tensor: str, address: Whole, alignment: int, reach: str) -> None:
        self.within(address, 1, None)
        self.multiple(address, alignment)
        if self.window is not None and self.window.tensor == tensor:
            self.kept.append((str(address), reach))


def judge(plan: Callable[..., None], arguments: Sequence[Tuple[str, Union[str, int]]], tracer: Tracer,
          cluster: Sequence[int], site_of: Callable[[rules.MapRequest], Any], has_memory: Callable[[int], bool]) -> Judgement:
    """The plan of a kernel with these arguments, gone through by the tracer. A site knows what is `told` of the maps of
    one request."""
    kinds = [kind for _, kind in arguments]
    names = [Expression(f"o{i}" if is_object(kind) else f"a{i}") for i, kind in enumerate(kinds)]
    for name, kind in zip(names, kinds):
        tracer.within(name, *bounds_of(kind) or (None, None))
    plan(tracer, *names)
    sites = tuple(map(site_of, tracer.requests))
    known: Dict[str, Any] = {"quotient": quotient, "remainder": remainder, "has_pixel": rules.has_pixel,
                             "address_of": address_of, "has_memory": has_memory}
    for i, site in enumerate(sites):
        known.update((f"{name}{i}", value) for name, value in site.told._asdict().items())
    text = _Text(tracer, kinds, cluster)
    source = text.numbers() + text.launch()
    made = defined(f"{plan.__module__}.{plan.__name__}", source, known)
    return Judgement(made["numbers"], made["of_way"], sites, tracer.window if tracer.kept else None, source)


class _Text:
    """What a tracer has written down, as the lines of both functions. Arguments are `a0`, `a1` and so on as they are
    passed, objects are `o2` as they were given."""

    def __init__(self, tracer: Tracer, kinds: Sequence[Union[str, int]], cluster: Sequence[int]) -> None:
        self.cluster = cluster
        self.passed = [f"a{i}" for i in range(len(kinds))]
        self.whole = [name for name, kind in zip(self.passed, kinds) if kind == "pointer" or bounds_of(kind)]
        self.objects = [i for i, kind in enumerate(kinds) if is_object(kind)]
        self.requests, self.found, self.kept = tracer.requests, tracer.numbers, tracer.kept
        self.judges = [*(f"{name} = {text}" for text, name in tracer.names.items()), f"if not ({tracer.conditions()}):"]

    def numbers(self) -> str:
        found = [*map(tuple_of, self.found)]
        if self.kept:
            begins = ", ".join(address for address, _ in self.kept)
            ends = ", ".join(f"{address} + {reach}" for address, reach in self.kept)
            found.append(f"(min({begins}, {1 << 64}), max({ends}, 0))")
        unpacks = ["gx, gy, gz = g", *([f"{tuple_of(self.passed)} = v"] if self.passed else [])]
        unpacks += [f"o{i} = o[{i}]" for i in self.objects]
        return function("numbers", "g, v, o", [*unpacks, *self.judges, "    return None", f"return {tuple_of(found)}"])

    def launch(self) -> str:
        takes = ["g, stream", *self.passed, *(f"o{i}" for i in self.objects)]
        ragged = " or ".join(f"{axis} % {of}" for axis, of in zip(_GRID, self.cluster) if of > 1)
        maps = [line for i, request in enumerate(self.requests) for line in self._map(i, request)]
        passed = ", ".join([*(f"m{i}[1]" for i in range(len(self.found))), *self.passed])
        return bound("launch", ", ".join(takes), [
            *_UNPACKED, f"if not ({'.__class__ is '.join([*_GRID, *self.whole, 'int'])}):", "    return None",
            "if not (gx > 0 and gy > 0 and gz > 0):", "    return None",
            *([f"if single and ({ragged}):", f"    return single({', '.join(takes)})"] if ragged else []),
            *self.judges, "    return False", *maps, *starting(passed, unfit="return None"), "return True"])

    def _map(self, i: int, request: rules.MapRequest) -> List[str]:
        """Is known, or made in place: calls take time."""
        made = making(f"m{i}", request.mode, request.rank, self.found[i], f"n{i}", str(i))
        return [f"n{i} = {tuple_of(self.found[i])}", f"m{i} = known{i}.get(n{i})", f"if not m{i}:",
                *(f"    {line}" for line in made)]
