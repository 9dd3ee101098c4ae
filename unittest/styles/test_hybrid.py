"""pair_style lj/cut/triad, and pair_style hybrid with it and styles of the Tersoff family: against the stock styles, with
LAMMPS's arrays and on an engine."""

import functools
import re

import compare
import numpy as np
import pytest
from courses import twins
from hybrid_systems import HYBRIDS
from lammps_run import run_lammps

COURSE = """
neighbor 1.0 bin
velocity all create 900 2817 loop geom
fix integrate all nve
timestep 0.001
compute stress all stress/atom NULL
compute mean all reduce sum c_stress[1] c_stress[2] c_stress[4]
compute part all pe/atom
compute parts all reduce sum c_part
thermo_style custom step temp pe evdwl etail press pxx pyy pzz pxy pxz pyz c_mean[1] c_mean[3] c_parts
thermo_modify norm no format float %.17g
thermo 20
dump out all custom 50 atoms.dump id type xu yu zu vx vy vz fx fy fz
dump_modify out sort id format float %.17g
"""
# Without per-atom tallies, batches of steps are as long as the output allows.
PLAIN = "\n".join(line for line in COURSE.splitlines() if not line.startswith("compute")).replace(
    " c_mean[1] c_mean[3] c_parts", "") + "\n"


@functools.cache
def stock_course(name, output, ranks):
    return run_lammps(HYBRIDS[name].commands() + output + "run 100\n", ranks=ranks)


@pytest.mark.parametrize("name", HYBRIDS)
def test_forces_energies_and_stresses(name, backend, ranks=1):
    stock = run_lammps(HYBRIDS[name].commands() + compare.EVALUATE, ranks=ranks)
    found = run_lammps(HYBRIDS[name].commands(backend) + compare.EVALUATE, ranks=ranks)
    compare.assert_close(stock, found, compare.TOLERANCES["double"])


@pytest.mark.parametrize("precision", ["mixed", "single"])
def test_precisions(precision, backend):
    stock = run_lammps(HYBRIDS["silicon-in-argon"].commands() + compare.EVALUATE)
    found = run_lammps(HYBRIDS["silicon-in-argon"].commands(backend, precision) + compare.EVALUATE)
    compare.assert_close(stock, found, compare.TOLERANCES[precision])


