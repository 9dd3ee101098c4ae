"""Atoms that output and samples read on the host. LAMMPS's ghosts and neighbour lists are made for them only if something
may read these; values agree with stock in both cases, also when a later command reads neighbours."""

import numpy as np
import pytest
from courses import MELTING, twins
from lammps_run import run_lammps
from styles import Style, triad
from systems import SYSTEMS

READERS = """group half id 1:200
variable kinetic equal ke(half)
variable top equal bound(all,zmax)
variable ghosts equal extract_setting(nghost)
variable fast atom vx>0
compute away all displace/atom
compute farthest all reduce max c_away[4]
compute right all reduce sum v_fast
compute layers all chunk/atom bin/1d z lower 5.0
fix layers all ave/chunk 5 2 20 layers density/number temp
thermo 20
thermo_style custom step temp pe v_kinetic v_top c_farthest c_right f_layers[2][3] f_layers[2][4] v_ghosts
dump some all custom 40 some.dump id x y z vx c_away[4]
dump_modify some sort id format float %.12g
"""
NEIGHBORS = "compute near all coord/atom cutoff 2.8\ncompute pairs all reduce sum c_near\n"
READ = NEIGHBORS + "thermo_style custom step pe c_pairs v_top\n"


def script(style, run_style, more=""):
    fix = "fix integrate all nve\n"
    commands = MELTING + (twins(fix) if run_style == "verlet/triad" else fix) + READERS + more
    return (SYSTEMS["si-melt"].commands(style) + f"run_style {run_style}\n" + commands + "run 200\n" + READ
            + "run 20\n")


@pytest.mark.parametrize("more", ["", NEIGHBORS.replace("near", "first").replace("pairs", "second")],
                         ids=["owned-atoms", "neighbours"])
def test_values_agree_and_ghosts_are_made_for_readers_of_neighbours(more, backend):
    found = run_lammps(script(triad("double", backend), "verlet/triad", more), files=SYSTEMS["si-melt"].files())
    stock = run_lammps(script(Style("tersoff"), "verlet", more), files=SYSTEMS["si-melt"].files())
    for run, expected in zip(found.runs, stock.runs, strict=True):
        for column, values in expected.items():
            if column != "v_ghosts":
                np.testing.assert_allclose(run[column], values, rtol=1e-6, atol=1e-7, err_msg=column)
    ghosts = np.asarray(found.runs[0]["v_ghosts"])
    assert len(set(stock.runs[0]["v_ghosts"])) > 2
    if backend == "cuda":  # the host's engine takes LAMMPS's lists
        assert (len(set(ghosts)) > 2) == bool(more), ghosts
    snapshots, expected = found.frames("some.dump"), stock.frames("some.dump")
    assert len(snapshots) == len(expected) == 6
    for column in expected[-1].dtype.names:
        np.testing.assert_allclose(snapshots[-1][column], expected[-1][column], rtol=1e-6, atol=1e-6, err_msg=column)
