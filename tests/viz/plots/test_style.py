import itertools

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from poselift.core.errors import InputError
from poselift.viz.plots.share_found import ShareCurve, curve_plot
from poselift.viz.plots.style import COLUMN, LINE_STYLES, MOST_SERIES, save_figure, save_plot
from tests.core.full_disk import full_disk

pytestmark = pytest.mark.slow


def plot(labels=("ours",)):
    return curve_plot(
        [ShareCurve(label, place, (0.0, 1.0), (0.0, 50.0)) for place, label in enumerate(labels)], "x (mm)", "y (%)"
    )


# Dichromats' view of linear RGB, Viénot, Brettel and Mollon 1999: red and green are seen as one.
_DEUTERANOPE = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
_PROTANOPE = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])


@pytest.mark.parametrize("seen", [np.eye(3), _DEUTERANOPE, _PROTANOPE])
def test_looks_can_be_told_apart(seen):
    linear = [seen @ (np.array(to_rgb(look.color)) ** 2.2) for look in LINE_STYLES]
    for (a, one), (b, other) in itertools.combinations(enumerate(linear), 2):
        distance = np.linalg.norm(np.clip(one, 0, 1) ** (1 / 2.2) - np.clip(other, 0, 1) ** (1 / 2.2))
        same_line = LINE_STYLES[a].line == LINE_STYLES[b].line
        assert distance > (0.4 if same_line else 0.14), (LINE_STYLES[a], LINE_STYLES[b])
    assert len({look.marker for look in LINE_STYLES}) == MOST_SERIES


def test_files_are_whole_and_the_same_every_time(tmp_path):
    for name in ("a", "b"):
        save_plot(plot(), tmp_path / "new" / name)
    png, pdf = (tmp_path / f"new/a{ending}" for ending in (".png", ".pdf"))
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.pdf", "a.png", "b.pdf", "b.png"]
    assert png.read_bytes() == (tmp_path / "new/b.png").read_bytes()
    assert pdf.read_bytes() == (tmp_path / "new/b.pdf").read_bytes()
    with Image.open(png) as image:
        image.load()
        assert image.width == int(COLUMN * 300)
        assert np.asarray(image.convert("L")).min() < 50
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"CreationDate" not in content
    # Fonts as TrueType outlines, not as Type 3, which publishers refuse.
    assert b"/CIDFontType2" in content or b"/TrueType" in content
    assert b"/Type3" not in content


def test_the_users_own_settings_do_not_matter(tmp_path):
    save_plot(plot(), tmp_path / "plain")
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 50, "text.usetex": True}):
        save_plot(plot(), tmp_path / "own")
        assert matplotlib.rcParams["font.size"] == 20
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "own.png").read_bytes()


def test_names_are_printed_as_they_are(tmp_path, check_texts):
    names = ["$x^{2$", "_hidden", "50 % & {a}", r"\alpha <b>"]
    figure = plot(names)
    save_plot(figure, tmp_path / "plot")
    assert set(names) <= set(check_texts(figure))


def test_the_legend_has_as_many_columns_as_fit(check_texts, check_legend):
    def rows(labels) -> int:
        (legend,) = (figure := plot(labels)).legends
        check_texts(figure)
        check_legend(figure)
        return len({round(text.get_window_extent().y1) for text in legend.get_texts()})

    assert rows([f"m{number}" for number in range(8)]) == 2
    assert rows(["a method", "another of them"]) == 1
    assert rows(["one, " + "long " * 30, "two"]) == 2
    assert isinstance(plot(["W" * 100]), Figure)


@pytest.mark.parametrize("ending", [".pdf", ".png"])
def test_a_full_disk_is_one_error(ending, tmp_path):
    with full_disk(100), pytest.raises(InputError, match="free some space"):
        save_figure(plot(), tmp_path / f"a{ending}")
    assert not list(tmp_path.iterdir())
