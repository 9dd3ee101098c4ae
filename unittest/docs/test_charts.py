"""The charts of the documentation: benchmarks/plot.py draws them from the stored results, which the tables agree with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PERFORMANCE = (ROOT / "doc" / "user" / "performance.md").read_text(encoding="utf-8")


def test_charts_are_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only charts need")
    subprocess.run([sys.executable, ROOT / "benchmarks" / "plot.py", "--output", tmp_path], check=True)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {path.name for path in (ROOT / "doc" / "pictures").iterdir()}
    assert all((tmp_path / name).stat().st_size > 10_000 for name in drawn)


def rows(heading):
    """The cells of the first table with figures below a heading of the page."""
    text = PERFORMANCE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_table_of_other_programs():
    """Compared with other programs: every figure of peers.json is in the table, and no other."""
    results = json.loads((ROOT / "benchmarks" / "results" / "h200" / "peers.json").read_text())["results"]
    names = {"si": "silicon crystal", "sic": "SiC, zincblende", "gan": "GaN, wurtzite", "bnc": "BN with carbon",
             "graphene": "graphene sheets", "melt": "liquid silicon, 3000 K"}
    columns = [("triad", "single"), ("triad", "mixed"), ("triad", "double"), ("tersoff/kk", "double"), ("gpumd", "double")]
    stored = {(names[r["system"]], f"{r['atoms']:,}", r["gpu"], r["code"], r["precision"]): 1e-9 * r["atom_steps_per_s"]
              for r in results}
    told = {(system, atoms, gpu, *column): float(cell)
            for system, atoms, gpu, *cells in rows("Compared with other programs")
            for column, cell in zip(columns, cells) if cell}
    assert told == pytest.approx(stored)
