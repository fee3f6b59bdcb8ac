"""The command line of counting: one model, or the table of all.

python -m course_lib.counting MODEL_OR_CONFIG.json [--context T] [--json]
python -m course_lib.counting --table
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path
from typing import NoReturn

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_config import ConfigError, read_hub_config
from course_lib.counting.models import MODELS, UnknownModelError
from course_lib.counting.report import summary, table_markdown, text_report


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line instead of argparse's two, as for every other bad input."""
        self.exit(2, f"error: {message}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when it counted something, 2 for unusable input (one line on stderr)."""
    parser = _Parser(
        prog="python -m course_lib.counting",
        description="Count the parameters and FLOPs of a decoder, exactly.",
    )
    parser.add_argument("model", nargs="?", help="a name such as gpt2, or a config.json")
    parser.add_argument("--context", metavar="T", help="tokens in the context, for the FLOPs")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    parser.add_argument("--table", action="store_true", help="every known model, as Markdown")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a symbol that a terminal lacks stops no count
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if options.table:
            if options.model or options.context or options.json:
                raise ValueError("--table goes with no other argument")
            print(table_markdown(), end="")
            return 0
        if options.model is None:
            raise ValueError("name a model (gpt2, for example) or a config.json, or give --table")
        config = _model(options.model)
        T = config.T if options.context is None else _context(options.context)
        if options.json:
            print(json.dumps(summary(config, T)))
        else:
            print(text_report(config, T), end="")
    except (ValueError, UnknownModelError) as error:
        print(f"error: {' '.join(str(error).splitlines())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0


def _model(name: str) -> ModelConfig:
    path = Path(name)
    if name.endswith(".json") or path.is_file() or (path / "config.json").is_file():
        return read_hub_config(path)
    try:
        return MODELS[name]
    except UnknownModelError as error:
        if path.is_dir():
            raise ConfigError(f"the folder {name} holds no config.json, and {error}") from None
        raise


def _context(text: str) -> int:
    try:
        T = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        T = 0
    if T < 1:
        raise ValueError(f"--context must be a whole number of at least 1, got {text!r}")
    return T


if __name__ == "__main__":
    sys.exit(main())
