"""The GPU catalogue: every file against arithmetic, against itself, and against known mistakes."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.catalog.gpu_file import read_gpu
from advisor.catalog.index import build_index
from advisor.source import read_text
from advisor.units import parse_quantity

FOLDER = Path(__file__).parents[2] / "gpus"
KEYS = {"catalogue", "gpu", "name", "aliases", "verified", "checked", "facts", "prices"}
NEEDED = {
    "vendor", "architecture", "memory_marketed", "bandwidth", "bf16", "flash_attention", "nvlink",
}  # fmt: skip
UNITS = {
    "memory_marketed": {"GiB"}, "memory_smi": {"MiB"}, "memory_torch": {"GiB", "MiB"},
    "bandwidth": {"GB/s"}, "nvlink": {"GB/s"}, "pcie": {"GB/s"},
    "peak_bf16": {"TFLOP/s"}, "peak_fp16": {"TFLOP/s"}, "peak_fp32": {"TFLOP/s"},
    "peak_fp8": {"TFLOP/s"}, "measured_bf16": {"TFLOP/s"},
}  # fmt: skip
PLAIN = {
    "vendor": str, "architecture": str, "compute_capability": float, "sm_count": int,
    "boost_mhz": int, "bf16": bool, "flash_attention": bool,
}  # fmt: skip
VENDORS = {"nvidia", "amd", "intel", "apple", "huawei", "google", "aws"}
VENDOR_WORDS = {"nvidia", "geforce", "amd", "radeon", "instinct", "tesla", "intel", "quadro"}
NOT_READ = ("recalled", "derived")


@cache
def cards() -> dict[str, Any]:
    """Every file of the catalogue by its file name without the suffix."""
    return {
        path.stem: read_text(path.read_text("utf-8"), path.name).data
        for path in sorted(FOLDER.glob("*.yaml"))
    }


@cache
def index() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "index.json").read_text("utf-8"))
    return found


IDS = sorted(path.stem for path in FOLDER.glob("*.yaml"))
every_card = pytest.mark.parametrize("gpu", IDS)


def value(gpu: str, fact: str) -> Any:
    """A fact in base units, or None when the file does not have it."""
    found = cards()[gpu]["facts"].get(fact)
    if found is None:
        return None
    return parse_quantity(found["value"])[0] if fact in UNITS else found["value"]


def read_in_a_source(gpu: str, *facts: str) -> bool:
    """Whether one of the facts is there and was neither recalled nor computed."""
    found = [cards()[gpu]["facts"][fact] for fact in facts if fact in cards()[gpu]["facts"]]
    return any(not fact["source"].startswith(NOT_READ) for fact in found)


def fold(text: str) -> str:
    """The reference of how names are compared."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return "".join(word for word in words if word not in VENDOR_WORDS)


def candidates(text: str) -> list[str]:
    found: list[str] = index()["names"].get(fold(text), [])
    return found


# ------------------------------------------------------------------------------------- shape


def test_enough_cards_and_no_stray_file() -> None:
    vendors = Counter(value(gpu, "vendor") for gpu in IDS)
    assert vendors["nvidia"] + vendors["amd"] >= 60
    assert set(vendors) <= VENDORS
    assert {path.suffix for path in FOLDER.iterdir()} == {".yaml", ".json", ".md"}


@every_card
def test_shape(gpu: str) -> None:
    card = cards()[gpu]
    assert card["gpu"] == gpu
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", gpu)
    assert set(card) - {"prices"} == KEYS - {"prices"}
    assert card["catalogue"] == 1
    assert type(card["verified"]) is bool
    assert datetime.date.fromisoformat(card["checked"]).year >= 2026
    assert card["aliases"]
    assert all(type(alias) is str for alias in card["aliases"])
    assert len(set(card["aliases"]) | {gpu, card["name"]}) == len(card["aliases"]) + 2