@pytest.mark.parametrize("output", [COURSE, PLAIN], ids=["per-atom", "totals"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
@pytest.mark.parametrize("name", HYBRIDS)
def test_same_course_as_stock(name, run_style, ranks, output, backend):
    commands = output if run_style == "verlet" else twins(output)
    found = run_lammps(HYBRIDS[name].commands(backend) + f"run_style {run_style}\n" + commands + "run 100\n",
                       ranks=ranks)
    compare.assert_same_course(stock_course(name, output, ranks), found, 1e-8)


@pytest.mark.parametrize("ranks", [3, 4])
@pytest.mark.parametrize("name", ["silicon-in-argon", "graphene-on-silicon"])
def test_same_course_on_more_ranks(name, ranks, backend):
    """A solid beside a gas or a vacuum, of which some ranks have little."""
    test_same_course_as_stock(name, "verlet/triad", ranks, PLAIN, backend)


# ---- what else scripts do with such pair styles; with stock lj/cut, whose forces LAMMPS computes on the host

CASES = {
    "stock-lj": (False, ""),
    "foreign-barostat": (True, "fix drag all viscous 0.001\nfix box all press/berendsen iso 0 0 10.0 modulus 1000000\n"),
    "npt": (True, "unfix integrate\nfix integrate all npt temp 900 600 0.1 iso 0 0 0.5\n"),
    "langevin-like": (True, "fix still all momentum 5 linear 1 1 1\nfix push all addforce 0.1 0.0 -0.1\n"),
    "adapt": (True, "variable e equal 0.01+0.0001*step\n"
              "fix change all adapt 7 pair {lj} epsilon 1 2 v_e\n"),
    # changes coefficients and sets them back, also between the setup and the first step
    "free-energy": (True, "variable change equal 0.001\ncompute change all fep 300 pair {lj} epsilon * 2 v_change\n"
                    "thermo_style custom step temp pe c_change[1] press\nunfix integrate\n"
                    "fix integrate all npt temp 900 600 0.1 iso 0 0 0.5\n"),
    "exclude": (True, "group some id 1:60\nneigh_modify exclude group some some\n"),
    "sorted": (True, "atom_modify sort 10 4.0\n"),
    "sorted-beside-a-reader-of-lists": (True, "atom_modify sort 10 4.0\ncompute number all coord/atom cutoff 3.0\n"
                                        "compute numbers all reduce sum c_number\n"
                                        "thermo_style custom step temp pe c_numbers\n"),
    "lists-every-step": (True, "neigh_modify every 1 delay 0 check no\n"),
    "dynamic-group": (True, "region low block INF INF INF INF 0 9\ngroup low dynamic all region low every 3\n"),
    "pair-computes": (True, "compute one all pair {lj}\ncompute two all pair tersoff{x}\n"
                      "thermo_style custom step temp pe c_one c_two press\n"),
    "group-group": (True, "group a type 2\nunfix integrate\nfix integrate all nve\nthermo_style custom step pe\n"),
}


def case(name, backend, run_style):
    ours, commands = CASES[name]
    commands = commands.format(lj="lj/cut/triad" if backend and ours else "lj/cut", x="/triad" if backend else "")
    script = PLAIN + commands
    script = twins(script).replace("viscous/triad", "viscous") if run_style == "verlet/triad" else script
    return (HYBRIDS["silicon-in-argon"].commands(backend, lj=ours) + f"run_style {run_style}\n" + script
            + "run 40\nrun 20 pre no\nrun 40\n")


@functools.cache
def stock_case(name):
    return run_lammps(case(name, None, "verlet"))


@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
@pytest.mark.parametrize("name", CASES)
def test_cases(name, run_style, backend):
    found = run_lammps(case(name, backend, run_style))
    compare.assert_same_course(stock_case(name), found, 1e-8)


# In two dimensions LAMMPS makes no ghosts along z, in which direction the box must be periodic and may be thin.
TWO_DIMENSIONS = """
units lj
dimension 2
boundary {boundary}
atom_modify map array
lattice sq 0.8
region box block 0 24 0 24 -{half} {half}
create_box 1 box
region filled block 2 21.5 2 21.5 INF INF
create_atoms 1 region filled
mass 1 1.0
pair_style {style}
pair_coeff 1 1 1 1
velocity all create 0.5 2817 loop geom
run_style {run_style}
fix integrate all nve
fix flat all enforce2d
thermo_style custom step temp pe press pxx pyy pzz pxy
thermo_modify norm no format float %.17g
thermo 10
dump out all custom 50 atoms.dump id xu yu zu fx fy fz
dump_modify out sort id format float %.17g
run 100
"""


@pytest.mark.parametrize("half", [0.25, 0.5, 1.2])
@pytest.mark.parametrize("boundary", ["f f p", "p f p", "f p p", "p p p"])
def test_two_dimensions(boundary, half, backend):
    script = TWO_DIMENSIONS.replace("{boundary}", boundary).replace("{half}", str(half))
    expected = run_lammps(script.format(style="lj/cut 2.5", run_style="verlet"))
    ours = script.format(style=f"lj/cut/triad 2.5 precision double backend {backend}", run_style="verlet/triad")
    compare.assert_same_course(expected, run_lammps(twins(ours)), 1e-9)


# Motion in batches, with samples in each step.
SAMPLED = ("variable v equal vol\nvariable e equal evdwl-etotal\n"
           "fix mean all ave/time 1 3 4 c_thermo_press c_thermo_press[1] c_thermo_press[5] c_thermo_pe c_thermo_temp v_v v_e "
           "file mean.txt format ' %.15g'\n")
BATCHES = {
    "nve": "fix integrate all nve\n",
    "npt": "fix integrate all npt temp 900 600 0.1 aniso 0 500 1.0\n",
    "deform": "fix integrate all nvt temp 900 600 0.1\nfix pull all deform 1 x erate 0.1\n",
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("motion", BATCHES)
@pytest.mark.parametrize("name", [name for name in HYBRIDS if name != "lj-alone"])
def test_samples_and_changing_boxes_in_batches(name, motion, ranks, backend):
    course = PLAIN.replace("fix integrate all nve\n", BATCHES[motion]) + SAMPLED
    stock = run_lammps(HYBRIDS[name].commands() + course + "run 100\n", ranks=ranks)
    found = run_lammps(HYBRIDS[name].commands(backend) + "run_style verlet/triad\n" + twins(course) + "run 100\n",
                       ranks=ranks)
    compare.assert_same_course(stock, found, 1e-8)
    assert "brought" not in found.output.replace("dump out brought", "")
    rows = [np.loadtxt(result.files["mean.txt"].decode().splitlines()) for result in (stock, found)]
    assert rows[0].shape == (25, 8)
    np.testing.assert_allclose(rows[1], rows[0], rtol=1e-6, atol=1e-7)
    made = re.findall(r"made (\d+) steps on \w+, (\d+) of them in batches", found.output)
    if ranks == 1 and (backend == "cuda" or motion == "nve"):
        assert made and all(int(batched) > 0.7 * int(steps) for steps, batched in made), made


def test_log_names_a_sub_style_on_the_host():
    found = run_lammps(case("stock-lj", "host", "verlet/triad"))
    assert "atoms are copied to LAMMPS's arrays by pair style lj/cut in every step" in found.output
    assert re.search(r"atoms .* pair style lj/cut", found.output.split("Triad: run_style verlet/triad made")[1])


def test_settings_that_differ():
    """Sub-styles of different precisions cannot share an engine; the log says so and the results are right."""
    hybrid = HYBRIDS["silicon-in-argon"]
    script = hybrid.commands("host").replace("lj/cut/triad 8.5 precision double", "lj/cut/triad 8.5 precision mixed")
    found = run_lammps(script + "run_style verlet/triad\n" + twins(PLAIN) + "run 10\n", resident=False)
    assert "since pair styles tersoff/triad and lj/cut/triad have different precisions" in found.output


BAD = {
    "no-cutoff": ("pair_style lj/cut/triad", "Missing cutoff in pair_style lj/cut/triad"),
    "cutoff": ("pair_style lj/cut/triad -1", "pair_style lj/cut/triad cutoff is -1"),
    "keyword": ("pair_style lj/cut/triad 5 colour red", "Unknown pair_style lj/cut/triad keyword: colour"),
    "coefficients": ("pair_style lj/cut/triad 5\npair_coeff 1 1 0.1",
                     "pair_coeff for lj/cut/triad needs: type1 type2 epsilon sigma"),
    "type": ("pair_style lj/cut/triad 5\npair_coeff 3 1 0.1 1.0", "Numeric index 3 is out of bounds (1-2)"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_settings(name):
    commands, message = BAD[name]
    create = HYBRIDS["silicon-in-argon"].create
    found = run_lammps(create + commands + "\n", check=False)
    assert found.returncode != 0 and message in found.errors


def test_overlapping_atoms(backend):
    create = HYBRIDS["lj-alone"].create + "create_atoms 2 single 1.0 1.0 31.0 units box\n" * 2
    script = HYBRIDS["lj-alone"].commands(backend).replace(HYBRIDS["lj-alone"].create, create)
    found = run_lammps(script + "run 0\n", check=False)
    assert found.returncode != 0 and "at the same position" in found.errors


def test_restart_of_lj_cut(backend):
    """A restart file holds the coefficients; the run continues as stock lj/cut does."""
    def runs(style):
        defaults = f"triad precision double backend {style}\n" if style else ""
        first = (HYBRIDS["lj-alone"].commands(style) + PLAIN + "run 10\nwrite_restart half\nclear\n" + defaults
                 + "read_restart half\n")
        return run_lammps(first + PLAIN.replace("velocity all create 900 2817 loop geom\n", "") + "run 10\n")
    compare.assert_same_course(runs(None), runs(backend), 1e-8)


@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_newton_off(ranks, run_style, backend):
    def runs(style, run_style):
        course = twins(PLAIN) if run_style == "verlet/triad" else PLAIN
        return run_lammps("newton off\n" + HYBRIDS["lj-alone"].commands(style) + f"run_style {run_style}\n" + course
                          + "run 30\n", ranks=ranks)
    compare.assert_same_course(runs(None, "verlet"), runs(backend, run_style), 1e-8)


def test_minimisation(backend):
    end = ("thermo_style custom step pe press\nthermo_modify norm no format float %.17g\nthermo 5\n"
           "minimize 0 0 10 50\n")
    stock, found = (run_lammps(HYBRIDS["layers"].commands(style) + end + "dump out all custom 1 atoms.dump id type x\n"
                               "run 0\n") for style in (None, backend))
    compare.assert_same_course(stock, found, 1e-6)


@pytest.mark.parametrize("lj", [True, False], ids=["ours", "stock"])
def test_heat_current(lj, backend):
    """The heat current of all sub-styles is the same under both run styles."""
    def runs(run_style):
        script = HYBRIDS["layers"].commands(backend, lj=lj) + f"run_style {run_style}\n" + PLAIN + (
            "compute flux all heat/flux/triad\nthermo_style custom step c_flux[1] c_flux[2] c_flux[3] c_flux[4]\n"
            "unfix integrate\nfix integrate all nve/triad\nrun 40\n")
        return run_lammps(script, resident=lj)
    compare.assert_same_course(runs("verlet"), runs("verlet/triad"), 1e-8)
