"""A course on the full GPT architecture: the engine's public names.

>>> from course_lib import init_gpt, gpt_logits
>>> P = init_gpt(V=56, T=64, d=64, L=2)
>>> gpt_logits(P, [[1, 2, 3]], n_head=4).shape
(1, 3, 56)

Each name is explained where it lives; importing this package costs NumPy and little else.
"""

from typing import TYPE_CHECKING, Any

from course_lib.gpt import gpt_logits
from course_lib.gpt_parameters import init_gpt
from course_lib.rustlab_random import RustlabRandom
from course_lib.tied import tied_lm_loss_and_grad

if TYPE_CHECKING:
    from course_lib.counting.gpt2 import count_gpt2_params

__all__ = [
    "RustlabRandom",
    "count_gpt2_params",
    "gpt_logits",
    "init_gpt",
    "tied_lm_loss_and_grad",
]


def __getattr__(name: str) -> Any:
    """Import counting at its first use: its tables and fractions take longer than all the rest."""
    if name == "count_gpt2_params":
        from course_lib.counting.gpt2 import count_gpt2_params

        return count_gpt2_params
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
