# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA copies become TMA operations, in programs that compile kernels while they run.

    lifted = tilelift.lift(source, arch="sm_90a", blocks={"blur": 256})
    image = compile_somehow(lifted.source, "-I" + tilelift.include_path())
    blur = lifted.launcher("blur")
    kernels = lifted.load(image)
    blur(kernels, (8, 64), out, in_, w, h, stream=stream)

`lifted.source` is the device's source alone, as NVRTC takes it; `lifted.manifest` says how its kernels
are launched, for those who launch them otherwise; `lifted.diagnostics` is what there is to say. Sources
may be lifted from many threads at once.
"""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _library
from .launch import Dispatch, DriverError, Kernel, Kernels, Refused, load
from .tensor_map import TensorMap, TensorMapError, TensorMapOptions, View

__all__ = ["Diagnostic", "Dispatch", "DriverError", "Kernel", "Kernels", "LiftError", "Lifted", "Note", "Refused",
           "TensorMap", "TensorMapError", "TensorMapOptions", "View", "__version__", "cmake_path", "examples_path",
           "include_path", "lift", "load", "version"]


class Note(NamedTuple):
    message: str
    line: int
    column: int


class Diagnostic(NamedTuple):
    """One thing that was said: an error, a warning or a remark, with its notes."""
    severity: str
    id: str
    message: str
    file: str
    line: int
    column: int
    notes: Tuple[Note, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}" + (f" [-Wtilelift-{self.id}]" if self.id else "")


class LiftError(ValueError):
    """A copy that cannot be lifted, or a source that does not compile; `diagnostics` say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        said = [str(each) for severity in ("error", "warning") for each in diagnostics if each.severity == severity]
        super().__init__("\n".join(said) or "the source cannot be lifted")
        self.diagnostics = tuple(diagnostics)


class Lifted:
    """What became of a source."""

    def __init__(self, source: str, manifest: Dict[str, Any], python: str, driver: str,
                 diagnostics: Tuple[Diagnostic, ...]) -> None:
        self.source, self.manifest, self.diagnostics = source, manifest, diagnostics
        self.python, self.driver = python, driver  # launchers, as text
        self._kernels: Optional[Tuple[Kernel, ...]] = None

    def __repr__(self) -> str:
        return f"Lifted({', '.join(self.kernels) or 'no kernels'})"

    @property
    def kernels(self) -> Tuple[str, ...]:
        """Those that are lifted, by their names: "blur", "gather<16>"."""
        return tuple(kernel["name"] for kernel in self.manifest["kernels"])

    @property
    def entries(self) -> Tuple[str, ...]:
        """What the driver calls the plain and the lifted ones."""
        return tuple(entry for kernel in self.manifest["kernels"]
                     for entry in (kernel["entry"], kernel["lifted"]["entry"]))

    def launcher(self, name: Optional[str] = None) -> Callable[..., bool]:
        """Launches the kernel of that entry, of that qualified name or of that name, in this order; a template's only
        instance needs no arguments there, and a single kernel no name."""
        if self._kernels is None:
            module: Dict[str, Any] = {}
            exec(compile(self.python, "<launchers>", "exec"), module)  # noqa: S102
            self._kernels = tuple(own.kernel for own in module.values() if hasattr(own, "kernel"))
        names: Tuple[Callable[[Any], str], ...] = (
            lambda own: own.entry, lambda own: own.scope + own.name, lambda own: own.name,
            lambda own: own.scope + own.name.partition("<")[0], lambda own: own.name.partition("<")[0])
        found = list(self._kernels) if name is None and len(self._kernels) == 1 else \
            next(filter(None, ([own for own in self._kernels if called(own) == name] for called in names)), [])
        if len(found) == 1:
            return found[0].launcher
        available = ", ".join(f"{own.scope}{own.name} ({own.entry})" if len(found) > 1 else own.scope + own.name
                              for own in self._kernels) or "none"
        problem = f"several kernels are called '{name}'" if found else \
            "which kernel is meant is not said" if name is None else f"no lifted kernel is called '{name}'"
        raise LookupError(f"{problem}; available are {available}")

    def load(self, image: bytes, driver: Any = None) -> Kernels:
        """The kernels of what the source was compiled to, a cubin or PTX."""
        return load(image, self.entries, driver)


Block = Union[int, Sequence[int]]
Source = Union[str, bytes, "os.PathLike[str]"]
Options = Union[Sequence[str], Mapping[str, Any]]

