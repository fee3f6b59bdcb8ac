"""The far side of the wall: where a student's code runs.

Nothing here knows a hidden test, an expected value or a score. `fork_server.py` is started clean,
by exec; each notebook gets a child of it, which locks itself in before the first line of the
student's code is compiled, and then does what the judge asks: run a cell, look up names, call.
"""
