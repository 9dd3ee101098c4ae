"""pair_style lj/cut/triad, and pair_style hybrid with it and styles of the Tersoff family: against the stock styles, with
LAMMPS's arrays and on an engine."""

import functools

import compare
import pytest
from courses import twins
from hybrid_systems import HYBRIDS
from lammps_run import run_lammps

COURSE = """
neighbor 1.0 bin
velocity all create 900 2817 loop geom
fix integrate all nve
timestep 0.001
compute stress all stress/atom NULL
compute mean all reduce sum c_stress[1] c_stress[2] c_stress[4]
compute part all pe/atom
compute parts all reduce sum c_part
thermo_style custom step temp pe evdwl etail press pxx pyy pzz pxy pxz pyz c_mean[1] c_mean[3] c_parts
thermo_modify norm no format float %.17g
thermo 20
dump out all custom 50 atoms.dump id type xu yu zu vx vy vz fx fy fz
dump_modify out sort id format float %.17g
"""
# Without per-atom tallies, batches of steps are as long as the output allows.
PLAIN = "\n".join(line for line in COURSE.splitlines() if not line.startswith("compute")).replace(
    " c_mean[1] c_mean[3] c_parts", "") + "\n"


@functools.cache
def stock_course(name, output, ranks):
    return run_lammps(HYBRIDS[name].commands() + output + "run 100\n", ranks=ranks)


@pytest.mark.parametrize("name", HYBRIDS)
def test_forces_energies_and_stresses(name, backend, ranks=1):
    stock = run_lammps(HYBRIDS[name].commands() + compare.EVALUATE, ranks=ranks)
    found = run_lammps(HYBRIDS[name].commands(backend) + compare.EVALUATE, ranks=ranks)
    compare.assert_close(stock, found, compare.TOLERANCES["double"])


@pytest.mark.parametrize("precision", ["mixed", "single"])
def test_precisions(precision, backend):
    stock = run_lammps(HYBRIDS["silicon-in-argon"].commands() + compare.EVALUATE)
    found = run_lammps(HYBRIDS["silicon-in-argon"].commands(backend, precision) + compare.EVALUATE)
    compare.assert_close(stock, found, compare.TOLERANCES[precision])


@pytest.mark.parametrize("output", [COURSE, PLAIN], ids=["per-atom", "totals"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
@pytest.mark.parametrize("name", HYBRIDS)
def test_same_course_as_stock(name, run_style, ranks, output, backend):
    commands = output if run_style == "verlet" else twins(output)
    found = run_lammps(HYBRIDS[name].commands(backend) + f"run_style {run_style}\n" + commands + "run 100\n",
                       ranks=ranks)
    compare.assert_same_course(stock_course(name, output, ranks), found, 1e-8)
