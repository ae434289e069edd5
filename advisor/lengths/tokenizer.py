"""Tokens counted by a tokenizer.json, with the tokenizers package where it is installed."""

from collections.abc import Callable, Sequence
from pathlib import Path

from advisor.errors import FileProblems, Problem, Span, said, whole
from advisor.source import read_bytes

MAX_BYTES = 64 << 20


def read_tokenizer(path: Path, shown: str) -> Callable[[Sequence[str]], list[int]]:
    """A function that counts the tokens of texts.

    Raises FileProblems without the package, for a file that is too large or unreadable, and for one
    that is no tokenizer.
    """
    data = read_bytes(path, shown, MAX_BYTES)
    try:
        import tokenizers
    except ImportError:
        hint = said("pip install tokenizers, or leave --tokenizer out for an estimate.")
        message = said("counting tokens needs the package tokenizers.")
        raise FileProblems([Problem("needs-package", message, hint, Span(shown))]) from None
    try:
        loaded = tokenizers.Tokenizer.from_buffer(data)
        loaded.no_truncation()
        loaded.no_padding()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the library is no Exception
        reason = (str(error).splitlines() or ["unknown"])[0][:200]
        message = said("this is no tokenizer: {reason}.", reason=whole(reason))
        hint = said("Give the tokenizer.json of the model.")
        raise FileProblems([Problem("value", message, hint, Span(shown))]) from None

    def count(texts: Sequence[str]) -> list[int]:
        encoded = loaded.encode_batch(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    return count
