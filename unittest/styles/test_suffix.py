"""`-suffix triad`: an unchanged script takes the plugin's styles, and LAMMPS's own where ours would change the run."""

import re

import numpy as np
import pytest
from courses import HOT
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS
from test_fixes import OUTPUT, assert_same_course

RUN = OUTPUT.format(outputs="", every=5, half=20) + "run 40\n"
NVE = "fix integrate all nve\n"

TAKEN = {
    "nve": NVE,
    "nvt": "fix integrate all nvt temp 600 600 0.1\n",
    "npt": "fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n",
    "momentum": NVE + "fix still all momentum 5 linear 1 1 1 rescale\n",
    "setforce": NVE + "group some id 1:50\nfix hold some setforce 0.0 NULL 0.1\n",
    "addforce": NVE + "fix push all addforce 0.1 0.0 -0.1\nfix_modify push energy yes virial yes\n",
    "aveforce": NVE + "group some id 1:50\nfix wall some aveforce 0.0 NULL 0.1\n",
    "temp-rescale": NVE + "fix heat all temp/rescale 5 500 400 10 0.5\n",
    "temp-berendsen": NVE + "fix heat all temp/berendsen 500 400 0.05\n",
    "temp-csvr": NVE + "fix heat all temp/csvr 500 400 0.05 4711\n",
    "spring-self": NVE + "fix tie all spring/self 1.0 xy\nfix_modify tie energy yes\n",
    "move": "group some id 1:50\ngroup rest subtract all some\nfix integrate rest nve\n"
            "fix pull some move linear 0.1 0 0\n",
    "wall-reflect": "change_box all boundary p p f\n" + NVE + "fix wall all wall/reflect zlo EDGE zhi EDGE\n",
    "deform": NVE + "fix pull all deform 1 x erate 0.5\n",
    "deform-shear": "change_box all triclinic\n" + NVE + "fix pull all deform 1 xy erate 0.5\n",
    "npt-triclinic": "change_box all triclinic\nfix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\n",
    "viscous": NVE + "fix drag all viscous 0.001\n",
    "heat": NVE + "region end block INF 5 INF INF INF INF units box\nfix hot all heat 2 1.0 region end\n",
    "ehex": NVE + "group some id 1:50\nfix cold some ehex 1 -0.5\n",
    "computes": NVE + "compute own all temp\nthermo_modify temp own\n",
}
LEFT = {
    "npt-tri": ("change_box all triclinic\nfix integrate all npt temp 600 600 0.1 tri 0 0 0.5\n", "npt", "tri"),
    "npt-tloop": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5 tloop 0\n", "npt", "tloop 0"),
    "langevin": (NVE + "fix heat all langevin 600 600 0.1 4711 tally yes\n", "langevin",
                 "the random numbers of fix langevin; where statistically equal results are enough, write langevin/triad"),
    "momentum": (NVE + "fix still all momentum 5 linear 1 1 1 angular\n", "momentum", "angular"),
    "setforce": (NVE + "variable f equal 0.1\nfix hold all setforce v_f NULL NULL\n", "setforce",
                 "a variable for the force"),
    "addforce": (NVE + "fix push all addforce 0.1 0.0 -0.1 every 2\n", "addforce", "every"),
    "aveforce": (NVE + "region half block 0 8 INF INF INF INF units box\nfix wall all aveforce 0 0 0 region half\n",
                 "aveforce", "region"),
    "heat": (NVE + "variable q equal 1.0\nfix hot all heat 1 v_q\n", "heat", "a variable for the flux"),
    "heat-region": (NVE + "region ball sphere 5 5 5 4 units box\nfix hot all heat 1 1.0 region ball\n", "heat",
                    "a region of style sphere"),
    "heat-open-region": (NVE + "region end block 0 5 INF INF INF INF units box open 1\nfix hot all heat 1 1.0 region end\n",
                         "heat", "a region with open faces"),
    "ehex-moving-region": (NVE + "variable x equal 0.01*step\nregion end block 0 5 INF INF INF INF units box move v_x "
                           "NULL NULL\nfix hot all ehex 1 1.0 region end\n", "ehex",
                           "a region that moves or changes its shape"),
    "temp-rescale": (NVE + "variable t equal 500\nfix heat all temp/rescale 5 v_t 400 10 0.5\n", "temp/rescale",
                     "a variable for the temperature"),
    "temp-berendsen-com": (NVE + "fix heat all temp/berendsen 500 400 0.05\ncompute com all temp/com\n"
                           "fix_modify heat temp com\n", "temp/berendsen", "a temperature with bias (compute com)"),
    "temp-csvr": (NVE + "variable t equal 500\nfix heat all temp/csvr v_t 400 0.05 4711\n", "temp/csvr",
                  "a variable for the temperature"),
    "spring-self": (NVE + "variable k equal 0.5\nfix tie all spring/self v_k\n", "spring/self",
                    "a variable for the stiffness"),
    "move": ("group some id 1:50\ngroup rest subtract all some\nfix integrate rest nve\n"
             "fix pull some move linear 0.1 NULL 0\n", "move", "NULL for a velocity"),
    "move-wiggle": ("group some id 1:50\ngroup rest subtract all some\nfix integrate rest nve\n"
                    "fix pull some move wiggle 0.1 0 0 1\n", "move", "wiggle"),
    "wall-reflect": ("change_box all boundary p p f\n" + NVE + "variable z equal 0\n"
                     "fix wall all wall/reflect zlo v_z zhi EDGE\n", "wall/reflect",
                     "a variable for the place of a wall"),
    "deform-velocities": (NVE + "fix pull all deform 1 x erate 0.5 remap v\n", "deform", "remap v"),
    "deform-variable": (NVE + "variable by equal 0\nvariable rate equal 0\n"
                        "fix pull all deform 1 x variable v_by v_rate\n", "deform", "variable"),
    "respa-spring-self": (NVE + "fix tie all spring/self 1.0\nrun_style respa 2 2 pair 1\n", "spring/self",
                          "run_style respa"),
    "respa-addforce": (NVE + "fix push all addforce 0.1 0.0 -0.1\nfix_modify push energy yes\n"
                       "run_style respa 2 2 pair 1\n", "addforce", "run_style respa"),
    "respa": ("run_style respa 2 2 pair 1\nfix integrate all nve\n", "nve", "run_style respa"),
    "psllod": ("fix integrate all nvt temp 600 600 0.1 psllod no\n", "nvt", "psllod"),
    "tloop": ("fix integrate all nvt temp 600 600 0.1 tloop 0\n", "nvt", "tloop 0"),
    # what commands after the fix decide
    "temp-com": ("fix integrate all nvt temp 600 600 0.1\ncompute com all temp/com\nfix_modify integrate temp com\n",
                 "nvt", "a temperature with bias (compute com)"),
    "temp-partial": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\ncompute xy all temp/partial 1 1 0\n"
                     "fix_modify integrate temp xy\n", "npt", "a temperature with bias (compute xy)"),
    "respa-later": (NVE + "run_style respa 2 2 pair 1\n", "nve", "run_style respa"),
    "respa-dt-reset": (NVE + "fix step all dt/reset 3 1e-5 0.002 0.01 units box\nrun_style respa 2 2 pair 1\n", "dt/reset",
                       "run_style respa"),
    "respa-nvt": ("fix integrate all nvt temp 600 600 0.1\nrun_style respa 2 2 pair 1\n", "nvt", "run_style respa"),
    "rigid": ("group body id 1:8\ngroup rest subtract all body\nfix bodies body rigid/nve single\n"
              "fix integrate rest npt temp 600 600 0.1 iso 0 0 0.5 dilate all\n", "npt",
              "the rigid bodies of fix bodies"),
    "grem": ("fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\nfix scaled all grem 400 -0.03 -1000 integrate\n",
             "npt", "fix scaled of style grem"),
    "grem-nvt": ("fix integrate all nvt temp 600 600 0.1\nfix scaled all grem 400 -0.03 -1000 integrate\n", "nvt",
                 "fix scaled of style grem"),
    "deform": ("change_box all triclinic\nfix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n"
               "fix shear all deform 1 xy erate 0.01\n", "npt", "a box whose tilts fix shear changes"),
}
# A fix that has moved atoms, and then a command by which only the stock fix can go on.
LATE = {
    "nvt": ("fix integrate all nvt temp 600 600 0.1 tchain 4\nrun 20\ncompute com all temp/com\n"
            "fix_modify integrate temp com\n", "nvt"),
    "npt": ("fix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\nrun 20\ncompute xy all temp/partial 1 1 0\n"
            "fix_modify integrate temp xy\n", "npt"),
    "temp-rescale": (NVE + "fix heat all temp/rescale 5 500 500 10 0.5\nthermo_modify norm no\nrun 20\n"
                     "compute com all temp/com\nfix_modify heat temp com\nvariable taken equal f_heat\n"
                     "thermo_style custom step temp v_taken\n", "temp/rescale"),
    "spring-self": (NVE + "fix tie all spring/self 1.0\nfix_modify tie energy yes\nrun 20\n"
                    "run_style respa 2 2 pair 1\n", "spring/self"),
    "move": ("group some id 1:50\ngroup rest subtract all some\nfix integrate rest nve\n"
             "fix pull some move linear 0.1 0 0\nrun 20\nrun_style respa 2 2 pair 1\n", "move"),
    "temp-csvr": (NVE + "fix heat all temp/csvr 500 500 0.05 4711\nthermo_modify norm no\nrun 20\n"
                  "compute com all temp/com\nfix_modify heat temp com\nvariable taken equal f_heat\n"
                  "thermo_style custom step temp v_taken\n", "temp/csvr"),
    "dof": ("fix integrate all nvt temp 600 600 0.1\ncompute_modify integrate_temp extra/dof 30\nrun 20\n"
            "run_style respa 2 2 pair 1\n", "nvt"),
}
HEAT_FLUX = """compute kinetic all ke/atom
compute potential all pe/atom
compute virial all stress/atom NULL virial
compute flux all heat/flux kinetic potential virial
fix flux all ave/time 5 1 5 c_flux[1] c_flux[2] c_flux[3] c_flux[4] file mean.txt
"""


