"""Low-rank additions to a transformer's linear maps (LoRA, Hu et al., ICLR 2022): a megabyte beside shared weights."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

_DOWN, _UP = ".down", ".up"


class LowRank(nn.Module):
    """A linear map W with a product of two small matrices added to it: x ↦ W x + up down x. `up` starts at zero."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, inputs: Tensor) -> Tensor:
        """Shapes: (…, in) → (…, out)."""
        return self.base(inputs) + linear(linear(inputs, self.down), self.up)  # type: ignore[no-any-return]


def add_low_rank(model: nn.Module, rank: int) -> dict[str, nn.Parameter]:
    """Give every linear map of the model's layers an addition, and freeze all else.

    Returns what is to be learned by the name of the map, ending in `.down`, shape (rank, in), or `.up`, (out, rank).
    """
    model.requires_grad_(False)
    found: dict[str, nn.Parameter] = {}
    layers = model.get_submodule("encoder")
    for name, module in [each for each in layers.named_modules() if isinstance(each[1], nn.Linear)]:
        holder, _, attribute = name.rpartition(".")
        added = LowRank(module, rank)
        setattr(layers.get_submodule(holder), attribute, added)
        found |= {f"encoder.{name}{_DOWN}": added.down, f"encoder.{name}{_UP}": added.up}
    return found


@torch.no_grad()
def merge_low_rank(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Add what `add_low_rank` named, once it is learned, to the weights themselves."""
    for name, up in tensors.items():
        if name.endswith(_UP):
            base = name.removesuffix(_UP)
            model.get_submodule(base).weight += up.float() @ tensors[base + _DOWN].float()  # type: ignore[operator]
