"""A run that stops in the middle and goes on from its restart file on another number of ranks: the course of stock."""

import pytest
from lammps_run import run_lammps
from styles import STOCK, triad
from test_lists_of_ranks import FORCES, HOT, MAKE, ORTHOGONAL, OUTPUT

STEPS = 40
FIXES = {"nve": "nve{ours}", "nvt": "nvt{ours} temp 3000 2000 0.05", "langevin": "nve{ours}"}
START = MAKE.format(boundary="p p p", region=ORTHOGONAL, filled=5.99, sort=0)


def rest_of(fix, style, ours):
    """Styles and fixes, which a restart file does not hold."""
    suffix = "/triad" if ours else ""
    forces = FORCES.format(style=style, second="Si") + ("run_style verlet/triad\n" if ours else "")
    # the noise of Triad's thermostat is a function of atom ID and step, so that a run can go on anywhere
    noise = "fix noise all langevin/triad 3000 3000 0.1 4711\n" if fix == "langevin" else ""
    return forces + "fix integrate all " + FIXES[fix].format(ours=suffix) + "\n" + noise + OUTPUT.format(half=STEPS)


@pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (2, 3), (3, 2)], ids=str)
@pytest.mark.parametrize("fix", FIXES)
def test_other_number_of_ranks(fix, ranks, backend):
    begin = START + HOT.format(kelvin=5000)
    # stock, and for the noise Triad itself, without a break, on the ranks of the first part, which number the atoms
    style, ours = (triad("double", backend), True) if fix == "langevin" else (STOCK, False)
    whole = run_lammps(begin + rest_of(fix, style, ours) + f"run {STEPS}\nrun {STEPS}\n", ranks=ranks[0])
    rest = rest_of(fix, triad("double", backend), True)
    first = run_lammps(begin + rest + f"run {STEPS}\nwrite_restart half.restart\n", ranks=ranks[0])
    found = run_lammps("read_restart half.restart\n" + rest + f"run {STEPS}\n", ranks=ranks[1],
                       files={"half.restart": first.files["half.restart"]})
    assert found.runs[0]["Step"][0] == STEPS
    for name in ("TotEng", "Temp", "Pxx"):
        assert found.runs[0][name] == pytest.approx(whole.runs[1][name], rel=1e-8)
    frame, expected = found.frames()[-1], whole.frames()[-1]
    for name in ("xu", "yu", "zu", "vx", "fx"):
        scale = abs(expected[name]).max()
        assert frame[name] == pytest.approx(expected[name], rel=0, abs=1e-8 * scale), name
