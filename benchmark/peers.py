"""PyTorch's times for the chains of this benchmark, L2 flushed, medians in us."""

import torch
from triton.testing import do_bench

SHAPES = [(16384, 4096), (4096, 16384), (1024, 65536), (512, 131072), (64, 1048576)]


def median_us(f):
    f()
    torch.cuda.synchronize()
    return do_bench(f, warmup=20, rep=80, return_mode="median") * 1e3


def copy_bandwidth():
    a = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    b = torch.empty_like(a)
    return 2 * a.numel() / median_us(lambda: b.copy_(a)) / 1e6


CHAINS = {
    "softmax": (lambda x: torch.softmax(x, -1), 4),
    "logsumexp": (lambda x: torch.logsumexp(x.float(), -1), 2),
}

print(f"copy {copy_bandwidth():.3f} TB/s")
for rows, cols in SHAPES:
    x = torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16)
    for name, (chain, bytes_per_element) in CHAINS.items():
        for mode in ("eager", "compile"):
            torch._dynamo.reset()
            f = torch.compile(chain, dynamic=False) if mode == "compile" else chain
            us = median_us(lambda: f(x))
            rate = x.numel() * bytes_per_element / us / 1e6
            print(f"torch-{mode} {name}_{rows}x{cols} {us:.1f} us {rate:.3f} TB/s", flush=True)
