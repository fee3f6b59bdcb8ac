"""PyTorch's side of generation: the twin of lesson 8, token by token with kept keys and values."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name it has everywhere
from torch import Tensor

from course_lib.torch_gpt import TorchGPT


def greedy_with_cache(model: TorchGPT, ids: Tensor, tokens: int) -> Tensor:
    """Continue ids (1, T) by the likeliest tokens; return the new ones (tokens,)."""
    T, d = ids.shape[1], model.wte.weight.shape[1]
    blocks: Any = model.h  # nn.ModuleList knows only that it holds modules
    h = blocks[0].attn.n_head
    kept = [torch.empty(2, 1, h, T + tokens, d // h, dtype=model.wte.weight.dtype) for _ in blocks]
    new, past = ids, 0
    chosen: list[Tensor] = []
    for _ in range(tokens):
        seen = past + new.shape[1]
        x = model.wte(new) + model.wpe(torch.arange(past, seen))  # (1, n, d)
        for block, cache in zip(blocks, kept, strict=True):
            q, cache[0, :, :, past:seen], cache[1, :, :, past:seen] = (
                part.view(1, -1, h, d // h).transpose(1, 2)  # (1, h, n, d_k)
                for part in block.attn.c_attn(block.ln_1(x)).split(d, dim=-1)
            )
            heads = F.scaled_dot_product_attention(
                q, cache[0, :, :, :seen], cache[1, :, :, :seen], is_causal=past == 0
            )
            x = x + block.attn.c_proj(heads.transpose(1, 2).reshape(1, -1, d))
            x = x + block.mlp(block.ln_2(x))
        new = model.lm_head(model.ln_f(x[:, -1:])).argmax(dim=-1)  # (1, 1)
        chosen.append(new)
        past = seen
    return torch.cat(chosen, dim=1)[0]
