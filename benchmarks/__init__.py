"""How fast the fast engine is, against named peers in the same run: `make bench`.

Each contender lives in a process of its own (`contender`), which waits until it is asked; the
parent (`__main__`) asks them one after another, round by round, so that whatever else the
machine does falls on all of them alike.
"""
