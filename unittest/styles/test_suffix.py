"""`-suffix triad`: an unchanged script takes the plugin's styles, and LAMMPS's own where ours would change the run."""

import re

import numpy as np
import pytest
from courses import HOT
from lammps_run import run_lammps
from styles import STOCK
from systems import SYSTEMS
from test_fixes import OUTPUT, assert_same_course

RUN = OUTPUT.format(outputs="", every=5, half=20) + "run 40\n"
NVE = "fix integrate all nve\n"

TAKEN = {
    "nve": NVE,
    "nvt": "fix integrate all nvt temp 600 600 0.1\n",
    "npt": "fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n",
    "momentum": NVE + "fix still all momentum 5 linear 1 1 1 rescale\n",
    "computes": NVE + "compute own all temp\nthermo_modify temp own\n",
}
LEFT = {
    "npt-tri": ("change_box all triclinic\nfix integrate all npt temp 600 600 0.1 tri 0 0 0.5\n", "npt", "tri"),
    "npt-triclinic": ("change_box all triclinic\nfix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\n", "npt",
                      "pressure control of a triclinic box"),
    "npt-tloop": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5 tloop 0\n", "npt", "tloop 0"),
    "langevin": (NVE + "fix heat all langevin 600 600 0.1 4711 tally yes\n", "langevin", "the same noise"),
    "momentum": (NVE + "fix still all momentum 5 linear 1 1 1 angular\n", "momentum", "angular"),
    "respa": ("run_style respa 2 2 pair 1\nfix integrate all nve\n", "nve", "run_style respa"),
    "psllod": ("fix integrate all nvt temp 600 600 0.1 psllod no\n", "nvt", "psllod"),
    "tloop": ("fix integrate all nvt temp 600 600 0.1 tloop 0\n", "nvt", "tloop 0"),
    # what commands after the fix decide
    "temp-com": ("fix integrate all nvt temp 600 600 0.1\ncompute com all temp/com\nfix_modify integrate temp com\n",
                 "nvt", "a temperature with bias (compute com)"),
    "temp-partial": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\ncompute xy all temp/partial 1 1 0\n"
                     "fix_modify integrate temp xy\n", "npt", "a temperature with bias (compute xy)"),
    "respa-later": (NVE + "run_style respa 2 2 pair 1\n", "nve", "run_style respa"),
    "respa-nvt": ("fix integrate all nvt temp 600 600 0.1\nrun_style respa 2 2 pair 1\n", "nvt", "run_style respa"),
    "rigid": ("group body id 1:8\ngroup rest subtract all body\nfix bodies body rigid/nve single\n"
              "fix integrate rest npt temp 600 600 0.1 iso 0 0 0.5 dilate all\n", "npt",
              "the rigid bodies of fix bodies"),
    "deform": ("change_box all triclinic\nfix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n"
               "fix shear all deform 1 xy erate 0.01\n", "npt", "a box whose tilts fix shear changes"),
}
# A fix that has moved atoms, and then a command by which only the stock fix can go on.
LATE = {
    "nvt": ("fix integrate all nvt temp 600 600 0.1 tchain 4\nrun 20\ncompute com all temp/com\n"
            "fix_modify integrate temp com\n", "nvt"),
    "npt": ("fix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\nrun 20\ncompute xy all temp/partial 1 1 0\n"
            "fix_modify integrate temp xy\n", "npt"),
    "dof": ("fix integrate all nvt temp 600 600 0.1\ncompute_modify integrate_temp extra/dof 30\nrun 20\n"
            "run_style respa 2 2 pair 1\n", "nvt"),
}
HEAT_FLUX = """compute kinetic all ke/atom
compute potential all pe/atom
compute virial all stress/atom NULL virial
compute flux all heat/flux kinetic potential virial
fix flux all ave/time 5 1 5 c_flux[1] c_flux[2] c_flux[3] c_flux[4] file mean.txt
"""


def both(commands, run_style="run_style verlet\n"):
    """Stock, and the same script with the suffix, whose pair style is given its settings."""
    system = SYSTEMS["si-1989"]
    pair = "pair_style tersoff precision double backend host\npair_coeff * * SiCGe.tersoff Si(D)\n"
    return (run_lammps(system.commands(STOCK) + run_style + HOT + commands + RUN),
            run_lammps(system.create + pair + run_style + HOT + commands + RUN, args=("-suffix", "triad")))


@pytest.mark.parametrize("name", TAKEN)
def test_takes_ours(name):
    stock, found = both(TAKEN[name])
    assert "stays LAMMPS's" not in found.output and "brought atoms" not in found.output
    assert_same_course(stock, found, 1e-8)


@pytest.mark.parametrize("name", LEFT)
def test_leaves_what_ours_cannot_do(name):
    commands, fix, what = LEFT[name]
    stock, found = both(commands)
    assert f"stays LAMMPS's {fix}, since {fix}/triad does not support {what}" in found.output
    assert_same_course(stock, found, 1e-8)


@pytest.mark.parametrize("name", LATE)
def test_hands_over_between_runs(name):
    """The stock fix goes on with the state of ours: chains, box and settings."""
    commands, fix = LATE[name]
    stock, found = both(commands)
    ours, then = found.output.split(f"stays LAMMPS's {fix}, since {fix}/triad does not support")
    assert "Loop time" in ours and "Loop time" in then
    assert_same_course(stock, found, 1e-8)


def test_says_whose_a_fix_is():
    """`info fixes` names the stock fix where it stays, from its creation on and after what comes later."""
    listing = "info fixes\n"
    _, found = both("fix integrate all nvt temp 600 600 0.1 psllod no\n" + listing)
    assert re.search(r"Fix\[ *\d+\]: *integrate, *style = nvt,", found.output)
    _, found = both("fix integrate all nvt temp 600 600 0.1\n" + listing + "run_style respa 2 2 pair 1\nrun 0\n"
                    + listing)
    assert re.findall(r"integrate, *style = ([\w/]+),", found.output) == ["nvt/triad", "nvt"]


def test_fixes_beside_other_pair_styles():
    """Without a pair style or a run style of ours, which swap fixes, a fix does it when it is initialised."""
    script = SYSTEMS["si-1989"].create + ("pair_style sw\npair_coeff * * Si.sw Si\n" + NVE
                                          + "run_style respa 2 2 pair 1\n" + RUN)
    stock, found = run_lammps(script), run_lammps(script, args=("-suffix", "triad"))
    assert "stays LAMMPS's nve, since nve/triad does not support run_style respa" in found.output
    assert_same_course(stock, found, 1e-12)


def test_stock_heat_flux():
    stock, found = both(NVE + HEAT_FLUX + "info computes\n")
    assert "tersoff/triad on host" in found.output
    expected, other = (np.loadtxt(result.files["mean.txt"].decode().splitlines()) for result in (stock, found))
    assert other == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(expected).max())


def test_stock_table():
    """tersoff/table, of which there is no version of ours, stays LAMMPS's."""
    script = SYSTEMS["si-1989"].create + "pair_style tersoff/table\npair_coeff * * Si.tersoff Si\nrun 0\n"
    stock, found = (run_lammps(script, args=args, check=False) for args in ((), ("-suffix", "triad")))
    assert "pair_style tersoff/table stays LAMMPS's" in found.output
    assert stock.errors == found.errors
