"""`lammps_triad compare` on real runs."""

import math
import os
import re
import subprocess
import sys

import pytest

from conftest import PAIR
from lammps_triad.compare import Comparison, report
from lammps_triad.launch import Run, Totals


def row(report, title):
    """The numbers of the table's row that starts with `title`."""
    line = next(line for line in report.splitlines() if line.startswith(title))
    return [float(number) for number in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?(?= |$)", line.removeprefix(title))]


def check_agreement(process, force=1e-5):
    assert process.returncode == 0, process.stdout
    stock, triad, difference, limit = row(process.stdout, "potential energy at the start")
    assert stock < -4 and difference <= limit < 1e-4 and abs(triad - stock) < 1e-4
    difference, limit = row(process.stdout, "root mean square force difference at the end")
    assert difference <= limit < 1e-2
    assert "PASS" in process.stdout and "FAIL" not in process.stdout
    assert row(process.stdout, "largest force difference")[0] < force
    assert row(process.stdout, "largest force at the start")[0] > 0.1
    assert all(speed > 0 for speed in row(process.stdout, "speed")[:2])


def test_silicon_example(lammps_triad, source_tree):
    process = lammps_triad("compare", source_tree / "examples" / "silicon" / "in.silicon", "-var", "cells", "3",
                           "-var", "steps", "20", "--backend", "host")
    check_agreement(process)
    assert "216 atoms, 20 steps, 1 MPI rank" in process.stdout
    assert re.search(r"tersoff/triad ran on host, .*precision mixed, run_style verlet/triad$", process.stdout, re.M)
    assert "eV/atom" in process.stdout


@pytest.mark.parametrize("precision, force", [("single", 1e-3), ("mixed", 1e-5), ("double", 1e-10)])
def test_chosen_precision_is_used(lammps_triad, write_script, precision, force):
    process = lammps_triad("compare", write_script(), "--precision", precision, "--backend", "host")
    check_agreement(process, force)
    assert f"precision {precision}" in process.stdout


@pytest.mark.parametrize("pair", [
    "pair_style tersoff/triad precision double\npair_coeff * * SiCGe.tersoff Si(D) Si(D)",
    "pair_style tersoff/triad &\n precision double\npair_coeff * * SiCGe.tersoff Si(D) Si(D)",
    "variable s string 'tersoff/triad precision double'\npair_style $s\npair_coeff * * SiCGe.tersoff Si(D) Si(D)",
    "pair_style hybrid/overlay tersoff/triad precision double zero 3\n"
    "pair_coeff * * tersoff/triad SiCGe.tersoff Si(D) Si(D)\npair_coeff * * zero",
], ids=["plain", "continued", "variable", "hybrid"])
def test_script_that_names_our_style(lammps_triad, write_script, pair):
    process = lammps_triad("compare", write_script(pair=pair))
    check_agreement(process, 1e-10)
    assert "precision double" in process.stdout


def test_hybrid_script_of_stock(lammps_triad, write_script):
    pair = ("pair_style hybrid/overlay tersoff zero 3\n"
            "pair_coeff * * tersoff SiCGe.tersoff Si(D) Si(D)\npair_coeff * * zero")
    check_agreement(lammps_triad("compare", write_script(pair=pair), "--precision", "double"), 1e-10)


def test_included_pair_style_and_loop_over_runs(lammps_triad, write_script):
    write_script(PAIR + "\n", name="pair.in")
    script = write_script(pair="include pair.in")
    script.write_text(script.read_text().replace("run 5", "label again\nvariable n loop 3\nrun 5\n"
                                                          "next n\njump SELF again\n"))
    process = lammps_triad("compare", script, "--precision", "double")
    check_agreement(process, 1e-10)
    assert "15 steps" in process.stdout


def test_two_ranks(lammps_triad, write_script):
    process = lammps_triad("compare", write_script(), "-np", "2", "--precision", "double")
    check_agreement(process, 1e-10)
    assert "2 MPI ranks" in process.stdout


def test_variable_with_our_style(lammps_triad, write_script):
    script = write_script(pair=PAIR.replace("pair_style tersoff", "pair_style ${style}"))
    process = lammps_triad("compare", script, "-var", "style", "tersoff/triad precision double backend host")
    check_agreement(process, 1e-10)


def test_minimisation(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text().replace("run 5", "minimize 0 1e-4 50 500"))
    check_agreement(lammps_triad("compare", script, "--precision", "double"), 1e-10)


def test_perfect_sites(lammps_triad, write_script):
    """Forces of a perfect crystal are zero, which any code gives: atoms are displaced for the comparison of forces."""
    script = write_script()
    script.write_text(script.read_text().replace("displace_atoms", "# displace_atoms"))
    process = lammps_triad("compare", script)
    assert process.returncode == 0, process.stdout
    assert row(process.stdout, "largest force of displaced atoms")[0] > 0.1
    assert 0 < row(process.stdout, "largest force difference of displaced atoms")[0] < 1e-5
    assert "perfect sites" in process.stdout and "PASS" in process.stdout


def test_chaos(lammps_triad, write_script):
    """Trajectories that have diverged by rounding pass, and the report says that their end says nothing."""
    script = write_script()
    script.write_text(script.read_text().replace("run 5", "velocity all create 6000 1\nrun 3000"))
    process = lammps_triad("compare", script)
    assert process.returncode == 0, process.stdout
    assert "diverged" in process.stdout and "PASS" in process.stdout


def test_script_that_stock_refuses(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text().replace(
        "thermo_style custom step temp", "compute s all centroid/stress/atom NULL virial\ncompute j all heat/flux/triad\n"
        "compute sums all reduce sum c_s[1]\nthermo_style custom step temp c_sums c_j[1]").replace("all nve", "all nve/triad"))
    process = lammps_triad("compare", script, "--precision", "double")
    check_agreement(process, 1e-10)
    assert "Note: compute s of the stock run is stress/atom" in process.stdout
    assert "Note: compute j of the stock run is heat/flux with stress/atom" in process.stdout


def test_units_of_a_restart_file(lammps_triad, write_script):
    real = PAIR.replace("pair_style tersoff", "pair_style tersoff/triad")
    script = write_script()
    text = script.read_text().replace("units metal", "units real").replace("mass * 28.0855", "mass * 28.0855\ntimestep 0.5")
    script.write_text(text.replace("run 5", "write_restart old.restart"))
    assert lammps_triad("compare", script).returncode == 1  # it has no run, so write the file by LAMMPS alone
    subprocess.run([os.environ["TRIAD_LMP"], "-in", script.name, "-log", "none"], cwd=script.parent, check=True,
                   stdout=subprocess.DEVNULL)
    script.write_text(f"read_restart old.restart\n{real}\ntimestep 0.5\nfix 1 all nve\nrun 5\n")
    process = lammps_triad("compare", script, "--precision", "double")
    assert process.returncode == 0, process.stdout
    assert "kcal/mol/atom" in process.stdout and "PASS" in process.stdout


def test_pairwise_has_no_stock(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text().replace("run 5", "fix g all pairwise/triad gravity G 1.0 range all\nrun 5"))
    check_refused(lammps_triad("compare", script), "fix pairwise/triad", "nothing to compare")


SCREEN = "Triad: tersoff/triad on host, 1 thread, avx512, precision {}\n  Unit style    : metal\n{}"
STEPS = "Loop time of 1.0 on 1 procs for 10 steps with 2 atoms\n"


def a_run(precision="mixed", energy=-8.0, pressure=100.0, force=1.0, end=1.0, steps=True):
    totals = Totals(energy, pressure, 40.0)
    atoms = {atom: (sign * force, 0.0, 0.0) for atom, sign in ((1, 1), (2, -1))}
    return Run(SCREEN.format(precision, STEPS if steps else ""), totals, totals, atoms,
               {atom: (sign * end, 0.0, 0.0) for atom, sign in ((1, 1), (2, -1))})


@pytest.mark.parametrize("precision, changes, passes", [
    ("mixed", {}, True),
    ("mixed", {"energy": -8.0 + 5e-6}, True),
    ("mixed", {"energy": -8.0 + 2e-5}, False),
    ("double", {"energy": -8.0 + 5e-6}, False),
    ("mixed", {"pressure": 104.0}, False),
    ("mixed", {"force": 1.0 + 0.9e-5}, True),
    ("mixed", {"force": 1.0 + 1.1e-5}, False),
    ("double", {"force": 1.0 + 0.9e-5}, False),
    ("mixed", {"end": 1.001}, True),
    ("mixed", {"end": 1.02}, False),
    ("mixed", {"energy": math.nan}, False),
])
def test_verdict(precision, changes, passes):
    """Differences above the bounds of the precision, or above what chaos explains, fail."""
    found = Comparison(a_run(precision), a_run(precision, **changes), nudged=a_run(precision, end=changes.get("end", 1) + 1e-3))
    text, agrees = report("in.script", 1, found)
    assert agrees == passes, text
    assert ("FAIL" in text) == (not passes)


def test_verdict_counts_atoms():
    found = Comparison(a_run(), a_run(), nudged=a_run())
    found.triad.end_forces.pop(2)
    text, agrees = report("in.script", 1, found)
    assert not agrees and "the runs end with 2 and 1 atoms" in text


def check_refused(process, *words):
    assert process.returncode == 1, process.stdout
    assert "Traceback" not in process.stdout
    for word in words:
        assert word in process.stdout


def test_missing_script(lammps_triad, tmp_path):
    check_refused(lammps_triad("compare", tmp_path / "in.absent"), "in.absent", "no such file")


def test_script_without_tersoff(lammps_triad, write_script):
    script = write_script(pair="pair_style lj/cut 5\npair_coeff * * 0.01 2.0")
    check_refused(lammps_triad("compare", script), "in.script", "never used", "pair_style tersoff")


def test_script_that_switches_the_suffix_off(lammps_triad, write_script):
    script = write_script()
    script.write_text("suffix off\n" + script.read_text())
    check_refused(lammps_triad("compare", script), "in.script", "never used", "a command suffix of the script")


def test_our_style_in_a_file_that_a_variable_names(lammps_triad, write_script):
    write_script(PAIR.replace("pair_style tersoff", "pair_style tersoff/triad") + "\n", name="pair.in")
    script = write_script(pair="variable pot index pair.in\ninclude ${pot}")
    check_refused(lammps_triad("compare", script), "the stock run used tersoff/triad", "include the file by its name")


def test_a_relative_path_of_lammps(write_script, tmp_path):
    """Is relative to the present folder, not to that of the script."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "lmp").symlink_to(os.environ["TRIAD_LMP"])
    script = write_script()
    process = subprocess.run([sys.executable, "-m", "lammps_triad", "compare", str(script), "--lmp", "../lmp"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tmp_path / "sub")
    check_agreement(process)


def test_script_without_run(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text().replace("run 5", ""))
    check_refused(lammps_triad("compare", script), "in.script", "no line starts with run or minimize")


def test_empty_box(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text().replace("create_atoms 1 box", ""))
    check_refused(lammps_triad("compare", script), "in.script", "empty")


def test_absent_executable(lammps_triad, write_script):
    check_refused(lammps_triad("compare", write_script(), "--lmp", "/absent/lmp"), "cannot start /absent/lmp")


def test_script_that_quits(lammps_triad, write_script):
    script = write_script()
    script.write_text(script.read_text() + "quit\nunknown_command\n")
    check_agreement(lammps_triad("compare", script))
    script.write_text(script.read_text().replace("quit\n", 'if "1 == 1" then quit\n'))
    check_refused(lammps_triad("compare", script), "line of its own")


def test_number_of_ranks(lammps_triad, write_script):
    process = lammps_triad("compare", write_script(), "-np", "0")
    assert process.returncode == 2 and "not a positive number" in process.stdout + (process.stderr or "")


def test_lammps_error_is_passed_on(lammps_triad, write_script):
    script = write_script(pair="pair_style tersoff\npair_coeff * * no_such_file.tersoff Si Si")
    check_refused(lammps_triad("compare", script), "ERROR", "no_such_file.tersoff")
