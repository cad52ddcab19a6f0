# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""The ways in which C++ gets at an element of an array.

By name, through references, pointers and objects, by lambdas, functions, constructors and
destructors, by assembly and atomics. Each way is a few lines of text with holes: how the
alias is made, and how an element is written, read or changed by it. HEAD has the classes
and functions that they use.

What is not here: which array, which element, and who may be there at the same time
(surroundings.py).
"""
from __future__ import annotations

from dataclasses import dataclass

HEAD = r"""#include <cooperative_groups.h>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

namespace cg = cooperative_groups;

// An element that is an object; it has no constructor that an array of shared memory would have to call.
struct Cell {
  int a, b;
  Cell() = default;
  __host__ __device__ explicit Cell(int v) : a(v), b(3 - v) {}
  __device__ void set(const Cell &v) { a = v.a, b = v.b; }
  __device__ Cell get() const { return *this; }
  __device__ Cell &operator+=(const Cell &v) {
    a += v.a, b += v.b;
    return *this;
  }
  __device__ Cell &operator++() {
    ++a;
    return *this;
  }
  __device__ friend Cell operator+(Cell x, const Cell &y) { return x += y; }
};
template <class E> __device__ inline E make(int v) { return E(v); }
template <class E> __device__ inline E plus(const E &x, const E &y) { return E(x + y); }
template <class E> __device__ inline unsigned look(E v) { return unsigned(int(v)); }
__device__ inline unsigned look(Cell v) { return unsigned(v.a * 5 + v.b); }

// Pointers in objects.
template <class E> struct Span {
  E *data;
  int width;
  __device__ void put(int i, const E &v) const { data[i] = v; }
  __device__ const E &get(int i) const { return data[i]; }
  __device__ void add(int i, const E &v) { data[i] = plus(data[i], v); }
  __device__ E &operator()(int r, int c) const { return data[r * width + c]; }
  __device__ E &operator[](int i) const { return *(data + i); }
};
template <class E> class Rows {
public:
  __device__ Rows(E *p, int w) : first(p), width(w) {}
  __device__ E *operator[](int r) { return first + r * width; }
  __device__ operator E *() const { return first; }

private:
  E *first;
  int width;
};
template <class E> struct Reference {
  E *to;
  __device__ const Reference &operator=(const E &v) const {
    *to = v;
    return *this;
  }
  __device__ operator E() const { return *to; }
};
template <class E> struct Cells {
  E *data;
  __device__ Reference<E> operator[](int i) const { return {data + i}; }
};
template <class E> struct Maybe {
  E *to;
  __device__ explicit operator bool() const { return to != nullptr; }
  __device__ E &operator*() const { return *to; }
  __device__ E *operator->() const { return to; }
};
template <class E> struct Bound {
  E &cell;
  E value;
};

// Constructors and destructors that get at an element.
template <class E> struct AtEnd {
  E *to;
  E value;
  __device__ ~AtEnd() { *to = value; }
};
template <class E> struct AddAtEnd {
  E &to;
  E value;
  __device__ AddAtEnd(E &cell, const E &v) : to(cell), value(v) {}
  __device__ ~AddAtEnd() { to = plus(to, value); }
};
template <class E> struct Filled {
  E seen;
  __device__ Filled(E &cell, const E &v) {
    cell = v;
    seen = v;
  }
  __device__ explicit Filled(const E &cell) : seen(cell) {}
};
template <class E> struct CountAtEnd {
  unsigned &sum;
  const E &cell;
  __device__ ~CountAtEnd() { sum = sum * 3 + look(cell); }
};
struct Report {
  unsigned *to;
  const unsigned &sum;
  __device__ ~Report() { *to = sum; }
};

// Functions.
template <class E> __device__ inline void put_at(E *p, int i, E v) { p[i] = v; }
template <class E> __device__ __noinline__ void put_far(E *p, int i, const E &v) { p[i] = v; }
template <class E> __device__ __noinline__ E get_far(const E *p, int i) { return p[i]; }
template <class E> __device__ inline void put_into(E &cell, const E &v) { cell = v; }
template <class E> __device__ inline E &pick(E *p, int i) { return p[i]; }
template <class E, int R, int C> __device__ inline void put_cell(E (&a)[R][C], int i, const E &v) {
  a[i / C][i % C] = v;
}
template <class E, int R, int C> __device__ inline const E &get_cell(const E (&a)[R][C], int i) {
  return a[i / C][i % C];
}
template <class E, class F> __device__ inline void visit(E *p, int i, F f) { f(p[i]); }
template <int Depth, class E> __device__ inline void put_deep(E *p, const E &v) {
  if constexpr (Depth > 0)
    put_deep<Depth - 1>(p, v);
  else
    *p = v;
}

