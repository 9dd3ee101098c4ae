"""examples/bulk with tiny settings: the three methods, and which runs count."""

import csv
import importlib.util
import shutil
import sys
from pathlib import Path

import pytest
from lammps_run import LMP

pytest.importorskip("matplotlib", reason="matplotlib is not installed, with which the program draws")
PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "bulk" / "bulk.py"


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    spec = importlib.util.spec_from_file_location("bulk", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bulk", module)
    spec.loader.exec_module(module)
    bars = {2: (1, 20000), 4: (1, 20000)}
    monkeypatch.setattr(module, "QUICK", module.Settings(
        2, {500: 12000, 1000: 12000}, {"5e-5": 1, "1e-4": 1, "2e-4": 1}, {500: 2.0, 1000: 1.0}, 2, {500: 4000, 1000: 4000},
        {500: 1, 1000: 1}, {500: 2, 1000: 2}, {500: bars, 1000: bars}, 2, 1000, {"hnemd": 10, "green_kubo": 20, "nemd": 10}, 200))
    return module


def run(program, monkeypatch, folder, *more):
    monkeypatch.setattr(sys, "argv", ["bulk.py", "--quick", "--lmp", LMP, "--temperatures", "500", "--output", str(folder), *more])
    program.main()
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_methods_and_the_runs_that_count(program, monkeypatch, tmp_path, capsys):
    found = run(program, monkeypatch, tmp_path)
    said = capsys.readouterr().out
    assert [row["method"] for row in found if row["method"] != "NEMD"] == ["HNEMD", "HNEMD", "Green-Kubo"]
    assert said.count("NEMD 500 K, ") == 2 and (tmp_path / "bulk.png").read_bytes()[:4] == b"\x89PNG"
    assert said.count("integral of the spectrum") == 2

    first = next(path for path in tmp_path.glob("green_kubo.*") if path.is_dir())
    started = first.stat().st_mtime_ns, (first / "log").stat().st_mtime_ns
    copy = first.with_name(first.name.replace(".4000.", ".5000.").replace(".500.20.", ".777.20."))
    assert copy != first
    shutil.copytree(first, copy)
    (tmp_path / "kappa.gpumd.1e-4.500.1").write_text("".join(f"1 {k % 2} 0 0 0\n" for k in range(300)))
    again = run(program, monkeypatch, tmp_path, "--methods", "gk", "--gpumd", str(tmp_path / "kappa.gpumd.1e-4.500.1"))
    assert (first.stat().st_mtime_ns, (first / "log").stat().st_mtime_ns) == started, "a complete run is repeated"
    assert again[0]["detail"] == "3 runs" and float(again[0]["nanoseconds"]) == pytest.approx(0.024)
    assert again[1]["method"] == "GPUMD's HNEMD" and float(again[1]["kappa"]) == pytest.approx(1.5)
    assert again[1]["detail"] == "field 1e-4 1/Å, 50 to 300 ps", "runs of 12 ps in the same folder are too short for this time"
