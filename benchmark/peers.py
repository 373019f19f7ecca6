"""Times PyTorch, eager and compiled (Triton), on the chains of this benchmark.

One JSON object a line: {"peer", "function", "median_us", "p10_us", "p90_us"}, or
"error" instead of times. The method is that of cascade-launch --benchmark
--flush-l2: events around one call, which is queued while the device writes 256 MiB
(that empties the L2 cache), the first calls behind a head start; inputs in turn.
"""

import argparse
import json
import math
import re
import sys
import time

import torch
import torch.nn.functional as F

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
SHAPES = (
    "65536x1024 16384x4096 4096x16384 1024x65536 512x131072 64x1048576 "
    "1x131072 8x131072 32x32768 132x8192"
)
WARMUP, RUNS, SETS, HEAD_START = 3, 15, 3, 16


def absmax_quantise(x):
    scale = x.abs().amax(-1, keepdim=True).float().clamp_min(1e-12) / 448.0
    return (x.float() / scale).to(torch.float8_e4m3fn), scale


def weighted_variance(x, w):
    f, p = x.float(), w.float().abs()
    total = p.sum(-1, keepdim=True)
    mean = (p * f).sum(-1, keepdim=True) / total
    return (p * (f - mean) ** 2).sum(-1) / total.squeeze(-1)


def kl(x, y):
    p, q = torch.log_softmax(x.float(), -1), torch.log_softmax(y.float(), -1)
    return (p.exp() * (p - q)).sum(-1)


def entropy(x):
    p = torch.log_softmax(x.float(), -1)
    return -(p.exp() * p).sum(-1)


def top8_routing(x):
    weights, index = torch.softmax(x.float(), -1).topk(8, -1)
    return weights / weights.sum(-1, keepdim=True), index


def renyi2(x):
    p = torch.softmax(x.float(), -1)
    return (p * p).sum(-1)


def matrix(rows, cols, dtype):
    return torch.randn(rows, cols, device="cuda", dtype=dtype)


def vector(rows, cols, dtype):
    return torch.randn(cols, device="cuda", dtype=dtype)


def labels(rows, cols, dtype):
    return torch.randint(0, cols, (rows,), device="cuda")


# The function and what makes each of its inputs.
CHAINS = {
    "softmax": (lambda x: torch.softmax(x, -1), [matrix]),
    "logsumexp": (lambda x: torch.logsumexp(x.float(), -1), [matrix]),
    "cross_entropy": (
        lambda x, label: F.cross_entropy(x.float(), label, reduction="none"),
        [matrix, labels],
    ),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (x.shape[-1],), w, b),
        [matrix, vector, vector],
    ),
    "rms_norm": (
        lambda x, w: F.rms_norm(x, (x.shape[-1],), w, 1e-6),
        [matrix, vector],
    ),
    "variance": (lambda x: torch.var(x.float(), -1, correction=0), [matrix]),
    "absmax_quantise": (absmax_quantise, [matrix]),
    "weighted_variance": (weighted_variance, [matrix, matrix]),
    "kl": (kl, [matrix, matrix]),
    "entropy": (entropy, [matrix]),
    "top8_routing": (top8_routing, [matrix]),
    "renyi2": (renyi2, [matrix]),
}


def print_line(**line):
    print(json.dumps(line), flush=True)


def time_calls(function, sets, cache):
    """Microseconds of RUNS calls, ascending."""
    for i in range(WARMUP):
        function(*sets[i % SETS])
    torch.cuda.synchronize()
    events = [
        [torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(RUNS)
    ]
    for _ in range(HEAD_START):
        cache.zero_()
    function(*sets[0])
    for i, (begin, end) in enumerate(events):
        cache.zero_()
        begin.record()
        function(*sets[(i + 1) % SETS])
        end.record()
    torch.cuda.synchronize()
    return sorted(begin.elapsed_time(end) * 1e3 for begin, end in events)


def rank(times, q):
    return round(times[max(math.ceil(q * len(times)) - 1, 0)], 3)


def measure(name, chain, rows, cols, dtype, cache, modes):
    function, makers = CHAINS[chain]
    sets = [[make(rows, cols, dtype) for make in makers] for _ in range(SETS)]
    for mode in modes:
        try:
            # Without it a function is compiled for eight shapes and then no more.
            torch._dynamo.reset()
            call = torch.compile(function, dynamic=False) if mode == "compile" else function
            with torch.no_grad():
                times = time_calls(call, sets, cache)
        except Exception as error:
            print_line(peer="torch-" + mode, function=name, error=str(error)[:200])
            continue
        print_line(
            peer="torch-" + mode,
            function=name,
            median_us=rank(times, 0.5),
            p10_us=rank(times, 0.1),
            p90_us=rank(times, 0.9),
        )


def parse_case(name):
    """softmax_512x131072_bf16"""
    parts = re.fullmatch(r"(.+)_(\d+)x(\d+)_(\w+)", name)
    if not parts or parts[1] not in CHAINS or parts[4] not in TYPES:
        return None
    return name, parts[1], int(parts[2]), int(parts[3]), TYPES[parts[4]]


def all_cases(chains, shapes, types):
    for type_name in types:
        for chain in chains:
            for shape in shapes:
                yield f"{chain}_{shape}_{type_name}"


def main():
    words = lambda text: re.split(r"[ ,]+", text.strip())
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--chains", type=words, default=list(CHAINS))
    parser.add_argument("--shapes", type=words, default=words(SHAPES))
    parser.add_argument("--types", type=words, default=["bf16"])
    parser.add_argument("--names", nargs="+", help="CHAIN_ROWSxCOLS_TYPE, instead of these")
    parser.add_argument("--modes", type=words, default=["eager", "compile"])
    parser.add_argument("--limit", type=float, default=480, help="seconds")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("error: PyTorch finds no GPU")
    start = time.time()
    names = options.names or list(all_cases(options.chains, options.shapes, options.types))
    try:
        from triton import __version__ as triton_version
    except ImportError:
        triton_version = "none"
    print_line(
        info=f"PyTorch {torch.__version__}, Triton {triton_version}, "
        f"{torch.cuda.get_device_name()}, medians of {RUNS}"
    )
    cache = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for i, name in enumerate(names):
        if time.time() - start > options.limit:
            print_line(info=f"time limit: {len(names) - i} of {len(names)} cases not timed")
            break
        print(f"[{i + 1}/{len(names)}] {name}", file=sys.stderr, flush=True)
        case = parse_case(name)
        if not case:
            print_line(peer="torch", function=name, error="no such chain or type here")
            continue
        try:
            measure(*case, cache, options.modes)
        except torch.cuda.OutOfMemoryError as error:
            print_line(peer="torch", function=name, error=str(error)[:200])


if __name__ == "__main__":
    main()
