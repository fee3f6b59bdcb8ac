# mistake: sums over a state dict in which the tied head stands a second time
# accept: tied; twice; tying; head$; untied; two times
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    sd = {"transformer.wte.weight": V * d, "transformer.wpe.weight": T * d}
    for layer in range(L):
        pre = f"transformer.h.{layer}."
        for mod, fan_in, fan_out in [("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d), ("mlp.c_proj", 4 * d, d)]:
            sd[pre + mod + ".weight"] = fan_in * fan_out
            if bias:
                sd[pre + mod + ".bias"] = fan_out
        for mod in ("ln_1", "ln_2"):
            sd[pre + mod + ".weight"] = d
            if bias:
                sd[pre + mod + ".bias"] = d
    sd["transformer.ln_f.weight"] = d
    if bias:
        sd["transformer.ln_f.bias"] = d
    sd["lm_head.weight"] = V * d
    return sum(sd.values())
