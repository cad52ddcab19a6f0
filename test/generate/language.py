# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The small language that generated copies are made of.

Each expression, value and statement can do two things: print itself as CUDA,
and print itself as Python that computes what CUDA would, with C's conversions
and unsigned wrap-around. So the text that tilelift reads and the meaning that
the oracle judges come from one tree.

What is not here: which programs are generated, and what is a copy.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence, Union

# Types ------------------------------------------------------------------------


@dataclass(frozen=True)
class IntType:
    name: str
    bits: int
    signed: bool


BOOL = IntType("bool", 1, False)
INT = IntType("int", 32, True)
UNSIGNED = IntType("unsigned", 32, False)
LONG_LONG = IntType("long long", 64, True)
SIZE = IntType("size_t", 64, False)
INT_TYPES = {t.name: t for t in (BOOL, INT, UNSIGNED, LONG_LONG, SIZE)}


def common(left: IntType, right: IntType) -> IntType:
    """The type that C computes in."""
    left, right = (INT if t is BOOL else t for t in (left, right))
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return right if left.signed else left


def wrap(code: str, to: IntType) -> str:
    """Python for any integer, brought into the range of a type."""
    mask, half = (1 << to.bits) - 1, 1 << (to.bits - 1)
    if to.signed:
        return f"(({code} + {half} & {mask}) - {half})"
    return f"({code} & {mask})"


def convert(code: str, source: IntType, to: IntType) -> str:
    fits = to.bits > source.bits if to.signed else to.bits >= source.bits
    if source is BOOL or (not source.signed and fits) or (source.signed and to.signed and
                                                          to.bits >= source.bits):
        return code
    return wrap(code, to)


# Expressions ------------------------------------------------------------------

PRECEDENCE = {"?": 0, "||": 1, "&&": 2, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7,
              ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
UNARY, POSTFIX = 11, 12
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}


@dataclass(frozen=True)
class Number:
    value: int
    type: IntType = INT


@dataclass(frozen=True)
class Constant:
    """A number that has a name in the program."""
    name: str
    value: int
    type: IntType = INT


@dataclass(frozen=True)
class Variable:
    name: str
    type: IntType


@dataclass(frozen=True)
class Entry:
    """An element of an argument that is an array of ints."""
    table: str
    index: "Expr"
    type: IntType = INT


@dataclass(frozen=True)
class Binary:
    op: str
    left: "Expr"
    right: "Expr"

    @property
    def type(self) -> IntType:
        if self.op in COMPARISONS or self.op in ("&&", "||"):
            return BOOL
        if self.op in ("<<", ">>"):
            return INT if self.left.type is BOOL else self.left.type
        return common(self.left.type, self.right.type)


@dataclass(frozen=True)
class Not:
    operand: "Expr"
    type: IntType = BOOL


@dataclass(frozen=True)
class Cast:
    type: IntType
    operand: "Expr"
    c_style: bool = False


@dataclass(frozen=True)
class Choose:
    condition: "Expr"
    yes: "Expr"
    no: "Expr"

    @property
    def type(self) -> IntType:
        return common(self.yes.type, self.no.type)


@dataclass(frozen=True)
class Extreme:
    """min or max of two values of one type."""
    name: str
    left: "Expr"
    right: "Expr"

    @property
    def type(self) -> IntType:
        return common(self.left.type, self.right.type)


@dataclass(frozen=True)
class Spelled:
    """An expression that the program hides behind other text, such as a macro."""
    text: str
    meaning: "Expr"

    @property
    def type(self) -> IntType:
        return self.meaning.type


Expr = Union[Number, Constant, Variable, Entry, Binary, Not, Cast, Choose, Extreme, Spelled]


def number(value: int) -> Number:
    return Number(value)


def is_number(expr: Expr, value: int) -> bool:
    return isinstance(expr, Number) and expr.value == value


def is_zero(expr: Expr) -> bool:
    """Whether an expression is zero as it is written."""
    if isinstance(expr, Binary) and expr.op == "*":
        return is_zero(expr.left) or is_zero(expr.right)
    return is_number(expr, 0)


def add(left: Expr, right: Expr) -> Expr:
    if is_number(left, 0):
        return right
    if isinstance(right, Number) and right.value < 0:
        return Binary("-", left, Number(-right.value, right.type))
    return left if is_number(right, 0) else Binary("+", left, right)


def multiply(left: Expr, right: Expr) -> Expr:
    if is_number(left, 1):
        return right
    return left if is_number(right, 1) else Binary("*", left, right)


