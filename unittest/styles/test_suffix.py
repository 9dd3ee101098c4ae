"""`-suffix triad`: an unchanged script takes the plugin's styles, and LAMMPS's own where ours would change the run."""

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
    "nvt-tloop": ("fix integrate all nvt temp 600 600 0.1 tloop 0\n", "nvt", "tloop 0"),
    "npt-tloop": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5 tloop 0\n", "npt", "tloop 0"),
    "nvt-psllod": ("fix integrate all nvt temp 600 600 0.1 psllod no\n", "nvt", "psllod"),
    "langevin": (NVE + "fix heat all langevin 600 600 0.1 4711 tally yes\n", "langevin", "the same noise"),
    "momentum": (NVE + "fix still all momentum 5 linear 1 1 1 angular\n", "momentum", "angular"),
    "respa": ("run_style respa 2 2 pair 1\nfix integrate all nve\n", "nve", "run_style respa"),
}


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