@every_card
def test_facts_are_known_complete_and_sourced(gpu: str) -> None:
    facts = cards()[gpu]["facts"]
    assert not set(facts) - set(UNITS) - set(PLAIN)
    assert not NEEDED - set(facts)
    for name, fact in facts.items():
        assert set(fact) == {"value", "source"}, name
        assert type(fact["source"]) is str, name
        assert len(fact["source"].strip()) >= 8, name
        if name in UNITS:
            unit = parse_quantity(fact["value"])[1]
            assert unit is not None, name
            assert unit.name in UNITS[name], name
        else:
            assert type(fact["value"]) is PLAIN[name], name


@every_card
def test_the_loader_takes_every_file(gpu: str) -> None:
    path = FOLDER / f"{gpu}.yaml"
    entry = read_gpu(read_text(path.read_text("utf-8"), path.name))
    assert entry.id == gpu
    assert set(cards()[gpu]["facts"]) <= set(entry.facts)
    assert ("price_likely" in entry.facts) == ("prices" in cards()[gpu])


@every_card
def test_nothing_unknown_is_written_as_zero(gpu: str) -> None:
    for fact in set(UNITS) - {"nvlink"}:
        assert value(gpu, fact) is None or value(gpu, fact) > 0, fact


# ------------------------------------------------------------------------------------ memory


@every_card
def test_memory_figures_shrink_from_box_to_torch(gpu: str) -> None:
    marketed, smi, torch = (value(gpu, f"memory_{kind}") for kind in ("marketed", "smi", "torch"))
    assert 8 * 2**30 <= marketed <= 512 * 2**30
    assert smi is None or smi <= marketed
    assert torch is None or torch <= marketed
    if gpu != "l20":  # its torch figure was read with ECC off, its nvidia-smi figure is with ECC on
        assert smi is None or torch is None or torch <= smi
    if value(gpu, "vendor") != "apple":  # no card gives up a tenth: a typo does
        assert min(filter(None, (marketed, smi, torch))) >= 0.9 * marketed


@pytest.mark.parametrize(
    ("gpu", "at_most"),
    [
        ("rtx-4090", 23.6), ("rtx-3090", 23.7), ("rtx-5090", 31.4), ("t4", 14.6), ("l4", 22.1),
        ("a10g", 22.0), ("a100-sxm-80gb", 79.2), ("h100-sxm", 79.2), ("b200", 178.4),
        ("mi250-gcd", 64.0), ("max-1550-tile", 64.0), ("m2-ultra-192gb", 144.0),
    ],
)  # fmt: skip
def test_no_card_promises_more_than_torch_can_take(gpu: str, at_most: float) -> None:
    figures = [value(gpu, f"memory_{kind}") for kind in ("marketed", "smi", "torch")]
    assert min(filter(None, figures)) <= at_most * 2**30


# ------------------------------------------------------------------------------------- peaks


def flop_per_clock(gpu: str) -> int:
    """Dense fp16 or bf16 tensor FLOP of one SM (compute unit) in one clock, full rate."""
    capability = value(gpu, "compute_capability")
    if capability is None:
        family = re.match(r"[A-Z]+\d?", value(gpu, "architecture"))
        assert family
        return {"CDNA": 512, "CDNA2": 1024, "CDNA3": 2048, "CDNA4": 4096, "RDNA3": 512}[family[0]]
    return {8.0: 2048, 9.0: 4096}.get(capability, 1024)


def halves_for_fp32_accumulation(gpu: str) -> bool:
    geforce = any("GeForce" in alias for alias in cards()[gpu]["aliases"])
    return geforce or gpu in {"a10g", "l20", "l40", "gb10"}


PEAKED = [
    gpu for gpu in IDS
    if value(gpu, "boost_mhz") and (value(gpu, "peak_bf16") or value(gpu, "peak_fp16"))
]  # fmt: skip


def test_the_formula_reaches_nearly_every_nvidia_and_amd_card() -> None:
    ours = {gpu for gpu in IDS if value(gpu, "vendor") in {"nvidia", "amd"}}
    assert ours - set(PEAKED) == {"p100", "p40", "b200", "b300", "gb200", "gb300"}


