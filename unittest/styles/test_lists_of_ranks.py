"""Neighbour lists that the engines of several ranks make themselves: the course of stock while atoms are hot, drift
through the parts of the ranks, or are read by LAMMPS."""

import re

import numpy as np
import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from styles import STOCK, triad

MAKE = """
units metal
boundary {boundary}
atom_modify map array sort {sort} 0
lattice diamond 5.431
region box {region}
create_box 2 box
region filled block 0 6 0 6 0 {filled}
create_atoms 1 region filled
mass * 28.0855
"""
FORCES = """
pair_style {style}
pair_coeff * * SiC.tersoff Si {second}
neighbor 1.0 bin
neigh_modify every 1 delay 0 check yes
timestep 0.001
"""
OUTPUT = """
compute energies all pe/atom
compute stresses all stress/atom NULL virial
compute stress all reduce sum c_stresses[1] c_stresses[4]
thermo_style custom step atoms temp pe etotal pxx pyy pzz pxy pxz pyz lx c_stress[*]
thermo_modify norm no format float %.17g lost error
thermo 10
dump out all custom {half} atoms.dump id type xu yu zu vx vy vz fx fy fz c_energies
dump_modify out sort id format float %.17g
"""
HOT = "velocity all create {kelvin} 87287 mom yes rot no dist gaussian loop geom\n"
ORTHOGONAL, TILTED = "block 0 6 0 6 0 6", "prism 0 6 0 6 0 6 1.5 0.5 -1"

CASES = {
    "hot": {},
    "tilted": {"region": TILTED},
    "sorted": {"sort": 11},
    # 70 A/ps: atoms leave the part of their rank by a cutoff within 60 steps
    "drifting": {"more": "velocity all set 70 -40 30 sum yes\n", "steps": 160},
    # the same with a list in every step, so that atoms change ranks and cross periodic faces in every step
    "crossing": {"more": "velocity all set 70 -40 30 sum yes\nneigh_modify every 1 delay 0 check no\n", "steps": 60},
    "slab": {"boundary": "p p f", "region": "block 0 6 0 6 -3 9"},
    "partly-filled": {"region": "block 0 6 0 6 0 12", "filled": 8.99},
    "npt": {"fix": "npt{ours} temp 3000 3000 0.1 iso 0 0 1.0", "steps": 60},
    "deform": {"fix": "nve{ours}\nfix box all deform{ours} 1 x erate 0.05 z erate -0.05 remap x", "steps": 60},
    "sheared": {"fix": "nvt{ours} temp 3000 3000 0.1\nfix box all deform{ours} 1 xy erate 0.05 remap x flip no",
                "region": TILTED, "steps": 60},
    "deform-rarely-checked": {"fix": "nve{ours}\nfix box all deform{ours} 3 x erate 0.2 remap x", "steps": 60,
                              "more": "neigh_modify every 2 delay 4 check yes\n"},
    "read-in-each-step": {"more": "fix mean all ave/time 1 10 10 c_stress[*] file mean.txt\n", "steps": 40},
    "restart": {"restart": True},
    # rows of more than four neighbours, computed by a thread each and reduced by atomic operations
    "alloy": {"second": "C", "alloy": "set group all type/fraction 2 0.5 4711\n", "reduction": "gather"},
    "alloy-by-tiles": {"second": "C", "alloy": "set group all type/fraction 2 0.5 4711\n"},
    "narrow-lists": {"reduction": "atomic"},
    # rows of four, whose forces are gathered, with ghosts; atoms drift so that lists are renewed
    "crystal": {"kelvin": 900, "more": "velocity all set 20 -12 7 sum yes\n"},
    "crystal-tilted": {"kelvin": 900, "region": TILTED, "more": "velocity all set 20 -12 7 sum yes\n"},
    "crystal-slab": {"kelvin": 900, "boundary": "p p f", "region": "block 0 6 0 6 -3 9",
                     "more": "velocity all set 20 -12 0 sum yes\n"},
    "crystal-nvt": {"kelvin": 900, "fix": "nvt{ours} temp 900 900 0.1", "more": "velocity all set 20 -12 7 sum yes\n"},
    "crystal-npt": {"kelvin": 900, "fix": "npt{ours} temp 900 900 0.1 iso 0 0 1.0", "steps": 60,
                    "more": "velocity all set 20 -12 7 sum yes\n"},
    "crystal-npt-tilted": {"kelvin": 900, "region": TILTED, "steps": 60, "more": "velocity all set 20 -12 7 sum yes\n",
                           "fix": "npt{ours} temp 900 900 0.1 x 0 0 1.0 y 9000 9000 1.0"},
    "crystal-sheared": {"kelvin": 900, "region": TILTED, "steps": 60, "more": "velocity all set 20 -12 7 sum yes\n",
                        "fix": "nve{ours}\nfix box all deform{ours} 1 xy erate 0.05 y erate -0.05 remap x flip no"},
    "crystal-deform": {"kelvin": 900, "steps": 60, "more": "velocity all set 20 -12 7 sum yes\n",
                       "fix": "nve{ours}\nfix box all deform{ours} 1 x erate 0.05 z erate -0.05 remap x"},
    "crystal-npt-deform": {"kelvin": 900, "steps": 60, "more": "velocity all set 20 -12 7 sum yes\n",
                           "fix": "npt{ours} temp 900 900 0.1 y 0 0 1.0\nfix box all deform{ours} 1 x erate 0.05 remap x"},
    # sums over the ranks: of slabs that belong to one rank each, of all atoms, and beside those of a thermostat
    "crystal-ehex": {"kelvin": 900, "more": "velocity all set 20 -12 7 sum yes\nregion hot block 0 1 0 6 0 6\n"
                                            "region cold block 3 4 0 6 0 6\n",
                     "fix": "nve{ours}\nfix in all ehex{ours} 1 9.0 region hot\n"
                            "fix out all ehex{ours} 1 -9.0 region cold"},
    "crystal-csvr": {"kelvin": 900, "more": "velocity all set 20 -12 7 sum yes\n",
                     "fix": "nve{ours}\nfix bath all temp/csvr{ours} 900 700 0.01 4711\nfix in all heat{ours} 3 5.0"},
    "crystal-aveforce": {"kelvin": 900, "more": "velocity all set 20 -12 7 sum yes\ngroup some id 1:1000\n",
                         "fix": "nvt{ours} temp 900 900 0.1\nfix mean some aveforce{ours} 0.01 NULL 0.0"},
}