_FLAGS = {"define_macro": "-D", "undefine_macro": "-U", "include_path": "-I", "pre_include": "-include", "std": "-std="}


def _text_of(source: Source, file_name: Optional[str]) -> Tuple[str, str]:
    """The source, and what messages call it."""
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        with open(path, encoding="utf-8") as file:
            return file.read(), file_name or path
    return source.decode() if isinstance(source, bytes) else source, file_name or "kernel.cu"


def _flags_of(options: Options) -> List[str]:
    """A mapping has the names that cuda.core has for the same, with a value, a list of them, or a mapping of macros."""
    if not isinstance(options, Mapping):
        if isinstance(options, str):
            raise TypeError(f"'options' is the text {options!r}; it takes a sequence of flags, or a mapping")
        return [str(option) for option in options]
    flags: List[str] = []
    for name, given in options.items():
        if name not in _FLAGS:
            raise TypeError(f"no option is called '{name}'; there are {', '.join(_FLAGS)}")
        is_one = isinstance(given, (str, tuple, os.PathLike))
        values = [*given.items()] if isinstance(given, Mapping) else [given] if is_one else list(given)
        for value in values:
            macro = value if isinstance(value, tuple) else (value, None)
            word = os.fspath(macro[0]) + ("" if macro[1] is None else f"={macro[1]}")
            flags += [_FLAGS[name], word] if name == "pre_include" else [_FLAGS[name] + word]
    return flags


def lift(source: Source, *, arch: str = "sm_90", blocks: Optional[Mapping[str, Block]] = None,
         options: Options = (), file_name: Optional[str] = None, cuda_path: "str | os.PathLike[str]" = "",
         warnings: Sequence[str] = (), lift_always: bool = False, remarks: bool = False,
         check: bool = True, only_asked_pipelines: bool = False) -> Lifted:
    """Lifts the annotated copies of a source: its text, its bytes, or the path of its file.

    arch      where the source asks __CUDA_ARCH__
    blocks    the block sizes of kernels whose pragmas have no `threads` clause, by name or entry: {"blur": (32, 8)}
    options   for the compiler: ["-Iinclude", "-DN=16"], or {"include_path": "include", "define_macro": {"N": 16}}
    file_name what messages call the source; a path's own name if it is not given, or kernel.cu
    warnings  as the tool takes them behind -W: "no-short-rows", "error=stays-plain"
    check     raise LiftError where a copy is refused, unless its pragma says `fallback(loop)`, or the source does not
              compile
    """
    sizes = [f"{name}=" + (str(block) if isinstance(block, int) else ",".join(map(str, block)))
             for name, block in (blocks or {}).items()]
    text, called = _text_of(source, file_name)
    made = _library.lift(text, file_name=called, arch=arch, cuda_path=os.fspath(cuda_path),
                         flags=_flags_of(options), blocks=sizes, warnings=warnings, whole_file=False,
                         lift_always=lift_always, remarks=remarks, only_asked_pipelines=only_asked_pipelines)
    diagnostics = _with_notes(made.said)
    may_stay = {each.id for each in diagnostics if each.severity in ("error", "warning")} == {"stays-plain"}
    if check and made.status != _library.LIFTED and not may_stay:
        raise LiftError(diagnostics)
    text, manifest, python, _, driver = made.texts
    return Lifted(text, json.loads(manifest) if manifest else {"kernels": []}, python, driver, diagnostics)


def _with_notes(said: Sequence[_library.Said]) -> Tuple[Diagnostic, ...]:
    diagnostics: List[Diagnostic] = []
    for one in said:
        if one.severity == "note" and diagnostics:
            note = Note(one.message, one.line, one.column)
            diagnostics[-1] = diagnostics[-1]._replace(notes=(*diagnostics[-1].notes, note))
        else:
            diagnostics.append(Diagnostic(*one))
    return tuple(diagnostics)


def include_path() -> str:
    """Where the headers are that a lifted source includes."""
    return _library.include_path()


def examples_path() -> str:
    """The folder of the examples, where the package is a whole installation."""
    return _part("share", "tilelift", "examples")


def _part(*names: str) -> str:
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), *names)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"'{folder}' is not there: this package has the library alone")
    return folder


def cmake_path() -> str:
    """The folder that find_package(tilelift) takes as tilelift_DIR, where the package is a whole installation."""
    return _part("lib", "cmake", "tilelift")


def version() -> str:
    return _library.version()


__version__: str = version()
