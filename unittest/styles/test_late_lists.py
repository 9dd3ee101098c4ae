"""Neighbor lists that are first needed in the middle of a list of LAMMPS: a new backend, fixes that call the pair style
on their own, `run pre no` after changed settings. Every sequence of events gives the numbers of stock.

TRIAD_RANDOM_EVENTS: how many random sequences, 12 unless set.
"""

import os
import random

import numpy as np
import pytest
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

# Two atoms of cutoff 3.2 and skin 0.3, 3.3 apart, that swing by 0.14 in antiphase: 3.58 apart in step 10, farther than
# cutoff and skin, and 3.02 in step 30, without a list of LAMMPS in between.
SWINGING = """
units metal
boundary f f f
atom_modify map array
region box block -20 20 -20 20 -20 20
create_box 1 box
create_atoms 1 single -1.65 0.1 0.2
create_atoms 1 single 1.65 0.1 0.2
mass * 28.0855
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
group left id 1
group right id 2
fix left left move wiggle -0.14 0 0 0.04
fix right right move wiggle 0.14 0 0 0.04
timestep 0.001
"""
OUTPUT = """
thermo_style custom step pe fmax pxx {columns}
thermo_modify norm no format float %.17g
thermo 1
"""
RUN_STYLES = ["verlet", "verlet/triad"]


def pair(style):
    return f"pair_style {style}\npair_coeff * * Si.tersoff Si\n"


def assert_same_thermo(found, expected, relative=1e-9, absolute=None):
    """`absolute`: columns of finite differences, whose rounding is amplified by 1 / delta."""
    assert len(found.runs) == len(expected.runs)
    for mine, theirs in zip(found.runs, expected.runs):
        for column, values in theirs.items():
            bound = (absolute or {}).get(column, relative * max(np.abs(values).max(), 1e-3))
            np.testing.assert_allclose(mine[column], values, rtol=0, atol=bound, err_msg=column)


@pytest.mark.parametrize("run_style", RUN_STYLES)
@pytest.mark.parametrize("event", ["pair_coeff * * Si.tersoff Si", "neighbor 0.8 bin",
                                   "neighbor 0.8 bin\npair_coeff * * Si.tersoff Si"])
def test_settings_change_before_a_run_without_setup(event, run_style, backend):
    def run(style, run_style):
        return run_lammps(SWINGING + pair(style) + f"run_style {run_style}\n" + OUTPUT.format(columns="") +
                          f"run 9\n{event}\nrun 31 pre no\n")

    expected, found = run(STOCK, "verlet"), run(triad("double", backend), run_style)
    assert abs(expected.runs[1]["Fmax"]).max() > 6  # the pair does come back
    assert_same_thermo(found, expected)


@pytest.mark.parametrize("run_style", RUN_STYLES)
@pytest.mark.parametrize("fix, column", [("numdiff 10 1e-5", "c_nd"), ("numdiff/virial 10 1e-6", "f_nd[1]")])
def test_fixes_that_call_the_pair_style(fix, column, run_style, backend):
    def run(style, run_style):
        compute = "compute nd all reduce max f_nd[1]\n" if column == "c_nd" else ""
        # from step 1, so that the fix calls first in step 10
        return run_lammps(SWINGING.replace("fix left", "reset_timestep 1\nfix left") + pair(style) + f"run_style {run_style}\nfix nd all {fix}\n" + compute +
                          OUTPUT.format(columns=column) + "run 40\n")

    expected, found = run(STOCK, "verlet"), run(triad("double", backend), run_style)
    assert abs(expected.runs[0][column]).max() > 1
    # measured 2.1e-10 of the largest finite difference
    assert_same_thermo(found, expected, absolute={column: 1e-6 * abs(expected.runs[0][column]).max()})


@pytest.mark.parametrize("run_style", RUN_STYLES)
def test_a_wider_skin_is_that_of_the_next_setup(run_style, backend):
    """The lists of `run pre no` have the skin of before, which tells how far atoms may move."""
    swinging = SWINGING.replace("1.65", "1.87").replace("0.14", "0.38")  # 3.74 apart, 2.98 at least

    def run(style, run_style):
        return run_lammps(swinging + pair(style) + f"run_style {run_style}\n" + OUTPUT.format(columns="") +
                          "run 0\nneighbor 0.9 bin\nrun 40 pre no\n")

    expected, found = run(STOCK, "verlet"), run(triad("double", backend), run_style)
    assert abs(expected.runs[1]["Fmax"]).max() > 1
    assert_same_thermo(found, expected)


