#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what run.py has measured: a table for docs/benchmarks.md, and a plot.

  bench/report.py results.json                     prints the table
  bench/report.py results.json --plot plot.svg     and draws the ratios to the plain kernels
"""
import argparse
import json
import pathlib

LIBRARIES = {"cublas": "cuBLAS", "cub": "CUB", "cudnn": "cuDNN", "pytorch": "PyTorch", "triton": "Triton", "padded-32x32": "padded 32x32, no guards",
             "vectorised": "16-byte loads", "cp-async": "`cp.async`"}
COLOURS = {"tilelift": "#2f6f4e", "by hand": "#8a8f98", "library": "#c9a227"}


def table(results):
    copied = results["copy"]
    bandwidth = copied["work"]["bytes"] / copied["ms"]["device-to-device"]
    lines = ["| workload | plain | lifted | ratio | by hand | lifted / by hand | of copy bandwidth | others |",
             "|---|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        ms = result["ms"]
        if "tilelift" not in ms or name.startswith("cost-"):
            continue
        lifted, hand = ms["tilelift"], ms.get("by-hand")
        share = result["work"]["bytes"] / lifted / bandwidth
        others = ", ".join(f"{label} {ms[key]:.4f} ms" for key, label in LIBRARIES.items() if key in ms)
        cells = [name, f"{ms['plain']:.4f} ms", f"{lifted:.4f} ms", f"{ms['plain'] / lifted:.3f}",
                 f"{hand:.4f} ms" if hand else "", f"{lifted / hand:.3f}" if hand else "", f"{share:.3f}", others]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(results):
    """Bars from the plain kernel's speed, which is one."""
    rows = [(name, r["ms"]) for name, r in results.items() if "tilelift" in r["ms"] and not name.startswith("cost-")]
    most = max(ms["plain"] / min(t for v, t in ms.items() if v != "plain") for _, ms in rows)
    left, length, height, bar = 150, 680, 52, 14
    unit = length / most
    width, total = left + length + 60, height * len(rows) + 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{total}" fill="white"/>']
    for tick in range(2 * int(most) + 2):
        x = left + tick / 2 * unit
        if x < width - 20:
            parts.append(f'<line x1="{x:.1f}" y1="24" x2="{x:.1f}" y2="{total - 30}" stroke="#ddd"/>'
                         f'<text x="{x:.1f}" y="{total - 14}" text-anchor="middle">{tick / 2:g}x</text>')
    x = left
    for label, colour in COLOURS.items():
        parts.append(f'<rect x="{x}" y="6" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{x + 17}" y="16">{label}</text>')
        x += 110
    for number, (name, ms) in enumerate(rows):
        y = 34 + number * height
        parts.append(f'<text x="{left - 10}" y="{y + 20}" text-anchor="end">{name}</text>')
        library = next((ms[key] for key in LIBRARIES if key in ms), None)
        bars = [("tilelift", ms["tilelift"]), ("by hand", ms.get("by-hand")), ("library", library)]
        for k, (label, time) in enumerate(bar_ for bar_ in bars if bar_[1]):
            length = ms["plain"] / time * unit
            parts.append(f'<rect x="{left}" y="{y + k * bar}" width="{length:.1f}" height="{bar - 2}" '
                         f'fill="{COLOURS[label]}"/><text x="{left + length + 4:.1f}" '
                         f'y="{y + k * bar + 10}" font-size="10">{ms["plain"] / time:.2f}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text())
    print(table(results))
    if arguments.plot:
        arguments.plot.write_text(plot(results))


if __name__ == "__main__":
    main()
