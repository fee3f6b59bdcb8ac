# mistake: the share is rounded to four decimals
# accept: round; decimals; digits; precision; exact
def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    return round(attention / (2 * (12 * L * d**2 + V * d) + attention), 4)