CHANGES = {
    "box": "change_box all x scale 1.002 remap\n",
    "atoms": "displace_atoms all random 0.1 0.1 0.1 5\n",
    "box-relax": "fix relax all box/relax iso 20000 vmax 0.001\n",
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("run_style", RUN_STYLES)
@pytest.mark.parametrize("change", CHANGES)
def test_a_minimization_before_a_run_without_setup(change, run_style, ranks, backend):
    """It has made the lists of atoms that a command has moved. LAMMPS counts these lists as those of `run 0`."""
    def run(style, run_style):
        return run_lammps(SYSTEMS["si-1989"].commands(style) + f"run_style {run_style}\n" +
                          "velocity all create 900 2817 loop geom\nfix integrate all nve\n" +
                          OUTPUT.format(columns="temp") + f"run 0\n{CHANGES[change]}minimize 0 0 4 10\n" +
                          ("unfix relax\n" if "relax" in change else "") + "run 40 pre no\n", ranks=ranks,
                          files=SYSTEMS["si-1989"].files())

    # 1.6e-12 on the host; not measured on a GPU
    assert_same_thermo(run(triad("double", backend), run_style), run(STOCK, "verlet"),
                       5e-12 if backend == "host" else 1e-9)


@pytest.mark.parametrize("run_style", RUN_STYLES)
def test_a_pair_style_of_after_the_setup_is_refused(run_style, backend):
    script = (SWINGING + pair(triad("double", backend)) + f"run_style {run_style}\nrun 3\n" +
              "pair_style none\n" + pair(triad("double", backend)) + "run 3 pre no\n")
    result = run_lammps(script, check=False)
    assert "after the run was set up" in result.output and "pre no" in result.output


# Dimers of many lengths, left and right atoms, each far from the other dimers.
DIMERS = """
units metal
boundary {boundary}
atom_modify map array sort {sort}
region box block 0 {edge} 0 {edge} 0 {edge}
create_box 1 box
{atoms}
mass * 28.0855
neighbor {skin} bin
neigh_modify every 1 delay 0 check {check}
group left id {left}
group right subtract all left
timestep 0.001
"""
WIGGLES = """
fix left left move wiggle -{a} -{a} 0 0.04
fix right right move wiggle {a} {a} 0 0.04
"""
COEFF = "pair_coeff * * Si.tersoff Si"
CUTOFF, SPACING, SIDE = 3.2, 8.5, 3


def dimers(draw, skin):
    """Atoms that come within the cutoff, or within the range of lists, when each moves by half the skin."""
    lines = []
    for n in range(SIDE**3):
        x, y, z = (SPACING * (n // SIDE**axis % SIDE) + 1 + draw.random() for axis in range(3))
        apart = draw.uniform(CUTOFF - 0.2, CUTOFF + 2 * skin) / 2**0.5
        lines += [f"create_atoms 1 single {x} {y} {z}", f"create_atoms 1 single {x + apart} {y + apart} {z}"]
    return "\n".join(lines)


def events(seed):
    """The lines of a script, but for those that name a pair style or a run style: these are {pair} and {style}."""
    draw = random.Random(seed)
    skin = draw.choice([0.3, 0.6, 1.0])
    moving = draw.random() < 0.7
    lines = [DIMERS.format(boundary=draw.choice(["p p p", "p p s", "s s s"]), sort=draw.choice(["0 0", "7 3.0"]),
                           edge=SPACING * SIDE, atoms=dimers(draw, skin), skin=skin,
                           left=f"1:{2 * SIDE**3}:2", check=draw.choice(["yes", "yes", "yes", "no"])), "{pair}",
             draw.choice(["{style}", "run_style verlet"])]
    if moving:  # not quite as far as to need a list, or farther
        lines.append(WIGGLES.format(a=draw.choice([0.49, 0.49, 0.9]) * skin / 2**0.5))
    else:
        lines += ["velocity all create 900 17 loop geom", "fix all all nve"]
    lines += ["dump out all custom 1 atoms.dump id fx fy fz", "dump_modify out sort id format float %.17g"]
    lines.append(f"run {draw.randint(7, 13)}")  # to where the atoms of a wiggle turn back
    fixes = 0
    for _ in range(draw.randint(3, 6)):
        kind = draw.choice(["run", *5 * ["coeff"], "skin", "reset", "numdiff", "plain", "resident", "pair", "unfix"])
        if kind == "coeff":  # the next run makes its own list late
            lines.append(COEFF)
        elif kind == "skin":
            lines.append(f"neighbor {draw.choice([0.3, 0.8])} bin")
        elif kind == "reset" and not moving and not fixes:
            lines += ["undump out", f"reset_timestep {draw.randint(0, 50)}",
                      "dump out all custom 1 atoms.dump id fx fy fz",
                      "dump_modify out sort id append yes format float %.17g", "run 0"]
        elif kind == "numdiff":
            fixes += 1
            lines.append(f"fix nd{fixes} all numdiff/virial {draw.choice([3, 5, 11])} 1e-6")
        elif kind == "unfix" and fixes:
            lines.append(f"unfix nd{fixes}")
            fixes -= 1
        elif kind in ("plain", "resident", "pair"):
            lines += [{"plain": "run_style verlet", "resident": "{style}", "pair": "{pair}"}[kind],
                      f"run {draw.randint(0, 6)}"]
        known = any(line.startswith("run ") for line in lines) and kind not in ("numdiff", "unfix")
        lines.append(f"run {draw.randint(5, 31)}" + (" pre no" if known and draw.random() < 0.9 else ""))
    return lines


def forces(result):
    return [np.array([frame[axis] for axis in ("fx", "fy", "fz")]) for frame in result.frames()]


@pytest.mark.parametrize("seed", range(int(os.environ.get("TRIAD_RANDOM_EVENTS", 12))))
def test_random_sequences_of_events(seed, backend):
    script, ranks = "\n".join(events(seed)) + "\n", 2 if seed % 4 == 3 else 1
    expected = run_lammps(script.format(pair=pair(STOCK), style="run_style verlet"), ranks=ranks)
    found = run_lammps(script.format(pair=pair(triad("double", backend)), style="run_style verlet/triad"), ranks=ranks)
    theirs, mine = forces(expected), forces(found)
    assert len(mine) == len(theirs) > 10
    scale = max(np.abs(f).max() for f in theirs)
    assert scale > 0.1
    for step, (f, g) in enumerate(zip(mine, theirs)):
        np.testing.assert_allclose(f, g, rtol=0, atol=1e-7 * scale, err_msg=f"frame {step}")
