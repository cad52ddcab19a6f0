# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C library, by ctypes: library/tilelift.h says what each call does."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import List, NamedTuple, Optional, Sequence, Tuple

NAME = "libtilelift-lift.so"
SOURCE, MANIFEST, PYTHON, MESSAGES, DRIVER = range(5)
LIFTED, REFUSED, FAILED = range(3)
SEVERITIES = ("ignored", "note", "remark", "warning", "error")

_Strings = ctypes.POINTER(ctypes.c_char_p)


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("file_name", ctypes.c_char_p), ("arch", ctypes.c_char_p),
                ("cuda_path", ctypes.c_char_p), ("flags", _Strings), ("flag_count", ctypes.c_size_t),
                ("blocks", _Strings), ("block_count", ctypes.c_size_t), ("warnings", _Strings),
                ("warning_count", ctypes.c_size_t), ("whole_file", ctypes.c_int), ("lift_always", ctypes.c_int),
                ("remarks", ctypes.c_int), ("only_asked_pipelines", ctypes.c_int)]


class _Diagnostic(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("severity", ctypes.c_int32), ("line", ctypes.c_uint32),
                ("column", ctypes.c_uint32), ("id", ctypes.c_char_p), ("message", ctypes.c_char_p),
                ("file", ctypes.c_char_p)]


class Said(NamedTuple):
    severity: str
    id: str
    message: str
    file: str
    line: int
    column: int


class Result(NamedTuple):
    status: int
    texts: Tuple[str, str, str, str, str]
    said: List[Said]


def _candidates() -> List[pathlib.Path]:
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("TILELIFT_LIBRARY")
    return [*([pathlib.Path(named)] if named else []), here / "lib" / NAME,
            here.parent.parent / "build" / "lib" / NAME, here.parents[2] / NAME]


def _load() -> ctypes.CDLL:
    path = next((each for each in _candidates() if each.is_file()), None)
    library = ctypes.CDLL(str(path or NAME))
    pointer = ctypes.c_void_p
    for name, result, arguments in (
            ("tilelift_lift", pointer, [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Options)]),
            ("tilelift_result_status", ctypes.c_int, [pointer]),
            ("tilelift_result_text", ctypes.c_char_p, [pointer, ctypes.c_int]),
            ("tilelift_result_diagnostics", ctypes.c_size_t, [pointer]),
            ("tilelift_result_diagnostic", ctypes.c_int, [pointer, ctypes.c_size_t, ctypes.POINTER(_Diagnostic)]),
            ("tilelift_result_free", None, [pointer]),
            ("tilelift_version", ctypes.c_char_p, []),
            ("tilelift_include_path", ctypes.c_char_p, [])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """Loaded when it is first needed: launchers do without it."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def _strings(texts: Sequence[str]) -> Tuple[ctypes.Array[ctypes.c_char_p], int]:
    return (ctypes.c_char_p * max(len(texts), 1))(*(text.encode() for text in texts)), len(texts)


def lift(source: str, *, file_name: str, arch: str, cuda_path: str, flags: Sequence[str], blocks: Sequence[str],
         warnings: Sequence[str], whole_file: bool, lift_always: bool, remarks: bool, only_asked_pipelines: bool) -> Result:
    own = library()
    options = _Options(size=ctypes.sizeof(_Options), file_name=file_name.encode(), arch=arch.encode(),
                       cuda_path=cuda_path.encode(), whole_file=whole_file, lift_always=lift_always,
                       remarks=remarks, only_asked_pipelines=only_asked_pipelines)
    for name, texts in (("flag", flags), ("block", blocks), ("warning", warnings)):
        array, count = _strings(texts)
        setattr(options, name + "s", ctypes.cast(array, _Strings))
        setattr(options, name + "_count", count)
    text = source.encode()
    result = own.tilelift_lift(text, len(text), ctypes.byref(options))
    try:
        texts = tuple(own.tilelift_result_text(result, kind).decode() for kind in range(5))
        said = [_said(own, result, i) for i in range(own.tilelift_result_diagnostics(result))]
        return Result(own.tilelift_result_status(result), texts, said)  # type: ignore[arg-type]
    finally:
        own.tilelift_result_free(result)


def _said(own: ctypes.CDLL, result: int, number: int) -> Said:
    one = _Diagnostic(size=ctypes.sizeof(_Diagnostic))
    own.tilelift_result_diagnostic(result, number, ctypes.byref(one))
    return Said(SEVERITIES[one.severity], one.id.decode(), one.message.decode(), one.file.decode(), one.line, one.column)


def version() -> str:
    return str(library().tilelift_version().decode())


def include_path() -> str:
    return str(library().tilelift_include_path().decode())
