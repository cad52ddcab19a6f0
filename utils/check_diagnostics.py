#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every diagnostic, every rule and every finding of a run is explained in docs/ and shown by a test."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def words(pattern, path):
    return re.findall(pattern, (root / path).read_text(errors="replace"), re.M)


def main():
    ids = [name.replace("_", "-")
           for name in words(r"^DIAGNOSTIC\(([a-z0-9_]+),", "rewriter/support/Diagnostics.def")]
    rules = [name.replace("_", "-")
             for name in words(r"^TILELIFT_RULE\(([a-z0-9_]+),", "runtime/include/tilelift/rules.def")]
    findings = words(r'^    \{"([a-z0-9-]+)", "', "emulator/machine/FindingTable.h")
    faults = words(r'Kind::\w+, ?"([a-z0-9-]+)"', "emulator/model/Faults.cpp")
    docs = (root / "docs/diagnostics.md").read_text(errors="replace")
    tests = "".join(p.read_text(errors="replace") for p in (root / "test").rglob("*")
                    if p.is_file() and p.suffix != ".pyc")
    problems = [f"{name} is not explained in docs/diagnostics.md"
                for name in ids + rules + findings if f"`{name}`" not in docs]
    problems += [f"no test shows -Wtilelift-{name}" for name in ids
                 if f"-Wtilelift-{name}]" not in tests and f"Wtilelift-{name}" not in tests]
    problems += [f"no test shows rule {name}" for name in rules
                 if f'"{name}"' not in tests and f"({name})" not in tests and f"[{name}]" not in tests]
    problems += [f"no test shows finding {name}" for name in findings
                 if f"[{name}]" not in tests and f'"{name}"' not in tests]
    problems += [f"{name} is not in FindingTable.h" for name in faults if name not in findings]
    for explained in re.findall(r"^\| `([a-z0-9-]+)` \| \S", docs.split("## The rules of TMA")[0], re.M):
        if explained not in ids:
            problems.append(f"docs/diagnostics.md explains {explained}, which does not exist")
    print("\n".join(problems) or f"{len(ids)} diagnostics, {len(rules)} rules and "
          f"{len(findings)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
