"""Let a checkpoint continue a text: `python -m course_lib.generate FOLDER "prompt" --tokens 50`.

The folder holds model.safetensors, config.json and the vocabulary, as released GPT-2 models do.
The text goes to stdout as it comes, the speed to stderr. Needs the extra `checkpoints`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from course_lib.checkpoint import load_gpt2
from course_lib.fast_gpt import FastGPT, generate
from course_lib.sampling import GREEDY, Sampling
from course_lib.tokenizer import END_OF_TEXT, load_tokenizer, stream_text
from course_lib.validation import Ids

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 if its input is unusable."""
    options = _parser().parse_args(arguments)
    try:
        _continue_text(options)
    except ImportError as error:
        print(f"{error}: install the extra `checkpoints` (see the README)", file=sys.stderr)
        return 2
    except (OSError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m course_lib.generate", description=__doc__)
    parser.add_argument("folder", help="a checkpoint with its vocabulary")
    parser.add_argument("prompt", help="the text to continue; may be empty")
    parser.add_argument("--tokens", type=int, default=50, help="how many to add (default 50)")
    parser.add_argument("--greedy", action="store_true", help="always the likeliest token")
    parser.add_argument("--temperature", type=float, default=1.0, help="default 1.0; 0 is greedy")
    parser.add_argument("--top-k", type=int, help="only the k likeliest tokens")
    parser.add_argument("--top-p", type=float, default=1.0, help="only the likeliest, up to this")
    parser.add_argument("--seed", type=int, default=0, help="of the draws (default 0)")
    return parser


def _continue_text(options: argparse.Namespace) -> None:
    sampling = GREEDY if options.greedy else Sampling(
        options.temperature, options.top_k, options.top_p
    )  # fmt: skip
    tokenizer = load_tokenizer(options.folder)
    model = FastGPT(*load_gpt2(options.folder))
    ids = prompt_ids(tokenizer, options.prompt, model.V)

    start = time.perf_counter()
    steps = generate(model, [ids], options.tokens, sampling, options.seed)
    chosen: list[int] = []
    sys.stdout.write(options.prompt)
    for piece in stream_text(tokenizer, _until_the_end(tokenizer, steps, chosen)):
        sys.stdout.write(piece)
        sys.stdout.flush()
    print(flush=True)
    seconds = time.perf_counter() - start
    speed = f"{len(chosen) / seconds:.1f} tokens/s"
    print(f"{len(chosen)} tokens in {seconds:.2f} s: {speed}", file=sys.stderr)


def prompt_ids(tokenizer: Tokenizer, prompt: str, V: int) -> list[int]:
    """Return the ids of a prompt; for an empty one, the token that stands between texts.

    Raises:
        ValueError: the vocabulary is not the model's, or an empty prompt has no such token.
    """
    if tokenizer.get_vocab_size() > V:
        raise ValueError(
            f"the vocabulary has {tokenizer.get_vocab_size()} tokens, but the model knows V = {V}: "
            "they belong to different models"
        )
    ids: list[int] = tokenizer.encode(prompt).ids
    if ids:
        return ids
    end = tokenizer.token_to_id(END_OF_TEXT)
    if end is None:
        raise ValueError(
            f"the prompt must hold at least one token, got {prompt!r}: this vocabulary has no "
            f"{END_OF_TEXT} to start from"
        )
    return [end]


def _until_the_end(tokenizer: Tokenizer, steps: Iterator[Ids], chosen: list[int]) -> Iterator[int]:
    """Yield the tokens of one text up to the end-of-text token, and note each in `chosen`."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    for step in steps:
        token = int(step[0])
        chosen.append(token)
        if token == end:
            return
        yield token


if __name__ == "__main__":
    sys.exit(main())
