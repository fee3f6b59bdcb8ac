"""Parameters by component, as the signal-flow graph of lesson 1 names them.

`params_by_part` looks across the blocks (attention, MLP, norms); this view keeps the blocks whole.
"""

from course_lib.counting.config import ModelConfig
from course_lib.counting.tensors import Tensor, tensors

COMPONENTS = ("token embedding", "positions", "blocks", "final norm", "head")


def params_by_component(config: ModelConfig) -> dict[str, int]:
    """Parameters of each of COMPONENTS, in that order; their sum is the model's total.

    A component without parameters of its own (sinusoidal positions, a tied head) stays, with 0.
    Norms and projections right at the token table count with it.
    """
    counts = dict.fromkeys(COMPONENTS, 0)
    for t in tensors(config):
        counts[_component(t)] += t.count
    return counts


def _component(t: Tensor) -> str:
    if t.block is not None:
        return "blocks"
    if t.part == "position embedding":
        return "positions"
    if t.part == "head":
        return "head"
    return "final norm" if t.name.startswith("ln_f.") else "token embedding"
