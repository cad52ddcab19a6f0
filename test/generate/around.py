#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random C++ around copies that TMA can do.

Tiles, other shared arrays and tensors are written and read between copies in the ways of
aliases.py: through references, pointers, objects, lambdas, functions and assembly. Barriers
stand in destructors, functions and arguments; pointers may be null; blocks leave early;
instances of a template differ. tilelift has to see what each of them does: all copies lift,
and the lifted program leaves what the plain one leaves, without a finding of the emulator.

  python3 test/generate/around.py --count 1000 --seed 1          compare, simplify what fails
  python3 test/generate/around.py --show 17 --seed 1             the program of kernel 17

What is not here: what a kernel is (surroundings.py), and its text (wrapping.py).
"""
from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

from aliases import BARRIERS, WAYS
from description import Invalid
from shrinker import many_choices, shrink, simpler
from surroundings import (ALIKE, APART, TENSOR_WAYS, TILE_WAYS, VALUES, Barrier, Copy, Kernel, Launch, Leave, Near,
                          Step, Touch, has_wide_access, is_made_ahead, suits)
from tool import REMARKS, Message, messages
from wrapping import Place, Printed, Writer, print_kernels

STEP = 25  # kernels of a program
SECONDS = 900
FOUND_IN = re.compile(r"kernel '?(?:void )?k(\d{3,})(?:_tma)?\b")
MOST_SIMPLIFIED = 12
FINDING = re.compile(r"error: .*|Stack dump.*|.*\[difference\].*")


# What kernels there are -----------------------------------------------------------


class Maker:
    """Makes up one kernel."""

    def __init__(self, seed: int, number: int, attempt: int) -> None:
        self.rng = random.Random(f"around {seed}/{number}/{attempt}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def kernel(self) -> Kernel:
        pipeline = self.chance(0.25)
        restrict = pipeline or self.chance(0.5)
        k = Kernel(
            self.number, self.pick("int", "float", "float", "unsigned", "double", "short", "Cell"),
            rows=self.pick(4, 8, 2, 16), columns=self.pick(32, 16, 64, 8), threads=self.pick(64, 64, 128, 32),
            align=self.pick(128, 128, 0, 16), place=self.pick("array", "array", "array", "member", "dynamic"),
            second=self.chance(0.4), nears=tuple(self.near() for _ in range(self.pick(0, 1, 1, 2, 3))),
            box=self.chance(0.5), cut=self.pick(0, 0, 1, 4), restrict=restrict, packed=self.chance(0.25),
            same=not restrict and self.chance(0.3), template=self.pick(*["none"] * 5, "mode", "type"),
            barrier=self.pick(*BARRIERS[:1] * 4, *BARRIERS), report=self.chance(0.3),
            loop=self.pick("for", "for", "down", *(() if pipeline else ("around", "while", "do", "none"))),
            stages=self.pick("2", "2", "3", "auto") if pipeline else "none", meet=self.chance(0.15))
        if k.template == "type":
            k = replace(k, element=self.pick("int", "float"))
        if pipeline:
            k = replace(k, packed=False, place="array", meet=False)
        self.k = k
        return replace(k, ahead=self.some_steps(0, 3), body=self.round(pipeline), behind=self.last_steps(),
                       launches=tuple(self.launch() for _ in range(self.pick(1, 2, 3))))

    def near(self) -> Near:
        return Near(self.pick("int", "char", "short", "double", "Cell", "float"), self.pick(64, 128, 100, 33, 7),
                    self.pick(0, 0, 16, 128), self.chance(0.5))

    def launch(self) -> Launch:
        return Launch(self.chance(0.5), self.chance(0.5), self.chance(0.5), self.pick(2, 2, 3, 1, 0),
                      self.pick(-1, -1, 0, 1, 2))

    def instance(self) -> str:
        return self.pick("0", "1") if self.k.template != "none" and self.chance(0.25) else "all"

    def some_steps(self, least: int, most: int) -> tuple[Step, ...]:
        return tuple(self.step() for _ in range(self.rng.randint(least, most)))

    def step(self) -> Step:
        dice = self.rng.random()
        if dice < 0.06:
            return Barrier(self.pick(*BARRIERS))
        return self.touch() if dice < 0.68 else self.copy()

    def touch(self, verb: str = "", arrays: Sequence[str] = ()) -> Touch:
        k = self.k
        others = [f"near{i}" for i in range(len(k.nears))] * 2 + ["buf", "buf", "out"]
        array = self.pick(*(arrays or ["tile"] * 6 + (["second"] * 4 if k.second else []) + others))
        verb = verb or self.pick("write", "write", "read", "read", "change")
        mine = ["mine"] if k.count_of(array) >= k.threads else []
        order = self.pick("own", "own", "turned", "turned", "shifted", "one", *mine)
        if verb != "change" and has_wide_access(k, array) and self.chance(0.3):
            order = "wide"
        way = self.pick(*(name for name, way in WAYS.items() if suits(k, array, verb, way)))
        condition = self.pick(*APART, *ALIKE) if self.chance(0.3) else "none"
        return Touch(array, verb, way, order, condition, self.pick(*VALUES), self.chance(0.3), self.chance(0.3),
                     self.instance())

    def copy(self, kind: str = "") -> Copy:
        k = self.k
        kind = kind or self.pick("load", "load", "load", "store", "store", "reduce")
        if kind == "reduce" and k.element in ("short", "Cell"):
            kind = "store"
        tensor = self.pick("in", "in", "in", "more", "buf", "extra") if kind == "load" else \
            self.pick("out", "out", "out", "buf", "extra")
        guards = (["none"] if not k.cut else []) + (["zero", "zero"] if kind == "load" else []) + ["keep"]
        forms = ["flat", "flat", "turned"] + (["one"] if k.count == k.threads else [])
        if k.threads % k.columns == 0 and k.rows % (k.threads // k.columns) == 0:
            forms.append("rows")
        where = self.pick(*["here"] * 8, "lambda", "function")
        ways = TILE_WAYS if where == "here" or self.chance(0.2) else ("name",)
        tensor_ways = TENSOR_WAYS if self.chance(0.1) else ("name", *(w for w in TENSOR_WAYS if w != "reference"))
        if where != "here" and self.chance(0.8):
            tensor_ways = ("name",)
        condition = self.pick(*ALIKE) if self.chance(0.2) else "none"
        return Copy(kind, tensor, k.second and self.chance(0.5), self.pick(*forms), self.pick(*guards),
                    self.pick("name", "name", *ways), self.pick("name", *tensor_ways), where, condition,
                    self.chance(0.3), self.instance())

    def round(self, pipeline: bool) -> tuple[Step, ...]:
        if pipeline:
            return self.round_ahead()
        steps = list(self.some_steps(1, 5))
        if self.chance(0.2):
            steps.insert(self.rng.randint(0, len(steps)),
                         Leave(self.pick("return", "break", "continue"), self.pick("block", "round", "both", "bias")))
        if self.chance(0.15) and not self.k.meet:
            steps += [Leave("skip"), self.touch("read", ["tile", "buf"])]
        return tuple(steps)

    def round_ahead(self) -> tuple[Step, ...]:
        """Rounds whose loads can be made ahead, for the most part."""
        tiles = [False, True] if self.k.second and self.chance(0.5) else [False]
        by_name = {"tile_way": "name"} if self.chance(0.8) else {}
        steps: list[Step] = [replace(self.copy("load"), **by_name, second=second, condition="none", instance="all",
                                     where="here", guard="zero" if self.k.cut else self.pick("none", "zero"),
                                     tensor=self.pick("in", "more")) for second in tiles]
        used = ["second" if second else "tile" for second in tiles]
        rest = [f"near{i}" for i in range(len(self.k.nears))] + ["buf", "out"]
        steps += [replace(self.touch("read", used), early=self.chance(0.05)) for _ in range(self.pick(1, 2, 2, 3))]
        for _ in range(self.pick(0, 1, 1, 2)):
            steps.insert(self.rng.randint(0, len(steps)), self.touch("", rest))
        return tuple(steps)

    def last_steps(self) -> tuple[Step, ...]:
        k = self.k
        if k.stages != "none":
            return tuple(self.touch("", ["buf", "out"]) for _ in range(self.pick(0, 1)))
        steps = list(self.some_steps(0, 3))
        if self.chance(0.7):
            steps.append(self.copy(self.pick("store", "reduce")))
        if self.chance(0.2):
            steps.insert(self.rng.randint(0, len(steps)), Leave("return", self.pick("block", "both", "bias")))
        if self.chance(0.3):
            steps.append(Leave("quit"))
        return tuple(steps + [self.touch("read", ["tile"]) for _ in range(self.pick(0, 0, 1))])


def is_valid(kernel: Kernel) -> bool:
    """Whether a kernel can be written, and has a copy."""
    try:
        Writer(kernel).text()
    except (Invalid, IndexError):
        return False
    return bool(kernel.copies()) and not has_dead_copy(kernel)


def has_dead_copy(kernel: Kernel) -> bool:
    """Whether a copy is for a block that may have left by then; nothing is known there of any variable."""
    left = any(isinstance(step, Leave) and step.condition == "block" for step in kernel.steps())
    return left and any(copy.condition == "block" for copy in kernel.copies())


def make_kernel(seed: int, number: int) -> Kernel:
    for attempt in range(1000):
        kernel = Maker(seed, number, attempt).kernel()
        if kernel.stages != "none":
            kernel = replace(kernel, ahead=tuple(s for s in kernel.ahead if isinstance(s, Touch) and
                                                 s.array not in ("tile", "second")))
        if is_valid(kernel):
            return kernel
    raise Invalid("no kernel found")


# What tilelift makes of them --------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    tilelift: str
    schedules: int = 0
    arch: str = "sm_90a"
    verdicts_only: bool = False
    first_only: bool = False  # of several kernels that fail when they run, the first will do


@dataclass
class Failure:
    kind: str
    what: str
    detail: str
    kernel: Kernel

    def key(self) -> tuple[str, str]:
        return self.kind, self.what


@dataclass
class Report:
    kernels: int = 0
    lifted: int = 0
    refused: int = 0
    reasons: Counter = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.kernels += other.kernels
        self.lifted += other.lifted
        self.refused += other.refused
        self.reasons += other.reasons
        self.failures += other.failures


def call(settings: Settings, kernels: Sequence[Kernel], *options: str) -> tuple[Printed, int, str, list[Message]]:
    """What tilelift says of a program with these kernels."""
    printed = print_kernels(kernels)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cu"
        source.write_text(str(printed))
        command = [settings.tilelift, *options, "--remarks", f"--arch={settings.arch}", "-w", str(source)]
        if options[0] != "run":
            command = [settings.tilelift, *options, "--remarks", str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
            status, output = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            status, output = -1, f"error: no end after {SECONDS} s"
        return printed, status, output, messages(output, source)


@dataclass(frozen=True)
class Excuse:
    """Why a copy or a pipeline need not lift: words of the message, and what the description has to have."""
    words: str
    holds: Callable[[Kernel], bool]


def any_copy(holds: Callable[[Copy], bool]) -> Callable[[Kernel], bool]:
    """One copy that is not followed takes others of its kernel with it, which share its tile or tensor."""
    return lambda kernel: any(map(holds, kernel.copies()))


def has_leave(*kinds: str) -> Callable[[Kernel], bool]:
    return lambda kernel: any(isinstance(step, Leave) and step.kind in kinds for step in kernel.steps())


by_alias = lambda copy: bool(WAYS[copy.tile_way].setup) or copy.tensor_way != "name"
by_reference = any_copy(lambda copy: copy.tensor_way == "reference")
in_lambda = any_copy(lambda copy: copy.where == "lambda" and by_alias(copy))
in_function = any_copy(lambda copy: copy.where == "function")
behind_reference = lambda kernel: kernel.place == "dynamic" or any_copy(lambda copy: copy.tile_way == "whole")(kernel)
NOT_FOLLOWED = "is not followed: "
# What is not followed yet although nothing is in the way, and what pipelines and templates ask for. An entry
# goes when tilelift has learnt it.
EXCUSES = (
    Excuse("made in their own rounds", lambda kernel: not is_made_ahead(kernel) or by_reference(kernel)),
    Excuse("may be used in another round", lambda kernel: True),  # objects of the round that have its address
    Excuse("in a lambda that does not capture all by reference", lambda kernel: True),
    Excuse("whose lifted text would not be that of", lambda kernel: kernel.template != "none"),
    Excuse(NOT_FOLLOWED + "it may be changed through", by_reference),
    Excuse("the value may be changed through", by_reference),
    Excuse("may differ between threads", by_reference),
    Excuse(NOT_FOLLOWED + "it may be changed through", in_lambda),
    Excuse("is set by the annotated statement and used after it", in_lambda),
    Excuse("which has no name at this place", in_function),
    Excuse(NOT_FOLLOWED + "it is changed by", behind_reference),
    Excuse(NOT_FOLLOWED + "it may be changed through", behind_reference),
    Excuse(NOT_FOLLOWED + "it is set under a condition", behind_reference),
    Excuse("is set by the annotated statement and used after it", behind_reference),
    Excuse("takes more than", has_leave("continue", "break", "return")),
    Excuse("may send some of them away", has_leave("return")),
    Excuse("some threads may leave the loop around it", by_reference),
)


def is_excused(kernel: Kernel, text: str) -> bool:
    return any(excuse.words in text and excuse.holds(kernel) for excuse in EXCUSES)


def verdicts(kernels: Sequence[Kernel], printed: Printed, found: list[Message]) -> Report:
    """Whether all copies lift, and none is left out without a word."""
    report = Report(len(kernels))
    ranges = printed.kernels.values()
    stray = [m for m in found if m.severity == "warning" and not any(a <= m.line <= b for a, b in ranges)]
    for kernel in kernels:
        first, last = printed.kernels[kernel.number]
        places = [place for place in printed.copies if place.kernel == kernel.number]
        own = [m for m in found if first <= m.line <= last]
        quiet = not all(any(p.first <= m.line <= p.last for m in own) for p in places if p.step)
        if quiet and not any(m.severity == "warning" for m in own):
            own += stray  # what is said of a function that all kernels have
        for message in own:
            if message.severity == "remark" or message.id in REMARKS - {"instance-differs"}:
                continue
            what = reason(message)
            report.reasons[what] += 1
            if not is_excused(kernel, message.text):
                report.failures.append(Failure("refused", what, message.text, kernel))
        judge(kernel, places, own, report)
    return report


def judge(kernel: Kernel, places: list[Place], own: list[Message], report: Report) -> None:
    """Counts a kernel's copies; each needs a verdict, on its own lines or on what is in its way."""
    refusals = [m for m in own if m.id in ("stays-plain", "instance-differs")]
    elsewhere = [m for m in refusals if not any(p.first <= m.line <= p.last for p in places if p.step)]
    for place in places:
        here = {m.id for m in own if place.first <= m.line <= place.last}
        lifted = bool(here & {"lifted", "lifted-under-guard", "pipelined"})
        refused = bool(here & {"stays-plain", "instance-differs"} or not lifted and elsewhere)
        if place.step is None:
            refused = any(m.id == "stays-synchronous" for m in own)
        report.lifted += lifted
        report.refused += refused
        if not lifted and not refused:
            report.failures.append(Failure("silent", "no verdict", f"line {place.first}", kernel))


