"""Trajectories, minimisations and changes of the system between runs: step by step beside stock tersoff."""

import functools

import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from scenarios import SCENARIOS
from styles import STOCK, triad
from systems import SYSTEMS

# With computes that ask the pair style for energies and stresses of atoms, and for its own share of the totals.
OUTPUT = """
compute energies all pe/atom
compute motion all ke/atom
compute stresses all stress/atom NULL virial
compute flux all heat/flux motion energies stresses
compute pair_energy all pe pair
compute pair_pressure all pressure NULL pair
thermo_style custom step atoms pe etotal temp pxx pyy pzz pxy pxz pyz c_flux[*] c_pair_energy c_pair_pressure
thermo_modify norm no lost ignore format float %.17g
dump out all custom 10 atoms.dump id type x y z fx fy fz
dump_modify out sort id format float %.17g
"""


@functools.cache
def play(name, style):
    scenario = SCENARIOS[name]
    system = SYSTEMS[scenario.system]
    script = system.commands(style) + OUTPUT + scenario.commands.replace("{pair}", system.pair_commands(style))
    return run_lammps(script, files=system.files(), ranks=scenario.ranks)


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_course_as_stock(name, backend):
    if backend == "kokkos" and not SCENARIOS[name].kokkos:
        pytest.skip("KOKKOS has no variant of what this script uses")
    assert_same_course(play(name, STOCK), play(name, triad("double", backend)), SCENARIOS[name].relative)
