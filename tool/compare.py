#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilelift compare: what the copies of a CUDA program bring by TMA.

  tilelift compare [options] program.cu [arguments]

Lifts the program, with all of its copies and with each by itself, builds it with nvcc, runs
it several times with and without TMA in turns, and says for each kernel and each copy how
much time its launches took. Flags such as -I, -D and -std= go to both compilers.

  --runs=N        how often each program runs; default: 5
  --keep=DIR      work in this folder and leave everything there
  --only-lift     lift and stop, for a machine that has a GPU but no tilelift: take the folder
                  of --keep there and run 'python3 DIR/compare.py --measure=DIR [arguments]'
  --measure=DIR   build and measure what is in the folder
  --arch=sm_NN    the device; default: sm_90a
  --emulator      run on the emulator, whose times mean nothing
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TIME = re.compile(r"^tilelift: time (\S+) ([\d.]+) us (TMA|plain)$", re.M)
SIZE = re.compile(r"^tilelift: size (\S+) (\d+) registers (\d+) bytes (TMA|plain)$", re.M)
LIFTED = re.compile(r"^(\S+?):(\d+):\d+: remark: lifted[^:]*: (.*) \[-Wtilelift-lifted", re.M)


def quit(message):
    sys.exit(f"tilelift: error: {message}")


def parse(arguments):
    options = {"runs": 5, "arch": "sm_90a", "flags": [], "tool": "tilelift"}
    while arguments:
        argument = arguments.pop(0)
        name, _, value = argument.partition("=")
        if argument in ("--help", "-h"):
            print(__doc__.strip())
            sys.exit(0)
        if argument in ("--only-lift", "--emulator"):
            options[argument[2:]] = True
        elif name in ("--keep", "--measure", "--arch", "--tool", "--runtime") and value:
            options[name[2:]] = value
        elif name == "--runs" and value.isdigit() and int(value) > 0:
            options["runs"] = int(value)
        elif argument.startswith("--"):
            quit(f"unknown option '{argument}'; 'tilelift compare --help' tells how to call it")
        elif argument.startswith("-"):
            options["flags"].append(argument)
            if argument in ("-I", "-D", "-include", "-isystem") and arguments:
                options["flags"].append(arguments.pop(0))
        else:
            if "measure" in options:
                arguments.insert(0, argument)
            else:
                options["program"] = argument
            break
    options["arguments"] = arguments
    if "measure" not in options and "program" not in options:
        quit("no program; 'tilelift compare --help' tells how to call it")
    return options


def lift(options, folder):
    """Writes the variants of the program, and what is to be known of them."""
    program = pathlib.Path(options["program"])
    try:
        text = program.read_text()
    except OSError as problem:
        quit(f"cannot read '{program}': {problem.strerror}")
    copies = len(re.findall(r"#\s*pragma\s+tma\s+(?:load|store|reduce)\b", text))
    variants = {"all": ["--lift-always"]}
    for number in range(copies if copies > 1 else 0):
        variants[f"copy{number}"] = [f"--only-copy={number}"]
    described = {}
    for name, selection in variants.items():
        output = folder / name
        output.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([options["tool"], *selection, "--remarks", str(program), "-o",
                               str(output) + "/", "--", *options["flags"]],
                              capture_output=True, text=True)
        lifted = LIFTED.findall(done.stderr)
        if name == "all" and not lifted:
            sys.stderr.write(done.stderr)
            quit(f"no copy of '{program}' is lifted")
        if lifted:
            described[name] = [f"{pathlib.Path(file).name}:{line}: {what}"
                               for file, line, what in dict.fromkeys(lifted)]
        else:
            shutil.rmtree(output)
    shutil.copytree(options["runtime"], folder / "include", dirs_exist_ok=True)
    shutil.copy(__file__, folder / "compare.py")
    (folder / "compare.json").write_text(json.dumps(
        {"program": program.name, "variants": described, "folder": str(program.parent.resolve()),
         "flags": options["flags"], "arch": options["arch"]}, indent=1) + "\n")


