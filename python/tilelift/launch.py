# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of a launch (block, binary, shared memory, grids of cooperative kernels) and the start of
its kernel, for launchers that `tilelift --emit=python` writes; checks.h has the same in C++.

    kernels = load(image, module.function_names)
    module.blur(kernels, (8, 64), out, in_, w, h, stream=stream)

A launch is checked by the rules that are left to check; if they hold, its tensor maps are encoded
and the lifted kernel starts, else the plain one does. Maps of the same numbers are encoded once. Several
launches may be collected first and then made together:

    with Dispatch() as dispatch:
        module.blur(kernels, grid, a, b, w, h, into=dispatch)
        module.blur(kernels, grid, b, a, w, h, into=dispatch)

TILELIFT_DISABLE=1 runs every plain kernel, TILELIFT_VERBOSE=1 prints what each launch did and why.
"""
from __future__ import annotations

import inspect
import keyword
import operator
import os
import sys
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import rules
from ._arguments import (Argument, Floating, Integer, Object, Opaque, Parameter, Pointer, address_of, described,
                         is_object)
from ._driver import DriverError, Made, encoder, told
from ._judge import Judgement, Plan, Tracer, are_inside, judge
from ._kernels import Kernels, PersistingL2, load
from ._numbers import Number, Range, between, counted, either, quotient, remainder
from ._source import defined, function
from ._way import Kept, Way, never

__all__ = ["Dispatch", "DriverError", "Floating", "Handles", "Integer", "Kernel", "Kernels", "Launch", "Object",
           "PersistingL2", "Pointer", "Range", "Refused", "Sizes", "between", "counted", "either", "load", "quotient",
           "remainder"]

Handles = Mapping[str, Any]
Sizes = Union[int, Sequence[int]]


class Refused(RuntimeError):
    """A kernel whose pragma says `fallback(error)` cannot use TMA for these arguments."""


# One launch.

_Grid = Tuple[int, ...]  # of three: interpreters take it apart faster than a Dim3


def _listed(shape: Any) -> Tuple[Any, ...]:
    """A number, as NumPy's are, too, or numbers in a row; of anything else, none."""
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(shape) if hasattr(shape, "__iter__") else ()


def _sizes_of(shape: Any, what: str, of: str = "") -> _Grid:
    given = shape if shape.__class__ is tuple else _listed(shape)
    x, y, z = made = (*given, 1, 1)[:3] if 1 <= len(given) <= 3 else (0, 0, 0)
    if not x.__class__ is y.__class__ is z.__class__ is int:
        x, y, z = made = tuple(int(operator.index(n)) if hasattr(n, "__index__") else 0 for n in made)
    if x > 0 and y > 0 and z > 0:
        return made
    shown = given if hasattr(shape, "__iter__") else shape
    raise ValueError(f"{of}the {what} is {shown!r}: it takes one to three positive numbers")


class Dim3(NamedTuple):
    x: int
    y: int
    z: int

    @staticmethod
    def of(shape: Union[int, Sequence[int]], what: str, of: str = "") -> "Dim3":
        return Dim3(*_sizes_of(shape, what, of))

    def __str__(self) -> str:
        return f"{self.x} x {self.y} x {self.z}"


