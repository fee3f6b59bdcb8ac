"""The command line of the explorer: write the saved page.

python -m course_lib.anatomy --out page.html
python -m course_lib.anatomy --rules    (after a change of course_lib.counting's tensors)
"""

from __future__ import annotations

import argparse
import sys

from course_lib.anatomy.page import write_page
from course_lib.anatomy.rules import RULES, as_json, derive


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when it has written, 2 when it cannot (one line on stderr)."""
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.anatomy",
        description="Write the interactive anatomy of a transformer as one page.",
    )
    parser.add_argument("--out", metavar="PAGE.html", help="where the page goes")
    parser.add_argument("--rules", action="store_true", help="derive rules.json anew")
    options = parser.parse_args(arguments)
    if not options.out and not options.rules:
        parser.error("say where the page goes: --out page.html")
    try:
        if options.rules:
            RULES.write_text(as_json(derive()), encoding="utf-8")
            print(f"wrote {RULES.name}")
        if options.out:
            print(f"wrote {write_page(options.out)}")
    except OSError as error:
        print(f"error: cannot write {options.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