def total(terms: list[Expr]) -> Expr:
    result: Expr = number(0)
    for term in terms:
        result = add(result, term)
    return result


def product(factors: list[Expr]) -> Expr:
    result: Expr = number(1)
    for factor in factors:
        result = multiply(result, factor)
    return result


def conjunction(conditions: list[Expr], op: str = "&&") -> Expr:
    result = conditions[0]
    for condition in conditions[1:]:
        result = Binary(op, result, condition)
    return result


OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def negation(condition: Expr) -> Expr:
    """The opposite, as people write it."""
    if isinstance(condition, Not):
        return condition.operand
    if isinstance(condition, Binary) and condition.op in OPPOSITE:
        return Binary(OPPOSITE[condition.op], condition.left, condition.right)
    if isinstance(condition, Binary) and condition.op in ("&&", "||"):
        op = "||" if condition.op == "&&" else "&&"
        return Binary(op, negation(condition.left), negation(condition.right))
    return Not(condition)


def children(expr: Expr) -> Iterator[Expr]:
    for name in ("left", "right", "operand", "condition", "yes", "no", "index", "meaning"):
        child = getattr(expr, name, None)
        if child is not None:
            yield child


def variables_of(expr: Expr) -> dict[str, Variable]:
    """The named variables that an expression uses, in order of appearance."""
    if isinstance(expr, Variable):
        return {} if "." in expr.name else {expr.name: expr}
    found: dict[str, Variable] = {}
    for child in children(expr):
        found.update(variables_of(child))
    return found


def cuda(expr: Expr, outer: int = 0) -> str:
    """The text, in parentheses where the surrounding operator binds tighter."""
    text, own = _cuda(expr)
    return f"({text})" if own < outer else text


def _cuda(expr: Expr) -> tuple[str, int]:
    if isinstance(expr, Number):
        suffix = {"unsigned": "u", "long long": "ll"}.get(expr.type.name, "")
        return f"{expr.value}{suffix}", POSTFIX if expr.value >= 0 else UNARY
    if isinstance(expr, (Constant, Variable)):
        return expr.name, POSTFIX
    if isinstance(expr, Entry):
        return f"{expr.table}[{cuda(expr.index)}]", POSTFIX
    if isinstance(expr, Spelled):
        return expr.text, POSTFIX
    if isinstance(expr, Not):
        return "!" + cuda(expr.operand, UNARY), UNARY
    if isinstance(expr, Cast):
        if expr.c_style or " " in expr.type.name:
            return f"({expr.type.name}){cuda(expr.operand, UNARY)}", UNARY
        return f"{expr.type.name}({cuda(expr.operand)})", POSTFIX
    if isinstance(expr, Choose):
        parts = (cuda(expr.condition, 1), cuda(expr.yes, 1), cuda(expr.no, 1))
        return "{} ? {} : {}".format(*parts), PRECEDENCE["?"]
    if isinstance(expr, Extreme):
        return f"{expr.name}({cuda(expr.left)}, {cuda(expr.right)})", POSTFIX
    own = PRECEDENCE[expr.op]
    # Parentheses that the compiler does not need but warns without.
    inner = UNARY if expr.op in ("&", "<<", ">>") else own
    if expr.op == "||":
        inner = PRECEDENCE["&&"] + 1 if _is(expr.left, "&&") or _is(expr.right, "&&") else own
    return f"{cuda(expr.left, inner)} {expr.op} {cuda(expr.right, max(inner, own + 1))}", own


def _is(expr: Expr, op: str) -> bool:
    return isinstance(expr, Binary) and expr.op == op


def python_name(name: str) -> str:
    return name.replace(".", "_")


def python(expr: Expr) -> str:
    """Python that computes the expression's value in the expression's type."""
    if isinstance(expr, (Number, Constant)):
        return f"({expr.value})" if expr.value < 0 else str(expr.value)
    if isinstance(expr, Variable):
        return python_name(expr.name)
    if isinstance(expr, Entry):
        return f"{expr.table}[{python(expr.index)}]"
    if isinstance(expr, Spelled):
        return python(expr.meaning)
    if isinstance(expr, Not):
        return f"(not {python(expr.operand)})"
    if isinstance(expr, Cast):
        return convert(python(expr.operand), expr.operand.type, expr.type)
    if isinstance(expr, Choose):
        yes, no = (python_as(e, expr.type) for e in (expr.yes, expr.no))
        return f"({yes} if {python(expr.condition)} else {no})"
    if isinstance(expr, Extreme):
        left, right = (python_as(e, expr.type) for e in (expr.left, expr.right))
        return f"{expr.name}({left}, {right})"
    return _python_binary(expr)


