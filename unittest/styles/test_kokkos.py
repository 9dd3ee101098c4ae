"""What only the styles of KOKKOS have: the package's options, its command line, its own ways to load and fail."""

import os
from pathlib import Path

import numpy as np
import pytest
from compare import EVALUATE, TOLERANCES, assert_close, evaluate, quantities
from kokkos import on_gpu
from lammps_run import KOKKOS, run_lammps
from pairwise import reference
from pairwise_systems import SYSTEMS as PAIRWISE
from scenarios import NVE
from styles import STOCK, Style, triad
from systems import SYSTEMS
from test_pairwise import KINDS as PAIRWISE_KINDS
from test_pairwise import assert_same

PLUGINS = Path(os.environ.get("LAMMPS_PLUGIN_PATH", "."))
ON = KOKKOS[:KOKKOS.index("-pk")] if "-pk" in KOKKOS else KOKKOS
ENERGY = "thermo_style custom step pe\nthermo_modify norm no format float %.17g\nrun 0\n"

pytestmark = pytest.mark.usefixtures("kokkos")


def energies(result):
    return [run["PotEng"][0] for run in result.runs]


# Settings of the package that change which arrays a pair style finds where, or who sends its forces home.
OPTIONS = ["neigh half newton off", "comm no", "comm host", "comm device", "comm/pair/reverse no",
           "comm/pair/reverse device", "sort no", "sort device", "atom/map no", "neigh/transpose on", "binsize 3.0"]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_options_of_the_package(options, ranks):
    system = SYSTEMS["sicge-ternary"]
    result = run_lammps(system.commands(triad("double", "kokkos")) + EVALUATE, files=system.files(), ranks=ranks,
                        args=options.split())
    assert_close(evaluate("sicge-ternary", STOCK, ranks=ranks), result, TOLERANCES["double"])


def test_plain_script_with_the_defaults_of_the_package():
    """`-k on -sf kk` and nothing else: on a GPU that is `neigh full`, at which stock tersoff/kk stops."""
    system = SYSTEMS["si-melt"]
    result = run_lammps(system.commands(Style("tersoff/triad", "precision double")) + EVALUATE, files=system.files(),
                        kokkos=ON)
    assert "Triad: tersoff/triad/kk on" in result.output
    assert_close(evaluate("si-melt", STOCK), result, TOLERANCES["double"])


@pytest.mark.parametrize("name", ["si-melt", "unlike-triplets", "null-hybrid-two-instances"])
def test_same_as_stock_of_kokkos(name):
    system, half = SYSTEMS[name], (*ON, "-pk", "kokkos", "neigh", "half", "newton", "on")
    stock, plugin = (run_lammps(system.commands(style) + EVALUATE, files=system.files(), kokkos=half)
                     for style in (STOCK, Style("tersoff/triad", "precision double")))
    assert_close(stock, plugin, TOLERANCES["double"])


def test_host_style(precision):
    """/kk/host computes with the loops of the host on the package's arrays there, /kk/device is another name of /kk."""
    system = SYSTEMS["si-melt"]
    for suffix in ("host", "device"):
        result = run_lammps(system.commands(Style(f"tersoff/triad/kk/{suffix}", f"precision {precision}")) + EVALUATE,
                            files=system.files())
        assert ("on host, " in result.output) == (suffix == "host" or not on_gpu())
        assert_close(evaluate("si-melt", STOCK), result, TOLERANCES[precision])


def test_needs_the_package_switched_on():
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("mixed", "kokkos")), kokkos=(), check=False)
    assert result.returncode != 0 and "-k on" in result.errors


def test_backend_is_where_the_package_is():
    wrong, right = ("host", "cuda") if on_gpu() else ("cuda", "host")
    refused = run_lammps(SYSTEMS["si-1989"].commands(Style("tersoff/triad/kk", f"backend {wrong}")) + "run 0\n",
                         check=False)
    assert refused.returncode != 0 and f"backend {wrong}: KOKKOS keeps the atoms on" in refused.errors
    run_lammps(SYSTEMS["si-1989"].commands(Style("tersoff/triad/kk", f"backend {right}")) + "run 0\n")


def test_refuses_respa():
    script = SYSTEMS["si-1989"].commands(triad("double", "kokkos")) + "fix 1 all nve\nrun_style respa 2 2\nrun 1\n"
    result = run_lammps(script, check=False)
    assert result.returncode != 0 and "KOKKOS has no run_style respa" in result.errors


def test_clear_unload_and_load_again():
    """In one process; the energies of the same system are the same bits on the host, where lists have one order."""
    names = ["si-1989", "bnc-sheet", "si-1988-lambda3", "si-1989"]
    style = triad("double", "kokkos")
    script = "clear\n".join(SYSTEMS[name].commands(style) + ENERGY for name in names)
    pair = f"pair_style {style}\npair_coeff * * SiCGe.tersoff Si(D)\n"
    script += f"plugin unload pair tersoff/triad/kk\nplugin load {PLUGINS / 'triadkkplugin.so'}\n" + pair + ENERGY
    script += "plugin clear\n"
    found = energies(run_lammps(script))
    expected = [energies(run_lammps(SYSTEMS[name].commands(STOCK) + ENERGY))[0] for name in [*names, "si-1989"]]
    assert found == pytest.approx(expected, rel=1e-10)


