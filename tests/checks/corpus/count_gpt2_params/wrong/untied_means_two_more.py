# mistake: an untied model is given two extra tables instead of one
# accept: untied; twice & head$; head$ & once; 2vd; two & head$; head$ & double; extra table; head$ & two; double & vd
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    copies = 1 if tied else 3          # input, output, ...
    body = L * (12 * d ** 2 + (13 * d if bias else 2 * d))
    return copies * V * d + T * d + body + (2 * d if bias else d)