class Launch(Plan):
    """Collects, in words, what a launch breaks."""

    def __init__(self, kernel: "Kernel", kernels: Kernels, grid: Dim3) -> None:
        self.kernels, self.grid, self.name = kernels, grid, kernel.name
        self.is_blackwell = kernels.is_blackwell(kernel.lifted_entry)
        self.violations: List[rules.Violation] = []

    def reject(self, rule: str, text: str) -> None:
        self.violations.append(rules.Violation(rule, text))

    def require(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        # Of a launch all numbers are known, and none is an expression.
        ends: Tuple[Any, Any] = (value, value) if isinstance(value, int) else (value.low, value.high)
        first, last = ends
        if (low is None or first >= low) and (high is None or last <= high):
            return
        if low == high and first == last:
            self.reject(rule, f"{text} is {first} instead of {low}")
        else:
            most = (1 << 63) - 1
            self.reject(rule, f"{text} leaves its range of {-most if low is None else low} to "
                              f"{most if high is None else high}")

    def require_multiple(self, rule: str, value: int, multiple: int, text: str) -> None:
        if value % multiple:
            self.reject(rule, f"{text} is {value}, which is no multiple of {multiple}")

    def require_fours(self, tile: str, distance: int) -> None:
        if not self.is_blackwell:
            self.reject("row-start", f"rows of '{tile}' are {distance} bytes apart, and only from compute capability "
                                     "10.0 on are four of them copied at once; each by itself starts on a multiple of "
                                     "128")

    def variable(self, name: str) -> int:
        return self.kernels.variable(name)

    def persist(self, tensor: str, share: float) -> None:
        """Is no rule."""

    def bulk(self, tile: str, tensor: str, address: Any) -> None:
        self.violations += rules.bulk_violations(tile, tensor, self.start_of(address, tensor))

    def start_of(self, address: Any, tensor: str) -> int:
        return address_of(address, f"{self.name}(): '{tensor}'")

    def add(self, request: rules.MapRequest) -> None:
        broken = rules.violations(request._replace(capability=self.kernels.capability))
        outside = request.reads_start is not None and not are_inside(request)
        if outside and not (broken or self.kernels.has_memory(request.address)):
            self.reject("tensor-start", f"the map of '{request.tile}' starts in '{request.tensor}' at {request.address}, "
                                        "where the device has no memory, and boxes outside of the tensor read there")
        self.violations += broken


class _Site:
    """A copy that has a map, and the maps that were made for it by their numbers."""

    MOST_REMEMBERED = 1024

    def __init__(self, driver: Any, request: rules.MapRequest) -> None:
        # Of two sites that are the same, equal numbers are equal maps; the request has numbers of nobody.
        self.same = request.numbers()
        self.told = told(driver, request, {}, self.MOST_REMEMBERED)
        self.make = encoder(request, self.told)

    def map_of(self, numbers: rules.Numbers) -> Made:
        made: Optional[Made] = self.told.known.get(numbers)
        return made or self.make(numbers)


class _Setting:
    """What of a launch depends on its block and its attributes, and neither on its grid nor on an argument."""

    __slots__ = ("judged", "plain", "early", "late", "lifted", "clustered", "said", "keeps", "numbers", "launch")

    def __init__(self, judged: "_Judged", plain: Way, early: Sequence[rules.Violation]) -> None:
        self.judged, self.plain, self.early = judged, plain, early
        self.late: Sequence[rules.Violation] = ()  # mentioned where no others are broken
        self.lifted = plain
        self.clustered: Optional[Way] = None  # in grids of whole clusters, where tiles are shared in them
        self.said, self.keeps = "", False
        self.numbers: Callable[..., Optional[Tuple[Any, ...]]] = never
        self.launch: Callable[..., Optional[bool]] = never  # judges and starts, where the rules are all that decides


class _Judged:
    """What is known of a kernel on one device: how its launches are judged, and its maps."""

    def __init__(self) -> None:
        self.judgement: Optional[Judgement] = None
        self.most = 0

    @property
    def sites(self) -> Tuple[_Site, ...]:
        return self.judgement.sites if self.judgement else ()

    def learn(self, kernel: "Kernel", kernels: Kernels) -> Judgement:
        """Where the device has TMA; once."""
        if self.judgement is None:
            tracer = Tracer(kernels.capability, kernels.is_blackwell(kernel.lifted_entry), kernels.variable,
                            kernel.name)
            made = judge(kernel.plan, kernel.arguments, tracer, kernel.cluster,
                         lambda request: _Site(kernels.driver, request), kernels.has_memory)
            self.most = kernels.window_bytes() if made.window else 0
            self.judgement = made
        return self.judgement

    def kept(self, numbers: Sequence[Any]) -> "Kept":
        """What stays in L2: all that copies through the tensor may touch, or as much as a window holds."""
        assert self.judgement is not None and self.judgement.window is not None
        begin, end = numbers[-1]
        window = self.judgement.window
        return Kept(begin, min(end - begin, self.most), window.share, window.tensor)


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


_VERBOSE, _DISABLED = _is_set("TILELIFT_VERBOSE"), _is_set("TILELIFT_DISABLE")


def _names(arguments: Sequence[Argument]) -> List[str]:
    """Of a function in Python that takes them."""
    taken = ["kernels", "grid", "no_more", "block", "shared", "stream", "attributes", "into", "kernel", "known", "started",
             "AttributeError", "KeyError", "TypeError"]
    first = len(taken)
    for name, _ in arguments:
        is_name = name.isascii() and name.isidentifier() and not name.startswith("__")
        own = name if is_name else f"argument{len(taken) - first}"
        while own in taken or keyword.iskeyword(own):
            own += "_"
        taken.append(own)
    return taken[first:]


def _signature_of(kernel: "Kernel") -> inspect.Signature:
    """What help() shows and editors offer; types are names of this module."""
    fixed, named = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
    own = [(name, described(kind)) for name, (_, kind) in zip(_names(kernel.arguments), kernel.arguments)]
    first = [inspect.Parameter(name, fixed, annotation=kind)
             for name, kind in (("kernels", "Handles"), ("grid", "Sizes"), *own)]
    last = [inspect.Parameter(name, named, default=default, annotation=kind) for name, default, kind in (
        ("block", None, "Sizes"), ("shared", 0, "int"), ("stream", 0, "Any"), ("attributes", (), "Sequence"),
        ("into", None, "Dispatch"))]
    return inspect.Signature([*first, *last], return_annotation="bool")


def _described(kernel: "Kernel") -> str:
    return (f"Launches {kernel.signature or kernel.name} in blocks of {kernel.block}.\n\n"
            f"`kernels` holds the handles of '{kernel.entry}' and '{kernel.lifted_entry}', of which the second, by TMA, "
            "runs where the arguments allow it.\nReturns whether it does. `block` and `shared` are the launch's own, "
            "`attributes` a list of CUlaunchAttribute;\nwith `into`, the launch is added to a Dispatch.")


def _launcher_of(kernel: "Kernel") -> Callable[..., bool]:
    """The function that launches it. A launch like an earlier one in all but its grid and its arguments goes straight
    on; anything else is the kernel's to find out. What is said by name could be by keyword only, but then Python looks
    for what is not said in a dictionary, each time; so an argument too many ends up in `no_more`."""
    given = "".join(f"{name}, " for name in _names(kernel.arguments))
    too_many = f"{kernel.name}() takes {2 + len(kernel.arguments)} positional arguments, and more are given"
    straight = [] if any(is_object(kind) for _, kind in kernel.arguments) else [
        "if into is None and not attributes and no_more is ...:",
        "    try:",
        "        known = kernels.known[kernel if block is None and shared == 0 else (kernel, block, shared)]",
        "    except (AttributeError, KeyError, TypeError):",
        "        pass",
        "    else:",
        f"        started = known.launch(grid, stream, {given})",
        "        if started:",
        "            return True"]
    own: Callable[..., bool] = defined(f"the launch of {kernel.name}", function(
        "launch", f"kernels, grid, {given}/, no_more=..., block=None, shared=0, stream=0, attributes=(), into=None",
        ["known = started = None", *straight,
         "if no_more is not ...:", f"    raise TypeError({too_many!r})",
         f"return kernel.launch(kernels, grid, ({given}), block, shared, stream, attributes, into, known, started)"]),
        {"kernel": kernel})["launch"]
    own.__code__ = own.__code__.replace(co_name=kernel.name)  # which older Pythons say where arguments are missing
    own.__name__ = own.__qualname__ = kernel.name
    own.__module__ = kernel.plan.__module__
    own.__doc__ = _described(kernel)
    setattr(own, "__signature__", _signature_of(kernel))
    setattr(own, "kernel", kernel)
    return own


class Kernel:
    """A lifted kernel and the plain one. Its `launcher` is a function, which Python calls without the detours that it
    takes to objects:

        launcher(kernels, grid, *arguments, block=None, shared=0, stream=0, attributes=(), into=None)

    launches the kernel, or adds it to a dispatch, and says whether the lifted one is the one that runs."""

    def __init__(self, name: str, entry: str, lifted_entry: str, arguments: Tuple[Argument, ...],
                 block: Tuple[int, int, int], plan: Callable[..., None],
                 lifted_block: Optional[Tuple[int, int, int]] = None, cluster: Tuple[int, int, int] = (1, 1, 1),
                 ring_bytes: int = 0, must_lift: bool = False, scope: str = "", signature: str = "") -> None:
        self.scope = scope  # what stands before its name, as "ns::"
        self.signature = signature  # as the program declares it
        self.name, self.entry, self.lifted_entry = name, entry, lifted_entry
        self.arguments, self.plan = arguments, plan
        self.block = Dim3(*block)
        self.lifted_block = Dim3(*(lifted_block or block))
        self.cluster = Dim3(*cluster)
        self.ring_bytes, self.must_lift = ring_bytes, must_lift
        self._of = f"{name}(): "
        self._parameters = [Parameter(name, *argument) for argument in arguments]
        self._quick = [own.quick for own in self._parameters]
        self._formats = [own.format for own in self._parameters]
        self._objects = [i for i, own in enumerate(self._parameters) if own.is_object]
        self._limits = [(i, *own.limits) for i, own in enumerate(self._parameters) if not own.is_object]
        self.launcher = _launcher_of(self)

    def __call__(self, *arguments: Any, **said: Any) -> bool:
        return self.launcher(*arguments, **said)

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, block={tuple(self.block)})"

    def __reduce__(self) -> Any:
        return Kernel, (self.name, self.entry, self.lifted_entry, self.arguments, tuple(self.block), self.plan,
                        tuple(self.lifted_block), tuple(self.cluster), self.ring_bytes, self.must_lift, self.scope,
                        self.signature)

    def launch(self, kernels: Handles, grid: Sizes, arguments: Tuple[Any, ...], block: Optional[Sizes], shared: int,
               stream: Any, attributes: Sequence[Any], into: Optional["Dispatch"], known: Optional[_Setting],
               started: Optional[bool]) -> bool:
        """What a call does that has not `started`: nobody has looked, or a rule is broken, or it was not to say."""
        own = kernels if isinstance(kernels, Kernels) else Kernels(kernels)
        values, seen = self._as_passed(arguments)
        if grid.__class__ is not tuple and grid.__class__ is not int:
            grid = _sizes_of(grid, "grid", self._of)
        setting = known or self._find(own, grid, block, shared, attributes)
        try:
            if into is None and started is None:
                started = setting.launch(grid, stream, *values, *(seen[i] for i in self._objects))
                if started:
                    return True
            size = _sizes_of(grid, "grid", self._of)
            for i, low, high in self._limits:
                if not low <= values[i] <= high:
                    self._parameters[i].check(values[i])
            found = None if started is False else setting.numbers(size, values, seen)
        except (AttributeError, TypeError) as problem:
            raise self._about_member(problem) from None
        if found is not None:
            return self._start(setting, size, values, found, stream, into)
        self._stay_plain(own, setting, size, values, seen)
        if into is not None:
            into.add(setting.plain, size, values, (), stream, None)
        else:
            setting.plain.start(size, (), values, stream, None)
        return False

    def _about_member(self, problem: Exception) -> Exception:
        """Which an object of another type than the kernel's does not have, or has as something else."""
        names = " or ".join(f"'{self._parameters[i].name}'" for i in self._objects)
        is_told = not names or str(problem).startswith(self._of)
        return problem if is_told else type(problem)(f"{self._of}{names}: {problem}")

    def _start(self, setting: _Setting, grid: _Grid, values: Sequence[Any], found: Sequence[Any], stream: Any,
               into: Optional["Dispatch"]) -> bool:
        """Where more has to be said than that the rules hold."""
        way, kept = self._way_of(setting, grid), setting.judged.kept(found) if setting.keeps else None
        mapped = list(zip(setting.judged.sites, found))  # a window's numbers are behind those of all sites
        made = [] if into is not None else [site.map_of(each) for site, each in mapped]
        if _VERBOSE:
            alone = "" if setting.clustered in (None, way) else (
                f", each block by itself: a grid of {Dim3(*grid)} has no whole clusters of {self.cluster}")
            print(f"tilelift: {self.name}: TMA{alone}{setting.said}{kept or ''}", file=sys.stderr)
        if into is not None:
            into.add(way, grid, values, mapped, stream, kept)
        else:
            way.start(grid, made, values, stream, kept)
        return True

    def _as_passed(self, arguments: Tuple[Any, ...]) -> Tuple[Sequence[Any], Tuple[Any, ...]]:
        """Numbers and bytes; and the arguments as expressions have them, which name members of objects."""
        if not self._objects:
            for value in arguments:
                if value.__class__ is not int:
                    return self._values_of(arguments), arguments
            return arguments, arguments
        values = self._values_of(arguments)
        seen = list(arguments)
        for i in self._objects:
            if isinstance(seen[i], (bytes, bytearray, memoryview)):
                seen[i] = Opaque(self._parameters[i])
        return values, tuple(seen)

    def _values_of(self, arguments: Tuple[Any, ...]) -> List[Any]:
        try:
            return [quick(value) for quick, value in zip(self._quick, arguments)]
        except Exception:
            for own, value in zip(self._parameters, arguments):
                own.refuse(value)
            raise

    def _stay_plain(self, kernels: Kernels, setting: _Setting, grid: _Grid, values: Sequence[Any],
                    arguments: Sequence[Any]) -> None:
        """Says why, where anybody asks."""
        if not _VERBOSE and not self.must_lift:
            return
        found = [*setting.early, *self._broken(kernels, setting, grid, values, arguments)] or setting.late
        if _VERBOSE:
            print(f"tilelift: {self.name}: plain, {rules.text_of(found)}", file=sys.stderr)
        if self.must_lift:
            raise Refused(f"'{self.name}' cannot use TMA: {rules.text_of(found)}")

    def _broken(self, kernels: Kernels, setting: _Setting, grid: _Grid, values: Sequence[Any],
                arguments: Sequence[Any]) -> List[rules.Violation]:
        """What the plan says, in words."""
        try:
            launch = Launch(self, kernels, Dim3(*grid))
            self.plan(launch, *(seen if own.is_object else value
                                for own, value, seen in zip(self._parameters, values, arguments)))
            return launch.violations
        except Exception:
            if not setting.early:
                raise
            return []  # what nobody has asked for cannot keep the plain kernel from running

    def _way_of(self, setting: _Setting, grid: _Grid) -> Way:
        """The lifted kernel's: in clusters, where the grid has whole ones."""
        if setting.clustered is None or any(n % of for n, of in zip(grid, self.cluster)):
            return setting.lifted
        return setting.clustered

    def _find(self, kernels: Kernels, grid: Any, block: Any, shared: int, attributes: Sequence[Any]) -> _Setting:
        """Attributes are somebody's objects, which may say something else the next time."""
        threads = block if block is None or block.__class__ is int else _listed(block) or block
        key = self if threads is None and shared == 0 else (self, threads, shared)
        if not hasattr(shared, "__index__") or shared < 0:
            raise ValueError(f"{self._of}the shared memory is {shared!r}: it takes a number of bytes")
        if attributes is not None and not hasattr(attributes, "__iter__"):
            raise TypeError(f"{self._of}the attributes are {attributes!r}: they are a list of CUlaunchAttribute")
        own = tuple(attributes or ())
        setting = None if own else kernels.known.get(key)
        if setting is not None:
            return setting
        judged = kernels.judged.setdefault(self, _Judged())
        setting = self._set(kernels, judged, Dim3.of(grid, "grid", self._of), threads, shared, own)
        return setting if own else kernels.remember(kernels.known, key, setting)

    def _set(self, kernels: Kernels, judged: _Judged, grid: Dim3, threads: Any, shared: int,
             attributes: Tuple[Any, ...]) -> _Setting:
        """The grid decides of launches with attributes only, whose settings nobody keeps."""
        block = self.block if threads is None else Dim3.of(threads, "block", self._of)
        early = self._early(kernels, block)
        needed = shared + self.ring_bytes
        setting = _Setting(judged, Way(kernels, self.entry, block, shared, attributes, self._formats, 0), early)
        if early:
            return setting
        judgement = judged.learn(self, kernels)
        asked = {int(a.id): a for a in attributes}
        ids = kernels.driver.CUlaunchAttributeID
        clusters, setting.said, refused = self._cluster(kernels, asked)
        setting.late = self._late(kernels, grid, needed, asked) or refused
        setting.keeps = judgement.window is not None
        if setting.keeps and int(ids.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) in asked:
            setting.keeps, setting.said = False, setting.said + ", keeps in L2 what the launch itself says"
        elif setting.keeps and judged.most == 0:
            setting.keeps, setting.said = False, setting.said + ", keeps nothing in L2: the device has no windows"
        if not setting.late:
            def lifted(*more: Any) -> Way:
                return Way(kernels, self.lifted_entry, self.lifted_block, needed, (*attributes, *more), self._formats,
                            len(judged.sites))
            setting.numbers, setting.lifted = judgement.numbers, lifted()
            setting.clustered = lifted(*clusters) if clusters else None
            if not (setting.keeps or _VERBOSE):
                setting.launch = setting.lifted.bind(judgement.of_way)
                if setting.clustered:
                    setting.launch = setting.clustered.bind(judgement.of_way, setting.launch)
        return setting

    def _early(self, kernels: Kernels, block: Dim3) -> Tuple[rules.Violation, ...]:
        """What forbids TMA before anything is asked about the launch."""
        found = []
        if _DISABLED:
            found.append(rules.Violation("disabled", "TILELIFT_DISABLE is set"))
        elif kernels.capability < 90:
            found.append(rules.Violation("device", "the device has no TMA unit, which needs compute capability 9.0"))
        if block != self.block:
            found.append(rules.Violation("block-size", f"the block is {block}, the copies were checked for {self.block}"))
        if not found and kernels.architecture_of(self.lifted_entry) < 90:
            found.append(rules.Violation("binary", "the program holds no code for this device that uses TMA; build for "
                                                   "sm_90 or later"))
        return tuple(found)

    def _late(self, kernels: Kernels, grid: Dim3, needed: int, asked: Mapping[int, Any]) -> List[rules.Violation]:
        """What the lifted kernel needs of a block, and of blocks that wait for each other."""
        threads = self.lifted_block.x * self.lifted_block.y * self.lifted_block.z
        most = kernels.most_threads_of(self.lifted_entry)
        if threads > most:
            return [rules.Violation("registers", f"the block has {threads} threads, and the registers of the lifted "
                                                 f"kernel leave room for {most}; __launch_bounds__ makes them fewer")]
        if 0 < needed and needed > kernels.room_in(self.lifted_entry):
            return [rules.Violation("shared-size", "with its barriers the block has room for "
                                                   f"{kernels.room_in(self.lifted_entry)} bytes of dynamic shared "
                                                   f"memory, and needs {needed}")]
        blocks = grid.x * grid.y * grid.z
        is_cooperative = int(kernels.driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE) in asked
        if is_cooperative and not kernels.fits_at_once(self.lifted_entry, blocks, threads, needed):
            return [rules.Violation("cooperative-grid", f"the {blocks} blocks of a cooperative launch have to run at "
                                                        "once, and of the lifted kernel fewer do")]
        return []

    def _cluster(self, kernels: Kernels, asked: Mapping[int, Any]) -> Tuple[List[Any], str, List[rules.Violation]]:
        """The clusters to ask for, or why each block is by itself, or why that cannot be."""
        if self.cluster == (1, 1, 1):
            return [], "", []
        ids = kernels.driver.CUlaunchAttributeID
        own = asked.get(int(ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION))
        if own is not None:
            shape = Dim3(*(int(getattr(own.value.clusterDim, axis)) for axis in "xyz"))
            return [], "", [] if shape == self.cluster else [rules.Violation(
                "cluster-shape", f"the program's clusters are {shape}, tiles are shared in {self.cluster}")]
        if int(ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE) in asked:
            return [], ", each block by itself: the launch is cooperative", []
        made = kernels.driver.CUlaunchAttribute()
        made.id = ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        value = made.value
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.cluster
        made.value = value
        return [made], "", []


