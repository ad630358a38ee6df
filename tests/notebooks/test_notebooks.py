"""The notebooks run from their first cell to their last, and their results are those that their text states."""

import json
import re
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from tests.cli.running import hydra_as_before

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def result_of(name, **instead):
    """The value of the cell with the tag "result", after all code cells ran.

    They run in this process, because a Jupyter kernel takes seconds to start and import.

    Args:
        name: of the notebook.
        instead: of the value that the notebook assigns to a name, the code that replaces it.
    """
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code[-1]["metadata"]["tags"] == ["result"]
    sources = ["".join(line for line in cell["source"] if not line.startswith("%")) for cell in code]
    for variable, value in instead.items():
        assignment = re.compile(rf"^{variable} = .*$", re.MULTILINE)
        assert sum(len(assignment.findall(source)) for source in sources) == 1
        sources = [assignment.sub(f"{variable} = {value}", source) for source in sources]
    names = {"__name__": "__main__"}
    for number, source in enumerate(sources[:-1]):
        exec(compile(source, f"{name}.ipynb, code cell {number}", "exec"), names)
    # The exercise's test tells the solution from an empty answer.
    assert names["right"](names["solution"])
    assert not names["right"](names["yours"])
    return eval(compile(sources[-1].strip(), f"{name}.ipynb, last cell", "eval"), names)


@pytest.fixture(autouse=True)
def without_traces():
    """Draws no windows, and puts back the settings that a notebook changes for itself."""
    with hydra_as_before(), warnings.catch_warnings(), mpl.rc_context({"backend": "agg"}):
        warnings.simplefilter("ignore")  # as Jupyter shows them: they are not what is tested here
        yield
    plt.close("all")


@pytest.mark.slow
def test_from_rnn_to_transformer():
    errors = result_of("from_rnn_to_transformer", **{"FRAMES, STEPS": "24, 30"})
    assert list(errors) == ["RNN", "LSTM", "Bahdanau", "Transformer"]
    for name, error in errors.items():
        assert 10 < error["trained"] < 300, name
        assert error["trained"] < 0.6 * error["untrained"], name


@pytest.mark.slow
def test_train_a_lifter(capsys):
    result = result_of("train_a_lifter", STEPS="60")
    assert "HYDRA" not in capsys.readouterr().out, "the log of fonts, for one"
    assert result["validation"] < result["mean_pose"]
    assert result["p_mpjpe"] < result["mpjpe"] < 300
    assert 10 < result["pck150"] < 100
    assert result["poses"]["best"] < result["poses"]["median"] < result["poses"]["worst"]


@pytest.mark.slow
def test_attention_compared():
    result = result_of("attention_compared", counts="[2**k for k in range(5, 13)]")
    assert -0.6 < result["performer_slope"] < -0.35  # the paper's: -1/2
    nearest, whole = result["local_errors"]
    assert nearest > 0.1
    assert whole < 1e-4
    one, eight = result["lsh_kept"]
    assert 0.05 < one < eight <= 1
    growth = result["growth"]
    assert growth.pop("scaled_dot") > 1.7
    assert growth.pop("strided") < 1.3
    assert all(exponent < 1.15 for exponent in growth.values())


@pytest.mark.slow
def test_lift_a_video():
    result = result_of("lift_a_video", SECONDS="1.0")
    assert result["people"] >= 1
    assert 5 < result["knee"] < 150
    assert 20 < result["ankle_mm"] < 300


@pytest.mark.slow
def test_warm_ups():
    result = result_of("warm_ups", STEPS="12", BLOCKS="(6,)")
    largest = {name: run["largest"] for name, run in result.items()}
    bare = largest.pop("post-norm, no warm-up, 6 blocks")
    warm = [value for name, value in largest.items() if "no warm-up" not in name]
    assert len(warm) == 5
    assert bare > 1.5 * max(warm)


def test_metrics_that_disagree():
    table = result_of("metrics_that_disagree")
    assert table["turned by 15 degrees"]["p_mpjpe"] < 0.01 < 40 < table["turned by 15 degrees"]["mpjpe"]
    assert table["10 % too large"]["n_mpjpe"] < 0.01
    assert table["depth the wrong way"]["p_mpjpe"] > 100, "no reflection"
    wrist = table["one wrist at its shoulder"]
    assert wrist["p_mpjpe"] > wrist["mpjpe"]
    noise, still = table["2 cm of new noise a frame"], table["the mean pose, never moving"]
    assert noise["mpjpe"] < still["mpjpe"]
    assert noise["mpjve"] > still["mpjve"]
    assert still["jitter"] < 1e-6


@pytest.mark.slow
def test_your_own_detector():
    result = result_of("your_own_detector")
    assert result["frames"] == 150
    assert result["p_mpjpe"] < 60
