"""What is timed, each behind the same few methods. Built in a process of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sizes import Size, random_parameters


class Contender:
    """One engine with its weights in memory."""

    needs: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ("float32", "float64")

    def __init__(self, size: Size, dtype: str, threads: int) -> None:
        self.size, self.dtype, self.threads = size, dtype, threads

    @classmethod
    def missing(cls) -> list[str]:
        """Return the packages it needs that are not installed."""
        return [name for name in cls.needs if find_spec(name) is None]

    def ids(self, B: int, T: int) -> Any:
        """Return the same ids for every contender."""
        return np.random.default_rng(1).integers(0, self.size.V, (B, T))

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """Return a function that computes all logits (B, T, V) once."""
        raise NotImplementedError

    def generate(self, prompt: int, tokens: int) -> Callable[[], Any]:
        """Return a function that continues one prompt, greedily and with a cache."""
        raise NotImplementedError


class Fast(Contender):
    """course_lib.fast_gpt, the logits written over those of the call before."""

    keep_logits = True

    def __init__(self, size: Size, dtype: str, threads: int) -> None:
        from course_lib.fast_gpt import FastGPT

        super().__init__(size, dtype, threads)
        self.model = FastGPT(random_parameters(size, dtype), size.h, threads)

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """As in the base class."""
        ids = self.ids(B, T)
        if not self.keep_logits:
            return lambda: self.model(ids)
        logits = np.empty((B, T, self.size.V), self.dtype)
        return lambda: self.model(ids, out=logits)

    def generate(self, prompt: int, tokens: int) -> Callable[[], Any]:
        """As in the base class."""
        from course_lib.fast_gpt import generate
        from course_lib.sampling import GREEDY

        ids = self.ids(1, prompt)
        return lambda: list(generate(self.model, ids, tokens, GREEDY))


class FastNew(Fast):
    """The same with a new array for the logits of each call, as PyTorch has it."""

    keep_logits = False


class Readable(Contender):
    """course_lib.gpt, the text of the lessons."""

    def __init__(self, size: Size, dtype: str, threads: int) -> None:
        super().__init__(size, dtype, threads)
        self.P = random_parameters(size, dtype)

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """As in the base class."""
        from course_lib.gpt import gpt_logits

        ids = self.ids(B, T)
        return lambda: gpt_logits(self.P, ids, self.size.h)


class Torch(Contender):
    """PyTorch in eager mode, with scaled_dot_product_attention."""

    needs = ("torch",)

    def __init__(self, size: Size, dtype: str, threads: int) -> None:
        import torch

        from course_lib.torch_gpt import load_numpy

        super().__init__(size, dtype, threads)
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.model = load_numpy(random_parameters(size, dtype), size.h)

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """As in the base class."""
        ids = self.torch.tensor(self.ids(B, T))
        return lambda: self.model(ids)

    def generate(self, prompt: int, tokens: int) -> Callable[[], Any]:
        """As in the base class."""
        from benchmarks.torch_cache import greedy_with_cache

        ids = self.torch.tensor(self.ids(1, prompt))
        return lambda: greedy_with_cache(self.model, ids, tokens)


class OnnxRuntime(Contender):
    """onnxruntime on the graph that PyTorch exports, one graph for each shape."""

    needs = ("torch", "onnxruntime", "onnx", "onnxscript")
    dtypes = ("float32",)

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """As in the base class."""
        import onnxruntime  # type: ignore[import-not-found,unused-ignore]
        import torch

        from course_lib.torch_gpt import load_numpy

        ids = self.ids(B, T)
        model = load_numpy(random_parameters(self.size, self.dtype), self.size.h)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            file = Path(folder) / "gpt2.onnx"
            torch.onnx.export(model, (torch.tensor(ids),), file, dynamo=True, verbose=False)
            session = onnxruntime.InferenceSession(
                file, options, providers=["CPUExecutionProvider"]
            )
        feed = {session.get_inputs()[0].name: ids}
        return lambda: session.run(None, feed)


class Gemm(Contender):
    """The limit: NumPy's matrix product alone, at the sizes of the MLP for 1024 rows."""

    def __init__(self, size: Size, dtype: str, threads: int) -> None:
        super().__init__(size, dtype, threads)
        rng = np.random.default_rng(0)
        rows = 1024
        self.a = rng.standard_normal((rows, size.d)).astype(dtype)
        self.b = rng.standard_normal((size.d, 4 * size.d)).astype(dtype)
        self.out = np.empty((rows, 4 * size.d), dtype)
        self.flops = 2 * rows * size.d * 4 * size.d

    def forward(self, B: int, T: int) -> Callable[[], Any]:
        """Multiply as long as a pass of this size would; `rate` is what it found."""
        times = max(3, self.size.forward_flops(B, T) // self.flops)

        def multiply() -> float:
            start = time.perf_counter()
            for _ in range(times):
                np.matmul(self.a, self.b, out=self.out)
            return self.flops * times / (time.perf_counter() - start)

        return multiply


CONTENDERS: dict[str, type[Contender]] = {
    "fast": Fast,
    "fast-new": FastNew,
    "readable": Readable,
    "torch": Torch,
    "onnxruntime": OnnxRuntime,
    "gemm": Gemm,
}
