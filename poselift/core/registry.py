"""Weights by name: shipped ones, and published ones that poselift can download."""

import urllib.parse
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from poselift.core.choices import did_you_mean
from poselift.core.download import cache_folder, fetch
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.safe_parsing import read_yaml

_FOLDER = Path(__file__).parents[1] / "weights"


@dataclass(frozen=True)
class RegistryEntry:
    """An entry of `poselift/weights/registry.yaml`.

    Attributes:
        name: name of the weights.
        what: short description.
        licence: licence of the weights.
        sha256: SHA-256 in lower-case hex, or its known first digits.
        size: bytes; None if unknown.
        shipped: path of a shipped file; None for a file to download.
        urls: addresses to download from.
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
        """Path of the file, also before its download."""
        return self.shipped or cache_folder() / PurePosixPath(urllib.parse.urlsplit(self.urls[0]).path).name

    def get(self, offline: bool = False) -> Path:
        """Path of the verified file, downloaded if necessary.

        Raises:
            InputError: the file is missing or damaged, and cannot be downloaded.
        """
        if self.shipped is None:
            return fetch(self.path.name, self.urls, self.sha256, offline)
        if not self.shipped.is_file():
            raise InputError(f"{self.shipped} is missing; reinstall poselift")
        if sha256(self.shipped) != self.sha256:
            raise InputError(f"{self.shipped} is damaged (other SHA-256); reinstall poselift")
        return self.shipped


@cache
def registry() -> dict[str, RegistryEntry]:
    """All weights by name."""
    content = read_yaml(_FOLDER / "registry.yaml", "reinstall poselift")
    return {
        name: RegistryEntry(
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


def published(name: str) -> RegistryEntry:
    """The entry of this name.

    Raises:
        InputError: no weights have this name; the message has similar names.
    """
    if name not in registry():
        hint = did_you_mean(name, registry()) or "run `poselift weights list` for the names"
        raise InputError(f"no weights are called {name!r}; {hint}")
    return registry()[name]