def both(commands, run_style="run_style verlet\n", end=RUN):
    """Stock, and the same script with the suffix, whose pair style is given its settings."""
    system = SYSTEMS["si-1989"]
    pair = "pair_style tersoff precision double backend host\npair_coeff * * SiCGe.tersoff Si(D)\n"
    return (run_lammps(system.commands(STOCK) + run_style + HOT + commands + end),
            run_lammps(system.create + pair + run_style + HOT + commands + end, args=("-suffix", "triad")))


@pytest.mark.parametrize("name", TAKEN)
def test_takes_ours(name):
    stock, found = both(TAKEN[name])
    assert "remains LAMMPS's" not in found.output
    assert "Triad: atoms stay on host" in found.output
    assert set(re.findall(r"Triad: (.*) brought atoms", found.output)) <= {"dump out"}
    assert_same_course(stock, found, 1e-8)


@pytest.mark.parametrize("name", LEFT)
def test_leaves_what_ours_cannot_do(name):
    commands, fix, what = LEFT[name]
    stock, found = both(commands)
    assert f"remains LAMMPS's {fix}, since {fix}/triad does not support {what}" in found.output
    assert_same_course(stock, found, 1e-8)


@pytest.mark.parametrize("name", LATE)
def test_hands_over_between_runs(name):
    """The stock fix goes on with the state of ours: chains, box and settings."""
    commands, fix = LATE[name]
    stock, found = both(commands)
    ours, then = found.output.split(f"remains LAMMPS's {fix}, since {fix}/triad does not support")
    assert "Loop time" in ours and "Loop time" in then
    assert_same_course(stock, found, 1e-8)