@pytest.mark.parametrize("gpu", PEAKED)
def test_tensor_peak_is_cores_times_rate_times_clock(gpu: str) -> None:
    peak = value(gpu, "peak_bf16") or value(gpu, "peak_fp16")
    computed = value(gpu, "sm_count") * flop_per_clock(gpu) * value(gpu, "boost_mhz") * 1e6
    computed /= 2 if halves_for_fp32_accumulation(gpu) else 1
    assert peak == pytest.approx(computed, rel=0.03)


@every_card
def test_fp32_peak_is_lanes_times_two_times_clock(gpu: str) -> None:
    capability, clock = value(gpu, "compute_capability"), value(gpu, "boost_mhz")
    if capability is None or clock is None or capability == 9.0:
        return  # Hopper: boost_mhz is the tensor clock, fp32 is published at the full boost
    lanes = 64 if capability in {6.0, 7.0, 7.5, 8.0} else 128
    computed = value(gpu, "sm_count") * lanes * 2 * clock * 1e6
    assert value(gpu, "peak_fp32") == pytest.approx(computed, rel=0.03)


@every_card
def test_peaks_stand_in_the_ratio_of_their_widths(gpu: str) -> None:
    bf16, fp16, fp8 = (value(gpu, f"peak_{kind}") for kind in ("bf16", "fp16", "fp8"))
    if value(gpu, "vendor") in {"nvidia", "amd"}:
        assert fp8 is None or fp8 == pytest.approx(2 * bf16, rel=0.03)
        if gpu != "mi100":  # CDNA runs bf16 at half the fp16 rate
            assert bf16 is None or fp16 == bf16
    assert bf16 is None or value(gpu, "peak_fp32") is None or value(gpu, "peak_fp32") <= bf16


@every_card
def test_measured_is_near_the_peak(gpu: str) -> None:
    measured, peak = value(gpu, "measured_bf16"), value(gpu, "peak_bf16")
    if measured is not None:
        assert 0.4 * peak <= measured <= 1.2 * peak


@pytest.mark.parametrize(
    ("gpu", "true", "wrong"),
    [
        ("rtx-4090", 165.2, {82, 82.6, 330.3, 660.6}),  # without tensor cores, fp16 sums, sparse
        ("rtx-3090", 71.2, {35.6, 36, 142, 284}),
        ("rtx-5090", 209.5, {104.8, 419, 838}),
        ("a100-sxm-80gb", 312, {624}),
        ("h100-sxm", 989.4, {1979, 312}),
        ("rtx-a6000", 154.8, {38.7, 309.7}),
        ("a10g", 70, {125, 140}),
        ("l40", 181, {362}),
        ("mi300x", 1307.4, {2614.9}),
        ("gaudi-3", 1677, {1835}),
    ],
)
def test_peak_is_dense_with_fp32_accumulation(gpu: str, true: float, wrong: set[float]) -> None:
    peak = value(gpu, "peak_bf16") / 1e12
    assert peak == pytest.approx(true, rel=0.01)
    assert not [number for number in wrong if peak == pytest.approx(number, rel=0.01)]


@every_card
def test_bf16_and_flash_attention_follow_the_hardware(gpu: str) -> None:
    capability, bf16 = value(gpu, "compute_capability"), value(gpu, "bf16")
    if value(gpu, "vendor") == "nvidia":
        assert bf16 == (capability >= 8.0)
        assert value(gpu, "flash_attention") == (capability >= 8.0)
    assert bf16 or value(gpu, "peak_bf16") is None
    assert bf16 or value(gpu, "peak_fp8") is None
    assert bf16 or value(gpu, "measured_bf16") is None
    if bf16 and gpu != "ascend-910b-64gb":  # sources give it 256 to 400, by sub-model
        assert value(gpu, "peak_bf16") is not None


def test_cards_without_tensor_cores_have_no_tensor_peak() -> None:
    for gpu in ("p100", "p40"):
        assert value(gpu, "peak_fp16") is None
        assert value(gpu, "peak_bf16") is None


# ------------------------------------------------------------------------------------- links


@every_card
def test_links_are_one_direction(gpu: str) -> None:
    assert value(gpu, "pcie") in {None, 16e9, 32e9, 64e9}
    assert 0 <= value(gpu, "nvlink") <= 900e9


