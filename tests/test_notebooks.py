"""Every notebook runs from its first cell to its last."""

import os
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient", reason="notebooks are run with nbclient, of the extra `dev`")
import nbformat  # noqa: E402

from tests.conftest import CACHE  # noqa: E402

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"


@pytest.mark.filterwarnings("ignore")  # of the machinery that runs notebooks; kernels are processes of their own
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(CACHE))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FOLDER.parent), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert not any(output.output_type == "error" for cell in notebook.cells for output in cell.get("outputs", ()))
