"""`lammps_triad compare` on real runs."""

import re

import pytest

from conftest import PAIR


def row(report, title):
    """The numbers of the table's row that starts with `title`."""
    line = next(line for line in report.splitlines() if line.startswith(title))
    return [float(number) for number in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?(?= |$)", line)]


def check_agreement(process, force=1e-5):
    assert process.returncode == 0, process.stdout
    stock, triad, difference = row(process.stdout, "potential energy at the start")
    assert stock < -4 and abs(difference) < 1e-4 and abs(triad - stock) < 1e-4
    assert row(process.stdout, "largest force difference")[0] < force
    assert row(process.stdout, "largest force at the start")[0] > 0.1
    assert all(speed > 0 for speed in row(process.stdout, "speed")[:2])


def test_silicon_example(lammps_triad, source_tree):
    process = lammps_triad("compare", source_tree / "examples" / "silicon" / "in.silicon", "-var", "cells", "3",
                           "-var", "steps", "20", "--backend", "host")
    check_agreement(process)
    assert "216 atoms, 20 steps, 1 MPI rank" in process.stdout
    assert re.search(r"tersoff/triad ran on host, .*precision mixed", process.stdout)
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
