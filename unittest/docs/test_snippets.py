"""The input scripts and Python programs in the documentation's pages, run small against the plugin of this build."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "styles"))

from lammps_run import run_lammps  # noqa: E402
from snippets import CONTEXTS, PAIR_FILE, snippets  # noqa: E402

LAMMPS = snippets("lammps")
# Steps of a page's script that a test makes: enough for a list and a line of output.
STEPS = 20


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def shortened(script):
    """The same script with runs of at most STEPS steps and boxes of at most 4 cells on an edge."""
    script = re.sub(r"^(run\s+)(\d+)", lambda run: run[1] + str(min(int(run[2]), STEPS)), script, flags=re.M)
    return re.sub(r"^(region\s+\w+\s+block\s+)0 (\d+) 0 (\d+) 0 (\d+)",
                  lambda box: box[1] + " ".join(f"0 {min(int(edge), 4)}" for edge in box.groups()[1:]), script,
                  flags=re.M)


def test_pages_have_snippets():
    """The parser finds the blocks, and few of them are left out."""
    left_out = [snippet for snippet in LAMMPS if snippet.context.startswith("none")]
    assert len(LAMMPS) > 40
    assert len(left_out) <= 10, "too many snippets do not run: " + ", ".join(map(str, left_out))


@pytest.mark.parametrize("snippet", [snippet for snippet in LAMMPS if not snippet.context.startswith("none")], ids=str)
def test_lammps(snippet):
    assert snippet.context in CONTEXTS, f"{snippet}: the test knows no surroundings named '{snippet.context}'"
    before, after = CONTEXTS[snippet.context]
    result = run_lammps(shortened(f"{before}{snippet.text}\n{after}"), files=PAIR_FILE)
    assert result.runs, f"{snippet}: nothing ran"


@pytest.mark.parametrize("snippet", snippets("python"), ids=str)
def test_python(snippet, tmp_path):
    """Programs that use LAMMPS's Python module, or ASE."""
    for module in re.findall(r"^(?:from|import) (\w+)", snippet.text, re.M):
        pytest.importorskip(module, reason=f"{module} is not installed, which only this program needs")
    result = subprocess.run([sys.executable, "-c", shortened(snippet.text)], cwd=tmp_path, env=os.environ,
                            capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
