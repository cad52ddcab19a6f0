# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing kernel as simple as it can be and still fail.

Works on the description: leaves out copies, launches and axes, and replaces
each field by simpler values, as long as what is left can be written, is defined
and still fails. Greedy, until nothing simpler fails.

What is not here: what failing means. The caller says which of a few candidates
fails, so that it can try them in one run.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, Optional, Sequence

from description import Copy, Invalid, Kernel, Launch, Shape
from oracle import undefined
from program import KernelWriter, Text, is_launched

# The position of the first candidate that fails, or None.
FirstFailing = Callable[[Sequence[Kernel]], Optional[int]]

BATCH = 24
SIMPLE_BLOCKS = ((32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1), (16, 16, 1), (32, 8, 1))


def shrink(kernel: Any, first_failing: FirstFailing, most_rounds: int = 400,
           candidates: Optional[Callable[[Any], Iterator[Any]]] = None,
           valid: Optional[Callable[[Any], bool]] = None) -> Any:
    """The simplest kernel that is found to fail; `kernel` itself is known to.

    A kernel of another description comes with its own candidates, and says which are defined.
    """
    for _ in range(most_rounds):
        simpler = _step(kernel, first_failing, candidates or globals()["candidates"], valid or is_valid)
        if simpler is None:
            return kernel
        kernel = simpler
    return kernel


def _step(kernel: Any, first_failing: FirstFailing, candidates: Callable[[Any], Iterator[Any]],
          valid: Callable[[Any], bool]) -> Optional[Any]:
    batch: list[Any] = []
    for candidate in candidates(kernel):
        if not valid(candidate):
            continue
        batch.append(candidate)
        if len(batch) == BATCH:
            found = first_failing(batch)
            if found is not None:
                return batch[found]
            batch = []
    found = first_failing(batch) if batch else None
    return None if found is None else batch[found]


def is_valid(kernel: Kernel) -> bool:
    """Whether a kernel can be written and is defined when it runs."""
    try:
        KernelWriter(kernel).write(Text())
        return not is_launched(kernel) or undefined(kernel) is None
    except (Invalid, ZeroDivisionError, IndexError):
        return False


def candidates(kernel: Kernel) -> Iterator[Kernel]:
    """Simpler kernels, those that lose most first."""
    yield from _without_copies(kernel)
    yield from _without_launches(kernel)
    for i in range(len(kernel.copies)):
        yield from _without_axes(kernel, i)
    yield from _other_blocks(kernel)
    yield from many_choices(kernel)
    yield from simpler(kernel)


def _without_copies(kernel: Kernel) -> Iterator[Kernel]:
    if len(kernel.copies) < 2:
        return
    drop = lambda values, i: values[:i] + values[i + 1:]
    for i in range(len(kernel.copies)):
        launches = tuple(dataclasses.replace(launch, shapes=drop(launch.shapes, i))
                         for launch in kernel.launches)
        copies = drop(kernel.copies, i)
        arrangement = kernel.arrangement if len(copies) > 1 else "together"
        yield dataclasses.replace(kernel, copies=copies, launches=launches,
                                  arrangement=arrangement)


def _without_launches(kernel: Kernel) -> Iterator[Kernel]:
    for i in range(len(kernel.launches)):
        if len(kernel.launches) > 1:
            launches = kernel.launches[:i] + kernel.launches[i + 1:]
            yield dataclasses.replace(kernel, launches=launches)


def _without_axes(kernel: Kernel, i: int) -> Iterator[Kernel]:
    copy = kernel.copies[i]
    for a in range(len(copy.axes)):
        if len(copy.axes) < 2:
            return
        axes = copy.axes[:a] + copy.axes[a + 1:]
        yield _with_copy(kernel, i, dataclasses.replace(copy, axes=axes), lambda shape: (
            dataclasses.replace(shape, extents=shape.extents[:a] + shape.extents[a + 1:],
                                slack=shape.slack[:a] + shape.slack[a + 1:])))


