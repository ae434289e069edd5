"""The shape of a model: its matrices, what is beside them, and the sums people ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Linear:
    """One kind of matrix: ``count`` of them in the whole model, each ``inputs`` x ``outputs``.

    ``experts`` is the number of experts in a layer for rows of the group ``experts``, else 1;
    ``count`` already includes it (layers x experts).
    """

    name: str
    group: str
    inputs: int
    outputs: int
    count: int
    experts: int = 1
    bias: bool = False

    @property
    def weights(self) -> int:
        """Parameters of the matrices alone."""
        return self.inputs * self.outputs * self.count

    @property
    def parameters(self) -> int:
        """Parameters of the matrices and of their biases."""
        return self.weights + (self.outputs * self.count if self.bias else 0)

    def row(self) -> dict[str, object]:
        """The row as rules see it."""
        return {
            "name": self.name,
            "group": self.group,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "count": self.count,
            "experts": self.experts,
        }


@dataclass(frozen=True, slots=True)
class Block:
    """Part of a model: its matrices, and ``rest``: norms, convolutions, positions, lone vectors."""

    linears: tuple[Linear, ...] = ()
    rest: int = 0

    def __add__(self, other: Block) -> Block:
        return Block(self.linears + other.linears, self.rest + other.rest)

    @property
    def parameters(self) -> int:
        """Everything in the block."""
        return sum(row.parameters for row in self.linears) + self.rest


class Text(NamedTuple):
    """A decoder: embedding, layers, head."""

    block: Block
    hidden_size: int
    layers: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    context_length: int | None
    embedding: int
    head: int
    tied: bool
    mlp: str
    norm: str
    norms_per_layer: int
    qk_norm: bool
    activation: str = ""
    parallel: bool = False
    rotary: bool = True
    experts: int = 0
    experts_per_token: int = 0
    window: int | None = None
    softcap: bool = False
    attention_kind: str = "standard"


class Vision(NamedTuple):
    """What a model has for images: tower and projector."""

    block: Block
    layers: int
    hidden_size: int
    intermediate_size: int
    tokens: int | None = None


class Shape(NamedTuple):
    """A whole model."""

    text: Text
    vision: Vision | None = None

    @property
    def linears(self) -> tuple[Linear, ...]:
        """Every matrix but embedding and head; rows without a matrix left out."""
        seen = self.text.block.linears + (self.vision.block.linears if self.vision else ())
        return tuple(row for row in seen if row.count)

    @property
    def parameters(self) -> int:
        """Parameters of the whole model; a tied head counts once."""
        tower = self.vision.block.parameters if self.vision else 0
        return self.text.embedding + self.text.head + self.text.block.parameters + tower

    @property
    def active_parameters(self) -> int:
        """Parameters that one token passes through: of the routed experts only those chosen."""
        resting = sum(
            row.parameters - row.parameters * self.text.experts_per_token // row.experts
            for row in self.text.block.linears
            if row.group == "experts"
        )
        return self.parameters - resting