class Dispatch:
    """Several launches in one go: all maps are encoded first, each once, then all kernels start, in
    the order in which they were added. Nothing starts if one of the maps cannot be made."""

    def __init__(self) -> None:
        self._launches: List[Tuple[Way, _Grid, Sequence[Any], Sequence[Tuple[_Site, Any]], Any, Optional[Kept]]] = []

    def add(self, way: Way, grid: _Grid, values: Sequence[Any], mapped: Sequence[Tuple[_Site, Any]], stream: Any,
            kept: Optional[Kept]) -> None:
        self._launches.append((way, grid, values, mapped, stream, kept))

    def run(self) -> None:
        launches, self._launches = self._launches, []
        made: dict[Any, Made] = {}
        maps = [[self._map(site, numbers, made) for site, numbers in mapped] for _, _, _, mapped, _, _ in launches]
        for (way, grid, values, _, stream, kept), own in zip(launches, maps):
            way.start(grid, own, values, stream, kept)

    @staticmethod
    def _map(site: _Site, numbers: Tuple[Any, ...], made: dict[Any, Made]) -> Made:
        """Two kernels that ask for the same numbers have one map."""
        key = (site.same, numbers)
        if key not in made:
            made[key] = site.map_of(numbers)
        return made[key]

    def __enter__(self) -> "Dispatch":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.run()
