# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Compares generated programs, plain against lifted, a batch of kernels at a time.

For generators that have no oracle: a copy is refused, or the lifted program leaves what
the plain one leaves. What a program consists of is the generator's business.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable


os.environ["TILELIFT_LIFT_ALWAYS"] = "1"  # whether it is right, not whether it pays

# Numbers of whatever type, and what each launch writes for itself.
HASHING_MAIN = """
int main() {
  std::vector<unsigned char> bytes(1 << 20);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = i % 4 == 0 || i % 4 == 2 ? i / 4 % 101 : 0;
  char *in, *out;
  cudaMalloc(&in, bytes.size()), cudaMalloc(&out, bytes.size());
  cudaMemcpy(in, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  unsigned long long hash = 0;
  auto clear = [&] { cudaMemset(out, 0, WRITTEN); };
  auto add = [&] {
    cudaMemcpy(bytes.data(), out, WRITTEN, cudaMemcpyDeviceToHost);
    for (int i = 0; i < WRITTEN; ++i)
      hash = hash * 0x100000001b3 + bytes[i];
  };
HELPERSLAUNCHES
  printf("case all hash %016llx\\n", hash);
  return cudaDeviceSynchronize();
}
"""


def hashing_main(written: int, helpers: str = "") -> str:
    """A main program that hashes so many bytes of `out` behind each launch."""
    return HASHING_MAIN.replace("WRITTEN", str(written)).replace("HELPERS", helpers)


def program_of(writer: Callable[[int, int], Any], main: str) -> Callable[[int, list[int]], str]:
    """Programs of kernels that each have a writer, with the launches of all in `main`."""
    def program(seed: int, numbers: list[int]) -> str:
        writers = [writer(seed, number) for number in numbers]
        kernels = "\n".join(each.kernel() for each in writers)
        launches = "".join(each.launches() for each in writers)
        return ("#include <cstdio>\n#include <cuda_runtime.h>\n#include <vector>\n\n" + kernels
                + main.replace("LAUNCHES", launches))
    return program


def run(tilelift: str, text: str, schedules: int, arch: str) -> tuple[int, list[str]]:
    """How many copies are lifted, and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cu"
        source.write_text(text)
        command = [tilelift, "run", "--compare", f"--arch={arch}", f"--schedules={schedules}", "--remarks", "-O0",
                   "-fwrapv", "-w", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    output = done.stdout + done.stderr
    problems = [line for line in output.splitlines()
                if re.search(r"\berror: |Stack dump|\[difference\]", line)]
    if done.returncode < 0 or (done.returncode not in (0, 1) and not problems):
        problems.append(f"exit status {done.returncode}: {output[-300:]}")
    return len(re.findall(r"remark: lifted", output)), problems


def main(description: str, program: Callable[[int, list[int]], str], step: int) -> int:
    """The command of a generator; `program` writes kernels of some numbers, `step` at a time."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--tilelift", default=str(Path(__file__).parents[2] / "build/bin/tilelift"))
    parser.add_argument("--count", type=int, default=100, help="kernels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="kernel to begin with")
    parser.add_argument("--schedules", type=int, default=0, help="orders of threads and copies at random")
    parser.add_argument("--arch", default="sm_90a", help="what the programs are compiled for")
    parser.add_argument("--show", action="store_true", help="print the programs, run none")
    arguments = parser.parse_args()
    lifted, failed = 0, 0
    last = arguments.first + arguments.count
    for first in range(arguments.first, last, step):
        text = program(arguments.seed, list(range(first, min(first + step, last))))
        if arguments.show:
            print(text)
            continue
        more, problems = run(arguments.tilelift, text, arguments.schedules, arguments.arch)
        lifted += more
        failed += len(problems)
        print(*problems, sep="\n", end="\n" if problems else "", flush=True)
    if not arguments.show:
        print(f"{arguments.count} kernels: {lifted} lifted, {failed} problems")
    return 1 if failed else 0
