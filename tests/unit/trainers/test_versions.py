"""Versions: as typed, and as files pin them."""

from __future__ import annotations

import pytest

from advisor.errors import BadCall, FileProblems
from advisor.trainers.versions import compare, parse_version, read_versions, versions_of
from tests.unit.trainers.support import read

TYPED = [
    ("0.9.1", {"": (0, 9, 1)}),
    ("v0.9.1", {"": (0, 9, 1)}),
    ("trl==0.21.0", {"trl": (0, 21, 0)}),
    ("LLaMA_Factory=0.9.0.dev0", {"llama-factory": (0, 9, 0)}),
]


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_a_typed_version(typed, expected):
    assert versions_of(typed) == expected


@pytest.mark.parametrize("typed", ["", "new", "trl==", "trl>=0.2", "a b==1", "x==y"])
def test_what_is_no_version(typed):
    with pytest.raises(BadCall):
        versions_of(typed)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((0, 9), (0, 9, 0), 0), ((0, 9, 1), (0, 9), 1), ((0, 10), (0, 9), 1), ((1,), (2,), -1)],
)
def test_versions_in_order(one, other, expected):
    assert compare(one, other) == expected
    assert compare(other, one) == -expected


def test_what_is_behind_the_numbers_does_not_count():
    assert parse_version("1.2.3rc1") == (1, 2, 3)
    assert parse_version("latest") is None


FILES = [
    (
        "requirements.txt",
        "trl==0.21.0  # pinned\npeft[x]===0.9\ntorch>=2\n# trl==9\n-r other.txt\n",
        {"trl": (0, 21, 0), "peft": (0, 9)},
    ),
    (
        "uv.lock",
        '[[package]]\nname = "TRL"\nversion = "0.21.0"\n[[package]]\nname = "x"\n',
        {"trl": (0, 21, 0)},
    ),
    ("pylock.toml", '[[packages]]\nname = "trl"\nversion = "1.0"\n', {"trl": (1, 0)}),
    ("poetry.lock", "package = 3\n", {}),
]


@pytest.mark.parametrize(("name", "text", "expected"), FILES)
def test_a_file_that_pins_versions(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert read_versions(path, name) == expected
    assert versions_of(str(path)) == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("uv.lock", b"[[package"), ("uv.lock", b"\xff"), ("none.lock", None),
        ("uv.lock", b"x=" + b"[" * 5000),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read(tmp_path, name, data):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FileProblems):
        read_versions(path, name)


def test_the_version_of_another_package_does_not_count():
    text = "model_name_or_path: Qwen/Qwen2.5-7B\ndataset_name: x\noutput_dir: o\n"
    assert read(text, version="peft==0.1")["training.gradient_checkpointing"] is True
    assert read(text, version="trl==0.1")["training.gradient_checkpointing"] is False
