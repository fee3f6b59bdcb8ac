"""The anatomy of a transformer: every part of every decoder in the table, clickable and exact.

`Anatomy("gpt2", T=8)` in a notebook; `python -m course_lib.anatomy --out page.html` for a page that
works from a file. Both are the JavaScript in static/; its numbers come from `course_lib.counting`,
by way of `payload.py` (models) and `rules.py` (which tensors a model has).
"""

from course_lib.anatomy.page import page, write_page
from course_lib.anatomy.widget import Anatomy

__all__ = ["Anatomy", "page", "write_page"]
