"""The figures of the lessons, one file a lesson; `style.py` holds their common look.

Every function returns a `LessonFigure`: a picture with its description (alt text).
"""