def python_as(expr: Expr, to: IntType) -> str:
    if isinstance(expr, (Number, Constant)) and expr.value >= 0:
        return str(expr.value)
    return convert(python(expr), expr.type, to)


def _python_binary(expr: Binary) -> str:
    if expr.op in ("&&", "||"):
        word = "and" if expr.op == "&&" else "or"
        return f"({python(expr.left)} {word} {python(expr.right)})"
    if expr.op in ("<<", ">>"):
        code = f"({python(expr.left)} {expr.op} {python(expr.right)})"
        return wrap(code, expr.type) if expr.op == "<<" else code
    operands = common(expr.left.type, expr.right.type)
    left, right = python_as(expr.left, operands), python_as(expr.right, operands)
    if expr.op in COMPARISONS:
        return f"({left} {expr.op} {right})"
    if expr.op in ("/", "%") and operands.signed:
        name, op = ("quotient", "//") if expr.op == "/" else ("remainder", "%")
        if isinstance(expr.left, Variable):  # hardly ever negative
            return f"({left} {op} {right} if {left} >= 0 else {name}({left}, {right}))"
        return f"{name}({left}, {right})"
    code = f"({left} {'//' if expr.op == '/' else expr.op} {right})"
    return wrap(code, operands) if not operands.signed and expr.op in "+-*" else code


def quotient(left: int, right: int) -> int:
    """Division as C does it, towards zero."""
    return left // right if (left >= 0) == (right >= 0) else -(-left // right)


def remainder(left: int, right: int) -> int:
    return left - quotient(left, right) * right


# Values: what a store moves ---------------------------------------------------


@dataclass(frozen=True)
class Load:
    """Elements of a tensor: `pointer[index]`, as wide as the copy's accesses."""
    tensor: str
    index: Expr
    pointer: str = ""  # a pointer variable into the tensor; empty: the tensor itself
    spelling: str = "subscript"
    element: str = ""  # the vector type of a wide access
    row: Optional[Expr] = None  # for (&in[row])[index]


@dataclass(frozen=True)
class Fill:
    text: str
    what: str = "zero"  # what the oracle sees


@dataclass(frozen=True)
class Pick:
    condition: Expr
    yes: "Value"
    no: "Value"


@dataclass(frozen=True)
class Register:
    name: str


@dataclass(frozen=True)
class Computed:
    """A value that is changed on the way; `text` has one {} for the operand."""
    text: str
    operand: "Value"


@dataclass(frozen=True)
class Called:
    """A value that a device function returns."""
    text: str
    meaning: "Value"


Value = Union[Load, Fill, Pick, Register, Computed, Called]


def cuda_value(value: Value) -> str:
    if isinstance(value, Load):
        return _cuda_load(value)
    if isinstance(value, (Fill, Called)):
        return value.text
    if isinstance(value, Register):
        return value.name
    if isinstance(value, Computed):
        return value.text.format(cuda_value(value.operand))
    return f"{cuda(value.condition, 1)} ? {cuda_value(value.yes)} : {cuda_value(value.no)}"


def _cuda_load(load: Load) -> str:
    base, index = load.pointer or load.tensor, cuda(load.index)
    sum_index = f"({index})" if _wraps(load.index) else cuda(load.index, PRECEDENCE["+"])
    if load.row is not None:
        place = f"(&{base}[{cuda(load.row)}])[{index}]"
    else:
        place = f"{base}[{index}]"
    if load.element:
        if load.spelling == "c-cast":
            return f"*(const {load.element} *)&{place}"
        if load.spelling == "ldg":
            return f"__ldg(reinterpret_cast<const {load.element} *>({base} + {sum_index}))"
        return f"*reinterpret_cast<const {load.element} *>(&{place})"
    return {"ldg": f"__ldg(&{place})", "ldg-sum": f"__ldg({base} + {sum_index})",
            "pointer": f"*({base} + {sum_index})"}.get(load.spelling, place)


def _wraps(index: Expr) -> bool:
    """Whether a sum is not the same when its terms are added to a pointer one by one."""
    return isinstance(index, Binary) and index.op in ("+", "-") and \
        (index.type is UNSIGNED or _wraps(index.left))


