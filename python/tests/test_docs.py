"""docs/python.md: its examples. docs/python.ipynb: executed, in a folder of its own."""
import doctest
import os
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(os.environ.get("TAUT_SOURCE", Path(__file__).resolve().parents[2])) / "docs"
pytestmark = pytest.mark.skipif(not (DOCS / "python.md").exists(), reason="no source tree")


def test_page():
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "python.md").read_text(), re.S | re.M)
    assert len(blocks) > 4
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", str(DOCS / "python.md"), 0)
    said: list[str] = []
    results = doctest.DocTestRunner().run(test, out=said.append)
    assert not results.failed, "".join(said)


def test_notebook(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    preprocess = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    # The kernel of this interpreter, whatever others are installed for the user.
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", '
        '"language": "python"}' % sys.executable)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    notebook = nbformat.read(DOCS / "python.ipynb", as_version=4)
    preprocess.ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(
        notebook, {"metadata": {"path": str(tmp_path)}})
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    pages = [output.data.get("text/html", "") for output in outputs if "data" in output]
    assert any("<iframe" in page for page in pages) and any("<svg" in page for page in pages)
    pictures = [output for output in outputs if "data" in output and "image/png" in output.data]
    assert len(pictures) == 2
    made = tmp_path / "python.png"
    assert made.stat().st_size > 10000
    if os.environ.get("TAUT_FIGURES"):
        Path(os.environ["TAUT_FIGURES"], "python.png").write_bytes(made.read_bytes())
