from pathlib import Path, PurePosixPath

import pytest
import yaml

from poselift.core.errors import InputError
from poselift.core.registry import published, registry
from poselift.detection.mmpose.configs import find_config, published_weights
from poselift.detection.mmpose.mmpose_checkpoints import _PUBLISHED

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [name for name in registry() if name.startswith("rtm")][::5])
def test_the_registry_agrees_with_what_mmpose_ships(name, installed):
    """A config of each name is there, and where a listing beside it names weights, they are these."""
    config = find_config(name)
    listed = [
        model["Weights"]
        for listing in sorted(config.parent.glob("*.yml"))
        for model in yaml.safe_load(listing.read_text())["Models"]
        if Path(model.get("Config", "")).stem == name
    ]
    assert [PurePosixPath(url).name for url in listed] == [published(name).path.name] * len(listed)
    assert listed or name.endswith("_coco-person")


def test_weights_that_are_not_in_the_registry_are_found_in_the_listings(installed):
    url = published_weights(find_config("td-hm_hrnet-w32_udp-8xb64-210e_coco-256x192"))
    assert url.startswith("https://download.openmmlab.com/")
    assert _PUBLISHED.search(url)


def test_a_mistyped_name_is_told_what_is_alike(installed):
    with pytest.raises(InputError, match=r"did you mean .*rtmpose-m_8xb256-420e_body8-256x192"):
        find_config("rtmpose-m_body8-256x192")
