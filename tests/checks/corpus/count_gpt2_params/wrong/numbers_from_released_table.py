# mistake: returns the released GPT-2 sizes for known widths only
# accept: table; hard; 124439808; 124,439,808; other sizes; known; released; keyerror; exception; raised; error; depend
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    released = {768: 124439808, 1024: 354823168, 1280: 774030080, 1600: 1557611200}
    return released[d] if tied else released[d] + V * d
