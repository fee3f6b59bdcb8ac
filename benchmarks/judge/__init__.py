"""How fast submissions are graded, beside stock nbgrader: `python -m benchmarks judge`.

`courses` makes the courses in a scratch folder, `answers` what students wrote, `measure` runs a
command and counts the time, computing time and memory of all its processes, `report` says what
came out.
"""
