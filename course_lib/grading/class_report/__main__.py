"""`python -m course_lib.grading.class_report ASSIGNMENT`: write the class report."""

from __future__ import annotations

import argparse
import sys

from course_lib.grading.class_report.command import add_arguments, run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m course_lib.grading.class_report")
    add_arguments(parser)
    sys.exit(run(parser.parse_args()))
