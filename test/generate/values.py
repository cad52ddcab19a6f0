# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done for one cell of a tile: the second part of lowering.

Decides how the load is written, what is stored where the guard does not hold,
and how the guard's bounds and the store are put together.

What is not here: indices (places.py), loops (loops.py).
"""
from __future__ import annotations

import random
from dataclasses import replace
from typing import Optional

from description import Axis, Invalid, is_scalar
from language import (BOOL, INT, SIZE, UNSIGNED, Assign, AssignValue, Binary, Called, Cast, Choose,
                      Computed, Continue, Declare, DeclarePointer, DeclareValue, Entry, Expr,
                      Extreme, Fill, If, Load, Not, Pick, Register, Spelled, Statement, Value,
                      Variable, add, conjunction, cuda, cuda_value, is_zero, multiply, negation,
                      number, total, variables_of)
from places import Places


class Values(Places):
    """Loads, guards and stores of one copy."""

    # Values ---------------------------------------------------------------------

    def _load(self, places: list[Expr], cells: list[Expr], body: list[Statement]) -> Value:
        tensor, extra = self.tensor, self._extra_terms(cells)
        access = self.copy.access
        if self.flaw in ("volatile", "pointer-table") and access not in ("subscript", "pointer"):
            raise Invalid("access")
        if access == "c-cast" and self.vector == 1:
            raise Invalid("access")
        if access in ("pointer", "ldg-sum") and self.vector > 1:
            raise Invalid("access")
        load = {"tensor": tensor, "spelling": access, "element": self.vector_type}
        base = self.copy.base
        if self.copy.formula == "horner":
            if base != "tensor" or extra:
                raise Invalid("base")
            return Load(index=self._horner(places), **load)
        if base == "start":
            if self.flaw in ("clamped", "wrapped", "loaded-rows", "volatile"):
                raise Invalid("base")
            comes_around = self.index_type.bits < 64 and not self.index_type.signed
            if comes_around and self.argument_type.bits == 64 and \
                    any(axis.shift < 0 for axis in self.axes):
                raise Invalid("a start that comes around in 32 bits is far away in 64")
            pointer = "source" + self.suffix
            terms = self._batch_term() + self._offset_terms(list(self.starts))
            terms = tuple(t for t in terms if not is_zero(t))
            if not any(isinstance(s, DeclarePointer) for s in self.out.setup):
                self.out.setup.append(
                    DeclarePointer(pointer, self.tensor_element, tensor, terms))
            index = total(self._offset_terms(self._source_cells(cells)) + extra)
            return Load(index=index, pointer=pointer, **load)
        terms = self._batch_term() + self._offset_terms(places) + extra
        if base == "tensor":
            return Load(index=total(terms), **load)
        if len(terms) < 2 or self.flaw in ("broadcast", "volatile"):
            raise Invalid("base")
        if base == "row":
            pointer = "row" + self.suffix
            body.append(DeclarePointer(pointer, self.tensor_element, tensor, tuple(terms[:-1])))
            return Load(index=terms[-1], pointer=pointer, **load)
        if access not in ("subscript", "ldg", "c-cast") or (self.vector > 1 and access == "ldg"):
            raise Invalid("base")
        return Load(index=terms[-1], row=total(terms[:-1]), **load)

    def _extra_terms(self, cells: list[Expr]) -> list[Expr]:
        if self.flaw != "split":
            return []
        half = Binary("<", cells[-2], number(self.axes[-2].box // 2))
        return [Choose(half, number(0), number(4))]

    def _source_cells(self, cells: list[Expr]) -> list[Expr]:
        if self.flaw != "skewed":
            return cells
        shifted = Binary("%", add(cells[-1], cells[-2]), self._box(self.rank - 1))
        return cells[:-1] + [shifted]

    def _source_places(self, places: list[Expr], cells: list[Expr]) -> list[Expr]:
        """Where the load reads, which flaws change."""
        last = self.rank - 1
        if self.flaw == "skewed":
            return places[:-1] + [add(self.starts[last], self._source_cells(cells)[-1])]
        if self.flaw == "wrapped":
            size = self._size(last)
            return places[:-1] + [Binary("%", Binary("+", places[-1], size), size)]
        if self.flaw == "clamped":
            if self.index_type is not INT or self.argument_type is not INT:
                raise Invalid("clamps are written for int")
            return [Extreme("min", Extreme("max", Cast(INT, p), number(0)),
                            Binary("-", self._size(a), number(1))) for a, p in enumerate(places)]
        if self.flaw == "loaded-rows":
            table = self._parameter("rows" + self.suffix, "const int *", "table")
            return places[:-2] + [Entry(table, cells[-2]), places[-1]]
        return places

    def _fill(self) -> Fill:
        numbers = is_scalar(self.out.element) and is_scalar(self.kernel.second_element)
        if self.copy.guard.fill == "one":
            if self.vector > 1 or (self.template and not numbers):
                raise Invalid("no such fill")
            return Fill("T(1)" if self.template else self.element.one, "one")
        if self.vector > 1:
            return Fill(f"{self.vector_type}{'()' if self.copy.zero % 2 else '{}'}")
        if self.template:
            return Fill("T(0)" if numbers and self.copy.zero % 2 == 0 else "T{}")
        return Fill(self.element.zeros[self.copy.zero % len(self.element.zeros)])

    def _flawed(self, value: Value, cells: list[Expr]) -> Value:
        """The loaded value with what the flaw does to it."""
        if self.flaw == "scaled":
            return Computed("2 * {}", value)
        if self.flaw == "converted":
            return Computed("{}", value)
        if self.flaw == "two-sources":
            assert isinstance(value, Load)
            if value.pointer or self.axes[-1].box < 2:
                raise Invalid("base")
            half = Binary("<", cells[-1], number(self.axes[-1].box // 2))
            return Pick(half, value, replace(value, tensor="other" + self.suffix))
        return value

    # Conditions -----------------------------------------------------------------

    def is_guarded(self) -> bool:
        return any(axis.lower or axis.upper for axis in self.axes)

    def _atoms(self, places: list[Expr], cells: list[Expr], index: Optional[Expr]) -> list[Expr]:
        """The single bounds of the guard."""
        if self.flaw in ("clamped",):
            return []
        atoms: list[Expr] = []
        for a, axis in enumerate(self.axes):
            if self.flaw == "flat-guard" or (self.flaw == "wrapped" and a == self.rank - 1):
                continue
            if self.flaw == "loaded-rows" and a == self.rank - 2:
                continue
            atoms += self._bounds_of(a, axis, places[a])
        if self.flaw == "flat-guard":
            atoms.append(Binary("<", index, multiply(self._size(0), self._stride(0))))
        if self.flaw == "triangle":
            atoms.append(Binary("<", add(places[-2], places[-1]), self.bound(self.rank - 1)))
        if self.flaw == "loaded-condition":
            table = self._parameter("chosen" + self.suffix, "const int *", "table")
            atoms.append(Binary(">", Entry(table, self.thread()), number(0)))
        if self.copy.guard.order:
            random.Random(self.copy.guard.order).shuffle(atoms)
        return atoms

    def _bounds_of(self, a: int, axis: Axis, place: Expr) -> list[Expr]:
        guard = self.copy.guard
        if axis.lower and axis.upper and guard.both != "two" and a not in self.bounded:
            wide = place.type.bits > 32 or self.bound(a).type.bits > 32
            to = SIZE if wide else UNSIGNED
            c_style = guard.both == "unsigned-cast"
            return [Binary("<", Cast(to, place, c_style), Cast(to, self.bound(a), c_style))]
        atoms = [self._lower_bound(guard.lower, place)] if axis.lower else []
        if not axis.upper or a in self.bounded:
            return atoms
        step = self.vector if a == self.rank - 1 else 1
        return [*atoms, self._upper_bound(guard.upper, place, self.bound(a), step)]

    @staticmethod
    def _lower_bound(spelling: str, place: Expr) -> Expr:
        zero = number(0)
        if spelling == "mirrored":
            return Binary("<=", zero, place)
        if spelling == "not-less":
            return Not(Binary("<", place, zero))
        if spelling == "not-mirrored":
            return Not(Binary(">", zero, place))
        if spelling == "more" and place.type.signed:
            return Binary(">", place, number(-1))
        return Binary(">=", place, zero)

    @staticmethod
    def _upper_bound(spelling: str, place: Expr, bound: Expr, step: int) -> Expr:
        if spelling == "mirrored":
            return Binary(">", bound, place)
        if spelling == "not-beyond":
            return Not(Binary(">=", place, bound))
        if spelling == "at-most":
            return Binary("<=", place, Binary("-", bound, number(1)))
        if spelling == "plus-one" and place.type.signed and bound.type.signed:
            return Binary("<=", add(place, number(step)), bound)
        return Binary("<", place, bound)

    def _condition(self, atoms: list[Expr], body: list[Statement]) -> Expr:
        join = self.copy.guard.join
        whole = conjunction(atoms)
        if join == "grouped" and len(atoms) > 2:
            half = len(atoms) // 2
            return Binary("&&", conjunction(atoms[:half]), conjunction(atoms[half:]))
        if join == "negated":
            return Not(negation(whole))
        if join == "bits":
            return conjunction(atoms, "&")
        if join == "flag":
            body.append(Declare("inside" + self.suffix, BOOL, whole, const=True))
            return Variable("inside" + self.suffix, BOOL)
        if join == "flags":
            name = "inside" + self.suffix
            body.append(Declare(name, BOOL, atoms[0]))
            for atom in atoms[1:]:
                body.append(Assign(name, BOOL, Binary("&&", Variable(name, BOOL), atom)))
            return Variable(name, BOOL)
        if join == "macro":
            return self._macro(whole)
        return whole

    def _macro(self, condition: Expr) -> Expr:
        name = f"K{self.kernel.number:03d}_INSIDE{self.suffix}"
        parameters = ", ".join(variables_of(condition))
        self.out.helpers.append(f"#define {name}({parameters}) ({cuda(condition)})")
        return Spelled(f"{name}({parameters})", condition)

    def _helper(self, value: Value, condition: Optional[Expr], load: Load) -> Value:
        """A device function that returns the value."""
        name = f"k{self.kernel.number:03d}_at{self.suffix}"
        used: dict[str, Variable] = {}
        for expr in (condition, load.index, load.row):
            used.update(variables_of(expr) if expr is not None else {})
        if self.flaw != "none":
            raise Invalid("helpers are as simple as they can be")
        if load.element or load.pointer or load.tensor != self.tensor:
            raise Invalid("helpers take the tensor and return an element")
        if "threadIdx" in cuda_value(value) or "blockIdx" in cuda_value(value):
            raise Invalid("helpers take variables")
        if any(c.name in cuda_value(value) for c in self.out.constants):
            raise Invalid("helpers take variables")
        element = self.text_element
        parameters = [f"const {element} *{self.tensor}"]
        parameters += [f"{v.type.name} {v.name}" for v in used.values()]
        head = "template <typename T> " if self.template else ""
        self.out.helpers.append(f"{head}__device__ {element} {name}({', '.join(parameters)}) {{\n"
                                f"  return {cuda_value(value)};\n}}")
        return Called(f"{name}({', '.join([self.tensor, *used])})", value)

    # The innermost statements ---------------------------------------------------

    def _body(self, cells: list[Expr], in_loop: bool) -> list[Statement]:
        """What is done for one cell of the tile."""
        body: list[Statement] = []
        if self.flaw == "index-kept" and self.copy.idiom != "flat":
            raise Invalid("index-kept")
        places = [self._coordinate(a, cell, body) for a, cell in enumerate(cells)]
        source = self._source_places(places, cells)
        index = total(self._batch_term() + self._offset_terms(source))
        atoms = self._atoms(places, cells, index)
        guard = self.copy.guard
        if not atoms:
            load = self._load(source, cells, body)
            if guard.style == "helper" and self.flaw == "none":
                return body + [self._store(cells, self._helper(load, None, load))]
            return body + [self._store(cells, self._flawed(load, cells))]
        if guard.style in ("continue", "prefill-continue", "keep-continue") and not in_loop:
            raise Invalid("continue without a loop")
        return body + self._guarded_body(atoms, source, cells)

    def _guarded_body(self, atoms: list[Expr], source: list[Expr],
                      cells: list[Expr]) -> list[Statement]:
        before: list[Statement] = []
        pre: list[Statement] = []  # what the load declares
        load = self._load(source, cells, pre)
        value, style = self._flawed(load, cells), self.copy.guard.style
        store = lambda v: self._store(cells, v)
        if style.startswith("keep"):
            self.out.initialised = style != "keep-any"
        if self.copy.guard.join == "nested" and len(atoms) > 1:
            return self._nested(atoms, pre, value, cells)
        condition = self._condition(atoms, before)
        if style in ("ternary", "inverted", "helper") or (style == "if-else" and pre):
            if pre and style == "helper":
                raise Invalid("helpers take the tensor")
            if style == "inverted":
                picked: Value = Pick(negation(condition), self._fill(), value)
            else:
                picked = Pick(condition, value, self._fill())
            if style == "helper":
                assert isinstance(load, Load)
                picked = self._helper(picked, condition, load) if value is load else picked
            return before + pre + [store(picked)]
        if style == "if-else":
            return before + [If(condition, (store(value),), (store(self._fill()),))]
        if style == "register":
            return before + self._in_register(condition, pre, value, cells)
        if style == "prefill":
            return before + [store(self._fill()), If(condition, (*pre, store(value)))]
        if style == "continue":
            leave = (store(self._fill()), Continue())
            return before + [If(negation(condition), leave), *pre, store(value)]
        if style == "keep-continue":
            return before + [If(negation(condition), (Continue(),)), *pre, store(value)]
        if style == "prefill-continue":
            leaves = [If(negation(atom), (Continue(),)) for atom in atoms]
            return [store(self._fill()), *leaves, *pre, store(value)]
        assert style in ("keep", "keep-any", "bounded")
        return before + [If(condition, (*pre, store(value)))]

    def _in_register(self, condition: Expr, pre: list[Statement], value: Value,
                     cells: list[Expr]) -> list[Statement]:
        name, type = "value" + self.suffix, self.vector_type or self.text_element
        return [DeclareValue(name, type, self._fill()),
                If(condition, (*pre, AssignValue(name, value))),
                self._store(cells, Register(name))]

    def _nested(self, atoms: list[Expr], pre: list[Statement], value: Value,
                cells: list[Expr]) -> list[Statement]:
        """An `if` for each bound."""
        style, name = self.copy.guard.style, "value" + self.suffix
        if style not in ("register", "prefill", "keep", "keep-any", "if-else", "bounded"):
            raise Invalid("one condition only")
        store = self._store(cells, value)
        if style == "register":
            inner: tuple[Statement, ...] = (*pre, AssignValue(name, value))
        else:
            inner = (*pre, store)
        otherwise = (self._store(cells, self._fill()),) if style == "if-else" else ()
        for atom in reversed(atoms):
            inner = (If(atom, inner, otherwise),)
        if style == "register":
            type = self.vector_type or self.text_element
            declare = DeclareValue(name, type, self._fill())
            return [declare, *inner, self._store(cells, Register(name))]
        return [self._store(cells, self._fill()), *inner] if style == "prefill" else list(inner)