THERMO = """thermo 5
thermo_modify norm no format float %.17g
dump out all custom 10 atoms.dump id type x y z ix iy iz vx vy vz fx fy fz
dump_modify out sort id format float %.17g
"""
# What computes and fixes keep between the calls of other commands.
KEPT = {
    "velocity-without-bias": "compute xy all temp/partial 1 1 0\nvelocity all create 300 4711 temp xy bias yes loop geom\n"
                             + NVE + THERMO,
    "pressure-after-a-thermostat": NVE + "fix heat all temp/rescale 10 300 300 0 1\nfix_modify heat temp thermo_temp\n"
                                   "fix forces all store/force\nthermo_style custom step pxx temp\n" + THERMO,
    "shape-of-gyration": NVE + "compute size all gyration\ncompute shape all gyration/shape size\n"
                         "thermo_style custom step c_size c_shape[1] c_shape[2] c_shape[3] c_shape[4]\n" + THERMO,
    "gyration-in-a-changing-box": NVE + "compute size all gyration\nfix sizes all ave/time 1 1 10 c_size[1]\n"
                                  "fix pull all deform 1 x erate 0.5 remap x\nthermo_style custom step c_size\n" + THERMO,
}


@pytest.mark.parametrize("name", KEPT)
def test_keeps_what_stock_keeps(name):
    stock, found = both(KEPT[name], end="run 20\n")
    assert_same_course(stock, found, 1e-8)


