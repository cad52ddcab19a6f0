# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are written while the program runs: what does not change is found out once, not by each call."""
from __future__ import annotations

import linecache
from typing import Any, Dict, Iterable, Mapping


def tuple_of(values: Iterable[Any]) -> str:
    return "(" + "".join(f"{value}, " for value in values) + ")"


def list_of(values: Iterable[Any]) -> str:
    return f"[{', '.join(map(str, values))}]"


def function(name: str, parameters: str, lines: Iterable[str]) -> str:
    return f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def enclosing(name: str, knows: str, inner: str, parameters: str, lines: Iterable[str]) -> str:
    """Of a function that makes another one, which knows its parameters."""
    return function(name, knows, [*function(inner, parameters, lines).splitlines(), f"return {inner}"])


def defined(title: str, source: str, known: Mapping[str, Any]) -> Dict[str, Any]:
    """What the source defines, where these names are known."""
    name, made = f"<{title}>", dict(known)
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)  # for who reads a traceback
    exec(compile(source, name, "exec"), made)
    return made
