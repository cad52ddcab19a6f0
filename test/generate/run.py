#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates programs, lifts them, and looks for differences.

  python3 test/generate/run.py --count 300 --seed 1              lift and run
  python3 test/generate/run.py --count 3000 --seed 1 --lift-only verdicts only
  python3 test/generate/run.py --count 3000 --lift-only --compile and look for errors in the output
  python3 test/generate/run.py --show 17 --seed 1                print one kernel
  python3 test/generate/run.py --write build/pairs --seed 1      plain and lifted, for test/gpu/run.py

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
import re
import sys
import tempfile
import time
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Optional, Sequence

from checks import BAD, GOOD, Check, Failure, Report, Settings, write_pair
from description import Kernel, Program
from generator import make_kernel, make_program
from program import kernel_name, print_program
from shrinker import FirstFailing, shrink
from tool import Compiler, Tool

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS_OF_A_PROGRAM = 40
# Numbers of failures that are shrunk; more of a kind tell nothing new.
MOST_SHRUNK = 12


# Shrinking -----------------------------------------------------------------------


def still_fails(failure: Failure, settings: Settings) -> FirstFailing:
    """Finds out which of some kernels fails in the same way."""
    def first_failing(kernels: Sequence[Kernel]) -> Optional[int]:
        renumbered = [replace(k, number=i) for i, k in enumerate(kernels)]
        with tempfile.TemporaryDirectory() as folder:
            report = Check(Program(tuple(renumbered)), settings, Path(folder)).run()
        return min((f.kernel.number for f in report.failures if f.key() == failure.key()),
                   default=None)

    return first_failing


def shrink_failure(failure: Failure, settings: Settings, keep: Path) -> Path:
    """Writes the simplest program that fails in the same way."""
    own = settings
    if failure.kind in ("unexplained", "wrongly lifted", "no verdict"):
        own = replace(settings, verdicts_only=True)
    elif failure.kind == "wrong plan":
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


def shrink_all(failures: list[Failure], jobs: int, settings: Settings, keep: Path) -> None:
    with ProcessPoolExecutor(jobs) as pool:
        for path in pool.map(shrink_failure, failures, [settings] * len(failures),
                             [keep] * len(failures)):
            print(f"simplified: {path}")


# All of it -----------------------------------------------------------------------


def check_chunk(seed: int, first: int, settings: Settings) -> Report:
    """Checks so many kernels from a number on."""
    program = make_program(seed, first, KERNELS_OF_A_PROGRAM)
    with tempfile.TemporaryDirectory() as folder:
        return Check(program, settings, Path(folder)).run()


def run_all(seed: int, first: int, count: int, jobs: int, settings: Settings) -> Report:
    """Checks programs until there were so many copies, and prints what fails."""
    report = Report()
    with ProcessPoolExecutor(jobs) as pool:
        running: list[tuple[int, Future[Report]]] = []
        while sum(report.counts.values()) < count:
            # A kernel has a copy at least, so this much is needed for certain.
            while len(running) < 2 * jobs and \
                    sum(report.counts.values()) + len(running) * KERNELS_OF_A_PROGRAM < count:
                running.append((first, pool.submit(check_chunk, seed, first, settings)))
                first += KERNELS_OF_A_PROGRAM
            take(*running.pop(0), report)
        for begin, chunk in running:
            take(begin, chunk, report)
    return report


def take(first: int, chunk: Future[Report], report: Report) -> None:
    found = chunk.result()
    report.add(found)
    done = sum(report.counts.values())
    if done // 1000 > (done - sum(found.counts.values())) // 1000:
        print(f"{done} copies, next is --first {first + KERNELS_OF_A_PROGRAM}", flush=True)
    for failure in found.failures:
        where = kernel_name(failure.kernel) + (f", copy {failure.copy}" if failure.copy > 0 else "")
        print(f"{failure.kind}: {where}: {failure.detail}", flush=True)


def write_chunk(seed: int, first: int, settings: Settings, folder: Path) -> int:
    program = make_program(seed, first, KERNELS_OF_A_PROGRAM)
    return write_pair(program, settings, folder, f"seed{seed}-{first:05}")


def write_all(seed: int, count: int, jobs: int, settings: Settings, folder: Path) -> None:
    """Writes programs for a GPU that have at least so many kernels."""
    folder.mkdir(parents=True, exist_ok=True)
    firsts = range(0, count, KERNELS_OF_A_PROGRAM)
    with ProcessPoolExecutor(jobs) as pool:
        lifted = sum(pool.map(write_chunk, *zip(*((seed, first, settings, folder)
                                                  for first in firsts))))
    print(f"{len(firsts)} programs with {lifted} lifted copies: test/gpu/run.py --generated {folder}")


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
    parser.add_argument("--first", type=int, default=0, help="kernel to begin with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--schedules", type=int, default=2, help="random schedules of each program")
    parser.add_argument("--tilelift", type=Path, default=ROOT / "build/bin/tilelift")
    parser.add_argument("--flags", default="", help="for the compiler, of programs that are run; "
                        "-O0 halves the time")
    parser.add_argument("--keep", type=Path, default=Path("failures"),
                        help="folder for simplified programs that fail")
    parser.add_argument("--lift-only", action="store_true", help="verdicts only, run nothing")
    parser.add_argument("--compile", action="store_true",
                        help="with --lift-only: look for errors in the lifted text")
    parser.add_argument("--clang", default="clang++-22 -I/usr/local/cuda/include/cccl",
                        help="the command for that")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--write", type=Path, help="folder for plain and lifted programs; run none")
    parser.add_argument("--show", type=int, help="print the program of one kernel and stop")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    if arguments.show is not None:
        kernel = make_kernel(arguments.seed, arguments.show)
        print(print_program(Program((kernel,))), end="")
        return 0
    tool = Tool(arguments.tilelift, tuple(arguments.flags.split()))
    lift_only = arguments.lift_only
    if not lift_only and not arguments.write and not tool.can_run():
        sys.exit("this tilelift cannot run programs; use --lift-only")
    compiler = Compiler((*arguments.clang.split(), f"-I{ROOT}/runtime/include"))
    settings = Settings(tool, compiler, arguments.schedules, lift_only,
                        arguments.compile and lift_only)
    if arguments.write:
        write_all(arguments.seed, arguments.count, arguments.jobs, settings, arguments.write)
        return 0
    start = time.time()
    report = run_all(arguments.seed, arguments.first, arguments.count, arguments.jobs, settings)
    seconds = time.time() - start
    if not arguments.no_shrink:
        shrink_all(distinct(report.failures), arguments.jobs, settings, arguments.keep)
    reasons = ", ".join(f"{count} {id}" for id, count in report.reasons.most_common())
    print(f"refused: {reasons}")
    print(f"{report.plans} plans computed, {report.unused} for no launch that was tried")
    for note, count in report.notes.most_common():
        print(f"note: {note} ({count} times)")
    print(summary(report, seconds))
    return 1 if any(report.counts[kind] for kind in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