NPT = "npt temp 600 600 0.1 iso 0 0 0.5"


@pytest.mark.parametrize("fix, change", [("nvt temp 600 600 0.1", "temp other"), (NPT, "temp other"), (NPT, "press others"),
                                         ("temp/csvr 600 600 0.1 4711", "temp other"), ("temp/rescale 1 600 600 0 1", "temp other")])
def test_another_compute_needs_a_setup(fix, change):
    """The fix has deleted its own compute, and the other one has no degrees of freedom yet."""
    system = SYSTEMS["si-1989"]
    for run_style in ("verlet", "verlet/triad"):
        script = (system.commands(triad("double", "host")) + f"run_style {run_style}\nfix heat all {fix.replace(' ', '/triad ', 1)}\n"
                  "velocity all create 600 4711\nrun 5\ncompute other all temp\ncompute others all pressure thermo_temp\n"
                  f"fix_modify heat {change}\n")
        refused = run_lammps(script + "run 5 pre no\n", check=False)
        assert refused.returncode != 0 and "after the run was set up; use 'run' without 'pre no'" in refused.output
        run_lammps(script + "run 5\n")


@pytest.mark.parametrize("commands, message", [
    ("region low block INF INF INF INF 0 5 units box\ngroup low dynamic all region low every 5\n"
     "fix pull low move linear 0.1 0 0\nrun 1\n", "does not allow use with a dynamic group"),
    ("region low block INF INF INF INF 0 5 units box\ngroup low dynamic all region low every 5\n"
     "compute way low msd\nrun 0\n", "is not compatible with dynamic groups"),
])
def test_refuses_what_stock_refuses(commands, message):
    system = SYSTEMS["si-1989"]
    pair = "pair_style tersoff precision double backend host\npair_coeff * * SiCGe.tersoff Si(D)\n"
    for script, args in ((system.commands(STOCK), ()), (system.create + pair, ("-suffix", "triad"))):
        found = run_lammps(script + commands, args=args, check=False)
        assert found.returncode != 0 and message in found.output, found.output[-2000:]


def test_degrees_of_freedom_that_a_bias_removes():
    """Compute temp/sphere asks its bias for them."""
    script = ("units lj\natom_style sphere\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 random 40 71 box\n"
              "set group all diameter 0.5 density 1\npair_style zero 1.0\npair_coeff * *\n"
              "velocity all create 1.0 4711 loop geom\ncompute xy all temp/partial 1 1 0\n"
              "compute whole all temp/sphere bias xy\nthermo_style custom step c_whole c_xy\n"
              "thermo_modify format float %.17g\nfix 1 all nve/sphere\nrun 0\n")
    stock, found = run_lammps(script), run_lammps(script, args=("-suffix", "triad"))
    for column in ("c_whole", "c_xy"):
        assert found.runs[0][column][0] == pytest.approx(stock.runs[0][column][0], rel=1e-12), column


