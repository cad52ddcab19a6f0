#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every line of docs/parity.md says what tilelift has for it, and names a test that names the line."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def names(text: str, line: str) -> bool:
    """By itself, or in a range: R1.22 to R1.26."""
    if re.search(rf"\b{re.escape(line)}\b(?!\d)", text) or line.replace(".", "_") + "_" in text:
        return True
    part, number = line.split(".")
    ranges = re.findall(rf"\b{part}\.(\d+) to {part}\.(\d+)\b", text)
    return any(int(low) <= int(number) <= int(high) for low, high in ranges)


def main() -> int:
    rows = re.findall(r"^\| (R\d+\.\d+) \| (.*?) \| (.*?) \|(.*)\|$", (root / "docs/parity.md").read_text(), re.M)
    problems, seen = [], set()
    for line, theirs, ours, shown in rows:
        test = root / shown.strip()
        if line in seen:
            problems.append(f"{line} stands twice")
        seen.add(line)
        if not theirs.strip() or not ours.strip():
            problems.append(f"{line} has an empty cell")
        elif not shown.strip():
            if not ours.startswith("does not apply"):
                problems.append(f"{line} names no test")
        elif not test.is_file():
            problems.append(f"{line} names {shown.strip()}, which does not exist")
        elif "test" in test.parts and not names(test.read_text(errors="replace"), line):
            problems.append(f"{shown.strip()} does not name {line}")
    print("\n".join(problems) or f"{len(rows)} lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
