"""The judge inside nbgrader, by configuration alone.

In nbgrader_config.py:

    from course_lib.grading.nbgrader_plugin import configure
    configure(c)

Then `nbgrader autograde` and the formgrader's button grade through the judge, feedback hides what
must stay hidden, and `nbgrader zip_collect` knows the file names of Canvas and Moodle. `c.Judge`
holds the limits.
"""

from __future__ import annotations

from typing import Any

HERE = "course_lib.grading.nbgrader_plugin"


def configure(c: Any) -> None:
    """Set nbgrader's own extension points; `c` is what `get_config()` gives.

    What the course sets after this call goes before it. Classes are named, so that a command
    loads what it uses.
    """
    c.Autograde.exporter_class = f"{HERE}.exporter.JudgeExporter"
    # The exporter does what these lists are for; nothing of a submission is run by nbgrader.
    c.Autograde.sanitize_preprocessors = []
    c.Autograde.autograde_preprocessors = []
    c.GenerateFeedback.preprocessors = [f"{HERE}.feedback.HideWhatIsHidden"]
    c.ZipCollectApp.collector_plugin = f"{HERE}.lms_files.LmsFileCollector"
    c.ZipCollectApp.extractor_plugin = f"{HERE}.archives.CarefulExtractor"
    # A second archive adds to the first: students who are in both get their folder anew.
    c.ZipCollectApp.force = True
