#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/field_kernels.md from what run.py has measured.

  bench/field/report.py results.json docs/field_kernels.md
"""
import json
import math
import pathlib
import statistics
import sys

HEAD = "| kernel | plain | lifted | ratio |\n|---|---|---|---|\n"


def main():
    results, page = (pathlib.Path(name) for name in sys.argv[1:3])
    measured = json.loads(results.read_text())
    ratios = {name: ms["plain"] / ms["lifted"] for name, ms in measured.items()}
    rows = [f"| {name} | {measured[name]['plain']:.4f} ms | {measured[name]['lifted']:.4f} ms | {ratio:.3f} |"
            for name, ratio in sorted(ratios.items(), key=lambda item: item[1])]
    mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
    summary = (f"{len(ratios)} kernels: geometric mean {mean:.3f}, {sum(r < 0.98 for r in ratios.values())} below "
               f"0.98, {sum(r > 1.02 for r in ratios.values())} above 1.02.\n\n")
    text = page.read_text()
    begin = text.index("<!-- measured -->")
    page.write_text(text[:begin] + "<!-- measured -->\n" + summary + HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
