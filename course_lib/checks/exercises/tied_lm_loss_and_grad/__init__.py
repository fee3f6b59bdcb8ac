"""The exercise `tied_lm_loss_and_grad`: its points, cases, reference and mistakes."""

from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.exercises.tied_lm_loss_and_grad.inputs import make_cases
from course_lib.checks.exercises.tied_lm_loss_and_grad.reference import TiedModel
from course_lib.checks.exercises.tied_lm_loss_and_grad.switches import SWITCHES

EXERCISE = Exercise(
    name="tied_lm_loss_and_grad",
    contract="tied_lm_loss_and_grad(E, A, idx, targets) returns (loss, dE), a number and an array "
    "of the shape of E",
    section="06_tied_embedding",
    reference=TiedModel,
    make_cases=make_cases,
    parts=(
        Part("whole", "Loss and gradient on every input", 2),
        Part("loss", "The loss", 1, component=0),
        Part("head", "The gradient through the head", 1.5, ("saturated",)),
        Part("lookup", "The gradient through the lookup", 1.5, ("lookup",)),
        Part("repeats", "Repeated ids", 1, ("base", "many")),
        Part("stable", "Stable at large scores", 0.5, ("loud", "louder", "even")),
        Part("inputs", "Inputs unchanged", 0.25, conduct="inputs"),
        Part("repeat", "The same result on every call", 0.25, conduct="repeat"),
    ),
    switches=SWITCHES,
    arguments=("E", "A", "idx", "targets"),
)
