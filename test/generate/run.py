#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates programs, lifts them, and looks for differences.

  python3 test/generate/run.py --count 300 --seed 1              lift and run
  python3 test/generate/run.py --count 3000 --seed 1 --lift-only verdicts only
  python3 test/generate/run.py --count 3000 --lift-only --compile and look for errors in the output
  python3 test/generate/run.py --show 17 --seed 1                print one kernel

For each copy tilelift's verdict has to be one that the oracle explains, and the
lifted program has to leave the same bytes in memory as the plain one, in the
default schedule and in some that are chosen at random. What fails is made as
simple as possible and written to the folder of --keep. Exit status 1 if
anything failed.

What is not here: what programs there are (generator.py), and which verdict is
right (oracle.py).
"""
from __future__ import annotations

import argparse
import collections
import re
import sys
import tempfile
import time
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterable, Optional, Sequence

from description import Kernel, Program, copies_of
from generator import make_kernel, make_program
from oracle import Verdict, judge
from plans import Unknown, check, plans_by_copy
from program import CopyKey, instances, kernel_name, print_program
from shrinker import shrink
from tool import Compiler, Lift, Tool, findings, first_error

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS_OF_A_PROGRAM = 40
NOT_BUILT = 2  # the exit status of `tilelift run` for a program that cannot be built
CLANG_OPTIONS = ("--", "-ferror-limit=0")
# Numbers of failures that are shrunk; more of a kind tell nothing new.
MOST_SHRUNK = 12

GOOD = ("lifted", "refused as expected", "not available yet")
BAD = ("unexplained", "wrongly lifted", "no verdict", "wrong plan", "crashed", "not compiled",
       "miscompiled", "undefined")


@dataclass
class Failure:
    """A copy, or a kernel, that went wrong."""
    kind: str
    kernel: Kernel
    copy: int  # -1: of the kernel as a whole
    what: str  # the same for failures that have the same cause
    detail: str

    def key(self) -> tuple[str, str]:
        return self.kind, self.what


@dataclass
class Report:
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    notes: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: list[Failure] = field(default_factory=list)
    plans: int = 0  # how many were computed
    unused: int = 0  # of which no launch that was tried is lifted

    def add(self, other: "Report") -> None:
        self.counts += other.counts
        self.reasons += other.reasons
        self.notes += other.notes
        self.plans += other.plans
        self.unused += other.unused
        self.failures += other.failures

    def fail(self, failure: Failure, copies: int = 1) -> None:
        self.counts[failure.kind] += copies
        self.failures.append(failure)


@dataclass(frozen=True)
class Settings:
    tool: Tool
    compiler: Compiler
    schedules: int  # random ones, besides the usual order
    lift_only: bool
    compile: bool  # look for errors in the lifted text, although nothing is run


# Verdicts ------------------------------------------------------------------------


def verdicts_of(kernel: Kernel, copy: int) -> list[Verdict]:
    elements = instances(kernel) if kernel.typed else [kernel.copies[copy].element]
    return [judge(kernel, copy, element) for element in elements]


def without_names(message: str) -> str:
    """What a message says, without the numbers and the names of the program."""
    return re.sub(r"\S+:\d+:\d+: |'[^']*'|\d+", "", message)


def check_copy(kernel: Kernel, copy: int, lift: Lift, report: Report) -> None:
    """Compares one verdict of tilelift with the oracle's."""
    outcome = lift.outcomes[kernel.number, copy]
    verdicts = verdicts_of(kernel, copy)
    explained = lambda id: any(verdict.explains(id) for verdict in verdicts)
    if outcome.refusals:
        strange = [m for m in outcome.refusals if not explained(m.id)]
        first = (strange or outcome.refusals)[0]
        if first.id == "not-available-yet":
            report.counts["not available yet"] += 1
        elif strange:
            what = f"{first.id} {without_names(first.text)}"
            report.fail(Failure("unexplained", kernel, copy, what, first.text))
        else:
            report.counts["refused as expected"] += 1
            report.reasons[first.id] += 1
    elif not outcome.lifted:
        report.fail(Failure("no verdict", kernel, copy, "", "neither lifted nor refused"))
    elif any(verdict.must_be_refused for verdict in verdicts):
        facts = [f.why for verdict in verdicts for f in verdict.facts if f.certain]
        report.fail(Failure("wrongly lifted", kernel, copy, facts[0], "; ".join(facts)))
    else:
        report.counts["lifted"] += 1


def check_plans(program: Program, lift: Lift, settings: Settings, folder: Path,
                report: Report) -> None:
    """Compares what is planned with what the statements do."""
    plans = settings.tool.plans(folder / "program.cu", CLANG_OPTIONS)
    for kernel in program.kernels:
        lifted = [copy for copy in range(len(kernel.copies))
                  if lift.outcomes[kernel.number, copy].lifted
                  and not lift.outcomes[kernel.number, copy].refusals]
        for copy, element, plan in plans_by_copy(plans, kernel, kernel_name(kernel), lifted,
                                                 instances(kernel)):
            try:
                checked = check(kernel, copy, element, plan)
            except Unknown as unknown:
                report.notes[f"a plan that is not understood: {unknown}"] += 1
                continue
            report.plans += 1
            report.unused += not checked.used
            if checked.problem:
                report.counts["lifted"] -= 1
                report.fail(Failure("wrong plan", kernel, copy, without_names(checked.problem),
                                    checked.problem))


