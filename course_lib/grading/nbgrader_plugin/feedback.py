"""The judge's feedback inside `nbgrader generate_feedback`, loaded only when that runs."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from course_lib.grading.feedback import FEEDBACK_PREPROCESSORS


class HideWhatIsHidden(NbGraderPreprocessor):  # type: ignore[misc]
    """Applies FEEDBACK_PREPROCESSORS, one after the other."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._steps = [step(parent=self.parent) for step in FEEDBACK_PREPROCESSORS]

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook with what a student may see."""
        for step in self._steps:
            nb, resources = step(nb, resources)
        return nb, resources
