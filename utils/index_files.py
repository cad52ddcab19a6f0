#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/files.md, which says what each source file decides, from the files' heads.

  utils/index_files.py            writes it
  utils/index_files.py --check    says whether it is as it would be written

A file's line is the first paragraph of its head. A source and its header are one line, with the head
of the header, if it has one.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("rewriter", "tool", "plugin", "library", "emulator", "runtime/include", "python/tilelift",
           "standalone")
INTRODUCTION = """# What each file decides

Made by `utils/index_files.py` from the files' heads: change the head, then run it. The folders are
explained in [CONTRIBUTING.md](../CONTRIBUTING.md).
"""


def first_paragraph(path):
    text = path.read_text()
    if path.suffix == ".py":
        lines = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    else:
        head = re.match(r"(?:\s*(?:(?://|/\*|\|\*|\\\*).*)?\n)*", text).group(0)
        lines = [re.sub(r"^\s*(//|/\*|\|\*|\\\*)", "", line).strip() for line in head.splitlines()]
        lines = [line for line in lines if not re.match(r"===-|SPDX|-\*-", line)]
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return " ".join(paragraphs[0].split())


def index():
    listed = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    heads = {}
    for name in sorted(listed, key=lambda name: (str(name.parent), str(name))):
        path = ROOT / name
        if path.suffix not in (".h", ".cuh", ".cpp", ".def", ".py"):
            continue
        key = (str(path.parent.relative_to(ROOT)), path.stem if path.suffix in (".h", ".cpp") else path.name)
        heads.setdefault(key, {})[path.suffix] = first_paragraph(path)
    lines, without, folder = [INTRODUCTION], [], None
    for (parent, stem), texts in heads.items():
        text = texts.get(".h") or next((each for each in texts.values() if each), "")
        if not text and stem != "__init__.py":
            without.append(f"{parent}/{stem}")
        if parent != folder:
            lines.append(f"\n## `{parent}/`\n")
            folder = parent
        lines.append(f"- `{stem}`: {text}")
    return "\n".join(lines) + "\n", without


def main():
    text, without = index()
    for name in without:
        print(f"{name} has no head that says what it decides", file=sys.stderr)
    page = ROOT / "docs/files.md"
    if "--check" not in sys.argv:
        page.write_text(text)
    elif page.read_text() != text:
        print("docs/files.md is not what the files' heads say: run utils/index_files.py", file=sys.stderr)
        return 1
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