def lift_program(program: Program, settings: Settings, folder: Path,
                 plain: Iterable[CopyKey] = ()) -> Lift:
    text = print_program(program, plain)
    return settings.tool.lift(text, folder / "program.cu", folder / "lifted.cu", CLANG_OPTIONS)


def check_program(program: Program, settings: Settings, folder: Path) -> Report:
    """Lifts, judges and runs one program."""
    report = Report()
    lift = lift_program(program, settings, folder)
    if lift.failure:
        if len(program.kernels) == 1:
            kernel = program.kernels[0]
            report.fail(Failure("crashed", kernel, -1, without_names(lift.failure), lift.failure),
                        copies_of(program))
            return report
        return apart(program, settings, folder)
    for kernel in program.kernels:
        for copy in range(len(kernel.copies)):
            check_copy(kernel, copy, lift, report)
    check_plans(program, lift, settings, folder, report)
    plain = [key for key, outcome in lift.outcomes.items()
             if outcome.refusals or not outcome.lifted]
    if settings.compile:
        compile_program(program, plain, settings, folder, report)
    if not settings.lift_only:
        compare_program(program, plain, settings, folder, report)
    return report


def compile_program(program: Program, plain: Sequence[CopyKey], settings: Settings, folder: Path,
                    report: Report) -> None:
    """Looks for errors in the lifted text; copies in `plain` are left as they are."""
    lift = lift_program(program, settings, folder, plain)
    if lift.status not in (0, 1):
        report.fail(Failure("crashed", program.kernels[0], -1, "", lift.failure or ""))
        return
    for name, error in settings.compiler.errors(folder / "lifted.cu"):
        kernels = [k for k in program.kernels if kernel_name(k) == name] or program.kernels[:1]
        report.fail(Failure("not compiled", kernels[0], -1, without_names(error), error))


def apart(program: Program, settings: Settings, folder: Path) -> Report:
    """The same, in halves, to find the kernel that is to blame."""
    report, middle = Report(), len(program.kernels) // 2
    for kernels in (program.kernels[:middle], program.kernels[middle:]):
        report.add(check_program(Program(kernels), settings, folder))
    return report


# Running -------------------------------------------------------------------------


def compare_program(program: Program, bare: Sequence[CopyKey], settings: Settings, folder: Path,
                    report: Report) -> None:
    """Runs a program plain and lifted, in several schedules; without kernels that fail, again."""
    source = folder / "compared.cu"
    while program.kernels:
        source.write_text(str(print_program(program, bare=bare)))
        status, output = settings.tool.compare(source, settings.schedules)
        if status == 0:
            return
        failures = blamed(program, bare, status, output, settings, folder)
        if not failures:
            middle = len(program.kernels) // 2
            for kernels in (program.kernels[:middle], program.kernels[middle:]):
                compare_program(Program(kernels), bare, settings, folder, report)
            return
        for failure in failures:
            report.fail(failure)
        numbers = {failure.kernel.number for failure in failures}
        program = Program(tuple(k for k in program.kernels if k.number not in numbers))


def blamed(program: Program, bare: Sequence[CopyKey], status: int, output: str,
           settings: Settings, folder: Path) -> list[Failure]:
    """The kernels of a program that failed, as far as they can be told."""
    kernels = {kernel_name(kernel): kernel for kernel in program.kernels}
    if status == NOT_BUILT:
        settings.tool.lift(print_program(program, bare=bare), folder / "program.cu",
                           folder / "lifted.cu", CLANG_OPTIONS)
        return [Failure("not compiled", kernels[name], -1, without_names(error), error)
                for name, error in settings.compiler.errors(folder / "lifted.cu")
                if name in kernels]
    failures = [run_failure(kernels[name], error, bare, settings, folder)
                for name, error in findings(output).items() if name in kernels]
    if not failures and len(kernels) == 1:
        kind = "crashed" if status < 0 else "miscompiled"
        failures = [Failure(kind, program.kernels[0], -1, f"run {status}", first_error(output))]
    return failures


def run_failure(kernel: Kernel, error: str, bare: Sequence[CopyKey], settings: Settings,
                folder: Path) -> Failure:
    """A finding about a kernel; it may be one about the plain kernel as well."""
    source = folder / "plain.cu"
    source.write_text(str(print_program(Program((kernel,)), bare=bare)))
    status, output = settings.tool.run_plain(source)
    if status:
        return Failure("undefined", kernel, -1, without_names(first_error(output)),
                       first_error(output))
    return Failure("miscompiled", kernel, -1, without_names(error), error)


# Shrinking -----------------------------------------------------------------------


