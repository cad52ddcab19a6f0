# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes one program all the way, and reports what went wrong.

Lifts it, compares verdicts with the oracle's and plans with what the statements
do, compiles the result or runs it beside the plain program, and finds out which
kernel is to blame.

What is not here: how many programs there are and what is shrunk (run.py).
"""
from __future__ import annotations

import collections
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable

from description import Kernel, Program, copies_of
from oracle import Verdict, judge
from plans import Unknown, check, plans_by_copy
from program import CopyKey, instances, kernel_name, print_program
from tool import Compiler, Lift, Message, Tool, findings, first_error

NOT_BUILT = 2  # the exit status of `tilelift run` for a program that cannot be built
CLANG_OPTIONS = ("--", "-ferror-limit=0")

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


def kernel_failure(kind: str, kernel: Kernel, detail: str) -> Failure:
    return Failure(kind, kernel, -1, without_names(detail), detail)


def without_names(message: str) -> str:
    """What a message says, without the numbers and the names of the program."""
    return re.sub(r"\S+:\d+:\d+: |'[^']*'|\d+", "", message)


@dataclass
class Report:
    """What became of the copies: each is counted once."""
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

    def fail_lifted(self, failure: Failure, copies: int) -> None:
        """Copies that were lifted, but wrongly."""
        self.counts["lifted"] -= copies
        self.fail(failure, copies)


@dataclass(frozen=True)
class Settings:
    tool: Tool
    compiler: Compiler
    schedules: int  # random ones, besides the usual order
    lift_only: bool
    compile: bool  # look for errors in the lifted text, although nothing is run
    verdicts_only: bool = False  # not even plans


class Check:
    """One program in one folder."""

    def __init__(self, program: Program, settings: Settings, folder: Path):
        self.program, self.settings, self.folder = program, settings, folder
        self.report = Report()
        self.refused: list[CopyKey] = []

    def run(self) -> Report:
        lift = self.settings.tool.judge(print_program(self.program), self.folder / "program.cu",
                                        CLANG_OPTIONS)
        if lift.failure and len(self.program.kernels) > 1:
            for half in halves(self.program):
                self.report.add(Check(half, self.settings, self.folder).run())
            return self.report
        if lift.failure:
            self.report.fail(kernel_failure("crashed", self.program.kernels[0], lift.failure),
                             copies_of(self.program))
            return self.report
        self.refused = [key for key, outcome in lift.outcomes.items()
                        if outcome.refusals or not outcome.lifted]
        for kernel in self.program.kernels:
            for copy in range(len(kernel.copies)):
                self._check_verdict(kernel, copy, lift)
        if self.settings.verdicts_only:
            return self.report
        self._check_plans(lift.plans)
        if self.settings.compile:
            self._compile()
        if not self.settings.lift_only:
            self._compare(self.program)
        return self.report

    def _lift(self, program: Program, plain: Iterable[CopyKey] = (),
              bare: Iterable[CopyKey] = ()) -> tuple[int, str]:
        return self.settings.tool.lift(print_program(program, plain, bare),
                                       self.folder / "program.cu", self.folder / "lifted.cu",
                                       CLANG_OPTIONS)

    def _lifted(self, kernel: Kernel) -> list[int]:
        return [copy for copy in range(len(kernel.copies))
                if (kernel.number, copy) not in self.refused]

    # Without running ---------------------------------------------------------------

    def _check_verdict(self, kernel: Kernel, copy: int, lift: Lift) -> None:
        """Compares one verdict of tilelift with the oracle's."""
        report, outcome = self.report, lift.outcomes[kernel.number, copy]
        # A message about a tile may be about any of its copies.
        same = range(len(kernel.copies)) if kernel.arrangement == "reuse" else [copy]
        if outcome.refusals:
            self._check_refusal(kernel, copy, outcome.refusals, same)
        elif not outcome.lifted and any(lift.outcomes[kernel.number, other].refusals
                                        for other in same):
            report.counts["refused as expected"] += 1
            report.reasons["another copy of the same tile"] += 1
        elif not outcome.lifted:
            report.fail(Failure("no verdict", kernel, copy, "", "neither lifted nor refused"))
        else:
            against = [fact.why for verdict in verdicts_of(kernel, copy)
                       for fact in verdict.facts if fact.certain]
            if against:
                report.fail(Failure("wrongly lifted", kernel, copy, against[0],
                                    "; ".join(against)))
            else:
                report.counts["lifted"] += 1

    def _check_refusal(self, kernel: Kernel, copy: int, refusals: list[Message],
                       same: Iterable[int]) -> None:
        """Some fact about the copies of the tile has to explain each message."""
        verdicts = [verdict for other in same for verdict in verdicts_of(kernel, other)]
        strange = [message for message in refusals
                   if not any(verdict.explains(message.id) for verdict in verdicts)]
        first = (strange or refusals)[0]
        if first.id == "not-available-yet":
            self.report.counts["not available yet"] += 1
        elif strange:
            what = f"{first.id} {without_names(first.text)}"
            self.report.fail(Failure("unexplained", kernel, copy, what, first.text))
        else:
            self.report.counts["refused as expected"] += 1
            self.report.reasons[first.id] += 1

    def _check_plans(self, plans: list[dict[str, Any]]) -> None:
        """Compares what is planned with what the statements do."""
        for kernel in self.program.kernels:
            for copy, element, plan in plans_by_copy(plans, kernel, kernel_name(kernel),
                                                     self._lifted(kernel), instances(kernel)):
                try:
                    checked = check(kernel, copy, element, plan)
                except Unknown as unknown:
                    self.report.notes[f"a plan that is not understood: {unknown}"] += 1
                    continue
                self.report.plans += 1
                self.report.unused += not checked.used
                if checked.problem:
                    what = without_names(checked.problem)
                    self.report.fail_lifted(Failure("wrong plan", kernel, copy, what,
                                                    checked.problem), 1)

    def _compile(self) -> None:
        """Looks for errors in the lifted text; refused copies have to stay loops."""
        status, output = self._lift(self.program, plain=self.refused)
        if status not in (0, 1):
            first = self.program.kernels[0]
            self.report.fail(kernel_failure("crashed", first, first_error(output)))
            return
        for failure in self._compile_errors(self.program):
            self.report.fail_lifted(failure, len(self._lifted(failure.kernel)))

    def _compile_errors(self, program: Program) -> list[Failure]:
        kernels = {kernel_name(kernel): kernel for kernel in program.kernels}
        return [kernel_failure("not compiled", kernels.get(name, program.kernels[0]), error)
                for name, error in self.settings.compiler.errors(self.folder / "lifted.cu")]

    # Running -----------------------------------------------------------------------

    def _compare(self, program: Program) -> None:
        """Runs a program plain and lifted; without the kernels that fail, again."""
        source = self.folder / "compared.cu"
        while program.kernels:
            source.write_text(str(print_program(program, bare=self.refused)))
            status, output = self.settings.tool.compare(source, self.settings.schedules)
            if status == 0:
                return
            failures = self._blamed(program, status, output)
            if not failures:
                for half in halves(program):
                    self._compare(half)
                return
            for failure in failures:
                self.report.fail_lifted(failure, len(self._lifted(failure.kernel)))
            numbers = {failure.kernel.number for failure in failures}
            program = Program(tuple(k for k in program.kernels if k.number not in numbers))

    def _blamed(self, program: Program, status: int, output: str) -> list[Failure]:
        """The kernels of a program that failed, as far as they can be told."""
        if status == NOT_BUILT:
            self._lift(program, bare=self.refused)
            return self._compile_errors(program)
        kernels = {kernel_name(kernel): kernel for kernel in program.kernels}
        failures = [self._finding(kernels[name], error)
                    for name, error in findings(output).items() if name in kernels]
        if not failures and len(kernels) == 1:
            kind = "crashed" if status < 0 else "miscompiled"
            failures = [kernel_failure(kind, program.kernels[0], first_error(output))]
        return failures

    def _finding(self, kernel: Kernel, error: str) -> Failure:
        """A finding about a kernel; it may be one about the plain kernel as well."""
        source = self.folder / "plain.cu"
        source.write_text(str(print_program(Program((kernel,)), bare=self.refused)))
        status, output = self.settings.tool.run_plain(source)
        if status:
            return kernel_failure("undefined", kernel, first_error(output))
        return kernel_failure("miscompiled", kernel, error)


def write_pair(program: Program, settings: Settings, folder: Path, name: str) -> int:
    """Writes a program plain and lifted, for test/gpu/run.py; how many copies are lifted."""
    plain, lifted = folder / f"{name}.plain.cu", folder / f"{name}.tma.cu"
    outcomes = settings.tool.judge(print_program(program), plain, CLANG_OPTIONS).outcomes
    refused = [key for key, outcome in outcomes.items() if outcome.refusals or not outcome.lifted]
    status, output = settings.tool.lift(print_program(program, bare=refused), plain, lifted,
                                        CLANG_OPTIONS)
    if status not in (0, 1) or not lifted.exists():  # 1: an instance may stay plain
        raise RuntimeError(f"{name} is not lifted: {first_error(output)}")
    return len(outcomes) - len(refused)


def verdicts_of(kernel: Kernel, copy: int) -> list[Verdict]:
    """The oracle's verdict for each element type."""
    elements = instances(kernel) if kernel.typed else [kernel.copies[copy].element]
    return [judge(kernel, copy, element) for element in elements]


def halves(program: Program) -> tuple[Program, Program]:
    middle = len(program.kernels) // 2
    return Program(program.kernels[:middle]), Program(program.kernels[middle:])
