#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lifts the examples and the idioms with the headers of many CUDA toolkits, and compiles what comes out by many compilers.

  utils/toolchains.py FOLDER                       all of them, which takes half an hour on two cores
  utils/toolchains.py FOLDER --cuda 12.6 13.5      only these toolkits
  utils/toolchains.py FOLDER --table FILE          writes the table of docs/toolchains.md as well

Toolkits come from NVIDIA's Python packages and are kept in FOLDER. Of each, all files are lifted with its headers, to
the same text as with the others, and compiled whole by its nvcc (CUDA 13) and by each clang++ that is found and takes
this toolkit; the device's source is compiled by its NVRTC. Nothing is run: no GPU is needed. Ends with 1 where something fails.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import pathlib
import shutil
import subprocess
import sys
from typing import Iterable, NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "runtime" / "include"
TOOLKITS = ("12.6", "12.8", "12.9", "13.0", "13.1", "13.2", "13.3", "13.4", "13.5")
CLANGS = ("20", "21", "22", "23")
ARCH = "sm_90a"


# Files that a compiler cannot compile even before they are lifted, and the construct that it does not know.
UNKNOWN = {
    ("NVRTC", "semantics.cu"): "a statement that is an expression",
    ("clang", "shared_objects.cu"): "shared variables with a constructor",
}

Command = tuple[str, ...]


class Job(NamedTuple):
    """What compiles one text: commands, or none for NVRTC."""
    compiler: str
    commands: tuple[Command, ...]
    source: pathlib.Path


class Lifted(NamedTuple):
    """Texts by the names of the files that they were made of."""
    whole: dict[str, pathlib.Path]
    device: dict[str, pathlib.Path]


def headers_of(toolkit: pathlib.Path, option: str = "-isystem") -> list[str]:
    """Ahead of the system's, which may have another CUDA among them. Clang drops -I of what it has as a system folder."""
    return [f"{option}{each}" for each in (toolkit / "include" / "cccl", toolkit / "include", RUNTIME) if each.exists()]


def lift(tilelift: str, toolkit: pathlib.Path, source: pathlib.Path, result: pathlib.Path, *options: str) -> bool:
    """Whether there is a text; that a copy stays a loop is no failure here, since it does so with all headers."""
    command = [tilelift, f"--cuda-path={toolkit}", f"--arch={ARCH}", "--lift-always", *options, str(source), "-o",
               str(result), "--", *headers_of(toolkit)]
    return subprocess.run(command, capture_output=True, check=False).returncode in (0, 1) and result.exists()


def compile_by_nvrtc(toolkit: pathlib.Path, source: pathlib.Path) -> str:
    """The first error, or nothing."""
    library = ctypes.CDLL(str(next(path for path in sorted(toolkit.glob("lib/libnvrtc.so*")))))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None)
    options = [f"--gpu-architecture={ARCH}", "-std=c++17", *headers_of(toolkit, "-I")]
    failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(
        *(option.encode() for option in options)))
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    return first_error(log.value.decode()) if failed else ""


def first_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if "error" in line.lower()]
    return lines[0] if lines else log.strip()[-200:] or "failed without a word"


def compile_by(commands: Iterable[Command], source: pathlib.Path, result: pathlib.Path) -> str:
    """The first error, or nothing."""
    for command in commands:
        done = subprocess.run([*command, str(source), "-o", str(result)], capture_output=True, text=True, check=False)
        if done.returncode:
            return first_error(done.stdout + done.stderr)
    return ""


def compile_one(job: Job, toolkit: pathlib.Path) -> str:
    if job.compiler == "NVRTC":
        return compile_by_nvrtc(toolkit, job.source)
    return compile_by(job.commands, job.source, job.source.with_suffix(f".{job.compiler}.o"))


