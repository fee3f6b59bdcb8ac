"""The questions with short answers, by name; each lives in a file named after its notebook."""

from course_lib.assignment.questions import anatomy, causality, flops, parameters
from course_lib.assignment.short_answers import Question

QUESTIONS: dict[str, Question] = {
    question.name: question
    for module in (parameters, flops, causality, anatomy)
    for question in module.QUESTIONS
}
