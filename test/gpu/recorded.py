#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that lifts, with its sources lifted elsewhere.

  test/gpu/recorded.py --record FILE PROGRAM   where tilelift is built: keeps what becomes of them
  test/gpu/recorded.py FILE PROGRAM            where the GPU is and no Clang: hands it out again

Only what was lifted with the same arguments is handed out.
"""
import argparse
import pathlib
import pickle
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))

import tilelift  # noqa: E402


def recording(made):
    lift = tilelift.lift

    def record(source, **options):
        lifted = lift(source, **options)
        made[repr((source, sorted(options.items())))] = pickle.dumps(lifted)
        return lifted
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    arguments = parser.parse_args()
    made = {} if arguments.record else pickle.loads(arguments.file.read_bytes())
    tilelift.include_path = lambda: str(ROOT / "runtime/include")
    tilelift.lift = recording(made) if arguments.record else \
        lambda source, **options: pickle.loads(made[repr((source, sorted(options.items())))])
    try:
        runpy.run_path(str(arguments.program), run_name="__main__")
    finally:
        if arguments.record:
            arguments.file.write_bytes(pickle.dumps(made))


if __name__ == "__main__":
    main()