def script_of(case, style, ours):
    case = {"boundary": "p p p", "region": ORTHOGONAL, "filled": 5.99, "sort": 0, "more": "", "fix": "nve{ours}",
            "steps": 80, "restart": False, "second": "Si", "alloy": "", "kelvin": 7000, **case}
    suffix = "/triad" if ours else ""
    half = case["steps"] // 2
    forces = FORCES.format(style=style, second=case["second"]) + ("run_style verlet/triad\n" if ours else "")
    fix = "fix integrate all " + case["fix"].format(ours=suffix) + "\n"
    start = MAKE.format(**case) + case["alloy"] + forces + HOT.format(**case)
    script = start + OUTPUT.format(half=half) + case["more"] + fix
    if not case["restart"]:
        return script + f"run {case['steps']}\n"
    again = "write_restart half.restart\nclear\nread_restart half.restart\n" + forces + OUTPUT.format(half=half)
    return script + f"run {half}\n" + again + "dump_modify out append yes\n" + fix + f"run {half}\n"


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("name", CASES)
def test_same_course_as_stock(name, ranks, cuda):
    if name.endswith("slab") and ranks > 2:
        pytest.skip("LAMMPS divides this box along the face that is not periodic, in parts of which some are empty")
    stock = run_lammps(script_of(CASES[name], STOCK, False), ranks=ranks)  # which give the atoms their IDs
    found = run_lammps(script_of(CASES[name], triad("double", "cuda"), True), ranks=ranks,
                       env={"TRIAD_REDUCTION": CASES[name].get("reduction", "auto")})
    assert "lists were made on the GPU alone" in found.output, "LAMMPS's lists were used"
    assert_same_course(stock, found, 1e-9)  # 1e-10 on two ranks of a host
    if name == "drifting":
        moved = re.search(r"(\d+) neighbor lists were renewed by way of LAMMPS's arrays", found.output)
        assert 1 <= int(moved[1]) < 10, "LAMMPS moves atoms to other ranks now and then"


