"""One planned run: a YAML file, or answers, as typed inputs that say where each value came from."""

from advisor.scenario.data import (
    ASSUMED,
    KEEP,
    TODAY,
    OriginKind,
    Override,
    Provided,
    Scenario,
)
from advisor.scenario.reader import ScenarioReader

__all__ = [
    "ASSUMED",
    "KEEP",
    "TODAY",
    "OriginKind",
    "Override",
    "Provided",
    "Scenario",
    "ScenarioReader",
]
