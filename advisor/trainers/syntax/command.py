"""One command's words: launcher, program, positional arguments and flags."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from advisor.trainers.keys import Unresolved


class Word(NamedTuple):
    """One word of a command: its text without quotes, as it is written, and its place."""

    text: str
    raw: str
    start: int
    end: int

    def after(self, size: int) -> "Word":
        """The rest of the word behind its first characters (which no quote touches)."""
        kind = type(self.text)
        return Word(kind(self.text[size:]), self.raw[size:], self.start + size, self.end)


Flags = dict[str, tuple[Word, list[Word]]]
"""The word that names each flag, and those that follow it."""


@dataclass(slots=True)
class Arguments:
    """What a command is made of."""

    program: Word
    flags: Flags = field(default_factory=dict)
    launcher: Flags = field(default_factory=dict)
    positional: list[Word] = field(default_factory=list)
    environment: dict[str, Word] = field(default_factory=dict)


_WRAPPERS = frozenset(
    ("nohup", "time", "sudo", "exec", "env", "command", "srun", "poetry", "uv", "run")
)
# What starts other programs, each with the words that may follow before its flags do.
_LAUNCHERS = {
    "torchrun": (),
    "accelerate": ("launch",),
    "deepspeed": (),
    "tune": ("run",),
    "oumi": ("distributed", "torchrun", "accelerate"),
    "torch.distributed.run": (),
    "torch.distributed.launch": (),
    "accelerate.commands.launch": (),
}
_PYTHONS = ("python", "python3", "pypy3")


def read_command(words: Sequence[Word]) -> Arguments:
    """The parts of a command without its leading assignments."""
    rest = list(words)
    cut = next((at for at, word in enumerate(rest) if word.text == "--"), None)
    if cut is not None and cut + 1 < len(rest):  # `ray job submit … -- python …`
        rest = rest[cut + 1 :]
    while len(rest) > 1 and _is_wrapper(rest[0]):
        rest.pop(0)
    launcher: Flags = {}
    while len(rest) > 1:
        name = _base(rest[0].text)
        if name in _PYTHONS:
            rest = _python(rest)
            if _base(rest[0].text) not in _LAUNCHERS:
                break
            continue
        if name not in _LAUNCHERS or (name == "oumi" and rest[1].text != "distributed"):
            break
        launcher["program"] = (rest[0], [rest[0]])
        rest.pop(0)
        while len(rest) > 1 and rest[0].text in _LAUNCHERS[name]:
            rest.pop(0)
        rest = _launch(rest, launcher)
    arguments = Arguments(rest[0], launcher=launcher)
    _flags(rest[1:], arguments)
    return arguments


def _is_wrapper(word: Word) -> bool:
    """`nohup`, the `run` of `uv run`, the `A=1` of `env A=1`."""
    name, sign, _ = word.text.partition("=")
    return word.text in _WRAPPERS or (bool(sign) and name.isidentifier())


def _base(text: str) -> str:
    name = text.rpartition("/")[2]
    return "python3" if name.startswith("python3.") else name


def _python(rest: list[Word]) -> list[Word]:
    """What Python starts: a script or the module behind ``-m``."""
    rest = rest[1:]
    while len(rest) > 1 and rest[0].text.startswith("-"):
        is_module = rest[0].text == "-m"
        rest = rest[1:]
        if is_module:
            break
    return rest


def _launch(rest: list[Word], launcher: Flags) -> list[Word]:
    """Take a launcher's own flags; what is left starts with the program."""
    at = 0
    while at < len(rest):
        word = rest[at]
        if not _is_flag(word):
            if isinstance(word.text, Unresolved) and at < len(rest) - 1:  # flags in a variable
                at += 1
                continue
            break
        name, value = _named(word)
        if word.text in ("-m", "--module"):
            at += 1
            break
        at += 1
        if value is not None:
            launcher[name] = (word, [value])
        elif at < len(rest) - 1 and not _is_flag(rest[at]) and not rest[at].text.endswith(".py"):
            launcher[name] = (word, [rest[at]])
            at += 1
        else:
            launcher[name] = (word, [])
    return rest[at:] or rest[-1:]


def _flags(rest: Sequence[Word], arguments: Arguments) -> None:
    """The flags of the program itself, each with every word up to the next flag."""
    current: list[Word] | None = None
    for word in rest:
        if _is_flag(word):
            name, value = _named(word)
            current = [] if value is None else [value]
            arguments.flags[name] = (word, current)
            if value is not None:
                current = None
            continue
        key, sign, _ = word.text.partition("=")
        if current is None and sign and key.replace(".", "_").replace("+", "").isidentifier():
            arguments.flags[key.lstrip("+")] = (word, [word.after(len(key) + 1)])
        elif current is None:
            arguments.positional.append(word)
        else:
            current.append(word)


def _is_flag(word: Word) -> bool:
    text = word.text
    return len(text) > 1 and text[0] == "-" and not text[1].isdigit() and text[1] != "."


def _named(word: Word) -> tuple[str, Word | None]:
    """A flag's name with underscores, and the value written behind its ``=``."""
    name, sign, _ = word.text.partition("=")
    value = word.after(len(name) + 1) if sign else None
    if value is not None and isinstance(word.text, Unresolved):
        value = value._replace(text=Unresolved(value.text))
    return name.lstrip("-").replace("-", "_"), value
