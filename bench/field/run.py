#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures on a GPU what lifting does to kernels as they are written elsewhere.

  bench/field/lift.sh build/field                          where tilelift is built
  bench/field/run.py build/field --json results.json       where the GPU is
  bench/field/report.py results.json docs/field_kernels.md  anywhere

Each program runs several times, with its plain and its lifted kernels in turns
(TILELIFT_DISABLE=1 makes launches take the plain one). Both have to leave the same bytes. The
ratio is the median plain time over the median lifted time.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINE = re.compile(r"^field (\S+) ([\d.]+) ms hash (\w+)$", re.M)


def build(source, arch):
    binary = source.with_suffix(".bin")
    command = ["nvcc", "-std=c++17", "-O3", "-w", f"-gencode=arch=compute_{arch},code=sm_{arch}",
               f"-I{ROOT}/runtime/include", f"-I{ROOT}/test/gpu", f"-I{HERE}", str(source), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True)
    return binary, done.stderr[:300] if done.returncode else ""


def measure(binary, times, problems, is_plain, is_verbose):
    own = {**os.environ, **({"TILELIFT_DISABLE": "1"} if is_plain else {}),
           **({"TILELIFT_VERBOSE": "1"} if is_verbose else {})}
    try:
        done = subprocess.run([str(binary)], capture_output=True, text=True, env=own, timeout=60)
    except subprocess.TimeoutExpired:
        problems.append(f"{binary.name}: takes longer than a minute")
        return
    if done.returncode:
        problems.append(f"{binary.name}: {done.stdout[-200:]}{done.stderr[-200:]}")
    if not is_plain:
        problems += sorted(set(re.findall(r"^tilelift: \S+: plain.*$", done.stderr, re.M)))
    for name, milliseconds, found in LINE.findall(done.stdout):
        times[name]["plain" if is_plain else "lifted"].append((float(milliseconds), found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="90a")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    with ThreadPoolExecutor() as pool:
        built = list(pool.map(lambda s: build(s, arguments.arch), sorted(arguments.folder.glob("*/*.cu"))))
    problems = [f"{binary.name}: {error}" for binary, error in built if error]
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for number in range(arguments.runs):
        for binary, error in built:
            for is_plain in () if error else (True, False):
                measure(binary, times, problems, is_plain, number == 0)
    results = {}
    for name, sides in sorted(times.items()):
        if len({found for side in sides.values() for _, found in side}) > 1:
            problems.append(f"{name}: the lifted kernel leaves other bytes")
        if {"plain", "lifted"} <= sides.keys():
            results[name] = {side: statistics.median(ms for ms, _ in each) for side, each in sides.items()}
    ratios = []
    for name, ms in sorted(results.items(), key=lambda item: item[1]["plain"] / item[1]["lifted"]):
        ratios.append(ms["plain"] / ms["lifted"])
        print(f"{name:40} plain {ms['plain']:9.4f}  lifted {ms['lifted']:9.4f}  ratio {ratios[-1]:.3f}")
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{len(ratios)} kernels, geometric mean {mean:.3f}, {sum(r < 0.98 for r in ratios)} below 0.98")
    for problem in problems:
        print("FAILED" if ": plain" not in problem else "PLAIN", problem)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if any(": plain" not in problem for problem in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