def still_fails(failure: Failure, settings: Settings):
    """Which of some kernels fails in the same way."""
    def same(report: Report) -> list[int]:
        return [f.kernel.number for f in report.failures if f.key() == failure.key()]

    def first_failing(kernels: Sequence[Kernel]) -> Optional[int]:
        renumbered = [replace(k, number=i) for i, k in enumerate(kernels)]
        with tempfile.TemporaryDirectory() as folder:
            report = check_program(Program(tuple(renumbered)), settings, Path(folder))
        return min(same(report), default=None)

    return first_failing


def shrink_failure(failure: Failure, settings: Settings, keep: Path) -> Path:
    """Writes the simplest program that fails in the same way."""
    own = settings
    if failure.kind in ("unexplained", "wrongly lifted", "no verdict", "wrong plan"):
        own = replace(settings, lift_only=True, compile=False)
    elif failure.kind == "not compiled":
        own = replace(settings, lift_only=True, compile=True)
    kernel = shrink(failure.kernel, still_fails(failure, own))
    keep.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", f"{failure.kind} {failure.what}".lower())[:60].strip("-")
    path = keep / f"{name}-{kernel_name(failure.kernel)}.cu"
    head = f"// {failure.kind}: {failure.detail}"
    path.write_text(str(print_program(Program((kernel,)), head=head)))
    return path


# All of it -----------------------------------------------------------------------


def check_chunk(seed: int, first: int, settings: Settings) -> Report:
    """Checks so many kernels from a number on."""
    program = make_program(seed, first, KERNELS_OF_A_PROGRAM)
    with tempfile.TemporaryDirectory() as folder:
        return check_program(program, settings, Path(folder))


def run_all(seed: int, count: int, jobs: int, settings: Settings) -> Report:
    """Checks programs until there were so many copies."""
    report = Report()
    with ProcessPoolExecutor(jobs) as pool:
        running: list[Future[Report]] = []
        first = 0
        while sum(report.counts.values()) < count:
            # A kernel has a copy at least, so this much is needed for certain.
            while sum(report.counts.values()) + len(running) * KERNELS_OF_A_PROGRAM < count:
                running.append(pool.submit(check_chunk, seed, first, settings))
                first += KERNELS_OF_A_PROGRAM
            report.add(running.pop(0).result())
        for future in running:
            report.add(future.result())
    return report


def distinct(failures: list[Failure]) -> list[Failure]:
    """One failure of each kind and cause, the simplest kernel first."""
    found: dict[tuple[str, str], Failure] = {}
    for failure in sorted(failures, key=lambda f: len(repr(f.kernel))):
        found.setdefault(failure.key(), failure)
    return list(found.values())[:MOST_SHRUNK]


def summary(report: Report, seconds: float) -> str:
    copies = sum(report.counts.values())
    parts = [f"{report.counts[kind]} {kind}" for kind in GOOD + BAD if report.counts[kind]]
    return f"{copies} copies in {seconds:.0f} s: {', '.join(parts)}"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="copies at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--schedules", type=int, default=2, help="random schedules of each program")
    parser.add_argument("--tilelift", type=Path, default=ROOT / "build/bin/tilelift")
    parser.add_argument("--keep", type=Path, default=Path("failures"),
                        help="folder for simplified programs that fail")
    parser.add_argument("--lift-only", action="store_true", help="verdicts only, run nothing")
    parser.add_argument("--compile", action="store_true",
                        help="with --lift-only: look for errors in the lifted text")
    parser.add_argument("--clang", default="clang++-22 -I/usr/local/cuda/include/cccl",
                        help="the command for that")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--show", type=int, help="print the program of one kernel and stop")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    if arguments.show is not None:
        kernel = make_kernel(arguments.seed, arguments.show)
        print(print_program(Program((kernel,))), end="")
        return 0
    tool = Tool(arguments.tilelift)
    lift_only = arguments.lift_only
    if not lift_only and not tool.can_run():
        sys.exit("this tilelift cannot run programs; use --lift-only")
    compiler = Compiler((*arguments.clang.split(), f"-I{ROOT}/runtime/include"))
    settings = Settings(tool, compiler, arguments.schedules, lift_only,
                        arguments.compile and lift_only)
    start = time.time()
    report = run_all(arguments.seed, arguments.count, arguments.jobs, settings)
    seconds = time.time() - start
    for failure in report.failures:
        where = kernel_name(failure.kernel) + (f", copy {failure.copy}" if failure.copy > 0 else "")
        print(f"{failure.kind}: {where}: {failure.detail}")
    if not arguments.no_shrink:
        for failure in distinct(report.failures):
            print(f"simplified: {shrink_failure(failure, settings, arguments.keep)}")
    reasons = ", ".join(f"{count} {id}" for id, count in report.reasons.most_common())
    print(f"refused: {reasons}")
    print(f"{report.plans} plans computed, {report.unused} for no launch that was tried")
    for note, count in report.notes.most_common():
        print(f"note: {note} ({count} times)")
    print(summary(report, seconds))
    return 1 if any(report.counts[kind] for kind in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
