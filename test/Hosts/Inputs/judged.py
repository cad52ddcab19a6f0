"""Plans as functions against plans in words: of random launches both say the same, and make the same maps."""
import importlib.util
import random
import sys
from types import SimpleNamespace

from fake_driver import FakeDriver
from tilelift import rules
from tilelift._driver import told
from tilelift._judge import Tracer, bounds_of, is_object, judge
from tilelift._numbers import Expression, between, counted, quotient, remainder
from tilelift.launch import Dim3, Kernel, Launch, load

rng = random.Random(7)
INTERESTING = (0, 1, 2, 3, 4, 8, 16, 31, 32, 40, 64, 100, 128, 512, 1000, 4096, -1, -7, 70000, 1 << 20, (1 << 31) - 1)


class Words(Launch):
    """Also keeps the requests."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.requests = []

    def add(self, request):
        self.requests.append(request)
        super().add(request)


class Site:
    def __init__(self, driver, request):
        self.request, self.told = request, told(driver, request, {}, 1000)


class Members(int):
    """A number, as an object whose members are numbers, too."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, Members(number()))
        return getattr(self, name)


def number():
    return rng.choice(INTERESTING)


def argument(kind):
    if kind == "pointer":
        return rng.choice((0x10000, 0x10000, 0x20000, 0x30010, 0x10004, 0, 1 << 57))
    if isinstance(kind, int):
        return Members(number())
    bounds = bounds_of(kind)
    return min(max(number(), bounds[0]), bounds[1]) if bounds else float(number())


def launched(judgement, kernel, grid, values):
    """With what the kernel starts, on stream 7, if it does: numbers in place of their maps."""
    block = SimpleNamespace(memory=None, x=0, y=0, z=0, stream=0, address=0, config=SimpleNamespace())
    passed = []
    launch = judgement.of_way([block], None, None, lambda memory, first, *own: passed.append(own), 0,
                              lambda *_: (0,), "handle", None)
    if not launch(tuple(grid), 7, *values, *(own for own, (_, kind) in zip(values, kernel.arguments) if is_object(kind))):
        assert not passed
        return None
    config = block.config
    numbers = [{place: key for key, (_, place) in site.told.known.items()}[place]
               for site, place in zip(judgement.sites, passed[0])]
    return ((config.gridDimX, config.gridDimY, config.gridDimZ), (*numbers, *passed[0][len(numbers):]),
            config.hStream)


# Members are called whatever the program likes.
assert [str(getattr(Expression("a2"), name)) for name in ("text", "low", "__n")] == ["a2.text", "a2.low", "a2.__n"]
assert str(getattr(Expression("a2"), "in")) == "getattr(a2, 'in')"
# A loop of no rounds, and a rest of nothing, are what they are in C++.
none = 4 * between(0, -1)
assert (none.low, none.high, remainder(5, 0)) == (-4, 0, 0)

def _plan_all(launch, out, in_, w, h, shape):
    """All that expressions are made of (docs/hosts.md)."""
    launch.require("index-range", (w >> 2) + (w << 1 & 12 | h ^ 3), 0, 100000, "shifts")
    launch.require("index-range", 1 << (h & 7), 0, 64, "of numbers")
    launch.require("index-range", 255 & w | 1 ^ h, 0, 70000, "of numbers and expressions")
    launch.require("index-range", -w * launch.block_index(0) - launch.block_index(1) * (h - 3), -100000, None, "products")
    launch.require("index-range", 7 - between(0, w) * counted(1, h, 2), None, 100, "ranges of arguments")
    launch.require("index-range", quotient(w, h) * launch.grid.x - remainder(w, shape.size.h), -500, 5000, "quotients")
    launch.require_multiple("bulk-offset-16", remainder(h, 0) + 16 * remainder(w, h - 4), 16, "w * 16")
    launch.require("index-range", 4 * between(0, w - 1), 0, 4096, "of no numbers at all")
    launch.require("index-range", (h - 3) * between(0, w - 1), -1 << 20, 1 << 20, "times what is known later")
    launch.bulk("tile", "in", in_)
    launch.tiled("tile_map", "tile", "in", "f32", in_, 16 * (shape.size.h & 3), (32, 8),
                 [(launch.end_of(4 * launch.block_index(0) + h, 8), "w"), (shape.size.h, "h", 4 * (w + 3 & 60), "w * 4")],
                 reads_start=(4 * launch.block_index(0) - between(0, h), w - 7 * launch.block_index(1)))
    launch.pixels("pixels_map", "pixels", "in", "f32", in_, 16 * (shape.size.h & 3), (32, 8),
                  [(w, "w"), (shape.size.h, "h", 4 * (w + 3 & 60), "w * 4", w, 1, "1", 0, "0"),
                   (h, "n", 64 * (w + 3 & 60), "w * 64")], reads_start=())


everything = Kernel("everything", "blur", "blur_tma", (("out", "pointer"), ("in", "pointer"), ("w", "i32"), ("h", "i32"),
                                                       ("shape", 8)), (128, 1, 1), _plan_all)

holds = breaks = 0
kernels = without = 0
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("launchers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for capability in (90, 100):
        driver = FakeDriver(capability=capability)
        driver.has_memory = lambda address: address >> 4 & 7 != 3
        handles = load(b"image", [*module.function_names, everything.entry, everything.lifted_entry], driver)
        for kernel in [everything, *(own.kernel for own in vars(module).values() if hasattr(own, "kernel"))]:
            tracer = Tracer(capability, capability >= 100, handles.variable)
            judgement = judge(kernel.plan, kernel.arguments, tracer, kernel.cluster, lambda request: Site(driver, request),
                              handles.has_memory)
            kept = 0
            for attempt in range(400):
                grid = Dim3(*(rng.choice((1, 2, 4, 100, 1 << 20)) for _ in range(3)))
                # Of what holds most of the time, one number is changed.
                values = [argument(kind) for _, kind in kernel.arguments]
                if kept and attempt % 2:
                    grid, values = kept[0], list(kept[1])
                    i = rng.randrange(len(values))
                    values[i] = argument(kernel.arguments[i][1])
                words = Words(kernel, handles, grid)
                kernel.plan(words, *values)
                found = judgement.numbers(grid, values, values)
                said = f"{kernel} {grid} {values}: {found}, {rules.text_of(words.violations)}\n{judgement.source}"
                assert (found is None) == bool(words.violations), said
                if found is None:
                    assert launched(judgement, kernel, grid, values) is None, said
                    breaks += 1
                    continue
                holds, kept = holds + 1, (grid, values)
                made = found[:len(judgement.sites)]
                assert made == tuple(request.varying() for request in words.requests), said
                assert launched(judgement, kernel, grid, values) == (grid, (*made, *values), 7), said
                for own, theirs in zip([site.request for site in judgement.sites], words.requests):
                    assert own.numbers()[4:7] == theirs.numbers()[4:7] and own.numbers()[9:] == theirs.numbers()[9:], said
            kernels += 1
            without += not kept
print(f"{holds} launches hold, {breaks} do not")
assert holds > 500 and breaks > 500 and without * 8 < kernels, (kernels, without)
