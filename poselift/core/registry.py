"""Weights by name: what comes with the package, and what others publish and poselift can fetch."""

import urllib.parse
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import yaml

from poselift.core.choices import did_you_mean
from poselift.core.download import cache_folder, fetch
from poselift.core.errors import InputError
from poselift.core.files import sha256

_FOLDER = Path(__file__).parents[1] / "weights"


@dataclass(frozen=True)
class Published:
    """A file of weights, as `poselift/weights/registry.yaml` has it.

    Attributes:
        name: by which it is asked for.
        what: it is, in a few words.
        licence: of the weights.
        sha256: of the file in lower-case hex; its first digits where no more is known.
        size: bytes; None where it is not known.
        shipped: the file, for what comes with the package; None for what is fetched.
        urls: where it can be fetched.
    """

    name: str
    what: str
    licence: str
    sha256: str
    size: int | None = None
    shipped: Path | None = None
    urls: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where the file is, or will be once it is fetched."""
        return self.shipped or cache_folder() / PurePosixPath(urllib.parse.urlsplit(self.urls[0]).path).name

    def get(self, offline: bool = False) -> Path:
        """The file, checked; fetched if it has to be.

        Raises:
            InputError: it is missing or damaged and cannot be fetched.
        """
        if self.shipped is None:
            return fetch(self.path.name, self.urls, self.sha256, offline)
        if not self.shipped.is_file():
            raise InputError(f"{self.shipped} is missing; reinstall poselift")
        if sha256(self.shipped) != self.sha256:
            raise InputError(f"{self.shipped} is damaged (other SHA-256); reinstall poselift")
        return self.shipped


@cache
def registry() -> dict[str, Published]:
    """All weights by name."""
    content = yaml.safe_load((_FOLDER / "registry.yaml").read_text(encoding="utf-8"))
    return {
        name: Published(
            name,
            entry["what"],
            entry["licence"],
            entry.get("sha256") or entry["sha256_begins"],
            entry.get("size"),
            _FOLDER / entry["file"] if "file" in entry else None,
            tuple(entry.get("urls", ())),
        )
        for name, entry in content.items()
    }


def published(name: str) -> Published:
    """Weights by name.

    Raises:
        InputError: there are none of this name; the message has names that are alike.
    """
    if name not in registry():
        hint = did_you_mean(name, registry()) or "poselift weights list shows the names"
        raise InputError(f"no weights are called {name!r}; {hint}")
    return registry()[name]