def build(options, folder, known, name):
    """The command that runs a variant."""
    source = next((folder / name).rglob(known["program"]))
    include = [f"-I{folder / 'include'}", f"-I{known['folder']}"]
    if options.get("emulator"):
        return [options["tool"], "run", "--plain", *include, *known["flags"], str(source)]
    binary = folder / name / "program"
    number = known["arch"].removeprefix("sm_")
    command = ["nvcc", "-O3", "-std=c++17", "-w", f"-gencode=arch=compute_{number},code=sm_{number}",
               *include, *known["flags"], str(source), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        quit(f"nvcc cannot build '{source}':\n{done.stdout}{done.stderr}")
    return [str(binary)]


def run(command, arguments, **environment):
    """The launches of each kernel, in their order: microseconds, and whether by TMA; and
    registers and bytes of static shared memory of each kernel and way."""
    done = subprocess.run([*command, *arguments], capture_output=True, text=True,
                          env={**os.environ, "TILELIFT_TIME": "1", **environment})
    launches = {}
    for kernel, time, way in TIME.findall(done.stderr):
        launches.setdefault(kernel, []).append((float(time), way == "TMA"))
    if done.returncode:
        sys.stderr.write(done.stderr[-2000:])
        quit(f"'{' '.join(command)}' ended with {done.returncode}")
    sizes = {(kernel, way): (registers, size)
             for kernel, registers, size, way in SIZE.findall(done.stderr)}
    return launches, sizes, done.stdout


def per_launch(runs, kernel):
    """The median of the runs' means, over the launches of a kernel."""
    return statistics.median(statistics.mean(t for t, _ in each[kernel]) for each in runs)


def measure(options, folder):
    known = json.loads((folder / "compare.json").read_text())
    commands = {name: build(options, folder, known, name) for name in known["variants"]}
    plain, lifted, sizes, texts = [], {name: [] for name in commands}, {}, set()
    for _ in range(options["runs"]):
        launches, size, text = run(commands["all"], options["arguments"], TILELIFT_DISABLE="1")
        plain.append(launches)
        sizes.update(size)
        texts.add(text)
        for name, command in commands.items():
            launches, size, text = run(command, options["arguments"])
            lifted[name].append(launches)
            sizes.update(size if name == "all" else {})
            texts.add(text)
    if not plain[0]:
        quit("the program launches no lifted kernel")
    report(known, plain, lifted, sizes)
    if len(texts) > 1:
        print("note: what the program prints differs from run to run")


def report(known, plain, lifted, sizes):
    print(f"{'kernel':30} {'launches':>8} {'by TMA':>7} {'plain':>12} {'lifted':>12} {'ratio':>7}")
    for kernel in plain[0]:
        before, after = per_launch(plain, kernel), per_launch(lifted["all"], kernel)
        ways = [by_tma for _, by_tma in lifted["all"][0][kernel]]
        print(f"{kernel:30} {len(ways):8} {sum(ways):7} {before:9.2f} us {after:9.2f} us "
              f"{before / after:7.3f}")
        for name, copies in known["variants"].items():
            if name == "all" and len(known["variants"]) > 1:
                continue
            if any(by_tma for _, by_tma in lifted[name][0].get(kernel, [])):
                alone = per_launch(lifted[name], kernel)
                print("\n".join(f"  {copy}" for copy in copies))
                if name != "all":
                    print(f"    by itself {alone:.2f} us, {before / alone:.3f}")
        if (kernel, "plain") in sizes and (kernel, "TMA") in sizes:
            (registers, size), (after_registers, after_size) = (
                sizes[kernel, way] for way in ("plain", "TMA"))
            print(f"  kernel {kernel}: {registers} registers and {size} bytes of shared memory "
                  f"plain, {after_registers} and {after_size} by TMA")
    slower = [k for k in plain[0] if per_launch(lifted["all"], k) > 1.02 * per_launch(plain, k)]
    for kernel in slower:
        print(f"'{kernel}' is slower by TMA: leave its pragmas out, or see docs/costs.md")


def main():
    options = parse(sys.argv[1:])
    if "measure" in options:
        return measure(options, pathlib.Path(options["measure"]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.get("keep", scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        lift(options, folder)
        if not options.get("only-lift"):
            measure(options, folder)


if __name__ == "__main__":
    main()
