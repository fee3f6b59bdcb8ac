# mistake: only QKᵀ is counted as attention, 2 T d L
# accept: AV; A V; mix; 2TdL; 4TdL; half; values; one of the; both; second product; only qkᵀ; only the scores; qkᵀ only
def attention_share(V, T, d, L):
    self_attn = 2 * T * d * L
    return self_attn / (2 * (12 * L * d**2 + V * d) + self_attn)
