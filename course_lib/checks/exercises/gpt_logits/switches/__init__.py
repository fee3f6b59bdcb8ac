"""The classic mistakes in `gpt_logits`, one named switch each, by box of the diagram.

To add one, write in the file of its box:

    switch(
        "my_mistake", "The mistake in a few words",
        "What you did, and why it is wrong, in a sentence or two.",
        LESSON, "mask",                                # the lesson to reread, the part it costs
        visible=lambda m, T: np.tri(T, k=1) > 0,       # the method of `GPT2` it replaces
    ),

`m` is the running model (m.P, m.h, m.T, m.d, m.layer: see ../reference.py). If the same mistake
can be written in several ways that give different numbers, pass one dict of methods for each way
instead. The tests then check that it differs from the right answer, and from all other switches.
"""

from course_lib.checks.exercises.gpt_logits.switches import (
    embedding,
    heads,
    layer_norm,
    mask,
    memory,
    mlp,
    other_block,
    other_models,
    output,
    scores,
    wiring,
)

SWITCHES = (
    *layer_norm.SWITCHES,
    *embedding.SWITCHES,
    *heads.SWITCHES,
    *scores.SWITCHES,
    *mask.SWITCHES,
    *mlp.SWITCHES,
    *wiring.SWITCHES,
    *other_block.SWITCHES,
    *other_models.SWITCHES,
    *output.SWITCHES,
    *memory.SWITCHES,
)
