"""Compute-optimal training budgets (Hoffmann et al. 2022) and what they mean in bits."""

from typing import NamedTuple

from course_lib.validation import require_int

TOKENS_PER_PARAMETER = 20
BITS_PER_TOKEN = 5  # about 1.1 bits a character times 4.5 characters a token
BITS_PER_PARAMETER = 32  # float32


class Budget(NamedTuple):
    """What a compute-optimal run of a model with `params` parameters needs."""

    params: int
    tokens: int  # D = 20 P
    flops: int  # C = 6 P D
    parameter_bits: int  # 32 P
    data_bits: int  # 5 D

    @property
    def data_bits_per_parameter_bit(self) -> float:
        """Bits of text shown per bit of parameter budget: 20 * 5 / 32 = 3.125 for any model."""
        return self.data_bits / self.parameter_bits


def chinchilla(P: int) -> Budget:
    """The compute-optimal budget of a model with P parameters, at 20 tokens a parameter."""
    P = require_int("P", P)
    D = TOKENS_PER_PARAMETER * P
    return Budget(P, D, 6 * P * D, BITS_PER_PARAMETER * P, BITS_PER_TOKEN * D)
