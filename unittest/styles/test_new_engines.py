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


CREATE = "create_atoms 1 random 3000 5 NULL overlap 0.5"


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("command", ["balance 1.0 shift x 5 1.0", "reset_atoms id", "delete_atoms group some", CREATE,
                                     "displace_atoms some random 0.1 0.1 0.1 4711", "change_box all x scale 1.01 remap"])
def test_other_atoms_than_in_the_setup_are_refused(command, ranks, backend):
    """Stock goes on with wrong numbers: its communication is that of the atoms before."""
    script = (SYSTEM.commands(triad("double", backend)) + "displace_atoms all random 0.3 0.3 0.3 5\ngroup some id 1:3\n"
              "fix 1 all nve/triad\nrun_style verlet/triad\nrun 5\n")
    found = run_lammps(script + f"{command}\nrun 10 pre no\n", ranks=ranks, check=False)
    assert found.returncode != 0 and "after a command such as balance" in found.output
    assert "the atoms, their ghosts or the box are others than in the last run" in found.output
    if command != CREATE:
        run_lammps(script + f"{command}\nrun 10\n", ranks=ranks)


@pytest.mark.parametrize("style", [triad("double", "host"), None], ids=["tersoff", "lj"])
@pytest.mark.parametrize("command", ["displace_atoms all random 0.1 0.1 0.1 4711", "change_box all x scale 1.01 remap"])
def test_other_ghosts_than_those_of_the_list_are_refused_by_pair_styles(style, command):
    """Under run_style verlet, without a setup: LAMMPS has no ghosts, of which its list has the indices."""
    if style:
        script = SYSTEM.commands(style)
    else:
        script = ("units lj\nlattice fcc 0.8\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1\n"
                  "pair_style lj/cut/triad 2.5 precision double backend host\npair_coeff * * 1 1\n")
    script += "fix 1 all nve\nneigh_modify delay 20\nrun 5\n"
    found = run_lammps(script + f"{command}\nrun 10 pre no\n", check=False)
    assert found.returncode != 0 and "the atoms or their ghosts are others than those of the neighbor list" in found.output
    run_lammps(script + f"{command}\nrun 10\n")


def test_a_minimization_between_runs_without_setup(backend):
    """The fix asks for the virials of the first step, as in a run with a setup: the forces are those of a rerun."""
    script = (SYSTEM.commands(triad("double", backend)) + "velocity all create 900 2817 loop geom\nfix heat all nvt/triad temp 900 900 0.1\n"
              "fix drive all hnemd/triad 0.1 0 0\ncompute f all reduce sumsq fx fy fz\nthermo_style custom step c_f[*]\n"
              "thermo_modify norm no format float %.17g\nthermo 1\nrun_style verlet/triad\n"
              "dump d all custom 1 d.dump id x y z\ndump_modify d format float %.17g\n"
              "run 20\nminimize 0 1e-4 3 5\nrun 3 pre no\nundump d\nrerun d.dump dump x y z\n")
    *_, run, again = run_lammps(script).runs
    for column in ("c_f[1]", "c_f[2]", "c_f[3]"):
        assert run[column][1:] == pytest.approx(again[column][-3:], rel=1e-9)
