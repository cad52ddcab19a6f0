#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the newest release in CHANGELOG.md is the version in runtime/include/tilelift/version.h, and, if a git
tag is given, that the tag names the same version: check_version.py [TAG]

Changes that are not released yet stand under "## Unreleased", above the releases; for a tag that section must be empty."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def problems(version: str, changes: str, tag: str) -> list[str]:
    sections = re.findall(r"^## (.+)$", changes, re.MULTILINE)
    released = [each for each in sections if each != "Unreleased"]
    found = []
    if not released or not re.fullmatch(re.escape(version) + r", \d{4}-\d\d-\d\d", released[0]):
        found.append(f"CHANGELOG.md has '## {released[0] if released else ''}' where '## {version}, <date>' belongs")
    if tag and tag != f"v{version}":
        found.append(f"the tag is {tag}, and version.h says {version}")
    if tag and re.search(r"^## Unreleased\n+- ", changes, re.MULTILINE):
        found.append("CHANGELOG.md has lines under '## Unreleased'")
    return found


def main() -> int:
    header = (ROOT / "runtime/include/tilelift/version.h").read_text()
    version = re.findall('VERSION_STRING "(.*)"', header)[0]
    found = problems(version, (ROOT / "CHANGELOG.md").read_text(), sys.argv[1] if len(sys.argv) > 1 else "")
    for each in found:
        print(f"check_version.py: {each}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
