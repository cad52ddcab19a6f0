#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for a defect of ptxas in machine code: test/gpu/guards.py BINARY...

Where a TMA operation is guarded by a condition that a whole warp has alike, ptxas (13.0 to
13.5) may guard the instruction that hands it a coordinate by the register P6 where it means
UP6: `@P6 R2UR UR17, R0`. Nobody has set P6, or for something else, and the operation goes
to another place. What is reported is such a guard that nothing above it sets.
"""
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?);")
GUARDED = re.compile(r"^@!?P(\d) R2UR\b")


def functions(listing):
    name, code = "", []
    for line in listing.splitlines():
        if "Function :" in line:
            yield name, code
            name, code = line.split(":", 1)[1].strip(), []
        elif match := INSTRUCTION.match(line):
            code.append(" ".join(match[1].split()))
    yield name, code


def sets(instruction, register):
    """Whether it is among the first operands, where what an instruction sets stands."""
    without_guard = re.sub(r"^@!?U?P\w+ ", "", instruction)
    operands = without_guard.partition(" ")[2].split(",")[:3]
    return any(operand.strip() == register for operand in operands)


def unset(code):
    for at, instruction in enumerate(code):
        if match := GUARDED.match(instruction):
            if not any(sets(before, "P" + match[1]) for before in code[:at]):
                yield instruction


def unset_in(binary):
    done = subprocess.run(["cuobjdump", "-sass", str(binary)], capture_output=True, text=True, check=True)
    return [f"{binary}: {name}: {instruction}: nothing sets the guard"
            for name, code in functions(done.stdout) for instruction in unset(code)]


def main():
    found = [problem for binary in sys.argv[1:] for problem in unset_in(binary)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
