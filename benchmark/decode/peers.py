"""Times cuDNN and FlashAttention through PyTorch at BATCHxHEADSxKVxKEYS cells.

Prints a line a cell and backend: name, then microseconds, median, 10th and 90th
percentile, timed as the kernels beside it (row_peers.time_calls).
"""

import sys

import row_peers
import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
}


def operands(batch, heads, kv, keys):
    def make(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    return (
        make(batch, heads, 1, 128),
        make(batch, kv, keys, 128),
        make(batch, kv, keys, 128),
    )


def main(cells):
    cache = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for cell in cells:
        batch, heads, kv, keys = map(int, cell.split("x"))
        sets = [operands(batch, heads, kv, keys) for _ in range(row_peers.SETS)]
        for name, backend in BACKENDS.items():
            def call(q, k, v):
                return functional.scaled_dot_product_attention(
                    q, k, v, enable_gqa=heads != kv
                )

            try:
                with sdpa_kernel(backend):
                    times = row_peers.time_calls(call, sets, cache)
            except RuntimeError as error:
                print(f"{name}-{cell} refused: {str(error).splitlines()[0][:80]}")
                continue
            print(f"{name}-{cell}", *(row_peers.rank(times, q) for q in (0.5, 0.1, 0.9)))


if __name__ == "__main__":
    main(sys.argv[1:])