@pytest.mark.parametrize("name", ["npt", "deform", "sheared", "deform-rarely-checked"])
def test_lists_in_a_box_that_changes(name, cuda):
    """The GPU makes its lists between the steps of a batch, in the steps in which stock does."""
    stock = run_lammps(script_of(CASES[name], STOCK, False))
    found = run_lammps(script_of(CASES[name], triad("double", "cuda"), True))
    assert_same_course(stock, found, 1e-9)
    lists, expected = (int(re.search(r"Neighbor list builds = (\d+)", run.output)[1]) for run in (found, stock))
    assert lists == expected > 3
    made = re.search(r"made 60 steps on cuda, (\d+) of them in batches", found.output)
    assert int(made[1]) >= 50, made[0]  # all but those with output of stresses


# The forces of atoms at the boundary are gathered too, and those that other ranks return to them added: in crystals whose
# rows have at most four entries, and where few or all rows have more.
@pytest.mark.parametrize("precision, reduction", [("double", "auto"), ("double", "gather"), ("single", "auto"),
                                                  ("mixed", "gather")])
@pytest.mark.parametrize("name", ["crystal", "hot", "alloy", "crystal-nvt", "npt", "deform", "crystal-npt", "crystal-npt-tilted",
                                  "crystal-sheared", "crystal-deform", "crystal-npt-deform", "crystal-ehex",
                                  "crystal-csvr", "crystal-aveforce"])
def test_ghosts_travel_from_gpu_to_gpu(name, precision, reduction, cuda):
    """Also on a machine with one GPU, on which the ranks take turns."""
    case = {**CASES[name], "steps": 40}
    stock = run_lammps(script_of(case, STOCK, False), ranks=2)
    found = run_lammps(script_of(case, triad(precision, "cuda"), True), ranks=2,
                       env={"TRIAD_SHARED_GPU": "yes", "TRIAD_REDUCTION": reduction})
    assert "ghosts of other ranks travel from GPU to GPU" in found.output
    made = re.search(r"made 40 steps on cuda, (\d+) of them in batches", found.output)
    assert int(made[1]) >= 10, made[0]  # all but those with output of stresses
    if precision == "double":
        assert_same_course(stock, found, 1e-9)
    else:
        np.testing.assert_allclose(found.runs[0]["TotEng"], stock.runs[0]["TotEng"], rtol=2e-5)


# What does not depend on who makes the lists
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["hot", "tilted", "crossing", "slab", "npt", "alloy", "crystal", "crystal-tilted",
                                  "crystal-slab", "crystal-nvt", "crystal-npt", "crystal-npt-tilted",
                                  "crystal-sheared", "crystal-deform", "crystal-npt-deform", "crystal-ehex",
                                  "crystal-csvr", "crystal-aveforce"])
def test_same_course_as_stock_on_the_host(name, ranks):
    stock = run_lammps(script_of(CASES[name], STOCK, False), ranks=ranks)
    found = run_lammps(script_of(CASES[name], triad("double", "host"), True), ranks=ranks)
    assert_same_course(stock, found, 1e-9)


@pytest.mark.parametrize("ranks", [1, 3])
def test_long_waits_are_reported(ranks, backend):
    """The line appears on several ranks only, and only if the waits are longer than the work of the other ranks."""
    output = run_lammps(script_of({"steps": 400, "kelvin": 900}, triad("mixed", backend), True), ranks=ranks).output
    told = re.search(r"rank 0 works for (\S+) us per step and waits (\S+) us for other ranks", output)
    assert not told or ranks > 1 and float(told[2]) > 0.99 * (ranks - 1) * float(told[1])


@pytest.mark.parametrize("precision", ["single", "mixed"])
def test_energy_and_atoms_are_kept(precision, cuda):
    """A melt, for some hundred lists."""
    script = script_of({"steps": 2000, "more": "velocity all scale 4000\nvelocity all zero linear\n"},
                       triad(precision, "cuda"), True)
    run = run_lammps(script, ranks=2).runs[0]
    assert set(run["Atoms"]) == {1728}
    energy = run["TotEng"] / 1728
    assert np.abs(energy - energy[0]).max() < 2e-3  # the time step of 1 fs at 4000 K allows 1e-3


def test_other_lists_need_those_of_lammps(cuda):
    script = script_of({"more": "compute near all coord/atom cutoff 3.0\ncompute most all reduce max c_near\n"
                                "fix mean all ave/time 10 1 10 c_most file mean.txt\n"}, triad("double", "cuda"), True)
    assert "lists were made on the GPU alone" not in run_lammps(script, ranks=2).output