@pytest.mark.parametrize(
    ("gpu", "gigabytes"),
    [
        ("a100-sxm-80gb", 300), ("h100-sxm", 450), ("b200", 900), ("rtx-3090", 56.25),
        ("a800-sxm", 200), ("rtx-4090", 0), ("rtx-5090", 0), ("l40s", 0), ("t4", 0), ("a10g", 0),
    ],
)  # fmt: skip
def test_nvlink(gpu: str, gigabytes: float) -> None:
    assert value(gpu, "nvlink") == gigabytes * 1e9


# ----------------------------------------------------------------------------------- verified


@every_card
def test_verified_means_memory_and_tensor_peak_were_read(gpu: str) -> None:
    memory = read_in_a_source(gpu, "memory_smi", "memory_torch")
    peak = read_in_a_source(gpu, "peak_bf16" if value(gpu, "bf16") else "peak_fp16")
    ours = value(gpu, "vendor") in {"nvidia", "amd"}
    assert cards()[gpu]["verified"] == (memory and peak and ours)


@pytest.mark.parametrize("gpu", ["rtx-4090", "rtx-3090", "a100-sxm-80gb", "h100-sxm", "t4", "l4"])
def test_the_usual_cards_are_verified(gpu: str) -> None:
    assert cards()[gpu]["verified"]


@pytest.mark.parametrize("gpu", ["gb10", "h800", "a10g", "mi250-gcd", "gaudi-3", "m4-max-128gb"])
def test_what_nobody_read_is_not_verified(gpu: str) -> None:
    assert not cards()[gpu]["verified"]


# ------------------------------------------------------------------------------------- prices

PRICED = [gpu for gpu in IDS if "prices" in cards()[gpu]]


def test_most_rented_cards_have_a_price() -> None:
    rented = {"rtx-4090", "rtx-3090", "a100-sxm-80gb", "h100-sxm", "l4", "t4", "h200-sxm", "b200"}
    assert rented <= set(PRICED)
    assert len(PRICED) >= 35


@pytest.mark.parametrize("gpu", PRICED)
def test_price_is_an_honest_range(gpu: str) -> None:
    card, prices = cards()[gpu], cards()[gpu]["prices"]
    assert set(prices) - {"spot"} == {"low", "likely", "high", "providers", "as_of", "source"}
    assert set(prices) <= {"low", "likely", "high", "providers", "spot", "as_of", "source"}
    hourly = {}
    for key in {"low", "likely", "high", "spot"} & set(prices):
        amount, unit = parse_quantity(prices[key])
        assert unit is not None
        assert unit.name == "USD/h"
        hourly[key] = amount * 3600
    assert 0.05 <= hourly["low"] <= hourly["likely"] <= hourly["high"] <= 20
    assert 0 < hourly.get("spot", hourly["likely"]) <= hourly["likely"]
    assert type(prices["providers"]) is int
    assert prices["providers"] >= 1
    if prices["providers"] > 1:
        assert hourly["low"] < hourly["high"]
    assert prices["source"]
    as_of = datetime.date.fromisoformat(prices["as_of"])
    assert datetime.date(2024, 1, 1) <= as_of <= datetime.date.fromisoformat(card["checked"])


@pytest.mark.parametrize("gpu", PRICED)
def test_price_is_never_dated_later_than_its_oldest_part(gpu: str) -> None:
    prices = cards()[gpu]["prices"]
    oldest = {"schema v6": "2024-01-01", "schema v8": "2025-11-06", "schema v9": "2026-01-01"}
    parts = [date for words, date in oldest.items() if words in prices["source"]]
    assert all(prices["as_of"] <= date for date in parts)


@pytest.mark.parametrize("gpu", ["h100-sxm", "a100-sxm-80gb", "l40s"])
def test_providers_are_companies_not_rows(gpu: str) -> None:
    rows = re.search(r"of (\d+) medians", cards()[gpu]["prices"]["source"])
    assert rows
    assert cards()[gpu]["prices"]["providers"] < int(rows[1])


# -------------------------------------------------------------------------------------- names