def _with_copy(kernel: Kernel, i: int, copy: Copy,
               reshape: Callable[[Shape], Shape]) -> Kernel:
    copies = kernel.copies[:i] + (copy,) + kernel.copies[i + 1:]
    launches = tuple(_with_shape(launch, i, reshape(launch.shapes[i]))
                     for launch in kernel.launches)
    return dataclasses.replace(kernel, copies=copies, launches=launches)


def _with_shape(launch: Launch, i: int, shape: Shape) -> Launch:
    return dataclasses.replace(launch, shapes=launch.shapes[:i] + (shape,) + launch.shapes[i + 1:])


def _other_blocks(kernel: Kernel) -> Iterator[Kernel]:
    """Simpler blocks, with the simplest loops if the copies' own do not suit them."""
    if kernel.block in SIMPLE_BLOCKS[:2]:
        return
    flat = tuple(dataclasses.replace(copy, idiom="flat") for copy in kernel.copies)
    for block in SIMPLE_BLOCKS:
        if block == kernel.block:
            return
        yield dataclasses.replace(kernel, block=block)
        yield dataclasses.replace(kernel, block=block, copies=flat)


def many_choices(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel with many of its choices at their simplest: all, halves, quarters, eighths."""
    paths = list(_deviations(kernel))
    for parts in (1, 2, 4, 8):
        size = -(-len(paths) // parts)
        if size < 2:
            return
        for start in range(0, len(paths), size):
            candidate: Any = kernel
            for path in paths[start:start + size]:
                candidate = _at_simplest(candidate, path)
            yield candidate


def _deviations(node: Any, path: tuple = ()) -> Iterator[tuple]:
    """Where a choice is not the simplest."""
    if isinstance(node, tuple):
        for i, part in enumerate(node):
            yield from _deviations(part, (*path, i))
    if not dataclasses.is_dataclass(node):
        return
    for field in dataclasses.fields(node):
        value, own = getattr(node, field.name), (*path, field.name)
        if "choices" in field.metadata and value != field.metadata["choices"][0]:
            yield own
        elif isinstance(value, tuple) or dataclasses.is_dataclass(value):
            yield from _deviations(value, own)


def _at_simplest(node: Any, path: tuple) -> Any:
    """The node with the choice at a path at its simplest."""
    first, rest = path[0], path[1:]
    if isinstance(node, tuple):
        return (*node[:first], _at_simplest(node[first], rest), *node[first + 1:])
    if rest:
        value = _at_simplest(getattr(node, first), rest)
    else:
        value = next(f for f in dataclasses.fields(node) if f.name == first).metadata["choices"][0]
    return dataclasses.replace(node, **{first: value})


def simpler(node: Any) -> Iterator[Any]:
    """The node with one of its fields, or a field of its parts, made simpler."""
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        if "like" in field.metadata and value != getattr(node, field.metadata["like"]):
            yield dataclasses.replace(node, **{field.name: getattr(node, field.metadata["like"])})
        for other in _simpler_values(value, field.metadata):
            yield dataclasses.replace(node, **{field.name: other})


def _simpler_values(value: Any, metadata: Any) -> Iterator[Any]:
    if "choices" in metadata:
        choices = metadata["choices"]
        yield from choices[:choices.index(value)]
    elif dataclasses.is_dataclass(value):
        yield from simpler(value)
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            for other in _simpler_values(part, metadata):
                yield value[:i] + (other,) + value[i + 1:]
    elif isinstance(value, int) and "least" in metadata:
        yield from _smaller_numbers(value, metadata["least"])


def _smaller_numbers(value: int, least: int) -> Iterator[int]:
    """Towards the least number, in steps that get smaller."""
    seen = {value}
    for other in (least, least + (value - least) // 4, least + (value - least) // 2,
                  least + (value - least) * 3 // 4, value - 1 if value > least else value + 1):
        if other not in seen and abs(other - least) < abs(value - least):
            seen.add(other)
            yield other
