"""fix pairwise/triad under run_style verlet/triad: with a potential beside it and alone, beside stock and beside
run_style verlet."""

import functools
import re

import numpy as np
import pytest
import test_pairwise_laws as laws
import test_pairwise_runs
import test_pairwise_stock as stock
from compare import assert_same_course
from courses import HOT, twins
from foreign_fixes import FOREIGN
from gpu import why_no_cuda
from lammps_run import run_lammps
from pairwise import fix_of, gravity, scattered
from styles import STOCK, triad
from systems import SYSTEMS
from test_fixes import OUTPUT
from test_fixes import assert_same_course as assert_same_state

RESIDENT = "run_style verlet/triad\n"
IN_PLACE = "atoms in place"
COPIES = "brought atoms to the host"


@pytest.fixture(params=["host", pytest.param("cuda", marks=pytest.mark.cuda)])
def backend(request):
    """Not those of KOKKOS, which keeps atoms itself."""
    if request.param == "cuda" and why_no_cuda():
        pytest.skip(why_no_cuda())
    return request.param


# ---- without a potential, beside pair lj/cut and bond_style harmonic


@pytest.mark.parametrize("name", [name for name in stock.SCENARIOS if "respa" not in name])
def test_lj_beside_lj_cut(name, backend):
    scenario = stock.SCENARIOS[name]
    forces = stock.TRIAD + RESIDENT
    found = run_lammps(twins(scenario.script(forces, backend)), ranks=scenario.ranks, timeout=120,
                       resident=not scenario.bonds)
    assert_same_course(stock.of_stock(name), found, scenario.relative)
    assert (IN_PLACE in found.output) == ("minimize" not in name and not scenario.bonds)


