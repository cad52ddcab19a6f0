#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What somebody would write in Python instead: the workloads in PyTorch and in Triton."""
import statistics

import torch

try:
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    triton = None


def median_ms(run, together=5):
    """Of one call among several, as the other variants are measured."""
    samples = []
    for i in range(25):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(together):
            run()
        end.record()
        torch.cuda.synchronize()
        samples += [begin.elapsed_time(end) / together] if i >= 5 else []
    return statistics.median(samples)


def recorded(run):
    """The same as a graph: Python needs about as long for a short call as the GPU."""
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


class Inputs:
    def __init__(self):
        self.square = torch.randn(16384, 16384, device="cuda")
        self.rows = torch.randn(32768, 4096, device="cuda")
        self.halves = torch.randn(2, 8192, 8192, device="cuda", dtype=torch.float16)
        self.heads = torch.randn(3, 1, 64, 4096, 64, device="cuda", dtype=torch.float16)
        half = {"device": "cuda", "dtype": torch.float16}
        self.images = torch.randn(32, 128, 56, 56, **half).to(memory_format=torch.channels_last)
        self.filters = torch.randn(128, 128, 3, 3, **half).to(memory_format=torch.channels_last)
        self.table, self.taken = torch.randn(2, 1 << 18, 512, device="cuda")
        self.index = torch.randperm(1 << 18, device="cuda", dtype=torch.int32)


def pytorch(inputs):
    image = inputs.square.view(1, 1, 16384, 16384)
    taps = torch.randn(1, 1, 1, 17, device="cuda")
    conv, attend = torch.nn.functional.conv2d, torch.nn.functional.scaled_dot_product_attention
    return {"transpose": lambda: inputs.square.t().contiguous(),
            "softmax": lambda: torch.softmax(inputs.rows, 1),
            "convolution": lambda: conv(conv(image, taps, padding=(0, 8)), taps.mT, padding=(8, 0)),
            "attention": lambda: attend(*inputs.heads),
            "gather": lambda: torch.index_select(inputs.table, 0, inputs.index, out=inputs.taken)}


def cudnn(inputs):
    torch.backends.cudnn.benchmark = True
    conv = torch.nn.functional.conv2d
    with torch.no_grad():
        return {"implicit-gemm": recorded(lambda: conv(inputs.images, inputs.filters, padding=1))}


if triton:
    @triton.jit
    def transpose_tiles(to, source, n, T: tl.constexpr):
        x, y = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T)
        tile = tl.load(source + y[:, None] * n + x[None, :])
        tl.store(to + x[:, None] * n + y[None, :], tl.trans(tile))

    @triton.jit
    def softmax_rows(to, source, N: tl.constexpr):
        at = tl.program_id(0) * N + tl.arange(0, N)
        row = tl.load(source + at)
        power = tl.exp(row - tl.max(row, 0))
        tl.store(to + at, power / tl.sum(power, 0))

    @triton.jit
    def product_tiles(c, a, b, k, TOGETHER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        m0 = (tl.program_id(2) * TOGETHER + tl.program_id(0)) * BM
        n0 = tl.program_id(1) * BN
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for k0 in range(0, k, BK):
            sums = tl.dot(a.load([m0, k0]), b.load([n0, k0]).T, sums)
        c.store([m0, n0], sums.to(tl.float16))

    @triton.jit
    def attend_queries(out, q, k, v, length, scale, Q: tl.constexpr, K: tl.constexpr, D: tl.constexpr):
        head = tl.program_id(1) * length
        first = head + tl.program_id(0) * Q
        queries = q.load([first, 0])
        most = tl.full((Q,), float("-inf"), tl.float32)
        total = tl.zeros((Q,), tl.float32)
        value = tl.zeros((Q, D), tl.float32)
        for n in range(0, length, K):
            scores = tl.dot(queries, k.load([head + n, 0]).T) * (scale * 1.4426950408889634)
            larger = tl.maximum(most, tl.max(scores, 1))
            shrink = tl.exp2(most - larger)
            power = tl.exp2(scores - larger[:, None])
            total = total * shrink + tl.sum(power, 1)
            value = tl.dot(power.to(tl.float16), v.load([head + n, 0]), value * shrink[:, None])
            most = larger
        out.store([first, 0], (value / total[:, None]).to(tl.float16))


def in_triton(inputs):
    square, rows, (a, b) = inputs.square, inputs.rows, inputs.halves
    turned, soft, c = torch.empty_like(square), torch.empty_like(rows), torch.empty_like(a)
    n = a.shape[0]
    # Sizes, stages and warps are the best of those that were tried: blocks of 128x128 and
    # 128x256, of 64 and 128 queries and keys, tiles of 32 to 128, 2 to 4 stages, 4 to 16 warps.
    BM, BN, BK, together = 128, 128, 64, 16
    tile = lambda tensor, *shape: TensorDescriptor.from_tensor(tensor, list(shape))
    q, k, v = (each.reshape(-1, 64) for each in inputs.heads)
    out = torch.empty_like(q)

    def product():
        product_tiles[together, n // BN, n // (together * BM)](
            tile(c, BM, BN), tile(a, BM, BK), tile(b, BN, BK), n, together, BM, BN, BK, num_warps=4, num_stages=4)

    def attend():
        attend_queries[4096 // 64, 64](tile(out, 64, 64), tile(q, 64, 64), tile(k, 128, 64), tile(v, 128, 64), 4096,
                                       0.125, 64, 128, 64, num_warps=4, num_stages=2)

    return {"transpose": lambda: transpose_tiles[256, 256](turned, square, 16384, 64, num_warps=8),
            "softmax": lambda: softmax_rows[32768,](soft, rows, 4096, num_warps=16),
            "hgemm-wgmma": product,
            "attention": attend}


def measure():
    """Milliseconds of each workload: {library: {workload: time}}."""
    inputs = Inputs()
    libraries = {"pytorch": pytorch(inputs), "cudnn": cudnn(inputs)}
    if triton:
        libraries["triton"] = in_triton(inputs)
    return {library: {name: median_ms(run) for name, run in work.items()} for library, work in libraries.items()}
