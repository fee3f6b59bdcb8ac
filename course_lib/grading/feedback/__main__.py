"""`python -m course_lib.grading.feedback ASSIGNMENT`: write the feedback pages."""

from __future__ import annotations

import argparse
import sys

from course_lib.grading.feedback.command import add_arguments, run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m course_lib.grading.feedback")
    add_arguments(parser)
    sys.exit(run(parser.parse_args()))
