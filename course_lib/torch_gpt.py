"""The same GPT-2 as a PyTorch module, to be compared with `gpt.py` number by number.

Needs the optional extra `torch` (see the README). Submodules bear the names of the released
checkpoints (wte, wpe, h, ln_1, attn.c_attn, …), so loading is a matter of matching names.

`nn.Linear` keeps its weight as (output, input) and multiplies by Wᵀ; our matrices are
(input, output). `load_numpy` transposes each of them: forgetting that for the square c_proj of
the attention raises no error and gives a wrong model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the name it has everywhere
from numpy.typing import ArrayLike
from torch import Tensor, nn

from course_lib.checkpoint_names import checkpoint_tensors
from course_lib.gpt_parameters import Params, require_parameters
from course_lib.validation import require_heads, require_ids


class CausalSelfAttention(nn.Module):
    """Multi-head causal attention through PyTorch's fused kernel."""

    def __init__(self, d: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(d, 3 * d)
        self.c_proj = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, d) to (B, T, d)."""
        B, T, d = x.shape
        q, k, v = (
            part.view(B, T, self.n_head, d // self.n_head).transpose(1, 2)  # (B, h, T, d_k)
            for part in self.c_attn(x).split(d, dim=-1)
        )
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # scales by 1/√d_k
        out: Tensor = self.c_proj(heads.transpose(1, 2).reshape(B, T, d))
        return out


class MLP(nn.Module):
    """The position-wise part, d -> 4d -> d with the tanh form of GELU."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.c_fc = nn.Linear(d, 4 * d)
        self.c_proj = nn.Linear(4 * d, d)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, d) to (B, T, d)."""
        out: Tensor = self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))
        return out


class Block(nn.Module):
    """One pre-LN transformer block."""

    def __init__(self, d: int, n_head: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(d, eps=1e-5)
        self.attn = CausalSelfAttention(d, n_head)
        self.ln_2 = nn.LayerNorm(d, eps=1e-5)
        self.mlp = MLP(d)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, d) to (B, T, d)."""
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x  # noqa: RET504 - the two updates read alike


class TorchGPT(nn.Module):
    """GPT-2 with V tokens, context T, width d, L blocks and n_head heads.

    `with torch.device("meta"): TorchGPT(...)` builds it with shapes and no memory, to count.
    """

    def __init__(self, V: int, T: int, d: int, L: int, n_head: int) -> None:
        super().__init__()
        self.wte = nn.Embedding(V, d)
        self.wpe = nn.Embedding(T, d)
        self.h = nn.ModuleList(Block(d, n_head) for _ in range(L))
        self.ln_f = nn.LayerNorm(d, eps=1e-5)
        self.lm_head = nn.Linear(d, V, bias=False)
        self.lm_head.weight = self.wte.weight  # tied: two names, one tensor

    def forward(self, idx: Tensor) -> Tensor:
        """Map token ids (B, T) to logits (B, T, V)."""
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[-1], device=idx.device))
        for block in self.h:
            x = block(x)
        logits: Tensor = self.lm_head(self.ln_f(x))
        return logits

    def parameter_count(self) -> int:
        """Count the parameters; `parameters()` yields the tied matrix once."""
        return sum(p.numel() for p in self.parameters())


def load_numpy(P: Params, n_head: int) -> TorchGPT:
    """Return a TorchGPT with a copy of our NumPy parameters, in their dtype, ready to evaluate.

    Raises:
        KeyError, TypeError, ValueError: parameters or a head count that `gpt_logits` refuses too.
    """
    V, T, d = require_parameters(P)
    require_heads(d, n_head)
    with torch.device("meta"):
        model = TorchGPT(V, T, d, len(P["blocks"]), n_head)
    state = {}
    for name, value in checkpoint_tensors(P).items():
        is_linear = value.ndim == 2 and name not in ("wte.weight", "wpe.weight")
        state[name] = torch.from_numpy((value.T if is_linear else value).copy())
    state["lm_head.weight"] = state["wte.weight"]
    model.load_state_dict(state, assign=True)
    model.lm_head.weight = model.wte.weight
    return model.eval()


def torch_logits(P: Params, idx: ArrayLike, n_head: int) -> np.ndarray[Any, Any]:
    """Compute what `gpt_logits` computes, in PyTorch: (B, T) -> (B, T, V).

    Arguments and errors are those of `gpt_logits`.
    """
    model = load_numpy(P, n_head)
    ids = require_ids("idx", idx, vocabulary=len(P["wte"]), ndim=2, max_T=len(P["wpe"]))
    with torch.no_grad():
        logits: np.ndarray[Any, Any] = model(torch.tensor(ids)).numpy()
    return logits