def python_value(value: Value) -> str:
    """A source: (tensor, element), the name of a fill, or ("computed", what it is made of)."""
    if isinstance(value, Load):
        index = python_as(value.index, LONG_LONG)
        parts = [value.pointer, index] if value.pointer else [index]
        if value.row is not None:
            parts.append(python_as(value.row, LONG_LONG))
        return f"({value.tensor!r}, {' + '.join(parts)})"
    if isinstance(value, Fill):
        return repr(value.what)
    if isinstance(value, Register):
        return value.name
    if isinstance(value, Called):
        return python_value(value.meaning)
    if isinstance(value, Computed):
        return f"('computed', {python_value(value.operand)})"
    yes, no = python_value(value.yes), python_value(value.no)
    return f"({yes} if {python(value.condition)} else {no})"


# Statements -------------------------------------------------------------------


@dataclass(frozen=True)
class Declare:
    name: str
    type: IntType
    value: Expr
    const: bool = False


@dataclass(frozen=True)
class Assign:
    name: str
    type: IntType
    value: Expr


@dataclass(frozen=True)
class DeclarePointer:
    """A pointer so many elements into a tensor; the terms are added one by one."""
    name: str
    element: str
    tensor: str
    terms: tuple[Expr, ...]
    pointer: str = ""  # the pointer variable to start from; empty: the tensor itself


@dataclass(frozen=True)
class MovePointer:
    name: str
    by: Expr


@dataclass(frozen=True)
class DeclareValue:
    name: str
    element: str
    value: Value


@dataclass(frozen=True)
class AssignValue:
    name: str
    value: Value


@dataclass(frozen=True)
class Store:
    tile: str
    subscripts: tuple[Expr, ...]
    value: Value
    element: str = ""  # the vector type of a wide access
    c_style: bool = False
    compound: bool = False  # adds instead of replacing
    extents: tuple[int, ...] = ()  # of a tile that is one long row


@dataclass(frozen=True)
class For:
    name: str
    type: IntType
    first: Expr
    bound: Expr
    step: Expr
    body: tuple["Statement", ...]
    declared: bool = True
    unroll: bool = False


@dataclass(frozen=True)
class If:
    condition: Expr
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...] = ()


@dataclass(frozen=True)
class Continue:
    pass


@dataclass(frozen=True)
class Block:
    body: tuple["Statement", ...]


@dataclass(frozen=True)
class Switch:
    """A switch that has nothing but a default."""
    selector: Expr
    body: tuple["Statement", ...]


@dataclass(frozen=True)
class Verbatim:
    """Text that the evaluation does not look at."""
    text: str


Statement = Union[Declare, Assign, DeclarePointer, MovePointer, DeclareValue, AssignValue, Store,
                  For, If, Continue, Block, Switch, Verbatim]


def cuda_lines(statement: Statement, indent: int = 0) -> list[str]:
    """The statement's lines of CUDA."""
    pad = "  " * indent
    if isinstance(statement, For):
        return _cuda_for(statement, indent)
    if isinstance(statement, If):
        lines = _braced(f"{pad}if ({cuda(statement.condition)})", statement.then, indent)
        if statement.otherwise:
            tail = _braced("else", statement.otherwise, indent)
            if lines[-1] == pad + "}":
                return lines[:-1] + [f"{pad}}} {tail[0]}"] + tail[1:]
            return lines + [pad + tail[0]] + tail[1:]
        return lines
    if isinstance(statement, Block):
        inside = [line for s in statement.body for line in cuda_lines(s, indent + 1)]
        return [pad + "{"] + inside + [pad + "}"]
    if isinstance(statement, Switch):
        inside = [line for s in statement.body for line in cuda_lines(s, indent + 1)]
        head = f"{pad}switch ({cuda(statement.selector)}) {{"
        return [head, pad + "default:"] + inside + [pad + "}"]
    if isinstance(statement, Verbatim):
        return [pad + line for line in statement.text.splitlines()]
    return [pad + _cuda_simple(statement) + ";"]


def _cuda_for(loop: For, indent: int) -> list[str]:
    step = cuda(loop.step)
    advance = f"++{loop.name}" if step == "1" else f"{loop.name} += {step}"
    start = f"{loop.type.name} {loop.name} = {cuda(loop.first)}" if loop.declared else ""
    if not loop.declared and cuda(loop.first) != loop.name:
        start = f"{loop.name} = {cuda(loop.first)}"
    pad = "  " * indent
    head = f"{pad}for ({start}; {loop.name} < {cuda(loop.bound, 8)}; {advance})"
    unroll = [f"{pad}#pragma unroll"] if loop.unroll else []
    return unroll + _braced(head, loop.body, indent)


