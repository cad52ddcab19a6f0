# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which thread copies what: the third part of lowering.

Decides how threads and loops are mapped to the cells of the tile.

What is not here: what is done for a cell (values.py).
"""
from __future__ import annotations

from math import prod

from description import Invalid
from language import (INT, UNSIGNED, Binary, Block, Declare, DeclarePointer, Expr, Extreme, For, If,
                      Load, MovePointer, Number, Statement, Variable, add, multiply, number,
                      product)
from places import CELLS
from values import Values


class Loops(Values):
    """The ways to write the loops of one copy."""

    def _thread_count(self) -> Expr:
        threads = prod(self.kernel.block)
        if self.flaw == "half-block":
            return number(threads // 2)
        if self.copy.threads == "literal":
            return number(threads)
        axes = [axis for axis, n in zip("xyz", self.kernel.block) if n > 1] or ["x"]
        return product([Variable("blockDim." + axis, UNSIGNED) for axis in axes])

    def _decoded(self, flat: Expr, body: list[Statement], hoisted: bool = False) -> list[Expr]:
        """The cell with a number, numbered in the order of the tile."""
        counts, cells = self._unit_counts(), [number(0)] * self.rank
        rest: Expr = flat
        for a in reversed(range(self.rank)):
            below = prod(counts[a + 1:])
            if self.copy.decode != "chain":
                rest = self._over(flat, below, a)
            cell = rest if a == 0 else self._modulo(rest, counts[a], a)
            if counts[a] == 1 and a > 0:
                cell = number(0)
            cells[a] = self._named_cell(a, cell, body, hoisted)
            if self.copy.decode == "chain" and a > 0:
                name = f"rest{self.suffix}" + str(self.rank - a)
                over = Binary("/", rest, self._units(a))
                if a > 1:
                    body.append(Declare(name, self.loop_type, over))
                    rest = Variable(name, self.loop_type)
                else:
                    rest = over
        return cells

    def _over(self, flat: Expr, below: int, a: int) -> Expr:
        if below == 1:
            return flat
        if self.copy.decode == "shift" and below & (below - 1) == 0:
            return Binary(">>", flat, number(below.bit_length() - 1))
        if self.copy.sizes == "literal":
            return Binary("/", flat, number(below))
        return Binary("/", flat, product([self._units(b) for b in range(a + 1, self.rank)]))

    def _modulo(self, value: Expr, count: int, a: int) -> Expr:
        if self.copy.decode == "shift" and count & (count - 1) == 0:
            return Binary("&", value, number(count - 1))
        return Binary("%", value, self._units(a))

    def _named_cell(self, a: int, cell: Expr, body: list[Statement], hoisted: bool) -> Expr:
        if a == self.rank - 1 and self.vector > 1:
            cell = multiply(cell, number(self.vector))
        if "cells" not in self.named or isinstance(cell, (Number, Variable)):
            return cell
        name = self._letter(CELLS, a)
        body.append(Declare(name, self.loop_type, cell, const=hoisted))
        return Variable(name, self.loop_type)

    def _loop(self, name: str, first: Expr, bound: Expr, step: Expr, body: list[Statement],
              **flags: bool) -> For:
        return For(name, self.loop_type, first, bound, step, tuple(body), unroll=self.copy.unroll,
                   **flags)

    def _plain_loops(self, axes: list[int], statement: list[Statement]) -> list[Statement]:
        """Loops that every thread runs whole, around a statement."""
        for a in reversed(axes):
            if self.axes[a].box == 1:
                continue
            name = self._letter(CELLS, a)
            statement = [self._loop(name, number(0), self._box(a), number(1), statement)]
        return statement

    def _plain_cell(self, a: int) -> Expr:
        return number(0) if self.axes[a].box == 1 else Variable(self._letter(CELLS, a),
                                                                self.loop_type)

    def _one(self, statements: list[Statement]) -> Statement:
        return statements[0] if len(statements) == 1 else Block(tuple(statements))

    def _idiom_flat(self) -> Statement:
        body: list[Statement] = []
        i = Variable("i" + self.suffix, self.loop_type)
        cells = self._decoded(i, body)
        body += self._body(cells, in_loop=True)
        count = product([self._units(a) for a in range(self.rank)])
        if self.copy.sizes == "literal":
            count = number(prod(self._unit_counts()))
        kept = self.flaw == "index-kept"
        if kept:
            self.out.setup.append(Declare(i.name, i.type, self.thread()))
        return self._loop(i.name, i if kept else self.thread(), count, self._thread_count(), body,
                          declared=not kept)

    def _idiom_nested(self) -> Statement:
        block, cells = self.kernel.block, [self._plain_cell(a) for a in range(self.rank)]
        mapped = [a for a in range(self.rank - 1, max(-1, self.rank - 4), -1)]
        if any(block[i] > 1 for i in range(len(mapped), 3)):
            raise Invalid("threads without an axis")
        for a in mapped:
            cells[a] = Variable(self._letter(CELLS, a), self.loop_type)
        loops = list(cells)
        if self.vector > 1:
            cells[-1] = Binary("*", cells[-1], number(self.vector))

        def around(statement: list[Statement], bounds: list[Expr]) -> list[Statement]:
            for i, a in enumerate(mapped):
                alone = block[i] == 1
                first = number(0) if alone else Variable("threadIdx." + "xyz"[i], UNSIGNED)
                step = number(1) if alone else self._block_size("xyz"[i])
                statement = [self._loop(loops[a].name, first, bounds[a], step, statement)]
            return self._plain_loops(list(range(self.rank - len(mapped))), statement)

        units = [self._units(a) for a in range(self.rank)]
        if self.copy.guard.style != "bounded" or not self.is_guarded():
            return self._one(around(self._body(cells, in_loop=True), units))
        self.bounded = {a for a in mapped if self.axes[a].upper}
        bounds = [self._bounded(a) if a in self.bounded else units[a] for a in range(self.rank)]
        filled = around([self._store(cells, self._fill())], units)
        return Block((*filled, *around(self._body(cells, in_loop=True), bounds)))

    def _bounded(self, a: int) -> Expr:
        """Where a loop ends that does not leave the tensor."""
        left = Binary("-", self.bound(a), self.starts[a])
        if self.vector > 1 or left.type is not INT or self.loop_type is not INT or \
                self.axes[a].lower:
            raise Invalid("bounds are written for int, and from above")
        return Extreme("min", self._box(a), left)

    def _idiom_one(self) -> Statement:
        """A thread for each element; outer axes are loops."""
        block, counts = self.kernel.block, self._unit_counts()
        cells = [self._plain_cell(a) for a in range(self.rank)]
        used = 3 if block[2] > 1 else 2 if block[1] > 1 else 1
        if used > self.rank:
            raise Invalid("threads without an axis")
        for i in range(used):
            a = self.rank - 1 - i
            if block[i] != counts[a]:
                raise Invalid("no thread for each element")
            self.hoistable.add(a)
            cells[a] = self._named_cell(a, Variable("threadIdx." + "xyz"[i], UNSIGNED),
                                        self.out.setup, hoisted=True)
        outer = list(range(self.rank - used))
        looped = any(self.axes[a].box > 1 for a in outer)
        return self._one(self._plain_loops(outer, self._body(cells, in_loop=looped)))

    def _idiom_one_flat(self) -> Statement:
        """A thread for each element, by its number; threads may be left over."""
        count, threads = prod(self._unit_counts()), prod(self.kernel.block)
        if threads < count:
            raise Invalid("no thread for each element")
        self.hoistable = set(range(self.rank))
        cells = self._decoded(self.thread(), self.out.setup, hoisted=True)
        body = self._body(cells, in_loop=False)
        if threads == count:
            return self._one(body)
        return If(Binary("<", self.thread(), number(count)), tuple(body))

    def _rows(self) -> tuple[Expr, int, list[Expr]]:
        """Threads in rows: the thread's row, how many rows, and the cells."""
        if self.rank < 2:
            raise Invalid("no rows")
        block, units = self.kernel.block, self._unit_counts()[-1]
        threads = prod(block)
        if block[2] > 1 or threads % units or (block[1] > 1 and block[0] != units):
            raise Invalid("threads do not make rows")
        x, y = (Variable("threadIdx." + axis, UNSIGNED) for axis in "xy")
        if block[1] > 1:
            row, column = y, x
        else:
            row, column = Binary("/", x, self._units(self.rank - 1)), \
                self._modulo(x, units, self.rank - 1)
        names = [f"own_row{self.suffix}", f"own_column{self.suffix}"]
        if self.vector > 1:
            column = multiply(column, number(self.vector))
        for name, value in zip(names, (row, column)):
            self.out.setup.append(Declare(name, self.loop_type, value, const=True))
        cells = [self._plain_cell(a) for a in range(self.rank)]
        cells[-1] = Variable(names[1], self.loop_type)
        self.hoistable.add(self.rank - 1)
        return Variable(names[0], self.loop_type), threads // units, cells

    def _idiom_rows(self) -> Statement:
        row, step, cells = self._rows()
        r = cells[-2] = Variable(self._letter(CELLS, self.rank - 2), self.loop_type)
        loop = self._loop(r.name, row, self._box(self.rank - 2), number(step),
                          self._body(cells, in_loop=True))
        return self._one(self._plain_loops(list(range(self.rank - 2)), [loop]))

    def _idiom_fixed_rows(self) -> Statement:
        row, step, cells = self._rows()
        if self.axes[-2].box % step:
            raise Invalid("rows are left over")
        j = Variable("j" + self.suffix, self.loop_type)
        cells[-2] = add(row, j)
        loop = self._loop(j.name, number(0), self._box(self.rank - 2), number(step),
                          self._body(cells, in_loop=True))
        return self._one(self._plain_loops(list(range(self.rank - 2)), [loop]))

    def _idiom_own_row(self) -> Statement:
        """Each thread copies whole rows."""
        if self.rank < 2:
            raise Invalid("no rows")
        cells = [self._plain_cell(a) for a in range(self.rank)]
        c = Variable(self._letter(CELLS, self.rank - 1), self.loop_type)
        r = cells[-2] = Variable(self._letter(CELLS, self.rank - 2), self.loop_type)
        cells[-1] = multiply(c, number(self.vector))
        inner = self._loop(c.name, number(0), self._units(self.rank - 1), number(1),
                           self._body(cells, in_loop=True))
        loop = self._loop(r.name, self.thread(), self._box(self.rank - 2), self._thread_count(),
                          [inner])
        return self._one(self._plain_loops(list(range(self.rank - 2)), [loop]))

    def _idiom_running(self) -> Statement:
        """A pointer that is moved from row to row."""
        if self.is_guarded() or self.flaw != "none" or self.rank != 2 or self.copy.base != "tensor":
            raise Invalid("running pointers have no guard")
        row, step, cells = self._rows()
        pointer = "next" + self.suffix
        r = cells[-2] = Variable(self._letter(CELLS, 0), self.loop_type)
        places = [add(self.starts[0], row), add(self.starts[1], cells[-1])]
        terms = tuple(self._batch_term() + self._offset_terms(places))
        declare = DeclarePointer(pointer, self.tensor_element, self.tensor, terms)
        load = Load(self.tensor, number(0), pointer, "subscript", self.vector_type)
        move = MovePointer(pointer, multiply(number(step), self._stride(0)))
        loop = self._loop(r.name, row, self._box(0), number(step),
                          [self._store(cells, load), move])
        return Block((declare, loop))
