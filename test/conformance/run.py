#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the emulator's TMA unit with the one of the GPU in this machine.

  test/conformance/run.py --count 100000 --seed 1

Random descriptors, operations and faults, each decided by the seed and its
number. Prints every difference, and at last the table that docs/conformance.md
keeps. A case that ends its process is found by running its batch one by one.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BATCH = 128
ERRORS = {"cudaErrorMisalignedAddress": "misaligned address",
          "cudaErrorIllegalInstruction": "illegal instruction"}


def build(folder, arch):
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / "conformance"
    sources = [HERE / "conformance.cu", HERE / "Cases.cpp", *sorted(ROOT.glob("emulator/model/*.cpp"))]
    command = ["nvcc", "-std=c++17", "-O2", f"-gencode=arch=compute_{arch},code=sm_{arch}",
               f"-I{ROOT}/runtime/include", f"-I{ROOT}/emulator", f"-I{HERE}", "-Xcompiler", "-pthread",
               *map(str, sources), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"cannot build {binary}:\n{done.stdout}{done.stderr}")
    return binary


class Summary:
    def __init__(self):
        self.rows = collections.OrderedDict()

    def add(self, kind, operations, differences):
        before = self.rows.get(kind, (0, 0))
        self.rows[kind] = (before[0] + operations, before[1] + differences)

    def read(self, output):
        for line in output.splitlines():
            if line.startswith("differs:"):
                print(line)
        for kind, operations, differences in re.findall(
                r"^([\w ]+): (\d+) operations, (\d+) differences$", output, re.M):
            self.add(kind, int(operations), int(differences))

    def differences(self):
        return sum(differences for _, differences in self.rows.values())

    def table(self):
        lines = ["| kind | operations | differences |", "|---|---|---|"]
        for kind, numbers in sorted(self.rows.items()):
            lines.append(f"| {kind} | {numbers[0]:,} | {numbers[1]:,} |")
        total = sum(operations for operations, _ in self.rows.values())
        lines.append(f"| all | {total:,} | {self.differences():,} |")
        return "\n".join(lines)


def run(binary, *arguments):
    done = subprocess.run([str(binary), *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{binary} {arguments}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def find_killer(binary, kind, seed, first, count, summary, pool):
    """Runs the cases of a batch that died each in a process of its own."""
    ends = pool.map(lambda i: (i, run(binary, kind, seed, i, 1)), range(first, first + count))
    for i, done in ends:
        summary.read(done.stdout)
        if done.returncode == 3:
            case = run(binary, "show", seed, i, kind).stdout.strip()
            print(f"differs: case {i} of seed {seed}: {done.stdout.splitlines()[-1]}: {case}")
            summary.add("unexpected error", 1, 1)


def copies(binary, kind, seed, count, summary, pool, most_killers=1):
    first = 0
    while first < count:
        done = run(binary, kind, seed, first, count - first)
        summary.read(done.stdout)
        if done.returncode != 3:
            return
        died = int(re.findall(r"^at (\d+)$", done.stdout, re.M)[-1])
        if most_killers == 0:
            print("too many cases end their process")
            summary.add("unexpected error", count - died, count - died)
            return
        most_killers -= 1
        size = min(BATCH, count - died)
        find_killer(binary, kind, seed, died, size, summary, pool)
        if died > first:
            summary.read(run(binary, kind, seed, first, died - first).stdout)
        first = died + size


def fault(binary, seed, i):
    done = run(binary, "fault", seed, i)
    predicted = set(re.findall(r"^predicted ([\w ]+) \(", done.stdout, re.M))
    rule = re.search(r"^predicted [\w ]+ \(([\w-]+)\)", done.stdout, re.M)
    error = re.search(r"^error (\w+)$", done.stdout, re.M)
    found = ERRORS.get(error[1], error[1]) if error else "nothing"
    if found not in predicted:
        print(f"differs: fault {i} of seed {seed}: found {found}\n{done.stdout}")
    return "fault: " + rule[1], found not in predicted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100000, help="operations, and descriptors")
    parser.add_argument("--faults", type=int, default=200, help="operations that must fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arch", default="90a")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "conformance")
    arguments = parser.parse_args()
    binary = build(arguments.build, arguments.arch)

    summary = Summary()
    with ThreadPoolExecutor(min(12, os.cpu_count() or 1)) as pool:
        done = run(binary, "verdicts", arguments.seed, arguments.count)
        summary.read(done.stdout)
        copies(binary, "copies", arguments.seed, arguments.count, summary, pool)
        copies(binary, "shared", arguments.seed, arguments.count // 4, summary, pool)
        faults = pool.map(lambda i: fault(binary, arguments.seed, i), range(arguments.faults))
        for kind, differs in faults:
            summary.add(kind, 1, int(differs))
    print(summary.table())
    return 1 if summary.differences() else 0


if __name__ == "__main__":
    sys.exit(main())
