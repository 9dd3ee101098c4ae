"""fix balance beside run_style verlet/triad: the course of stock, whole batches of steps between two attempts to balance,
and parts of the box that follow the measured times."""

import re

import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from styles import STOCK, triad

SCRIPT = """
units metal
processors * 1 1
boundary p p {boundary}
atom_modify map array sort 0 0
lattice diamond 5.431
region box {box}
create_box 1 box
region filled {filled}
create_atoms 1 region filled
mass 1 28.0855
pair_style {style}
pair_coeff * * SiC.tersoff Si
neighbor 1.0 bin
neigh_modify every 1 delay 0 check yes
timestep 0.001
velocity all create 5000 87287 mom yes rot no dist gaussian loop geom
{run_style}
fix integrate all nve{ours}
{balance}
compute energies all pe/atom
thermo_style custom step atoms temp pe etotal pxx pyy pzz pxy
thermo_modify norm no format float %.17g lost error
thermo 20
dump out all custom 20 atoms.dump id type xu yu zu vx vy vz fx fy fz c_energies
dump_modify out sort id format float %.17g
run {steps}
"""
# The middle one of three ranks has 7.4 A of it: GPUs make lists of parts that are wider than 1.5 list cutoffs, 6 A.
DROPLET = {"box": "block 0 10 0 5 0 5", "filled": "ellipsoid 4.2 2.4 2.4 3 2.2 2.2"}
SLAB = {"box": "block 0 12 0 4 0 4", "filled": "block 1.2 6.99 0 3.99 0 3.99"}
CASES = {
    "droplet": DROPLET,
    "droplet-by-time": {**DROPLET, "weight": " weight time 1.0", "steps": 400},
    "slab": SLAB,
    "slab-by-time": {**SLAB, "weight": " weight time 1.0", "steps": 400},
    "slab-tilted": {"box": "prism 0 12 0 4 0 4 1.2 0.5 -0.7", "filled": SLAB["filled"]},
    "slab-open": {**SLAB, "boundary": "f", "filled": "block 1.2 6.99 0 3.99 1 2.99"},
    "whenever-lists-are-renewed": {**DROPLET, "every": 0},
}
EVEN = "fix even all balance {every} 1.01 shift x 10 1.01{weight}"


def script_of(case, style, ours, balance=True):
    case = {"boundary": "p", "every": 20, "weight": "", "steps": 100, **case}
    run_style = "run_style verlet/triad" if ours else ""
    return SCRIPT.format(style=style, run_style=run_style, ours="/triad" if ours else "",
                         balance=EVEN.format(**case) if balance else "", **case)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_same_course_as_stock(name, ranks, backend):
    case = CASES[name]
    stock = run_lammps(script_of(case, STOCK, False, balance=False), ranks=ranks)
    found = run_lammps(script_of(case, triad("double", backend), True), ranks=ranks)
    # At most 1.1e-11 after 100 steps and 1.1e-8 after 400, on a host and on an H200
    assert_same_course(stock, found, 3e-11 if "by-time" not in name else 3e-8)
    steps, batched = re.search(r"made (\d+) steps on \w+, (\d+) of them in batches", found.output).groups()
    assert int(batched) >= 0.5 * int(steps), "steps between two attempts to balance are batches"
    if backend == "cuda":
        on_gpus = re.search(r"(\d+) neighbor lists were made on the GPU alone", found.output)
        assert bool(on_gpus) == (case.get("every", 20) > 0), "GPUs make the lists between two attempts to balance"


@pytest.mark.parametrize("weight", ["", " weight time 1.0"])
def test_parts_follow_the_load(weight, backend):
    """Without balance, one of two ranks has four fifths of the slab. LAMMPS uses times from 0.1 s on, by the number of
    atoms before."""
    shares = []
    for balance in (False, True):
        case = {**SLAB, "weight": weight, "steps": 400, "every": 100}
        found = run_lammps(script_of(case, triad("mixed", backend), True, balance), ranks=2)
        most = re.findall(r"^Nlocal: +\S+ ave +(\S+) max", found.files["log.lammps"].decode(), re.MULTILINE)[-1]
        shares.append(float(most) / found.runs[0]["Atoms"][0])
    assert shares[0] > 0.75
    assert shares[1] < (0.55 if not weight else 0.75)  # the cores of a busy machine are not equally fast
