"""The message of a run that ended for lack of GPU memory, as people paste or tell it."""

import re

from advisor.conversation.spoken import Words
from advisor.conversation.state import Crash
from advisor.units import parse_quantity

_AMOUNT = r"[0-9]{1,15}(?:\.[0-9]{1,9})? ?[KMGT]i?B"  # bounded, so that digits cost no time
_ASKED = rf"tried to allocate ({_AMOUNT})"
_CAPACITY = rf"total capacity of ({_AMOUNT})|({_AMOUNT}) total capacity"
_HELD = (
    rf"this process has ({_AMOUNT}) memory in use|({_AMOUNT}) reserved in total"
    rf"|({_AMOUNT}) already allocated"
)
# The sentences of the message, by version, so that what stands beside it is read on its own. All
# patterns are compiled on first use, which is after the first question is on the screen.
_SENTENCES = (
    r"[A-Za-z_.]{0,40}(?:OutOfMemoryError|RuntimeError)\s*:",
    r"(?:CUDA|HIP|XPU|NPU|MPS)(?: backend)?(?: error:)? out of memory\b[.,:]?",
    rf"tried to allocate {_AMOUNT}\.?(?: on private pool\.?)?",
    rf"GPU [0-9]+ has a total capacity of {_AMOUNT} of which {_AMOUNT} is free\.?",
    r"\(GPU [0-9]+;[^()\n]{0,200}\)",
    rf"Process [0-9]+ has {_AMOUNT} memory in use\.?",
    rf"Including non-PyTorch memory, this process has {_AMOUNT} memory in use\.?",
    rf"Of the allocated memory {_AMOUNT} is allocated by PyTorch, and {_AMOUNT} is"
    r" reserved by PyTorch but unallocated\.?",
    r"If reserved (?:but unallocated )?memory is [^\n]{0,120}? to avoid fragmentation\.?",
    r"See documentation for Memory Management\s*(?:\([^()\n]{0,200}\)|and PYTORCH_[A-Z_]+)",
)
_TRACE = r"Traceback \(most recent|  File \"|    |\s*[\^~]+\s*$"


def find_crash(text: str, words: Words) -> tuple[Crash | None, str]:
    """The crash that a text reports, and the text without the report; None and the text otherwise.

    In a person's own words (``out of memory``) it is a crash without figures.
    """
    rest = text
    for sentence in _SENTENCES[1:]:
        rest = re.sub(sentence, "\n", rest, flags=re.IGNORECASE)
    if rest != text:
        lines = re.sub(_SENTENCES[0], "\n", rest, flags=re.IGNORECASE).split("\n")
        rest = "\n".join(line for line in lines if not re.match(_TRACE, line))
    told = [phrase for phrase in words.crash if phrase in rest.casefold()]
    for phrase in told:
        rest = re.sub(rf"(?<![a-z]){re.escape(phrase)}(?![a-z])", " ", rest, flags=re.IGNORECASE)
    if rest == text:
        return None, text
    lasted = any(re.search(one, rest, re.IGNORECASE) for one in words.lasted)
    figures = (_bytes(_ASKED, text), _bytes(_CAPACITY, text), _bytes(_HELD, text))
    return Crash(*figures, lasted), rest


def _bytes(pattern: str, text: str) -> float | None:
    found = re.search(pattern, text, re.IGNORECASE)
    written = next((group for group in found.groups() if group), "") if found else ""
    return parse_quantity(written)[0] if written else None
