import pytest

from poselift.core.errors import InputError
from poselift.detection.mmpose.backend import DEFAULT_CONFIG, DEFAULT_PERSON_CONFIG
from poselift.detection.mmpose.checkpoints import _PUBLISHED
from poselift.detection.mmpose.configs import find_config, published_weights


def test_a_path_is_taken_as_it_is(tmp_path):
    (tmp_path / "mine.py").write_text("")
    assert find_config(str(tmp_path / "mine.py")) == tmp_path / "mine.py"
    assert published_weights(tmp_path / "mine.py") is None
    with pytest.raises(InputError, match=r"other.py: no such file"):
        find_config(str(tmp_path / "other.py"))


@pytest.mark.parametrize("name", [DEFAULT_CONFIG, DEFAULT_PERSON_CONFIG, "rtmdet_tiny_8xb32-300e_coco"])
def test_shipped_configs_have_published_weights(name, installed):
    url = published_weights(find_config(name))
    assert url.startswith("https://download.openmmlab.com/")
    assert _PUBLISHED.search(url)


def test_a_mistyped_name_is_told_what_is_alike(installed):
    with pytest.raises(InputError, match=r"do you mean .*rtmpose-m_8xb256-420e_body8-256x192"):
        find_config("rtmpose-m_body8-256x192")