@pytest.mark.parametrize("commands", ["fix pull all move linear 0 0 1 units box\n", "fix pull all move linear 0 0 0\n"])
def test_motion_in_two_dimensions(commands):
    script = ("units lj\ndimension 2\nlattice sq 0.8\nregion box block 0 4 0 4 -0.5 0.5\ncreate_box 1 box\ncreate_atoms 1 box\n"
              "mass 1 1\npair_style zero 1.0\npair_coeff * *\n") + commands + "run 1\n"
    stock, found = (run_lammps(script, args=args, check=False) for args in ((), ("-suffix", "triad")))
    assert (stock.returncode == 0) == (found.returncode == 0) == ("1 units" not in commands)


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
    assert "remains LAMMPS's nve, since nve/triad does not support run_style respa" in found.output
    assert_same_course(stock, found, 1e-12)


def test_kinetic_sums_where_the_atoms_are():
    """compute temp, ke and momentum of groups, sampled and printed: the numbers of stock, and no copies but the dumps'."""
    samples = """group some id 1:50
compute energy some ke
compute motion some momentum
compute own some temp
fix mean all ave/time 2 1 2 c_energy c_motion[1] c_motion[2] c_motion[3] c_own file mean.txt
"""
    stock, found = both(NVE + samples)
    assert LIVES in found.output
    assert set(re.findall(r"Triad: (.*) brought atoms", found.output)) == {"dump out"}
    expected, other = (np.loadtxt(result.files["mean.txt"].decode().splitlines()) for result in (stock, found))
    assert len(expected) == 21
    assert other == pytest.approx(expected, rel=1e-8, abs=1e-8 * np.abs(expected[:, 2:5]).max())


def test_stock_barostat_with_our_temperature():
    """The suffix makes the fix's own temperature ours, whose kinetic tensor must be as old as that of stock."""
    stock, found = both("fix integrate all npt/cauchy temp 600 600 0.1 aniso 0 0 0.5\n")
    assert LIVES in found.output
    assert_same_course(stock, found, 1e-8)


def test_stock_heat_flux():
    stock, found = both(NVE + HEAT_FLUX + "info computes\n")
    assert "tersoff/triad on host" in found.output
    expected, other = (np.loadtxt(result.files["mean.txt"].decode().splitlines()) for result in (stock, found))
    assert other == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(expected).max())


def test_stock_table():
    """tersoff/table, of which there is no version of ours, remains LAMMPS's."""
    script = SYSTEMS["si-1989"].create + "pair_style tersoff/table\npair_coeff * * Si.tersoff Si\nrun 0\n"
    stock, found = (run_lammps(script, args=args, check=False) for args in ((), ("-suffix", "triad")))
    assert "pair_style tersoff/table remains LAMMPS's style" in found.output
    assert stock.errors == found.errors


# The run style that a script has with the suffix, and the reason: (commands before the pair style, after it).
RUN_STYLES = {
    "none": ("", "", True),
    "verlet": ("run_style verlet\n", "", True),
    "verlet-after": ("", "run_style verlet\n", True),
    "chosen": ("", "suffix off\nrun_style verlet\nsuffix on\n", False),
    "respa": ("run_style respa 2 2 pair 1\n", "", False),
    "respa-after": ("", "run_style respa 2 2 pair 1\n", False),
    "minimize": ("", "minimize 0 0 3 10\n", True),
}
SI = "pair_coeff * * SiCGe.tersoff Si(D)\n"
LIVES = "Triad: atoms stay on host"


def with_suffix(script, **options):
    return run_lammps(script, args=("-suffix", "triad"), **options)


@pytest.mark.parametrize("name", RUN_STYLES)
def test_run_style(name):
    before, after, ours = RUN_STYLES[name]
    scripts = [SYSTEMS["si-1989"].create + before + f"pair_style tersoff{words}\n" + SI + HOT + after + NVE + RUN
               + "run 20\n" for words in ("", " precision double backend host")]
    stock = run_lammps("".join(line for line in scripts[0].splitlines(True) if not line.startswith("suffix")))
    found = with_suffix(scripts[1], check=name != "chosen")  # the check does not see what `suffix off` hides
    assert found.output.count(LIVES) == (2 if ours else 0)
    assert len(re.findall(r"made \d+ steps on host, \d+ of them in batches", found.output)) == (2 if ours else 0)
    assert_same_course(stock, found, 1e-8)


