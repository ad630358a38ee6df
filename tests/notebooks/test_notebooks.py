import ast
import warnings
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def result_of(name):
    """Runs a notebook from its first cell to its last; what the cell with the tag "result" gives."""
    with warnings.catch_warnings():
        # Jupyter's own packages warn of their own and of each other's futures.
        warnings.simplefilter("ignore")
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        resources = {"metadata": {"path": str(NOTEBOOKS)}}
        NotebookClient(notebook, timeout=500, kernel_name="python3", resources=resources).execute()
    [cell] = [cell for cell in notebook.cells if "result" in cell.metadata.get("tags", ())]
    [output] = cell.outputs
    return ast.literal_eval(output.data["text/plain"])


@pytest.mark.slow
def test_from_rnn_to_transformer():
    errors = result_of("from_rnn_to_transformer")
    assert list(errors) == ["RNN", "LSTM", "Bahdanau", "Transformer"]
    for name, error in errors.items():
        assert 10 < error["trained"] < 300, name
        assert error["trained"] < 0.6 * error["untrained"], name


@pytest.mark.slow
def test_attention_compared():
    result = result_of("attention_compared")
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
