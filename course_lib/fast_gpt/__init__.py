"""The fast GPT-2: the logits of `course_lib.gpt`, sooner, and continuing a text token by token.

>>> from course_lib import gpt_logits, init_gpt
>>> from course_lib.fast_gpt import FastGPT
>>> P = init_gpt(V=56, T=64, d=64, L=2)
>>> model = FastGPT(P, n_head=4)
>>> model([[1, 2, 3]]).round(9).tolist() == gpt_logits(P, [[1, 2, 3]], n_head=4).round(9).tolist()
True

Read `course_lib.gpt` to learn how GPT-2 works; read this to see what a computer makes of it.
"""

from course_lib.fast_gpt.generation import generate
from course_lib.fast_gpt.kv_cache import KVCache
from course_lib.fast_gpt.model import FastGPT

__all__ = ["FastGPT", "KVCache", "generate"]
