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
# Bytes that print stand for themselves in the vocabulary; the others are moved beyond U+0100.
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_BYTES = [*_PRINTABLE, *(b for b in range(256) if b not in _PRINTABLE)]
_CHARACTERS = [chr(b) for b in _PRINTABLE] + [chr(256 + i) for i in range(256 - len(_PRINTABLE))]
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


def byte_vocabulary() -> dict[str, int]:
    """Return GPT-2's tokens 0 to 255, one for each byte in its order, and <|endoftext|> as 256.

    Source: the code released with Radford et al. (2019).
    """
    return {**{c: i for i, c in enumerate(_CHARACTERS)}, END_OF_TEXT: 256}


def token_label(tokenizer: Tokenizer, token: int) -> str:
    """Return one token's text for an axis: a space as ␣, a part of a character as its bytes."""
    stored = tokenizer.id_to_token(token)
    if stored is None:
        return f"id {token}"
    text: str = tokenizer.decode([token], skip_special_tokens=False)
    if "\ufffd" in text:
        return " ".join(f"<{_BYTES[_CHARACTERS.index(c)]:02X}>" for c in stored)
    visible = text.replace(" ", "␣").replace("\n", "⏎")
    return "".join(c if c.isprintable() else f"<{ord(c):02X}>" for c in visible)


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
