import cv2
import pytest

from poselift.training.loss_curves import plot_curves

# Of the fonts' own files.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.slow
def test_both_files_show_something(tmp_path):
    rows = {step: {"train/loss": 1 / (step + 1), "train/position": 0.5 / (step + 1)} for step in range(40)}
    rows[19]["val/mpjpe"], rows[39]["val/mpjpe"] = 60.0, 50.0
    png, pdf = plot_curves(rows, tmp_path)
    picture = cv2.imread(str(png), cv2.IMREAD_UNCHANGED)
    assert picture.shape[1] == round(6.875 * 300)
    assert (picture[..., :3] < 200).any(-1).mean() > 0.01
    assert pdf.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("rows", [{0: {"train/loss": 1.0}}, {3: {"val/mpjpe": 70.0}}])
def test_half_of_it_is_drawn_too(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, file, **options: file.write(b"drawn"))
    assert all(path.is_file() for path in plot_curves(rows, tmp_path))