def test_folded_ids_and_names_belong_to_one_card() -> None:
    owners: dict[str, set[str]] = {}
    for gpu, card in cards().items():
        for text in (gpu, card["name"], *card["aliases"]):
            owners.setdefault(fold(text), set()).add(gpu)
    for gpu, card in cards().items():
        assert owners[fold(gpu)] == {gpu}
        assert owners[fold(card["name"])] == {gpu}
    assert "" not in owners


def test_index_is_what_the_files_say() -> None:
    names: dict[str, set[str]] = {}
    for gpu, card in cards().items():
        for text in (gpu, card["name"], *card["aliases"]):
            names.setdefault(fold(text), set()).add(gpu)
    assert index() == {
        "names": {name: sorted(ids) for name, ids in names.items()},
        "files": {gpu: f"{gpu}.yaml" for gpu in IDS},
    }


def test_index_is_up_to_date() -> None:
    assert (FOLDER / "index.json").read_text("utf-8") == build_index(FOLDER)


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("4090", "rtx-4090"), ("rtx4090", "rtx-4090"), ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("RTX 4090 24 GB", "rtx-4090"), ("3060 12GB", "rtx-3060"), ("RTX3090", "rtx-3090"),
        ("nvidia a100-sxm4-80gb", "a100-sxm-80gb"), ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"), ("H100 NVL", "h100-nvl"), ("Tesla T4", "t4"),
        ("3080 12G", "rtx-3080-12gb"), ("V100 32GB", "v100-32gb"), ("MI250", "mi250-gcd"),
        ("Radeon RX 7900 XTX", "rx-7900-xtx"), ("DGX Spark", "gb10"), ("l40s", "l40s"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"), ("4070 Ti SUPER", "rtx-4070-ti-super"),
    ],
)  # fmt: skip
def test_one_card(text: str, gpu: str) -> None:
    assert candidates(text) == [gpu]


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("a100", {"a100-pcie-40gb", "a100-sxm-40gb", "a100-pcie-80gb", "a100-sxm-80gb"}),
        ("A100-80GB", {"a100-pcie-80gb", "a100-sxm-80gb"}),
        ("A100 40G", {"a100-pcie-40gb", "a100-sxm-40gb"}),
        ("h100", {"h100-sxm", "h100-pcie", "h100-nvl"}),
        ("NVIDIA H200", {"h200-sxm", "h200-nvl"}),
        ("3080", {"rtx-3080-10gb", "rtx-3080-12gb"}),
        ("NVIDIA GeForce RTX 3080", {"rtx-3080-10gb", "rtx-3080-12gb"}),
        ("Tesla V100", {"v100-16gb", "v100-32gb"}),
        ("4060 Ti", {"rtx-4060-ti-8gb", "rtx-4060-ti-16gb"}),
        ("5060Ti", {"rtx-5060-ti-8gb", "rtx-5060-ti-16gb"}),
        ("RTX PRO 6000", {"rtx-pro-6000-workstation", "rtx-pro-6000-server"}),
        (
            "RTX 6000",
            {"rtx-6000-turing", "rtx-6000-ada", "rtx-pro-6000-workstation", "rtx-pro-6000-server"},
        ),
        ("A800", {"a800-sxm", "a800-pcie"}),
        ("910B", {"ascend-910b-64gb", "ascend-910b4"}),
        ("M2 Ultra", {"m2-ultra-64gb", "m2-ultra-192gb"}),
    ],
)
def test_ambiguous_names_list_every_card(text: str, gpus: set[str]) -> None:
    assert set(candidates(text)) == gpus


@pytest.mark.parametrize(
    "text",
    [
        "", "NVIDIA", "GeForce RTX", "Tesla", "RTX", "24GB", "80GB",
        "RTX 4090 48GB", "4090 Laptop", "RTX 4080 Laptop", "3080 20GB", "2060", "RTX 2060",
        "H100 SXM 94GB", "H20 141GB", "A100 160GB", "A100X", "V100S", "T40", "L4S", "40", "100",
        "MI300A", "M2 Pro", "RTX PRO 6000 Max-Q", "5090 24GB",
    ],
)  # fmt: skip
def test_what_is_not_in_the_catalogue_is_not_guessed(text: str) -> None:
    assert candidates(text) == []