def test_unknown_after_unload():
    result = run_lammps(SYSTEMS["si-1989"].create + "plugin unload pair tersoff/triad/kk\n"
                        + f"pair_style {triad('double', 'kokkos')}\n", check=False)
    assert result.returncode != 0 and "Unrecognized pair style" in result.output


@pytest.mark.parametrize("ranks", [1, 2])
def test_types_change_while_the_list_stays(ranks):
    """`run 5 pre no` keeps the list; the types of the atoms are those of now, those of ghosts still the old ones."""
    if on_gpu():
        pytest.skip("KOKKOS leaves on the host what the command set changes, until a run with a setup")
    script = NVE + "run 5\nset atom 1*100 type 2\nrun 5 pre no\n"
    output = "thermo_style custom step pe press\nthermo_modify norm no format float %.17g\n"
    system = SYSTEMS["sige"]
    plain, kokkos = (run_lammps(system.commands(triad("double", backend)) + output + script, files=system.files(),
                                ranks=ranks) for backend in ("host", "kokkos"))
    for expected, found in zip(plain.runs, kokkos.runs, strict=True):
        np.testing.assert_allclose(found["PotEng"], expected["PotEng"], rtol=1e-9)
        np.testing.assert_allclose(found["Press"], expected["Press"], rtol=1e-7)


def test_ten_thousand_steps(precision):
    """Warm silicon with sorted atoms: the total energy stays, and the temperature is that of stock."""
    script = SYSTEMS["si-1989"].create + """
pair_style {style}
pair_coeff * * SiCGe.tersoff Si(D)
velocity all create 900 2817 loop geom mom yes
fix integrate all nve
atom_modify sort 100 3.0
thermo_style custom step etotal temp
thermo_modify norm yes format float %.17g
thermo 100
run 10000
"""
    stock, plugin = (run_lammps(script.format(style=style)).runs[0] for style in (STOCK, triad(precision, "kokkos")))
    assert np.ptp(plugin["TotEng"]) < 1.2 * np.ptp(stock["TotEng"])
    assert plugin["Temp"][20:].mean() == pytest.approx(stock["Temp"][20:].mean(), rel=0.05)


# ---- fix pairwise/triad/kk

def pair_forces(name, precision="double", ranks=1, more=""):
    return run_lammps(PAIRWISE[name].commands(precision, "kokkos", more) + EVALUATE, files=PAIRWISE[name].all_files(),
                      ranks=ranks)


@pytest.mark.parametrize("name, ranks", [(name, ranks) for name in PAIRWISE_KINDS for ranks in (2, 3)])
def test_pair_forces_on_several_ranks(name, ranks):
    assert_same(quantities(pair_forces(name, ranks=ranks)), reference(PAIRWISE[name]), "double")


# Systems of this fix, and whether the loops take their atoms from where KOKKOS keeps them on a GPU.
IN_PLACE = {"gravity-periodic": True, "gravity-two-groups": True, "coulomb-power": True, "lj-list": True,
            "harmonic-cutoff": True,
            "gravity-unwrapped": False}


@pytest.mark.parametrize("name", IN_PLACE)
def test_pair_forces_where_the_atoms_are(name):
    output = pair_forces(name).output
    assert "Triad: fix pairs pairwise/triad on " in output
    assert ("atoms in place" in output) == (on_gpu() and IN_PLACE[name])


def test_host_style_of_pair_forces(precision):
    system = PAIRWISE["lj-list"]
    script = system.commands(precision, "kokkos").replace("pairwise/triad/kk ", "pairwise/triad/kk/host ")
    result = run_lammps(script + EVALUATE, files=system.all_files())
    assert "Triad: fix pairs pairwise/triad on host" in result.output
    assert_same(quantities(result), reference(system), precision)


def test_pair_forces_of_full_lists_alone():
    """A list on the GPU has each pair twice."""
    result = run_lammps(PAIRWISE["lj-list"].commands("double", "kokkos", "kernel triangular") + "run 0\n",
                        files=PAIRWISE["lj-list"].all_files(), check=False)
    assert (result.returncode != 0 and "use kernel auto" in result.errors) == on_gpu()


def test_pair_forces_refuse_respa():
    result = run_lammps(PAIRWISE["lj-list"].commands("double", "kokkos") + "fix 1 all nve\nrun_style respa 2 2\nrun 1\n",
                        files=PAIRWISE["lj-list"].all_files(), check=False)
    assert result.returncode != 0 and "KOKKOS has no run_style respa" in result.errors
