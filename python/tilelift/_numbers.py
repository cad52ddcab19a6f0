# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plans compute with: numbers of a launch, ranges of them over all blocks of a grid, and in place of
either, while nobody has launched anything, expressions of them."""
from __future__ import annotations

import keyword
from typing import Any, NamedTuple, Optional, Tuple, Union


class Expression:
    """The source of a number that a launch will have. Whatever else it is asked for is a member of an object of
    the program's, which may be called anything that C++ allows."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def __str__(self) -> str:
        return self.__text

    def __getattr__(self, member: str) -> "Expression":
        if member.startswith("__") and member.endswith("__"):  # Python's own
            raise AttributeError(member)
        return Expression(f"getattr({self}, {member!r})" if keyword.iskeyword(member) else f"{self}.{member}")

    def __bool__(self) -> bool:
        raise TypeError(f"plans have no branches, and one asks whether {self}")

    def __add__(self, other: Any) -> Any:
        return _joined(self, "+", other)

    def __radd__(self, other: int) -> Any:
        return _joined(other, "+", self)

    def __sub__(self, other: Any) -> Any:
        return _joined(self, "-", other)

    def __rsub__(self, other: int) -> Any:
        return _joined(other, "-", self)

    def __mul__(self, other: Any) -> Any:
        return _joined(self, "*", other)

    def __rmul__(self, other: int) -> Any:
        return _joined(other, "*", self)

    def __lshift__(self, other: Any) -> Any:
        return _joined(self, "<<", other)

    def __rlshift__(self, other: int) -> Any:
        return _joined(other, "<<", self)

    def __rshift__(self, other: Any) -> Any:
        return _joined(self, ">>", other)

    def __rrshift__(self, other: int) -> Any:
        return _joined(other, ">>", self)

    def __and__(self, other: Any) -> Any:
        return _joined(self, "&", other)

    def __rand__(self, other: int) -> Any:
        return _joined(other, "&", self)

    def __or__(self, other: Any) -> Any:
        return _joined(self, "|", other)

    def __ror__(self, other: int) -> Any:
        return _joined(other, "|", self)

    def __xor__(self, other: Any) -> Any:
        return _joined(self, "^", other)

    def __rxor__(self, other: int) -> Any:
        return _joined(other, "^", self)

    def __neg__(self) -> Any:
        return _joined(0, "-", self)


Whole = Union[int, Expression]


def are_known(*values: Whole) -> bool:
    return not any(isinstance(value, Expression) for value in values)


def _joined(left: Any, sign: str, right: Any) -> Any:
    if isinstance(left, Range) or isinstance(right, Range):
        return NotImplemented
    neutral = {"+": 0, "*": 1}.get(sign)
    for value, other in ((left, right), (right, left)):
        if value.__class__ is int and value == neutral:
            return other
    if sign == "+" and isinstance(right, Extreme) and not isinstance(left, Extreme):
        return right + left
    text, (a, b) = f"({left} {sign} {right})", map(line_of, (left, right))
    lines = {"+": (a.scale + b.scale, a.shift + b.shift), "-": (a.scale - b.scale, a.shift - b.shift),
             "*": (a.scale * b.shift + b.scale * a.shift, a.shift * b.shift)}
    scale, shift = lines.get(sign, (0, 0))
    return Expression(text) if scale == 0 or a.of and b.of else OnLine(text, Line(a.of or b.of, scale, shift))


class Line(NamedTuple):
    """`of * scale + shift`."""
    of: str
    scale: int
    shift: int

    def limits(self, low: Optional[int], high: Optional[int]) -> Tuple[Optional[int], Optional[int]]:
        """From where to where `of` may go for all of it to stay in these."""
        if self.scale < 0:
            turned = Line(self.of, -self.scale, -self.shift)
            return turned.limits(None if high is None else -high, None if low is None else -low)
        return (None if low is None else -((self.shift - low) // self.scale),
                None if high is None else (high - self.shift) // self.scale)


class OnLine(Expression):
    """A multiple of another number, moved: what is asked of it may be asked of the other."""

    __slots__ = ("line",)

    def __init__(self, text: str, line: Line) -> None:
        super().__init__(text)
        self.line = line


def line_of(value: Whole) -> Line:
    if isinstance(value, int):
        return Line("", 0, value)
    return value.line if isinstance(value, OnLine) else Line(str(value), 1, 0)


class Extreme(Expression):
    """The least or the greatest of some."""

    __slots__ = ("function", "values")

    def __init__(self, function: Any, values: list[Any]) -> None:
        super().__init__(f"{function.__name__}({', '.join(map(str, values))})")
        self.function, self.values = function, values

    def __add__(self, other: Any) -> Any:
        if isinstance(other, (Range, Extreme)):
            return super().__add__(other)
        return Extreme(self.function, [value + other for value in self.values])

    __radd__ = __add__


def _of_all(function: Any, values: list[Any]) -> Any:
    """min or max."""
    return function(values) if are_known(*values) else Extreme(function, values)


def all_of(function: Any, value: Whole) -> list[Whole]:
    """Of what a value is the least or the greatest."""
    return value.values if isinstance(value, Extreme) and value.function is function else [value]


class Range:
    """All whole numbers between two, which sums and products of ranges keep to."""

    __slots__ = ("low", "high")

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = low, high

    @staticmethod
    def of(value: "Number") -> "Range":
        return value if isinstance(value, Range) else Range(value, value)

    def __add__(self, other: "Number") -> "Range":
        other = Range.of(other)
        return Range(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Range":
        return Range(-self.high, -self.low)

    def __sub__(self, other: "Number") -> "Range":
        return self + -Range.of(other)

    def __rsub__(self, other: "Number") -> "Range":
        return Range.of(other) - self

    def __mul__(self, other: "Number") -> "Range":
        if isinstance(other, int):
            ends = [self.low * other, self.high * other]
            return Range(_of_all(min, ends), _of_all(max, ends))
        other = Range.of(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(_of_all(min, ends), _of_all(max, ends))

    __radd__, __rmul__ = __add__, __mul__


Number = Union[int, Expression, Range]


def between(low: Whole, high: Whole) -> Range:
    return Range(low, high)


def counted(first: Any, below: Any, step: Any) -> Range:
    """The numbers that a loop counter takes; of a loop without rounds, the first."""
    if are_known(first, below, step):
        return Range(first, first + (below - first - 1) // step * step if below > first else first)
    last = f"({first} + ({below} - {first} - 1) // {step} * {step} if {below} > {first} else {first})"
    return Range(first, Expression(last))


def either(a: Number, b: Number) -> Range:
    """All numbers of two ranges, and those between them."""
    first, second = Range.of(a), Range.of(b)
    return Range(_of_all(min, [first.low, second.low]), _of_all(max, [first.high, second.high]))


def end_of(starts: Number, length: int, most: int) -> Any:
    """One past the last element that boxes read which start there."""
    return _of_all(min, [_of_all(max, [Range.of(starts).high + length, 1]), most])


def quotient(a: Any, b: Any) -> Any:
    """As C++ divides; what the plain kernel might never divide by, nobody does."""
    if not are_known(a, b):
        return Expression(f"quotient({a}, {b})")
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: Any, b: Any) -> Any:
    if not are_known(a, b):
        return Expression(f"remainder({a}, {b})")
    return 0 if b == 0 else a - quotient(a, b) * b
