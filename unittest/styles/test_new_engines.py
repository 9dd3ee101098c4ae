"""run_style verlet/triad makes an engine when coefficients change and after each command run_style. Fixes, computes and
totals do not take the new engine for the one before."""

import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

SYSTEM = SYSTEMS["si-1989"]


def run(style, x, commands, ranks=1):
    commands = commands.format(x=x, run_style="verlet" + x, pair=SYSTEM.pair_commands(style))
    return run_lammps(SYSTEM.commands(style) + commands, files=SYSTEM.files(), ranks=ranks)


# Atoms of few K need no neighbor list in these steps, which would tell fixes that the points are gone.
ORIGINAL_POSITIONS = """
velocity all create 20 2817 loop geom
run_style {run_style}
fix integrate all nve{x}
fix tie all spring/self{x} 1.0
compute way all msd{x}
compute size all gyration{x}
thermo_style custom step temp pe c_way[4] c_size f_tie
thermo_modify norm no format float %.17g
thermo 5
dump d all custom 20 atoms.dump id xu yu zu
dump_modify d sort id format float %.17g
run 20
{between}run_style {run_style}
run 20
"""


@pytest.mark.parametrize("between", ["", "run_style verlet\n", "run_style verlet\nrun 5\n"])
def test_every_run_style_gets_the_original_positions(between, backend):
    commands = ORIGINAL_POSITIONS.replace("{between}", between)
    found = run(triad("double", backend), "/triad", commands)
    assert_same_course(run(STOCK, "", commands), found, 1e-9)
    assert found.runs[-1]["c_way[4]"][-1] > 1e-4


# No step up to that of the dump needs energy or virial.
WITHOUT_TOTALS = """
velocity all create 300 2817 loop geom
run_style {run_style}
fix integrate all nve{x}
thermo_style custom step temp pe press
thermo_modify norm no format float %.17g
thermo 40
dump d all custom 10 atoms.dump id xu yu zu
dump_modify d sort id format float %.17g
run 20
{pair}run 40 pre no
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_new_engine_has_no_totals_at_first(ranks, backend):
    expected, found = (run(style, x, WITHOUT_TOTALS, ranks) for style, x in ((STOCK, ""), (triad("double", backend), "/triad")))
    assert_same_course(expected, found, 1e-9)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("command", ["balance 1.0 shift x 5 1.0", "reset_atoms id"])
def test_other_atoms_than_in_the_setup_are_refused(command, ranks):
    """Stock goes on with wrong numbers: its communication is that of the atoms before."""
    script = SYSTEM.commands(triad("double", "host")) + "displace_atoms all random 0.3 0.3 0.3 5\nfix 1 all nve/triad\n"
    found = run_lammps(script + f"run_style verlet/triad\nrun 5\n{command}\nrun 10 pre no\n", ranks=ranks, check=False)
    assert found.returncode != 0
    assert "the atoms or their ghosts are others than in the last setup; after a command such as balance" in found.output
    run_lammps(script + f"run_style verlet/triad\nrun 5\n{command}\nrun 10\n", ranks=ranks)
