"""The byte-level BPE of GPT-2, from the vocabulary files that come with a checkpoint.

Text becomes UTF-8 bytes, each byte a printable character, and learned merges join them into
tokens; so there is no text without tokens, and a token may end in the middle of a character.
The `tokenizers` package does the work; needs the extra `checkpoints`.

Source: Radford et al. (2019), section 2.2; Sennrich et al. (2016).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

END_OF_TEXT = "<|endoftext|>"
# The same two files under the names of Hugging Face and of OpenAI.
PAIRS = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))


def load_tokenizer(folder: str | os.PathLike[str]) -> Tokenizer:
    """Return the tokenizer of a checkpoint's folder; `.encode(text).ids` and `.decode(ids)` use it.

    It looks for vocab.json with merges.txt, encoder.json with vocab.bpe, and tokenizer.json.
    Special tokens are never made from the text itself: "<|endoftext|>" in a prompt is the token.

    Raises:
        FileNotFoundError: none of these is there.
        ValueError: a file of another kind.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = Path(folder)
    for vocabulary, merges in PAIRS:
        if not ((folder / vocabulary).exists() and (folder / merges).exists()):
            continue
        try:
            bpe = models.BPE.from_file(str(folder / vocabulary), str(folder / merges))
        except Exception as error:  # the package raises bare Exceptions
            raise ValueError(
                f"{folder}: expected the vocabulary of GPT-2 in {vocabulary} and {merges}, "
                f"but {error}"
            ) from None
        tokenizer = Tokenizer(bpe)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        if tokenizer.token_to_id(END_OF_TEXT) is not None:
            tokenizer.add_special_tokens([END_OF_TEXT])
        return tokenizer
    file = folder / "tokenizer.json"
    if file.exists():
        try:
            return Tokenizer.from_file(str(file))
        except Exception as error:  # as above
            raise ValueError(f"{file}: expected a tokenizer, but {error}") from None
    raise FileNotFoundError(
        f"{folder}: expected vocab.json and merges.txt there, or encoder.json and vocab.bpe, or "
        "tokenizer.json; they come with every GPT-2 checkpoint"
    )


def stream_text(tokenizer: Tokenizer, ids: Iterable[int]) -> Iterator[str]:
    """Yield the text of ids as they come, holding back characters that are not complete yet.

    Joined, the pieces are the text of all ids. A character that never becomes complete comes at
    the end, as U+FFFD.
    """
    from tokenizers.decoders import DecodeStream

    stream = DecodeStream(skip_special_tokens=False)
    seen: list[int] = []
    sent = ""
    for token in ids:
        seen.append(token)
        piece = stream.step(tokenizer, token)
        if piece:
            sent += piece
            yield piece
    rest = tokenizer.decode(seen, skip_special_tokens=False)[len(sent) :]
    if rest:
        yield rest
