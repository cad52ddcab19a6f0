"""Random map requests, judged by the package and by what the rewriter and the runtime have: the same
rules, in the same words."""
import random
import subprocess
import sys

from tilelift import rules

rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def pick(*values):
    return rng.choice(values)


def dimension(d):
    extent = pick(0, 1, 7, 64, 100, 128, 256, 1000, 1 << 31, (1 << 31) + 1, -3)
    return rules.Dimension(extent, pick(0, 16, 24, 32, 64, 4096, (1 << 40) - 16, 1 << 40, -16) if d else 0,
                           pick(1, 1, 1, 2, 8, 0, 9))


def request():
    mode = pick("tile", "tile", "tile", "im2col", "im2col", "w", "w128")
    rank = pick(1, 2, 3, 4, 5) if mode == "tile" else pick(3, 4, 5)
    common = dict(mode=mode, tile="tile", tensor="tensor", element=pick(*rules.ELEMENTS),
                  address=pick(0, 16, 32, 40, 4096, 1 << 57, 1 << 40), dimensions=tuple(map(dimension, range(rank))),
                  swizzle=pick("none", "none", *rules.SWIZZLES), interleave=pick("none", "none", "none", "b16", "b32"),
                  fill=pick("zero", "zero", "nan"), capability=pick(90, 90, 100, 120))
    if mode == "tile":
        return rules.MapRequest(**common, box=tuple(pick(0, 1, 4, 8, 16, 32, 64, 128, 256, 257) for _ in range(rank)))

    def corner():
        return pick(-32769, -32768, -129, -128, -17, -16, -1, 0, 1, 15, 16, 127, 128, 32767, 32768)

    return rules.MapRequest(**common, channels=pick(0, 1, 8, 16, 64, 128, 256, 257), pixels=pick(0, 1, 64, 1024, 1025),
                            lower=tuple(corner() for _ in range(rank - 2)),
                            upper=tuple(corner() for _ in range(rank - 2)))


def line(own):
    numbers = [own.mode, rules.ELEMENTS.index(own.element), rules.SWIZZLES.index(own.swizzle),
               rules.INTERLEAVES.index(own.interleave), rules.FILLS.index(own.fill), own.capability, own.address, own.rank]
    for each in own.dimensions:
        numbers += [each.extent, each.stride, each.step]
    numbers += own.box if own.mode == "tile" else [own.channels, own.pixels]
    for lower, upper in zip(own.lower, own.upper):
        numbers += [lower, upper]
    return " ".join(map(str, numbers))


requests = [request() for _ in range(20000)]
judged = subprocess.run([sys.argv[1]], input="\n".join(map(line, requests)) + "\n", capture_output=True, text=True,
                        check=True).stdout.splitlines()
assert len(judged) == len(requests)
named = set()
for own, theirs in zip(requests, judged):
    found = rules.violations(own)
    named.update(each.rule for each in found)
    ours = rules.text_of(found) or ""
    assert ours == theirs, f"{own}\nhere:  {ours}\nthere: {theirs}"
print(f"{sum(not each for each in judged)} of {len(requests)} requests hold; rules that were broken: {len(named)}")