// Assembly, of words.
__device__ inline unsigned address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
template <class E> __device__ inline void store_shared(unsigned to, E v) {
  unsigned word;
  memcpy(&word, &v, 4);
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
template <class E> __device__ inline E load_shared(unsigned from) {
  unsigned word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
  E v;
  memcpy(&v, &word, 4);
  return v;
}
template <class E> __device__ inline void store_generic(E *to, E v) {
  unsigned word;
  memcpy(&word, &v, 4);
  asm volatile("st.b32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

// Barriers.
struct Meet {
  __device__ ~Meet() { __syncthreads(); }
};
__device__ inline void meet() { __syncthreads(); }
__device__ inline void meet_if(bool all) {
  if (all)
    __syncthreads();
}
template <class Group> __device__ inline void meet_of(const Group &group) { group.sync(); }

"""


@dataclass(frozen=True)
class Way:
    """Text with holes.

    {a} is the array, {p} a pointer to its first element, {x} the element's flat index, {c} the
    element by name, {ci} the one whose flat index is i, {v} a value, {E} the type, {C} the length
    of a row, and {n} a number that tells aliases apart.
    """
    setup: str = ""  # makes the alias, right here or at the kernel's start
    write: str = ""
    read: tuple[str, str] = ("", "")  # statements, and an expression behind them
    change: str = ""
    needs: str = ""  # 'rows', 'words', 'shared words', 'shared', 'numbers', 'scalars' or 'cells'


SPAN = "Span<{E}> span{n}{{{p}, {C}}};"
ROWS = "Rows<{E}> rows{n}({p}, {C});"
POINTER = "{E} *p{n} = {p};"
WAYS: dict[str, Way] = {
    "name": Way("", "{c} = {v};", ("", "{c}"), "{c} = plus({c}, {v});"),
    "compound": Way("", "", ("", "(0, {c})"), "{c} += {v};"),
    "increment": Way("", "", ("", "*&{c}"), "++{c};"),
    "reference": Way("", "{E} &cell = {c};\ncell = {v};", ("const {E} &cell = {c};", "cell"),
                     "{E} &cell = {c};\ncell = plus(cell, {v});"),
    "row": Way("", "{E} (&row)[{C}] = {a}[({x}) / {C}];\nrow[({x}) % {C}] = {v};",
               ("const auto &row = {a}[({x}) / {C}];", "row[({x}) % {C}]"),
               "auto &row = {a}[({x}) / {C}];\nrow[({x}) % {C}] += {v};", "rows"),
    "row pointer": Way("{E} (*to{n})[{C}] = {a};", "to{n}[({x}) / {C}][({x}) % {C}] = {v};",
                       ("", "(*(to{n} + ({x}) / {C}))[({x}) % {C}]"), "", "rows"),
    "whole": Way("auto &all{n} = {a};", "all{n}[({x}) / {C}][({x}) % {C}] = {v};",
                 ("", "all{n}[({x}) / {C}][({x}) % {C}]"), "", "rows"),
    "pointer": Way(POINTER, "p{n}[{x}] = {v};", ("", "*(p{n} + ({x}))"), "*(p{n} + ({x})) += {v};"),
    "two pointers": Way("{E} *p{n} = {p}, **pp{n} = &p{n};", "(*pp{n})[{x}] = {v};", ("", "(*pp{n})[{x}]")),
    "pointers": Way("{E} *both{n}[2];\nboth{n}[0] = {p}, both{n}[1] = both{n}[0];", "both{n}[({x}) & 1][{x}] = {v};",
                    ("", "both{n}[1][{x}]")),
    "iterator": Way(POINTER, "for ({E} *here = p{n} + ({x}), *end = here + 1; here != end; ++here)\n  *here = {v};",
                    ("const {E} *here = p{n};\nhere += {x};", "*here")),
    "pointer or none": Way("{E} *p{n} = n > 90 ? nullptr : {p};", "if (p{n})\n  p{n}[{x}] = {v};",
                           ("", "(p{n} ? p{n}[{x}] : {E}())"), "if (p{n} != nullptr)\n  p{n}[{x}] += {v};"),
    "member": Way(SPAN, "span{n}.data[{x}] = {v};", ("", "span{n}.data[{x}]")),
    "method": Way(SPAN, "span{n}.put({x}, {v});", ("", "span{n}.get({x})"), "span{n}.add({x}, {v});"),
    "call operator": Way(SPAN, "span{n}(({x}) / {C}, ({x}) % {C}) = {v};",
                         ("", "span{n}(({x}) / {C}, ({x}) % {C})")),
    "subscript operator": Way(SPAN, "span{n}[{x}] = {v};", ("", "span{n}[{x}]"), "span{n}[{x}] += {v};"),
    "rows of an object": Way(ROWS, "rows{n}[({x}) / {C}][({x}) % {C}] = {v};",
                             ("", "rows{n}[({x}) / {C}][({x}) % {C}]")),
    "conversion": Way(ROWS, "{E} *converted = rows{n};\nconverted[{x}] = {v};",
                      ("const {E} *converted = rows{n};", "converted[{x}]")),
    "proxy": Way("Cells<{E}> cells{n}{{{p}}};", "cells{n}[{x}] = {v};", ("", "{E}(cells{n}[{x}])")),
    "maybe": Way("", "if (Maybe<{E}> maybe{{&{c}}})\n  *maybe = {v};",
                 ("Maybe<{E}> maybe{{&{c}}};", "(maybe ? *maybe : {E}())")),
    "arrow": Way("", "Maybe<{E}>{{&{c}}}->set({v});", ("", "Maybe<{E}>{{&{c}}}->get()"), "", "cells"),
    "element's method": Way("", "{c}.set({v});", ("", "{c}.get()"), "", "cells"),
    "element's members": Way("", "{E} v = {v};\n{c}.a = v.a, {c}.b = v.b;", ("", "{c}"),
                             "int {E}::*one = i & 1 ? &{E}::a : &{E}::b;\n{c}.*one += 2;", "cells"),
    "element's binding": Way("", "auto &[a, b] = {c};\na = i, b = 7;", ("auto [a, b] = {c};", "a - b"),
                             "auto &[a, b] = {c};\nb += a;", "cells"),
    "binding": Way("", "auto [cell, value] = Bound<{E}>{{{c}, {v}}};\ncell = value;",
                   ("const auto &[cell, value] = Bound<{E}>{{{c}, {v}}};", "plus<{E}>(cell, value)")),
    "lambda by reference": Way(
        "auto put{n} = [&](int i, {E} v) {{ {ci} = v; }};\nauto get{n} = [&](int i) {{ return {ci}; }};",
        "put{n}({x}, {v});", ("", "get{n}({x})")),
    "lambda by value": Way(
        "auto put{n} = [to = {p}](int i, const {E} &v) {{ to[i] = v; }};\n"
        "auto get{n} = [to = {p}](int i) {{ return to[i]; }};",
        "put{n}({x}, {v});", ("", "get{n}({x})")),
    "lambda that returns": Way("auto cell{n} = [&](int i) -> {E} & {{ return {ci}; }};",
                               "cell{n}({x}) = {v};", ("", "cell{n}({x})"), "cell{n}({x}) += {v};"),
    "lambda right here": Way("", "[&] {{ {c} = {v}; }}();", ("", "[&] {{ return {c}; }}()")),
    "function": Way("", "put_at<{E}>({p}, {x}, {v});", ("", "pick<{E}>({p}, {x})"),
                    "pick<{E}>({p}, {x}) += {v};"),
    "function elsewhere": Way("", "put_far<{E}>({p}, {x}, {v});", ("", "get_far<{E}>({p}, {x})")),
    "reference parameter": Way("", "put_into<{E}>({c}, {v});", ("", "plus<{E}>({c}, {v})")),
    "array parameter": Way("", "put_cell({a}, {x}, {v});", ("", "get_cell({a}, {x})"), "", "rows"),
    "deep function": Way("", "put_deep<2>(&{c}, {v});", ("", "{c}")),
    "visitor": Way("", "visit({p}, {x}, [&]({E} &cell) {{ cell = {v}; }});",
                   ("{E} got;\nvisit({p}, {x}, [&](const {E} &cell) {{ got = cell; }});", "got"),
                   "visit({p}, {x}, []({E} &cell) {{ ++cell; }});"),
    "destructor": Way("", "{{\n  AtEnd<{E}> end{{&{c}, {v}}};\n}}", ("CountAtEnd<{E}> end{{sum, {c}}};", "{E}()"),
                      "AddAtEnd<{E}> end({c}, {v});"),
    "constructor": Way("", "Filled<{E}> filled({c}, {v});\nsum += look(filled.seen);",
                       ("const Filled<{E}> filled({c});", "filled.seen")),
    "temporary": Way("", "Filled<{E}>({c}, {v});", ("", "Filled<{E}>({c}).seen")),
    "memcpy": Way("", "{E} v = {v};\nmemcpy(&{c}, &v, sizeof v);", ("{E} v;\nmemcpy(&v, &{c}, sizeof v);", "v")),
    "volatile": Way("", "*(volatile {E} *)&{c} = {v};", ("", "{E}(*(const volatile {E} *)&{c})"), "", "scalars"),
    "assembly": Way("", "store_shared<{E}>(address(&{c}), {v});", ("", "load_shared<{E}>(address(&{c}))"), "",
                    "shared words"),
    "assembly by base": Way("unsigned base{n} = address({p});", "store_shared<{E}>(base{n} + 4 * ({x}), {v});",
                            ("", "load_shared<{E}>(base{n} + 4 * ({x}))"), "", "shared words"),
    "generic assembly": Way("", "store_generic<{E}>(&{c}, {v});", ("", "{c}"), "", "words"),
    "atomic": Way("", "atomicExch(&{c}, {v});", ("", "{c}"), "atomicAdd(&{c}, {v});", "words"),
    "atomic of the block": Way("", "atomicExch_block(&{c}, {v});", ("", "{c}"), "atomicAdd_block({p} + ({x}), {v});",
                               "words"),
}

BARRIERS = ("__syncthreads();", "meet();", "{ Meet all; }", "meet_if(true);", "__syncthreads_or(t == n);",
            "sum += __syncthreads_count(t & 1);", "if (__syncthreads_and(t >= 0))\n  ++sum;",
            'asm volatile("bar.sync 0;" ::: "memory");', 'asm volatile("barrier.sync 0;" ::: "memory");',
            "cg::this_thread_block().sync();", "meet_of(cg::this_thread_block());")
