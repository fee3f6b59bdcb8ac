# mistake: the head is missing in the total
# accept: head$; V d; Vd; 2vd; vocab; logits
from fractions import Fraction


def attention_share(V, T, d, L):
    # everything divided by 2 d
    return float(Fraction(2 * T * L, 12 * L * d + 2 * T * L))