def compilers_of(toolkit: pathlib.Path, scratch: pathlib.Path) -> dict[str, tuple[Command, ...]]:
    """Those that compile CUDA with this toolkit at all, by their names: an empty file shows it. Clang compiles both sides
    apart, since what joins them is not among the packages of CUDA 12."""
    found: dict[str, tuple[Command, ...]] = {}
    # What a source includes by its own folder.
    common = ["-std=c++17", *(f"-I{ROOT / folder}" for folder in ("examples", "test/Idioms")), "-c"]
    nvcc = toolkit / "bin" / "nvcc"
    if nvcc.exists():
        found["nvcc"] = ((str(nvcc), f"-arch={ARCH}", *headers_of(toolkit, "-I"), *common),)
    for version in CLANGS:
        clang = shutil.which(f"clang++-{version}")
        if clang:
            found[f"clang {version}"] = tuple(
                (clang, f"--cuda-path={toolkit}", f"--offload-arch={ARCH}", side, "-Wno-unknown-cuda-version",
                 *headers_of(toolkit), *common)
                for side in ("--cuda-device-only", "--cuda-host-only"))
    empty = scratch / "empty.cu"
    empty.write_text("")
    for name in list(found):
        error = compile_by(found[name], empty, scratch / "empty.o")
        if error:
            print(f"{toolkit.name}: {name} does not compile an empty file: {error}", flush=True)
            del found[name]
    return found


def jobs_of(toolkit: pathlib.Path, lifted: Lifted, scratch: pathlib.Path) -> list[Job]:
    jobs = [Job(name, commands, source)
            for name, commands in compilers_of(toolkit, scratch).items() for source in lifted.whole.values()]
    jobs += [Job("NVRTC", (), source) for source in lifted.device.values()]
    return [job for job in jobs if (job.compiler.split()[0], job.source.name) not in UNKNOWN]


def sources() -> list[pathlib.Path]:
    return sorted([*(ROOT / "examples").glob("*.cu"), *(ROOT / "test" / "Idioms").glob("*.cu")])


def lift_all(pool: concurrent.futures.Executor, tilelift: str, toolkit: pathlib.Path, folder: pathlib.Path) -> Lifted:
    made = {}
    for kind, options in (("whole", ()), ("device", ("--emit=device",))):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        wanted = [(source, folder / kind / source.name) for source in sources()]
        there = pool.map(lift, *zip(*((tilelift, toolkit, source, result) for source, result in wanted)),
                         *([option] * len(wanted) for option in options))
        made[kind] = {source.name: result for (source, result), is_there in zip(wanted, there) if is_there}
    return Lifted(made["whole"], made["device"])


def differences(first: Lifted, other: Lifted) -> list[str]:
    """Files whose text depends on the toolkit."""
    def differ(one: dict[str, pathlib.Path], two: dict[str, pathlib.Path]) -> set[str]:
        return {name for name in {*one, *two} if name not in one or name not in two
                or one[name].read_bytes() != two[name].read_bytes()}
    return sorted(differ(first.whole, other.whole) | differ(first.device, other.device))


def table(results: dict[tuple[str, str], list[str]], toolkits: Iterable[str]) -> str:
    compilers = sorted({compiler for _, compiler in results})
    lines = ["| CUDA | " + " | ".join(compilers) + " |", "|---|" + "---|" * len(compilers)]
    for version in toolkits:
        cells = []
        for compiler in compilers:
            errors = results.get((version, compiler))
            cells.append("" if errors is None else f"{errors.count('')} of {len(errors)}")
        lines.append(f"| {version} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tilelift", default=str(ROOT / "build" / "bin" / "tilelift"))
    parser.add_argument("--cuda", nargs="+", default=list(TOOLKITS), metavar="VERSION")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder.absolute()
    first: Optional[Lifted] = None
    results: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    fails = False
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for version in options.cuda:
            toolkit = folder / f"cuda-{version}"
            subprocess.run([sys.executable, str(ROOT / "utils" / "cuda_from_wheels.py"), version, str(toolkit)],
                           check=True)
            scratch = folder / f"lifted-{version}"
            lifted = lift_all(pool, options.tilelift, toolkit, scratch)
            first = first or lifted
            for name in differences(first, lifted):
                print(f"{version}: {name} is lifted to another text than with {options.cuda[0]}", flush=True)
                fails = True
            jobs = jobs_of(toolkit, lifted, scratch)
            for job, error in zip(jobs, pool.map(compile_one, jobs, [toolkit] * len(jobs))):
                results[version, job.compiler].append(error)
                if error:
                    print(f"{version}, {job.compiler}: {job.source.name}: {error}", flush=True)
                    fails = True
    print(table(results, options.cuda), end="")
    if options.table:
        options.table.write_text(table(results, options.cuda))
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
