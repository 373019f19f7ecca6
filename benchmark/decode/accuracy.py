"""Compares the kernels of build.sh, cuDNN and FlashAttention with an f64 evaluation.

accuracy.py BATCHxHEADSxKVxKEYS... in the folder of the kernels. A line for each
cell, spread of the scores, and kernel: the root mean square and the largest of the
errors, both over the root mean square of the exact result. All get the same inputs.
"""

import subprocess
import sys
import tempfile

import numpy
import torch
from peers import BACKENDS, operands
from torch.nn import functional
from torch.nn.attention import sdpa_kernel

SPREADS = (1.0, 4.0)  # standard deviation of the scores


def exact(q, k, v):
    q, k, v = (t.double() for t in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(group, 1) for t in (k, v))
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v


def run_kernel(manifest, q, k, v):
    with tempfile.TemporaryDirectory() as folder:
        command = ["./cascade-launch", manifest]
        for name, tensor in (("q", q.squeeze(2)), ("k", k), ("v", v)):
            bits = tensor.contiguous().view(torch.int16).cpu().numpy().view("uint16")
            numpy.save(f"{folder}/{name}.npy", bits)
            shape = "x".join(map(str, tensor.shape))
            command.append(f"--input={name}={shape}xbf16=@{folder}/{name}.npy")
        command.append(f"--input=scale=f32={q.shape[-1] ** -0.5}")
        command.append(f"--output=o=@{folder}/o.npy")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        bits = numpy.load(f"{folder}/o.npy").view("int16")
    return torch.from_numpy(bits).view(torch.bfloat16).to(q.device).unsqueeze(2)


def report(name, got, want):
    size = want.square().mean().sqrt()
    error = got.double() - want
    rms, worst = error.square().mean().sqrt() / size, error.abs().max() / size
    print(f"{name} rms {rms:.3e} worst {worst:.3e}", flush=True)


def main(cells):
    torch.manual_seed(5)
    for cell in cells:
        for spread in SPREADS:
            q, k, v = operands(*map(int, cell.split("x")))
            q = q * spread
            want = exact(q, k, v)
            label = f"{cell} spread {spread:g}"
            report(f"{label} cascade", run_kernel(f"decode-{cell}-auto.json", q, k, v), want)
            for name, backend in BACKENDS.items():
                with sdpa_kernel(backend):
                    got = functional.scaled_dot_product_attention(
                        q, k, v, enable_gqa=q.shape[1] != k.shape[1]
                    )
                report(f"{label} {name}", got, want)


main(sys.argv[1:])
