"""Several sources at once, each with its weight and masked to the joints that it truly has."""

from collections.abc import Mapping, Sequence

import torch

from poselift.core.errors import InputError
from poselift.data.batches import Batch, BatchSource
from poselift.data.cmu_bench import CmuBench
from poselift.data.module import MotionData
from poselift.data.views import View


class MixedSource:
    """Batches whose windows come from several sources.

    Args:
        sources: on one device, for one lifter.
        weights: for each source its share of the windows, against the others'.
    """

    def __init__(self, sources: Sequence[BatchSource], weights: Sequence[float | int]) -> None:
        self.sources, self.device = sources, sources[0].device
        self._weights = torch.tensor(weights, dtype=torch.float32, device=self.device)

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """Draws from which source each window comes, and then the windows; those of one source lie together."""
        chosen = torch.multinomial(self._weights, count, replacement=True, generator=generator)
        counts = chosen.bincount(minlength=len(self.sources)).tolist()
        return Batch.concatenate(
            [source.sample(own, generator) for source, own in zip(self.sources, counts, strict=True) if own]
        )


class MixedData(MotionData):
    """Several data modules as one.

    Args:
        sources: by name. How large batches are, and how many an epoch has, is said for the mix and not for them.
        weights: for each source its share of the windows, against the others'; a source of weight 0 is not read to
            train on. All have the same if left out.
        validate: the source whose views are validated on.
        **common: as for `MotionData`.

    Raises:
        InputError: there is no source, no weight above 0, or a name is that of no source.
    """

    def __init__(
        self,
        sources: Mapping[str, MotionData],
        validate: str,
        weights: Mapping[str, float | int] | None = None,
        **common: object,
    ) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        if not sources:
            raise InputError("a mix needs sources: add them as +data@data.sources.NAME=NAME, e.g. NAME cmu or h36m")
        weights = dict.fromkeys(sources, 1.0) if weights is None else weights
        for name in [*weights, validate]:
            if name not in sources:
                raise InputError(f"the mix has no source called {name!r}; it has {', '.join(sources)}")
        if min(weights.values()) < 0 or max(weights.values()) == 0:
            raise InputError(f"weights in a mix are not negative, and not all 0; these are {dict(weights)}")
        self.sources, self.weights, self.validate = sources, weights, validate

    def training_source(self, device: torch.device) -> MixedSource:
        """The sources that have a weight."""
        weights = {name: weight for name, weight in self.weights.items() if weight > 0}
        return MixedSource([self.sources[name].training_source(device) for name in weights], list(weights.values()))

    def validation_views(self) -> Sequence[View] | CmuBench:
        """Those of the source to validate on."""
        return self.sources[self.validate].validation_views()