def _braced(head: str, body: tuple[Statement, ...], indent: int) -> list[str]:
    inside = [line for s in body for line in cuda_lines(s, indent + 1)]
    single = len(body) == 1 and not isinstance(body[0], (If, Declare, DeclareValue, DeclarePointer))
    if single and not (isinstance(body[0], For) and body[0].unroll):
        return [head] + inside
    return [head + " {"] + inside + ["  " * indent + "}"]


def _cuda_simple(statement: Statement) -> str:
    if isinstance(statement, Declare):
        const = "const " if statement.const else ""
        return f"{const}{statement.type.name} {statement.name} = {cuda(statement.value)}"
    if isinstance(statement, Assign):
        return f"{statement.name} = {cuda(statement.value)}"
    if isinstance(statement, DeclarePointer):
        terms = "".join(" + " + cuda(t, PRECEDENCE["*"]) for t in statement.terms)
        base = statement.pointer or statement.tensor
        return f"const {statement.element} *{statement.name} = {base}{terms}"
    if isinstance(statement, MovePointer):
        return f"{statement.name} += {cuda(statement.by)}"
    if isinstance(statement, DeclareValue):
        return f"{statement.element} {statement.name} = {cuda_value(statement.value)}"
    if isinstance(statement, AssignValue):
        return f"{statement.name} = {cuda_value(statement.value)}"
    if isinstance(statement, Continue):
        return "continue"
    assert isinstance(statement, Store)
    place = statement.tile + subscripts_of(statement.subscripts, statement.extents)
    if statement.element and statement.c_style:
        place = f"*({statement.element} *)&{place}"
    elif statement.element:
        place = f"*reinterpret_cast<{statement.element} *>(&{place})"
    return f"{place} {'+=' if statement.compound else '='} {cuda_value(statement.value)}"


def subscripts_of(cells: Sequence[Expr], flat: Sequence[int] = ()) -> str:
    """What stands behind the name of a tile, which may be one long row of these extents."""
    if not flat:
        return "".join(f"[{cuda(cell)}]" for cell in cells)
    index: Expr = cells[0]
    for cell, extent in zip(cells[1:], flat[1:]):
        index = Binary("+", Binary("*", index, Number(extent)), cell)
    return f"[{cuda(index)}]"


def python_lines(statement: Statement, put: Callable[[Store], str], indent: int) -> list[str]:
    """The statement as Python; `put` writes what a store does."""
    pad = " " * indent
    if isinstance(statement, For):
        first, bound, step = (python_as(e, statement.type)
                              for e in (statement.first, statement.bound, statement.step))
        head = f"{pad}for {statement.name} in range({first}, {bound}, {step}):"
        return [head] + python_body(statement.body, put, indent + 1)
    if isinstance(statement, If):
        lines = [f"{pad}if {python(statement.condition)}:"]
        lines += python_body(statement.then, put, indent + 1)
        if statement.otherwise:
            lines += [f"{pad}else:"] + python_body(statement.otherwise, put, indent + 1)
        return lines
    if isinstance(statement, (Block, Switch)):
        return python_body(statement.body, put, indent)
    if isinstance(statement, (Declare, Assign)):
        return [f"{pad}{statement.name} = {python_as(statement.value, statement.type)}"]
    if isinstance(statement, DeclarePointer):
        base = [statement.pointer] if statement.pointer else []
        terms = base + [python_as(t, LONG_LONG) for t in statement.terms]
        return [f"{pad}{statement.name} = {' + '.join(terms) or '0'}"]
    if isinstance(statement, MovePointer):
        return [f"{pad}{statement.name} += {python_as(statement.by, LONG_LONG)}"]
    if isinstance(statement, (DeclareValue, AssignValue)):
        return [f"{pad}{statement.name} = {python_value(statement.value)}"]
    if isinstance(statement, Continue):
        return [pad + "continue"]
    return [pad + (put(statement) if isinstance(statement, Store) else "pass")]


def python_body(body: tuple[Statement, ...], put: Callable[[Store], str], indent: int) -> list[str]:
    lines = [line for s in body for line in python_lines(s, put, indent)]
    return lines or [" " * indent + "pass"]