# Pair styles of hybrids and lj/cut: (commands, lj/cut becomes ours, the run style becomes ours).
LJ = "pair_coeff * * lj/cut 0.001 2.0\n"
HYBRIDS = {
    "tersoff": ("pair_style hybrid tersoff\npair_coeff * * tersoff SiCGe.tersoff Si(D)\n", False, True),
    "lj-behind": ("pair_style hybrid/overlay tersoff lj/cut 4.0\npair_coeff * * tersoff SiCGe.tersoff Si(D)\n" + LJ,
                  True, True),
    "lj-before": ("pair_style hybrid/overlay lj/cut 4.0 tersoff\npair_coeff * * tersoff SiCGe.tersoff Si(D)\n" + LJ,
                  True, True),
    "third": ("pair_style hybrid/overlay tersoff lj/cut 4.0 morse 4.0\npair_coeff * * tersoff SiCGe.tersoff Si(D)\n"
              + LJ + "pair_coeff * * morse 0.001 1.0 2.5\n", True, False),
    "without-tersoff": ("pair_style hybrid/overlay lj/cut 4.0 morse 4.0\n" + LJ
                        + "pair_coeff * * morse 0.001 1.0 2.5\n", False, False),
    "alone": ("pair_style lj/cut 4.0\npair_coeff * * 0.001 2.0\n", False, False),
}


@pytest.mark.parametrize("name", HYBRIDS)
def test_hybrid_pair_style(name):
    pair, ours, resident = HYBRIDS[name]
    script = SYSTEMS["si-1989"].create + pair + HOT + NVE + RUN + "run 5\n"
    found = with_suffix("triad precision double backend host\n" + script, check=False)
    assert found.returncode == 0
    assert ("pair_style lj/cut/triad on the host" in found.output) == ours
    assert (LIVES in found.output) == resident
    assert_same_course(run_lammps(script), found, 1e-8)


def test_suffix_after_the_pair_style():
    """The fix takes the run style; a run style that is chosen then stays, whatever fixes follow."""
    start = SYSTEMS["si-1989"].commands(triad("double", "host")) + HOT
    found = run_lammps(start + "suffix triad\n" + NVE + "run 5\n", check=False)
    assert found.returncode == 0 and LIVES in found.output
    found = run_lammps(start + "suffix triad\n" + NVE + "suffix off\nrun_style verlet\nsuffix on\n"
                       "fix still all momentum 5 linear 1 1 1\nrun 5\n", check=False)
    assert found.returncode == 0 and LIVES not in found.output


def test_run_style_after_a_run():
    """A run style that is taken between two runs is initialised, also for `run pre no`; thermo goes on."""
    pair = "pair_style tersoff precision double backend host\n" + SI
    script = (SYSTEMS["si-1989"].create + "pair_style zero 5\npair_coeff * *\n" + NVE + "thermo 5\nrun 5\n" + pair
              + "variable t equal temp\nrun 10 pre no\nprint 'T is ${t}'\n")
    found = with_suffix(script)
    assert LIVES in found.output and "T is " in found.output
    assert found.runs[-1]["Step"].tolist() == [5, 10, 15]


@pytest.mark.parametrize("end", ["", "clear\n", "run_style verlet\nthermo_style one\nrun 5\n"],
                         ids=["end", "clear", "run-style"])
@pytest.mark.parametrize("deleted", ["uncompute moved", "unfix mean", "variable t delete"])
def test_what_the_output_names_may_be_deleted(deleted, end):
    """At the end of a script and in `clear`, LAMMPS goes back to run_style verlet, which the suffix changes."""
    script = (SYSTEMS["si-1989"].create + "pair_style tersoff precision double backend host\n" + SI + HOT + NVE
              + "compute moved all msd\nvariable t equal temp\nfix mean all ave/time 1 1 1 c_thermo_temp\n"
              "thermo_style custom step temp c_moved[4] f_mean v_t\nrun 5\n" + deleted + "\n" + end)
    found = with_suffix(script, check=False)
    assert found.returncode == 0 and "ERROR" not in found.output, found.output[-2000:]
    assert LIVES in found.output


