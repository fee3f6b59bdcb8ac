"""The exercise `gpt_logits`: its points, its cases, its reference and its mistakes."""

from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.exercises.gpt_logits.constants import CONSTANTS
from course_lib.checks.exercises.gpt_logits.inputs import loop_probes, make_cases
from course_lib.checks.exercises.gpt_logits.reference import GPT2
from course_lib.checks.exercises.gpt_logits.stacking import STACKING
from course_lib.checks.exercises.gpt_logits.switches import SWITCHES

EXERCISE = Exercise(
    name="gpt_logits",
    contract="gpt_logits(P, idx, n_head) returns the logits, a float array of shape (B, T, V)",
    section="07_gpt2_numpy",
    reference=GPT2,
    make_cases=make_cases,
    parts=(
        Part("whole", "The whole model, residuals and order of blocks included", 2.5),
        Part("embed", "Embedding, head and the form of the result", 1, ("embed_head",)),
        Part(
            "norm", "Layer norm: statistics, ε, gain and bias", 1, ("embed_head", "quiet", "level")
        ),
        Part(
            "heads", "Queries, keys and values, heads, output projection", 1, ("mean", "attention")
        ),
        Part("scores", "Scale and softmax", 1, ("one_head", "attention")),
        Part("mask", "The causal mask", 1, ("mean", "one_head")),
        Part("mlp", "The MLP and its GELU", 1, ("mlp",)),
        Part(
            "loud",
            "Stable at large scores, nothing leaks",
            0.5,
            ("loud", "louder", "even", "loud_mlp"),
        ),
        Part("inputs", "Inputs unchanged", 0.25, conduct="inputs"),
        Part("repeat", "The same result on every call", 0.25, conduct="repeat"),
        Part("loops", "No loop over positions, heads or batch", 0.5, conduct="loops"),
    ),
    switches=SWITCHES,
    arguments=("P", "idx", "n_head"),
    probes=loop_probes,
    stacking=STACKING,
    constants=CONSTANTS,
    runs=2_500,
)