def reason(message: Message) -> str:
    """The words of a refusal without names and numbers, as its kind."""
    text = message.text.split(": ", 1)[-1] if message.id in ("stays-plain", "stays-synchronous") else message.text
    return re.sub(r"'[^']*'|\b\d+\b", "_", text)[:90]


def blame(settings: Settings, kernels: Sequence[Kernel]) -> list[Failure]:
    """Which of some kernels fail when they run, by halves."""
    _, status, output, _ = call(settings, kernels, "run", "--compare", f"--schedules={settings.schedules}")
    if status in (0, 1) and not FINDING.search(output):
        return []
    named = {int(number) for number in FOUND_IN.findall(output)}
    if len(kernels) > 1 and named:
        parts = [[kernel] for kernel in kernels if kernel.number in named]
    else:
        middle = len(kernels) // 2
        parts = [kernels[:middle], kernels[middle:]]
    if len(kernels) > 1:
        failures: list[Failure] = []
        for part in parts:
            failures += blame(settings, part) if not failures or not settings.first_only else []
        return failures
    finding = FINDING.search(output)
    detail = finding[0] if finding else f"exit status {status}: {output[-300:]}"
    _, plain, plain_output, _ = call(settings, kernels, "run", "--plain")
    kind = "undefined" if plain or FINDING.search(plain_output) else "broken"
    id = re.search(r"\[([a-z0-9-]+)\]", detail)
    return [Failure(kind, id[1] if id else re.sub(r"'[^']*'|\d+", "_", detail)[:60], detail, kernels[0])]


