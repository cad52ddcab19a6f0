#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the workloads on a GPU: plain, lifted, by hand, and what libraries have.

  bench/lift.sh build/bench                             where tilelift is built
  bench/run.py build/bench --json results.json          where the GPU is
  bench/report.py results.json docs                     anywhere

Of one workload alone: bench/run.py build/bench --only implicit_gemm --runs 60

Every variant of a workload has to leave the same bytes as the plain kernel, but for
libraries, which may add in another order. Each program runs several times, plain and
lifted in turns, and the median of its medians counts. What is lifted and what is written by
hand are compared run by run, too, as one process measures both.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARIES = ("cublas", "cub", "cudnn", "pytorch", "triton")


def build(source, arch):
    binary = source.with_suffix(".bin")
    flags = ["-DTILELIFTED"] if source.name.endswith(".tilelift.cu") else []
    command = ["nvcc", "-std=c++17", "-O3", "-w", f"-gencode=arch=compute_{arch},code=sm_{arch}",
               f"-I{ROOT}/runtime/include", f"-I{ROOT}/test/gpu", f"-I{HERE}", *flags, str(source),
               "-o", str(binary), "-lcublas"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"cannot build {source}:\n{done.stdout}{done.stderr}")
    return binary


def beside_by_hand(ratios):
    """Where half of the runs lie: a difference that is smaller than their spread is none."""
    for name, each in ratios.items():
        if len(each) < 2:
            continue
        low, middle, high = statistics.quantiles(each, n=4)
        print(f"{name}  lifted / by hand  {middle:.4f}, half of {len(each)} runs "
              f"from {low:.4f} to {high:.4f}")


def in_python(times):
    """What PyTorch and Triton need for the same, if they are there."""
    try:
        import beside
    except ImportError:
        return
    for library, work in beside.measure().items():
        for name, ms in work.items():
            if name in times:
                times[name][library].append(ms)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="90a")
    parser.add_argument("--only", default="*", help="the workload of this name")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    plain = arguments.folder.glob(f"{arguments.only}.plain.cu")
    names = sorted(p.name[: -len(".plain.cu")] for p in plain)
    sources = [arguments.folder / f"{n}.{kind}.cu" for n in names for kind in ("plain", "tilelift")]
    with ThreadPoolExecutor() as pool:
        binaries = list(pool.map(lambda s: build(s, arguments.arch), sources))

    times = collections.defaultdict(lambda: collections.defaultdict(list))
    ratios = collections.defaultdict(list)
    work, hashes, problems = {}, {}, []
    # What each launch decides is printed in a run that nobody measures.
    for number in range(arguments.runs + 1):
        verbose = {"TILELIFT_VERBOSE": "1"} if number == 0 else {}
        for binary in binaries:
            done = subprocess.run([str(binary)], capture_output=True, text=True,
                                  env={**os.environ, **verbose})
            if done.returncode:
                problems.append(f"{binary.name}: {done.stdout[-300:]}{done.stderr[-300:]}")
            problems += sorted(set(re.findall(r"^tilelift: \S+: plain.*$", done.stderr, re.M)))
            for name, bytes_, operations in re.findall(
                    r"^work (\S+) bytes (\d+) operations (\d+)$", done.stdout, re.M):
                work[name] = {"bytes": int(bytes_), "operations": int(operations)}
            now = collections.defaultdict(dict)
            for name, variant, ms, hash_ in re.findall(
                    r"^variant (\S+) (\S+) ([\d.]+) ms hash (\w+)$", done.stdout, re.M):
                now[name][variant] = float(ms)
                if number > 0:
                    times[name][variant].append(float(ms))
                expected = hashes.setdefault(name, hash_)
                if hash_ != expected and variant not in LIBRARIES:
                    problems.append(f"{name}: {variant} leaves other bytes than the plain kernel")
            for name, ms in now.items():
                if number > 0 and {"tilelift", "by-hand"} <= ms.keys():
                    ratios[name].append(ms["tilelift"] / ms["by-hand"])
    in_python(times)

    results = {name: {"work": work.get(name), "ms": {v: statistics.median(t) for v, t in all_.items()}}
               for name, all_ in times.items()}
    for name, result in results.items():
        print(name, *(f"{v} {ms:.4f}" for v, ms in result["ms"].items()), sep="  ")
    beside_by_hand(ratios)
    for problem in problems:
        print("FAILED", problem)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