def test_rerun_and_clear():
    script = (SYSTEMS["si-1989"].create + "pair_style tersoff precision double backend host\n" + SI + HOT + NVE
              + "thermo_modify format float %.17g\nthermo 5\ndump out all custom 5 atoms.dump id type x y z\n"
              "dump_modify out format float %.17g\nrun 10\nundump out\n")
    found = with_suffix(script + "rerun atoms.dump dump x y z\n")
    first, again = (found.runs[k]["E_pair"] for k in (0, -1))
    assert again == pytest.approx(first, rel=1e-10)
    found = with_suffix(script + "clear\n" + script)
    assert found.output.count(LIVES) == 2


def test_pair_forces_alone():
    """fix pairwise/triad without a pair style takes the run style too."""
    cloud = ("units lj\nregion box block -5 5 -5 5 -5 5\nboundary f f f\ncreate_box 1 box\n"
             "create_atoms 1 random 30 4711 box\nmass 1 1\n")
    found = with_suffix(cloud + "fix pairs all pairwise/triad gravity 0.01 0.5\n" + NVE + "run 10\n")
    assert "Triad: atoms stay on " in found.output  # on the GPU, if there is one


def test_hint_on_a_gpu(cuda):
    """Without the suffix the log names the lines that keep atoms on the GPU; with them it says that they stay."""
    start = SYSTEMS["si-1989"].commands(triad("mixed", "cuda"))
    hint = "under run_style verlet, positions and forces are copied between host and GPU in every step"
    slow = run_lammps(start + NVE + "run 5\nrun 5\n")
    assert slow.output.count(hint) == 1 and "'run_style verlet/triad' and 'fix ID group-ID nve/triad'" in slow.output
    fast = run_lammps(start + "run_style verlet/triad\nfix integrate all nve/triad\nrun 5\n")
    assert hint not in fast.output
    assert re.search("Triad: atoms stay on cuda, .*; neighbor lists are made there; no command copies atoms to the host",
                     fast.output)


SETTINGS = {
    "defaults": ("", {}, "mixed"),
    "command": ("triad precision double backend host\n", {}, "double"),
    "environment": ("", {"TRIAD_PRECISION": "single", "TRIAD_BACKEND": "host"}, "single"),
    "both": ("triad precision double\n", {"TRIAD_PRECISION": "single"}, "double"),
    "empty": ("", {"TRIAD_PRECISION": ""}, "mixed"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_without_editing(name):
    command, environment, precision = SETTINGS[name]
    start = SYSTEMS["si-1989"].create + command
    found = with_suffix(start + "pair_style tersoff\n" + SI + "run 0\n", env=environment)
    assert re.search(f"Triad: tersoff/triad on .*, precision {precision}", found.output)
    named = with_suffix(start + "pair_style tersoff precision single\n" + SI + "run 0\n", env=environment)
    assert re.search("Triad: tersoff/triad on .*, precision single", named.output)


def test_clear_forgets_settings():
    create, pair = SYSTEMS["si-1989"].create, "pair_style tersoff backend host\n" + SI + "run 0\n"
    found = with_suffix(create + "triad precision double\n" + pair + "clear\n" + create + pair)
    assert re.findall("tersoff/triad on .*, precision (\\w+)", found.output) == ["double", "mixed"]


@pytest.mark.parametrize("command, environment, message", [
    ("triad\n", {}, "Command triad needs keywords"),
    ("triad speed fast\n", {}, "Unknown triad keyword: speed (known: precision, backend)"),
    ("triad precision\n", {}, "Missing value after triad keyword: precision"),
    ("triad precision half\n", {}, "Unknown triad precision: half (known: single, mixed, double)"),
    ("triad backend gpu\n", {}, "Unknown triad backend: gpu (known: auto, cuda, host)"),
    ("", {"TRIAD_PRECISION": "half"}, "Unknown environment variable TRIAD_PRECISION: half (known: single, mixed, double)"),
    ("", {"TRIAD_BACKEND": "gpu"}, "Unknown environment variable TRIAD_BACKEND: gpu (known: auto, cuda, host)"),
])
def test_bad_settings(command, environment, message):
    found = with_suffix(SYSTEMS["si-1989"].create + command + "pair_style tersoff\n" + SI, env=environment, check=False)
    assert found.returncode != 0 and message in found.output