def check(settings: Settings, kernels: Sequence[Kernel]) -> Report:
    """Takes one program all the way."""
    printed, status, output, found = call(settings, kernels, "--check")
    report = verdicts(kernels, printed, found)
    if status not in (0, 1) or (status == 1) != bool(report.reasons):
        report.failures.append(Failure("status", str(status), f"status {status}: {output[-200:]}", kernels[0]))
    if not settings.verdicts_only:
        report.failures += blame(settings, kernels)
    return report


# Shrinking --------------------------------------------------------------------------


def candidates(kernel: Kernel) -> Iterator[Kernel]:
    """Simpler kernels, those that lose most first."""
    for part in ("body", "ahead", "behind", "nears", "launches"):
        items = getattr(kernel, part)
        for size in sorted({len(items), len(items) // 2, 1} - {0}, reverse=True):
            for start in range(0, len(items), size):
                yield replace(kernel, **{part: items[:start] + items[start + size:]})
    yield from many_choices(kernel)
    yield from simpler(kernel)


def is_simple_enough(kernel: Kernel) -> bool:
    return bool(kernel.launches) and is_valid(kernel)


def simplified(failure: Failure, settings: Settings, keep: Path) -> Path:
    """Writes the simplest program that is found to fail in the same way."""
    own = replace(settings, verdicts_only=failure.kind in ("refused", "silent", "status"), first_only=True)

    def first_failing(kernels: Sequence[Kernel]) -> Optional[int]:
        numbered = [replace(kernel, number=i) for i, kernel in enumerate(kernels)]
        found = check(own, numbered).failures
        return min((f.kernel.number for f in found if f.key() == failure.key()), default=None)

    kernel = shrink(failure.kernel, first_failing, candidates=candidates, valid=is_simple_enough)
    keep.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", f"{failure.kind} {failure.what}".lower())[:60].strip("-")
    path = keep / f"{name}-k{failure.kernel.number:03d}.cu"
    path.write_text(f"// {failure.kind}: {failure.detail}\n{print_kernels([kernel])}")
    return path


def simplify_all(failures: list[Failure], settings: Settings, jobs: int, keep: Path) -> None:
    """Of each kind of failure, the smallest kernel."""
    chosen: dict[tuple[str, str], Failure] = {}
    for failure in sorted(failures, key=lambda f: len(repr(f.kernel))):
        chosen.setdefault(failure.key(), failure)
    some = list(chosen.values())[:MOST_SIMPLIFIED]
    with ProcessPoolExecutor(jobs) as pool:
        for path in pool.map(simplified, some, [settings] * len(some), [keep] * len(some)):
            print(f"simplified: {path}", flush=True)


# All of it --------------------------------------------------------------------------


def check_chunk(seed: int, numbers: Sequence[int], settings: Settings) -> Report:
    return check(settings, [make_kernel(seed, number) for number in numbers])


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilelift", default=str(Path(__file__).parents[2] / "build/bin/tilelift"))
    parser.add_argument("--count", type=int, default=100, help="kernels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="kernel to begin with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--schedules", type=int, default=0, help="orders of threads and copies at random")
    parser.add_argument("--arch", default="sm_90a", help="what the programs are compiled for")
    parser.add_argument("--keep", type=Path, default=Path("failures"), help="folder for simplified programs that fail")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--lift-only", action="store_true", help="verdicts only, run nothing")
    parser.add_argument("--show", type=int, help="print the program of one kernel and stop")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    if arguments.show is not None:
        print(print_kernels([make_kernel(arguments.seed, arguments.show)]), end="")
        return 0
    settings = Settings(arguments.tilelift, arguments.schedules, arguments.arch, arguments.lift_only)
    start, report, last = time.time(), Report(), arguments.first + arguments.count
    chunks = [range(first, min(first + STEP, last)) for first in range(arguments.first, last, STEP)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for found in pool.map(check_chunk, [arguments.seed] * len(chunks), chunks, [settings] * len(chunks)):
            report.add(found)
            for failure in found.failures:
                print(f"{failure.kind}: k{failure.kernel.number:03d}: {failure.detail}", flush=True)
    seconds = time.time() - start
    if not arguments.no_shrink:
        simplify_all(report.failures, settings, arguments.jobs, arguments.keep)
    for text, count in report.reasons.most_common():
        print(f"refused {count} times: {text}")
    print(f"{report.kernels} kernels in {seconds:.0f} s: {report.lifted} lifted, {report.refused} refused, "
          f"{len(report.failures)} problems")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
