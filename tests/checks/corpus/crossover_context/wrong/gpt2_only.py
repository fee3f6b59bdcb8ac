# mistake: returns GPT-2's 3072 whatever d is
# accept: 3072; hard; constant; gpt-2; same; 768; depend
def crossover_context(d):
    return 3072
