#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs plain and lifted programs side by side on a GPU and compares them.

  test/gpu/lift.sh build/lifted          here, where tilelift is built
  test/gpu/run.py build/lifted           there, where the GPU is

The folder holds NAME.plain.cu and NAME.tma.cu for each program. Both are built
with nvcc, both print one line for each case with a hash of all output bytes; the
lines must be equal. TILELIFT_VERBOSE tells which launches used TMA: every kernel
must have done so at least once, and some must have fallen back. The machine code must be free of
what guards.py looks for. With --time the
large cases are timed, --sanitize runs everything under compute-sanitizer.
Programs of test/generate need --generated: not all of their kernels use TMA.
"""
import argparse
import collections
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import guards

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Racecheck reports what one block writes into the tiles of another where an arrival at the other's
# barrier comes first; the same with `.release.cluster` and `.acquire.cluster`, which order it by the manual.
NOT_FOLLOWED = {("clusters", "racecheck")}


def build(source, arch):
    binary = source.with_suffix(".bin")
    command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-w",
               f"-gencode=arch=compute_{arch},code=sm_{arch}", f"-I{ROOT}/runtime/include",
               f"-I{HERE}", str(source), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"cannot build {source}:\n{done.stdout}{done.stderr}")
    return binary


def run(binary, wrapper=(), **environment):
    done = subprocess.run([*wrapper, str(binary)], capture_output=True, text=True,
                          env={**os.environ, **environment})
    return done


def cases(output):
    return [line for line in output.splitlines() if line.startswith("case ")]


def times(output):
    return {m[1]: float(m[2]) for m in re.finditer(r"^time (\S+) ([\d.]+) ms$", output, re.M)}


def decisions(log):
    counts = collections.defaultdict(collections.Counter)
    for kernel, what in re.findall(r"^tilelift: (\S+): (TMA|plain)", log, re.M):
        counts[kernel][what] += 1
    return counts


def compare(name, plain, lifted):
    """Problems with one program's outputs."""
    problems = []
    if plain.returncode:
        problems.append(f"{name}: the plain program fails: {plain.stdout[-500:]}{plain.stderr[-500:]}")
    if lifted.returncode:
        problems.append(f"{name}: the lifted program fails: {lifted.stdout[-500:]}{lifted.stderr[-500:]}")
    left, right = cases(plain.stdout), cases(lifted.stdout)
    if len(left) != len(right):
        problems.append(f"{name}: {len(left)} plain cases, {len(right)} lifted ones")
    for a, b in zip(left, right):
        if a != b:
            problems.append(f"{name}: differs\n    plain  {a}\n    lifted {b}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="90a")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--generated", action="store_true")
    arguments = parser.parse_args()

    names = sorted(p.name[: -len(".plain.cu")] for p in arguments.folder.glob("*.plain.cu"))
    sources = [arguments.folder / f"{n}.{kind}.cu" for n in names for kind in ("plain", "tma")]
    with ThreadPoolExecutor() as pool:
        binaries = dict(zip(sources, pool.map(lambda s: build(s, arguments.arch), sources)))
        unset = pool.map(guards.unset_in, (binaries[s] for s in sources if s.name.endswith(".tma.cu")))
        lost = [problem for found in unset for problem in found]

    problems, used, fell_back, passed = lost, 0, 0, 0
    for name in names:
        plain = binaries[arguments.folder / f"{name}.plain.cu"]
        lifted = binaries[arguments.folder / f"{name}.tma.cu"]
        a, b = run(plain), run(lifted, TILELIFT_VERBOSE="1")
        found = compare(name, a, b)
        disabled = run(lifted, TILELIFT_DISABLE="1", TILELIFT_VERBOSE="1")
        found += compare(name + " (disabled)", a, disabled)
        if any(counts["TMA"] for counts in decisions(disabled.stderr).values()):
            found.append(f"{name}: TILELIFT_DISABLE still uses TMA")
        counts = decisions(b.stderr)
        for kernel, decided in sorted(counts.items()):
            fell_back += decided["plain"]
            used += decided["TMA"]
            if arguments.generated:
                continue
            print(f"{name}: {kernel}: {decided['TMA']} launches with TMA, {decided['plain']} plain")
            if not decided["TMA"]:
                found.append(f"{name}: {kernel} never used TMA: "
                             + re.search(rf"^tilelift: {kernel}: (.*)$", b.stderr, re.M)[1])
        problems += found
        passed += len(cases(a.stdout)) if not found else 0
        if arguments.sanitize:
            for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
                checked = run(lifted, ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"])
                last = (checked.stdout + checked.stderr).strip().splitlines()[-1]
                print(f"{name}: {tool}: {last}")
                if checked.returncode and tool != "initcheck" and (name, tool) not in NOT_FOLLOWED:
                    problems.append(f"{name}: {tool}: {checked.stdout[-1500:]}{checked.stderr[-500:]}")
        if arguments.time:
            runs = [(times(run(plain, TIME="1").stdout), times(run(lifted, TIME="1").stdout))
                    for _ in range(3)]
            for case in runs[0][0]:
                before = statistics.median(r[0][case] for r in runs)
                after = statistics.median(r[1].get(case, float("nan")) for r in runs)
                print(f"time {case}: plain {before:.4f} ms, lifted {after:.4f} ms, "
                      f"ratio {before / after:.3f}")
    if not fell_back:
        problems.append("no launch fell back to the plain kernel, although some must")
    for problem in problems:
        print("FAILED", problem)
    print(f"{used} launches with TMA, {fell_back} plain")
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