@pytest.mark.parametrize("settings", ["", "cutoff 3.5"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_harmonic_beside_bond_style_harmonic(ranks, settings, backend):
    script = "\n".join(line for line in stock.NET.format(style="zero nocoeff", pair=stock.PAIR).splitlines()
                       if "bond" not in line)
    script = script.replace("lattice sc", "create_box 1 box\nlattice sc")
    springs = stock.SPRINGS.format(more=settings, **fix_of(backend))
    found = run_lammps(script + springs + RESIDENT + stock.OUTPUT + twins(stock.MOVE),
                       files={"net.pairs": stock.bonds(1)}, ranks=ranks)
    assert IN_PLACE in found.output
    assert_same_course(stock.of_bond_style(1), found, 1e-8)


@pytest.mark.parametrize("name", laws.LAWS)
def test_laws_beside_pair_styles(name, backend):
    words = laws.LISTED.format(pair=stock.ALONE, law=laws.LAWS[name][1], words="range list cutoff 2.5", **fix_of(backend))
    found = run_lammps(twins(laws.liquid(words + RESIDENT)), files=laws.TABLES)
    assert IN_PLACE in found.output
    assert_same_course(run_lammps(laws.liquid(laws.LAWS[name][0]), files=laws.TABLES), found, 1e-8)


@pytest.mark.parametrize("name", laws.LEPTON)
def test_formulas_beside_run_style_verlet(name, backend):
    words = laws.LISTED.format(pair=stock.ALONE, law=laws.formula_words(name), words="range list cutoff 2.5", **fix_of(backend))
    found = run_lammps(twins(laws.liquid(words + RESIDENT)))
    assert IN_PLACE in found.output
    assert_same_course(run_lammps(laws.liquid(words)), found, 1e-8)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_listed_pairs_beside_a_pair_style(ranks, backend):
    words = laws.LISTED.format(pair=stock.ALONE, law="listed all.pairs", words="cutoff 2.5", **fix_of(backend))
    script = laws.liquid(words + RESIDENT).replace("set group all type/fraction 2 0.3 771\n", "")
    found = run_lammps(twins(script), files=laws.listed("lj/gromacs", "0.9 1.05 1.4 2.5"), ranks=ranks)
    assert IN_PLACE in found.output
    of_stock = script.replace(words + RESIDENT, "pair_style lj/gromacs 1.4 2.5\npair_coeff * * 0.9 1.05\n")
    assert_same_course(run_lammps(of_stock, ranks=ranks), found, 1e-8)


# ---- all pairs, whose atoms change and whose fixes are those of others


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("change", test_pairwise_runs.CHANGES)
def test_changes(change, ranks, backend):
    groups, group, commands = test_pairwise_runs.CHANGES[change]
    boundary = "s s s" if "group" in change or change in ("masses and types", "sorted") else "f f f"
    script = test_pairwise_runs.CLOUD.format(groups=groups, group=group, **fix_of(backend), boundary=boundary)
    script += RESIDENT + test_pairwise_runs.DUMP.format(group=group, every=1) + commands + "\n"
    result = run_lammps(twins(script), files={"atoms.data": scattered(101).data_file()}, ranks=ranks)
    assert IN_PLACE in result.output
    test_pairwise_runs.assert_frames(result, gravity(0.3, 0.2))


CLOUD = """
units lj
atom_modify map yes
boundary {boundary}
read_data atoms.data
comm_modify cutoff 4
neighbor 0.3 bin
velocity all create 2.0 4711 loop geom
timestep 0.005
fix pairs {group} {fix} {law} backend {backend} precision double {more}
fix_modify pairs energy yes virial yes
"""
LAWS = {
    "gravity": ("gravity 0.3 0.2", "s s s"),
    "gravity-periodic": ("gravity 0.3 0.2", "p p p"),
    "gravity-list": ("gravity 0.3 0.2 range list cutoff 3.0", "p p p"),
    "one-sided": ("gravity 0.3 0.2 kernel onesided", "p s s"),
    "two-groups": ("gravity 0.3 0.2 group2 others", "s s s"),
    "coulomb": ("coulomb/power coeff 1 1 1 1 2 coeff 1 2 1 1 2 coeff 1 3 1 1 2 coeff 2 2 1 1 2 coeff 2 3 1 1 2 "
                "coeff 3 3 1 1 2", "p p p"),
}
RUNS = {
    "pieces": "{nve}run 20\nrun 20 pre no\nrun 0\nrun 0\nrun 1 pre no\nrun 20 every 5 \"print x\"\n",
    "style-left": "{nve}run 20\nrun_style verlet\nrun 20\nrun_style verlet/triad\nrun 20\n",
    "restart-written": "{nve}restart 13 part.restart\nrun 40\n",
    "nvt": "fix integrate all nvt temp 2 2 0.1\nrun 60\n",
    "npt": "fix integrate all npt temp 2 2 0.1 iso 0 0 1.0\nrun 60\n",
    "every-list": "neigh_modify every 1 delay 0 check no\n{nve}run 30\n",
    "no-list": "neigh_modify delay 100000 check no\n{nve}run 60\n",
    "two-pairs": "{nve}fix more all {fix} gravity 0.1 0.5 backend {backend} precision double\n"
                 "fix_modify more energy yes\nrun 40\n",
    "setforce": "{nve}group held id 1:20\nfix hold held setforce 0 NULL 0\nrun 40\n",
    "addforce": "{nve}fix push all addforce 0.01 0 -0.02\nrun 40\n",
    "pairs-after-setforce": "{nve}group held id 1:20\nfix hold held setforce 0 NULL 0\n"
                            "fix more all {fix} gravity 0.1 0.5 backend {backend} precision double\nrun 40\n",
    "force-before": "fix held all store/force\n{nve}run 40\n",
    "langevin": "{nve}fix heat all langevin 2 2 0.5 4711\nrun 40\n",
    "scalar": "fix_modify pairs energy no\n{nve}thermo_style custom step f_pairs pe temp press\nrun 40\n",
    "per-atom": "compute e all pe/atom\ncompute s all stress/atom NULL virial\ncompute sum all reduce sum c_e c_s[*]\n"
                "thermo_style custom step pe pxx c_sum[*]\n{nve}run 40\n",
}
STATE = """
thermo_modify norm no lost ignore format float %.17g
thermo 7
dump out all custom 10 atoms.dump id type x y z vx vy vz fx fy fz ix iy iz
dump_modify out sort id format float %.17g
"""


def play(law, run, fixes, backend, run_style, ranks=1):
    words, boundary = LAWS[law]
    group = "some" if "others" in words else "all"
    script = CLOUD.format(law=words, boundary=boundary, group=group, more="", **fix_of(backend))
    script = script.replace("fix pairs some", "group some id 1:60\ngroup others id 50:101\nfix pairs some")
    nve = "fix integrate all nve\n"
    commands = f"run_style {run_style}\n" + RUNS[run].format(nve=nve, **fix_of(backend))
    columns = "" if "thermo_style" in commands else "thermo_style custom step temp pe etotal pxx pyy pzz pxy vol\n"
    first = commands.index("\nrun ") + 1
    script += commands[:first] + columns + STATE + commands[first:]
    ours = twins(script).replace(" langevin/triad ", " langevin ")  # a fix of LAMMPS, which copies atoms
    return run_lammps(ours if fixes == "triad" else script, files={"atoms.data": scattered(101).data_file()},
                      ranks=ranks)


@functools.cache
def played_on_host(law, run):
    """Under run_style verlet with the fixes of LAMMPS."""
    return play(law, run, "stock", "host", "verlet")


@pytest.mark.parametrize("law, run", [(law, "pieces") for law in LAWS] + [("gravity-periodic", run) for run in RUNS]
                         + [("gravity-list", run) for run in RUNS] + [("coulomb", "npt")])
def test_same_course_as_run_style_verlet(law, run, backend):
    expected, found = played_on_host(law, run), play(law, run, "triad", backend, "verlet/triad")
    assert IN_PLACE in found.output
    assert_same_state(expected, found, 1e-8)
    assert_copied_for_foreign_fixes(run, found)


def assert_copied_for_foreign_fixes(run, found):
    """Fixes of LAMMPS, and no others, brought atoms to the host."""
    copied = re.search(rf"Triad: fix .*{re.escape(COPIES)}", found.output)
    assert bool(copied) == (run in ("langevin", "force-before")), found.output


@pytest.mark.parametrize("newton", ["on", "off"])
def test_hook_before_the_forces(newton, backend):
    """Where newton is off, LAMMPS neither clears nor returns what is on ghosts."""
    script = CLOUD.format(law="gravity 0.3 0.2", boundary="p p p", group="all", more="", **fix_of(backend))
    script = script.replace("read_data", f"newton {newton}\nread_data") + """
fix charges all property/atom q
variable charge equal step
fix set all adapt 1 atom charge v_charge
fix integrate all nve
thermo_style custom step temp pe etotal pxx
""" + STATE
    expected, found = (run_lammps(commands + "run 40\n", files={"atoms.data": scattered(101).data_file()},
                                  env={"MALLOC_PERTURB_": "165"})  # new memory of glibc is not zero then
                       for commands in (script, twins(script) + RESIDENT))
    assert IN_PLACE in found.output
    assert_same_state(expected, found, 1e-8)


# not langevin, whose noise depends on the number of ranks
@pytest.mark.parametrize("law, run, ranks", [(law, "pieces", ranks) for law in LAWS for ranks in (2, 3, 4)]
                         + [(law, run, 3 if law == "gravity-list" else 4) for law in ("gravity-periodic", "gravity-list")
                            for run in RUNS if run not in ("pieces", "langevin")])
def test_same_course_on_several_ranks(law, run, ranks, backend):
    """As on one rank. Other processes compute the forces on ghosts and a part of all pairs."""
    found = play(law, run, "triad", backend, "verlet/triad", ranks)
    assert IN_PLACE in found.output
    assert_same_state(played_on_host(law, run), found, 1e-8)
    assert_copied_for_foreign_fixes(run, found)


# ---- beside a potential

BESIDE = {
    "list": ("lj coeff 1 1 0.01 2.0 range list cutoff 4.0", "comm_modify cutoff 6.5\n"),
    "list-triangular": ("lj coeff 1 1 0.01 2.0 range list cutoff 3.0 kernel triangular", ""),
    "all": ("coulomb/power coeff 1 1 0.5 0.1 2", ""),
}
COURSES = {
    "nve": "fix integrate all nve\n",
    "nvt": "fix integrate all nvt temp 600 600 0.1\n",
    "npt": "fix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\n",
    "some-move": "group some id 1:100\nfix integrate some nve\n",
    "melt": "velocity all scale 9000\nfix integrate all nve\n",
} | {name: FOREIGN[name].format(nve="nve") for name in ("addforce", "recenter", "deform", "balance")}


def beside(force, course, precision, fixes, backend, ranks=1):
    words, more = BESIDE[force]
    style = STOCK if fixes == "stock" else triad(precision, backend)
    commands = HOT + more + "fix pairs all {fix} {law} backend {backend} precision {precision}\n".format(
        law=words, precision=precision, **fix_of(backend)) + "fix_modify pairs energy yes virial yes\n"
    commands += COURSES[course] + OUTPUT.format(outputs="f_pairs", every=10, half=50) + "run 60\nrun 40\n"
    if fixes == "triad":
        commands = RESIDENT + twins(commands)
    return run_lammps(SYSTEMS["si-1989"].commands(style) + commands, ranks=ranks)


@functools.cache
def beside_stock(force, course, ranks=1):
    return beside(force, course, "double", "stock", "host", ranks)


@pytest.mark.parametrize("force, course", [("all", "nve"), ("all", "nvt"), ("all", "npt"), ("all", "addforce"),
                                           ("list-triangular", "nve")] + [("list", course) for course in COURSES])
def test_beside_a_potential(force, course, backend):
    found = beside(force, course, "double", "triad", backend)
    assert IN_PLACE in found.output
    # a melt diverges from rounding
    assert_same_state(beside_stock(force, course), found, 1e-6 if course == "melt" else 1e-8)


@pytest.mark.parametrize("precision", ["mixed", "single"])
@pytest.mark.parametrize("force", BESIDE)
@pytest.mark.parametrize("ranks", [1, 2])
def test_precisions_beside_a_potential(ranks, force, precision, backend):
    found, expected = beside(force, "nve", precision, "triad", backend, ranks), beside_stock(force, "nve")
    for name in ("PotEng", "TotEng", "f_pairs"):
        np.testing.assert_allclose(found.runs[-1][name], expected.runs[-1][name],
                                   rtol=2e-5 if precision == "single" else 2e-6)


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("force, course", [("all", "nve"), ("all", "npt"), ("list-triangular", "nve"), ("list", "nve"),
                                           ("list", "npt"), ("list", "melt"), ("list", "deform"), ("list", "balance")])
def test_ranks_beside_a_potential(force, course, ranks, backend):
    found = beside(force, course, "double", "triad", backend, ranks)
    assert IN_PLACE in found.output
    assert_same_state(beside_stock(force, course, ranks), found, 1e-6 if course == "melt" else 1e-8)


def test_fix_with_another_backend_goes_by_way_of_the_host(cuda):
    commands = HOT + RESIDENT + "fix pairs all pairwise/triad coulomb/power coeff 1 1 0.5 0.1 2 backend host\n" \
        "fix integrate all nve/triad\nrun 5\n"
    found = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "cuda")) + commands)
    assert "uses another backend than the engine" in found.output


# ---- errors

COLLISION = test_pairwise_runs.OPEN_BOX + """
create_atoms 1 single 1 2 3
create_atoms 1 single 4 5 6
create_atoms 1 single 3 2 3
neigh_modify delay 1000 check no
fix pairs all pairwise/triad gravity 1e-300 0 backend {backend} precision double
fix integrate all nve/triad
velocity all set 0 0 0
group fast id 1
velocity fast set 1 0 0
timestep 0.25
run_style verlet/triad
thermo 100
run 100
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_atoms_that_meet_in_a_batch(ranks, backend):
    result = run_lammps(COLLISION.format(backend=backend), ranks=ranks, check=False)
    assert result.returncode != 0
    assert "verlet/triad" in result.errors and ("atoms 1 and 3" in result.errors or "atoms 3 and 1" in result.errors
                                                or "check for overlapping atoms" in result.errors), result.errors
