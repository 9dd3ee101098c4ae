"""fix langevin/triad and momentum/triad, conserved energies in every precision, and settings that are wrong."""

import re

import numpy as np
import pytest
from courses import HOT
from lammps_run import _parse_thermo, run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

THERMO = ("thermo_style custom step temp econserve etotal press {more}\nthermo_modify norm yes format float %.17g\n"
          "thermo {every}\n")
DUMP = "dump out all custom {every} atoms.dump id x y z vx vy vz\ndump_modify out sort id format float %.17g\n"


def run(system, style, run_style, commands, steps, every, ranks=1, more="", dump=False, resident=True):
    output = THERMO.format(every=every, more=more) + (DUMP.format(every=steps) if dump else "")
    return run_lammps(SYSTEMS[system].commands(style) + f"run_style {run_style}\n" + commands + output
                      + f"run {steps}\n", files=SYSTEMS[system].files(), ranks=ranks, resident=resident)


LANGEVIN = "fix heat all langevin/triad 600 600 0.05 {seed}\nfix integrate all nve/triad\n"


def test_langevin_keeps_the_temperature(run_style, precision, backend):
    """From rest to the target; mean and fluctuation of the temperature are those of the canonical ensemble."""
    thermo = run("si-1989", triad(precision, backend), run_style, LANGEVIN.format(seed=4711), 6000, 5).runs[0]
    temperature = thermo["Temp"][200:]
    blocks = np.array([part.mean() for part in np.array_split(temperature, 10)])
    error = blocks.std(ddof=1) / np.sqrt(len(blocks))
    # 216 atoms: the mean of three degrees of freedom more than the 645 that compute temp counts
    assert blocks.mean() == pytest.approx(600 * 648 / 645, abs=4 * error + 2)
    assert temperature.std() == pytest.approx(600 * np.sqrt(2 / 645), rel=0.2)


@pytest.mark.parametrize("ranks", [2, 4])
def test_langevin_noise_does_not_depend_on_ranks(ranks, backend):
    style = triad("double", backend)
    one, several, resident = (
        run("si-melt", style, run_style, HOT + LANGEVIN.format(seed=4711), 100, 10, count, dump=True).frames()[-1]
        for run_style, count in (("verlet", 1), ("verlet", ranks), ("verlet/triad", ranks)))
    other_seed = run("si-melt", style, "verlet", HOT + LANGEVIN.format(seed=4712), 100, 10, dump=True).frames()[-1]
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        scale = np.abs(one[name]).max()
        assert several[name] == pytest.approx(one[name], abs=1e-9 * scale)
        assert resident[name] == pytest.approx(one[name], abs=1e-9 * scale)
    assert np.abs(other_seed["vx"] - one["vx"]).max() > 0.1 * np.abs(one["vx"]).max()


def test_langevin_by_group_and_type(run_style, backend):
    """Friction alone, at temperature 0: a step takes dt over the type's damping time off; other groups keep theirs."""
    commands = ("group cooled id 1:100\ncompute one cooled temp\ngroup a type 1\ngroup b type 2\n"
                "group ca intersect cooled a\ngroup cb intersect cooled b\ngroup free subtract all cooled\n"
                "compute a ca temp\ncompute b cb temp\ncompute f free temp\npair_modify compute no\n" + HOT
                + "fix heat cooled langevin/triad 0 0 0.1 1 scale 2 2.5\nfix integrate all nve/triad\n")
    thermo = run("sige", triad("double", backend), run_style, commands, 200, 20, more="c_a c_b c_f",
                 resident=False).runs[0]  # pair_modify compute no keeps the atoms on the host
    for name, damping in (("c_a", 0.1), ("c_b", 0.25)):
        expected = 2 * thermo["Step"] * np.log1p(-0.001 / damping)
        assert np.log(thermo[name] / thermo[name][0]) == pytest.approx(expected, abs=2e-4)
    assert thermo["c_f"] == pytest.approx(np.full(11, thermo["c_f"][0]), rel=1e-12)


@pytest.mark.parametrize("first", ["noise", "change"])
@pytest.mark.parametrize("change", ["setforce/triad 0.0 NULL 0.0", "aveforce/triad 0.0 0.0 0.0", "viscous/triad 0.01"])
def test_langevin_and_changes_of_forces(change, first, backend):
    """Noise and changes of the forces of the same atoms act in the order of the fixes, in batches of steps too."""
    noise, changes = "fix heat all langevin/triad 600 600 0.05 4711\n", f"fix change some {change}\n"
    commands = (HOT + "group some id 1:100\n" + (noise + changes if first == "noise" else changes + noise)
                + "fix integrate all nve/triad\n")
    one, other = (run("si-1989", triad("double", backend), run_style, commands, 100, 10, dump=True)
                  for run_style in ("verlet", "verlet/triad"))
    assert (" 0 of them in batches" in other.output) == (first == "noise")
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        expected = one.frames()[-1][name]
        assert other.frames()[-1][name] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


CHANGES = ["setforce/triad 0.0 NULL 0.0", "addforce/triad 0.1 0.0 -0.1", "aveforce/triad NULL 0.0 0.0",
           "viscous/triad 0.001"]


def assert_same_course_in_batches(one, other, precision):
    """`other` has made all 50 steps in batches, without copies, with the output of `one`."""
    assert "made 50 steps" in other.output and "brought" not in other.output
    assert "50 of them in batches" in other.output
    close = {"double": 1e-9, "mixed": 1e-4, "single": 1e-4}[precision]
    for name, values in one.runs[0].items():
        assert other.runs[0][name] == pytest.approx(values, abs=close * np.abs(values).max()), name


@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_forces_cost_no_copies(change, precision, backend):
    """All steps are made in batches, and each precision stays close to the forces that run_style verlet has."""
    commands = HOT + f"group some id 1:30\nfix integrate all nve/triad\nfix change some {change}\n"
    more = "" if "viscous" in change else "f_change[1] f_change[2] f_change[3]"
    one, other = (run("si-64-atoms", triad(precision, backend), run_style, commands, 50, 10, more=more)
                  for run_style in ("verlet", "verlet/triad"))
    assert_same_course_in_batches(one, other, precision)


@pytest.mark.parametrize("style", ["langevin/triad 600 300 0.05 4711 tally yes",
                                   "heat/triad 1 2.0", "ehex/triad 1 2.0 region part",
                                   "temp/rescale/triad 5 500 400 5 0.5", "temp/berendsen/triad 500 400 0.05",
                                   "temp/csvr/triad 500 400 0.05 4711", "spring/self/triad 1.0"])
def test_heat_costs_no_copies(style, precision, backend):
    """Steps are made in batches, with the course and the output of run_style verlet."""
    commands = (HOT + "region part block INF 5.4 INF INF INF INF units box\nfix integrate all nve/triad\n"
                f"fix heat all {style}\n")
    one, other = (run("si-64-atoms", triad(precision, backend), run_style, commands, 50, 10, more="f_heat ke")
                  for run_style in ("verlet", "verlet/triad"))
    assert_same_course_in_batches(one, other, precision)


GROUPS = HOT + "group one id 1:20\ngroup two id 21:40\ngroup rest subtract all one two\ncompute all all temp/triad\n"
NOSE_HOOVER = {
    "two": "fix c one nvt/triad temp 700 700 0.05\nfix b two nvt/triad temp 300 500 0.1 tchain 2\nfix a rest nve/triad\n",
    "three": "fix c rest nvt/triad temp 600 600 0.1\nfix b two nvt/triad temp 300 300 0.1\n"
             "fix a one nvt/triad temp 900 900 0.1\n",
    "beside-moved": "fix b two move/triad linear 0.5 0 0 units box\nfix a one move/triad linear -0.5 0 0.2 units box\n"
                    "fix c rest nvt/triad temp 600 600 0.1\n",
    "of-all-beside-moved": "fix c rest nvt/triad temp 600 600 0.1\nfix_modify c temp all\n"
                           "fix a one move/triad linear -0.5 0 0.2 units box\nfix b two setforce/triad 0 0 0\n",
}
# groups that share atoms, a temperature that other fixes change within the step, or a wall that reflects moved atoms
ONE_BY_ONE = {
    "wall-of-moved-atoms": "change_box all boundary p p f\nfix c rest nvt/triad temp 600 600 0.1\n"
                           "fix a one move/triad linear 0 0 -40.0 units box\nfix b two move/triad linear 0 0 0 units box\n"
                           "fix w all wall/reflect/triad zlo EDGE zhi EDGE\n",
    "common-atoms": "fix c all nvt/triad temp 600 600 0.1\nfix a one nve/triad\n",
    "of-all-beside-others": "fix c rest nvt/triad temp 600 600 0.1\nfix_modify c temp all\nfix a one nve/triad\n",
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("fixes", [*NOSE_HOOVER, *ONE_BY_ONE])
def test_nose_hoover_of_groups(fixes, ranks, precision, backend):
    """Several thermostats, and one beside atoms that move otherwise, are parts of batches if they share no atoms."""
    batched = fixes in NOSE_HOOVER
    commands = GROUPS + {**NOSE_HOOVER, **ONE_BY_ONE}[fixes]
    one, other = (run("si-64-atoms", triad(precision, backend), run_style, commands, 50, 10, ranks=ranks, more="f_c ke")
                  for run_style in ("verlet", "verlet/triad"))
    if batched:
        assert_same_course_in_batches(one, other, precision)
    else:
        assert " 0 of them in batches" in other.output
        for name, values in one.runs[0].items():
            assert other.runs[0][name] == pytest.approx(values, abs=1e-4 * np.abs(values).max()), name


def run_without_host(commands, precision, cuda, more, system="si-1989"):
    """50 steps, nearly all of which the GPU makes in batches, with the course and the output of run_style verlet."""
    one, other = (run(system, triad(precision, cuda), run_style, HOT + commands, 50, 10, more=more)
                  for run_style in ("verlet", "verlet/triad"))
    made = re.search(r"made 50 steps on cuda, (\d+) of them in batches", other.output)
    assert made and int(made[1]) >= 45 and "brought" not in other.output
    close = {"double": 1e-9, "mixed": 1e-4, "single": 1e-4}[precision]
    for name, values in one.runs[0].items():
        assert other.runs[0][name] == pytest.approx(values, abs=close * np.abs(values).max()), name
    return other.runs[0]


@pytest.mark.parametrize("system", ["si-1989", "triclinic-crystal"])
@pytest.mark.parametrize("box", ["iso 0 1000 0.5", "aniso 0 0 0.5 drag 0.1", "z 10000 10000 0.3",
                                 "x 0 100 0.5 y 5000 0 0.4 z 0 0 0.3 nreset 25"])
def test_npt_needs_no_host(box, system, precision, cuda):
    run_without_host(f"fix integrate all npt/triad temp 600 600 0.1 {box}\n", precision, cuda,
                     "f_integrate vol lx ly lz xy xz yz", system)


@pytest.mark.parametrize("integrator", ["nve/triad", "nvt/triad temp 600 600 0.1",
                                        "npt/triad temp 600 600 0.1 y 0 0 0.5 z 0 0 0.5"])
@pytest.mark.parametrize("deformation", ["1 x erate 0.1", "1 x trate -0.05", "4 x vel 0.2", "1 x wiggle 0.03 0.03"])
def test_deformation_needs_no_host(integrator, deformation, precision, cuda):
    thermo = run_without_host(f"fix integrate all {integrator}\nfix pull all deform/triad {deformation}\n", precision,
                              cuda, "vol lx ly lz pxx pyy")
    assert np.ptp(thermo["Lx"]) > 0.01


@pytest.mark.parametrize("integrator", ["nve/triad", "nvt/triad temp 600 600 0.1"])
@pytest.mark.parametrize("deformation", ["1 xy erate 0.2 yz erate -0.1", "3 x erate 0.1 xz delta 0.5 units box"])
def test_shear_needs_no_host(integrator, deformation, precision, cuda):
    thermo = run_without_host(f"fix integrate all {integrator}\nfix pull all deform/triad {deformation}\n",
                              precision, cuda, "vol lx xy xz yz pxy pxz", "triclinic-crystal")
    assert np.ptp(thermo["Pxy"]) > 100


def test_deformation_jumps_back(cuda):
    """After `run pre no`, LAMMPS's fix computes the box from the one in which it was defined: here 1.3 A shorter."""
    system = SYSTEMS["si-1989"]
    fixes = "fix integrate all nve/triad\nfix pull all deform/triad 1 x erate 2.0\n"
    one, other = (run_lammps(system.commands(triad("double", cuda)) + f"run_style {run_style}\n" + HOT + fixes
                             + THERMO.format(every=5, more="lx") + "run 40\nrun 20 pre no\n", files=system.files())
                  for run_style in ("verlet", "verlet/triad"))
    assert one.runs[0]["Lx"][-1] - one.runs[1]["Lx"][1] > 0.9
    for before, after in zip(one.runs, other.runs):
        for name, values in before.items():
            assert after[name] == pytest.approx(values, abs=1e-9 * np.abs(values).max()), name


@pytest.mark.parametrize("deformation", ["1 xy erate 8.0", "7 xy erate 8.0 y erate 0.5", "1 xy erate 8.0 flip no"])
def test_flips_of_a_sheared_box(deformation, precision, cuda):
    """LAMMPS flips the box between batches, unless the fix forbids that. The tilt grows by an edge and a half."""
    commands = HOT + f"fix integrate all nve/triad\nfix pull all deform/triad {deformation}\n"
    one, other = (run("triclinic-crystal", triad(precision, cuda), run_style, commands, 200, 5, more="xy pxy")
                  for run_style in ("verlet", "verlet/triad"))
    assert int(re.search(r"made 200 steps on cuda, (\d+) of them in batches", other.output)[1]) > 20
    assert (np.diff(other.runs[0]["Xy"]).min() < 0) == ("flip no" not in deformation)
    close = {"double": 1e-8, "mixed": 1e-3, "single": 1e-3}[precision]
    for name, values in one.runs[0].items():
        assert other.runs[0][name] == pytest.approx(values, abs=close * np.abs(values).max()), name


def test_npt_beside_stresses_of_atoms(run_style, backend):
    """Steps in which only the virials of atoms are requested: the barostat reads that of all atoms in every step."""
    commands = (HOT + "compute s all stress/atom NULL\ncompute sum all reduce sum c_s[1] c_s[2]\n"
                "dump stress all custom 7 stress.dump id c_s[1]\nfix integrate all npt{} temp 600 600 0.1 iso 0 0 0.5\n")
    ours = run("si-1989", triad("double", backend), run_style, commands.format("/triad"), 50, 10, more="vol c_sum[1]")
    stock = run("si-1989", STOCK, "verlet", commands.format(""), 50, 10, more="vol c_sum[1]", resident=False)
    for name, values in stock.runs[0].items():
        assert ours.runs[0][name] == pytest.approx(values, abs=1e-9 * np.abs(values).max()), name


def test_langevin_tally_is_the_heat_of_the_atoms(run_style, precision, backend):
    """From rest: the thermostat gives what the atoms have, to the order of the time step."""
    thermo = run("si-1989", triad(precision, backend), run_style,
                 LANGEVIN.format(seed="4711 tally yes"), 2000, 100, more="f_heat").runs[0]
    energy = thermo["TotEng"] * 216
    assert energy[-1] - energy[0] > 10  # measured: 14.6 eV
    taken = 216 * thermo["f_heat"]
    assert -taken == pytest.approx(energy - energy[0], abs=0.07)  # measured: 0.026 eV
    assert thermo["Econserve"] * 216 == pytest.approx(energy + taken, abs=7e-13)  # measured: 2.3e-13


@pytest.mark.parametrize("integrator", ["nvt/triad temp 600 600 0.1", "npt/triad temp 600 600 0.1 aniso 0 0 0.5"])
def test_conserved_energy(integrator, run_style, precision, backend):
    """Energy with that of chains and barostat, eV per atom, over 5 ps; kinetic energy alone fluctuates by 1e-2."""
    thermo = run("si-1989", triad(precision, backend), run_style, HOT + f"fix integrate all {integrator}\n", 5000,
                 50).runs[0]
    energy = thermo["Econserve"]
    assert abs(energy[1:] - energy[1]).max() < 2e-4
    assert thermo["TotEng"].std() > 20 * energy.std()


def test_momentum_stays_zero(run_style, precision, backend):
    commands = HOT + ("velocity all set 3 -2 1 sum yes units box\nfix integrate all nve/triad\n"
                      "fix still all momentum/triad 10 linear 1 1 0\n")
    variables = "variable px equal vcm(all,x)\nvariable py equal vcm(all,y)\nvariable pz equal vcm(all,z)\n"
    thermo = run("si-1989", triad(precision, backend), run_style, variables + commands, 50, 10,
                 more="v_px v_py v_pz").runs[0]
    tiny = 1e-13 if precision == "double" else 1e-6
    assert np.abs([thermo["v_px"][1:], thermo["v_py"][1:]]).max() < tiny
    assert thermo["v_pz"][1:] == pytest.approx(np.ones(5), abs=1e-6)


TEMPER = """timestep 0.001
variable t world 600 650
fix integrate all npt{twin} temp $t $t 0.1 iso 0 0 1
thermo_style custom step temp pe etotal press pxx pxy lx
thermo_modify norm no format float %.17g
thermo 1
temper/npt 40 10 $t integrate 58728 3847 0.0
run 5
"""


def logs_of_worlds(style, run_style, twin):
    """The thermo tables of two worlds, which exchange their temperatures."""
    system = SYSTEMS["si-1989"]
    script = system.commands(style) + f"run_style {run_style}\n" + HOT + TEMPER.format(twin=twin)
    result = run_lammps(script, files=system.files(), ranks=2, args=("-partition", "2x1"), check=False)
    assert result.returncode == 0, result.output
    swaps = [line.split()[1:] for line in result.files["log.lammps"].decode().splitlines() if re.match(r"\d+ ", line)]
    assert ["1", "0"] in swaps, "the worlds have not exchanged temperatures"
    return [_parse_thermo(result.files[f"log.lammps.{world}"].decode()) for world in range(2)]


def test_exchange_of_temperatures(run_style):
    """Fix npt/triad after Fix::reset_target(), of which temper/npt makes several."""
    stock = logs_of_worlds(STOCK, "verlet", "")
    found = logs_of_worlds(triad("double", "host"), run_style, "/triad")
    for expected, other in zip(stock, found, strict=True):
        assert len(expected) == len(other) > 1
        for before, after in zip(expected, other):
            for name, values in before.items():
                np.testing.assert_allclose(after[name], values, rtol=0, atol=1e-11 * np.abs(values).max(), err_msg=name)


@pytest.mark.parametrize("fix, names", [("npt/triad temp 300 300 0.1 iso 0 0 1", ["temp", "press"]),
                                        ("nvt/triad temp 300 300 0.1", ["temp"]),
                                        ("temp/csvr/triad 300 300 0.1 4711", ["temp"])])
def test_a_fix_keeps_its_own_computes(fix, names):
    """The fix does not delete a compute that it has made itself when fix_modify names this compute."""
    script = (SYSTEMS["si-1989"].commands(triad("double", "host")) + f"velocity all create 900 4711\nfix 1 all {fix}\n"
              "thermo_style custom step temp\nthermo_modify format float %.17g\n{}run 5\n")
    plain = run_lammps(script.format(""))
    found = run_lammps(script.format("".join(f"fix_modify 1 {name} 1_{name}\n" for name in names)))
    assert plain.runs[-1]["Temp"][-1] == found.runs[-1]["Temp"][-1]


@pytest.mark.parametrize("style, keywords", [("nvt", "temp 600 600 0.1"), ("npt", "temp 600 600 0.1 iso 0 0 1")])
def test_warns_of_a_temperature_of_a_group(style, keywords):
    """As stock does, once for the two fix_modify commands."""
    for twin, pair in (("", STOCK), ("/triad", triad("double", "host"))):
        result = run_lammps(SYSTEMS["si-1989"].commands(pair) + "group some id 1:50\ncompute some some temp\n"
                            f"compute whole all temp\nfix 1 all {style}{twin} {keywords}\n"
                            "fix_modify 1 temp some\nfix_modify 1 temp whole\n")
        assert result.errors.count("Temperature for fix modify is not for group all") == 1, result.errors


BAD = [
    ("fix 1 all nve/triad 5", "takes no arguments"),
    ("fix 1 all nvt/triad", "needs the keyword temp"),
    ("fix 1 all nvt/triad temp 300 300", "Missing damping parameter of temp after fix nvt/triad keyword: temp"),
    ("fix 1 all nvt/triad temp 0 300 0.1", "fix nvt/triad temp is 0; give a positive number"),
    ("fix 1 all nvt/triad temp 300 300 0", "damping parameter of temp is 0; give a positive number"),
    ("fix 1 all nvt/triad temp 300 300 0.1 iso 0 0 1", "does not control pressure; use fix npt/triad"),
    ("fix 1 all nvt/triad temp 300 300 0.1 tchain 0", "tchain is 0; give a whole number of at least 1"),
    ("fix 1 all nvt/triad temp 300 300 0.1 tloop 0", "does not support tloop 0; use fix nvt"),
    ("fix 1 all nvt/triad temp 300 300 0.1 psllod no", "does not support psllod; use fix nvt"),
    ("fix 1 all npt/triad temp 300 300 0.1 iso 0 0 1 ploop 0", "does not support ploop 0; use fix npt"),
    ("fix 1 all npt/triad temp 300 300 0.1 iso 0 0 1 tloop -1", "tloop is -1; give a whole number of at least 0"),
    ("fix 1 all nvt/triad temp 300 300 0.1 colour red", "keyword: colour"),
    ("fix 1 all nvt/triad temp 300 300 0.1 update dipole", "does not support update; use fix nvt"),
    ("fix 1 all npt/triad temp 300 300 0.1", "needs one of the keywords iso, aniso, x, y, z"),
    ("fix 1 all npt/triad temp 300 300 0.1 tri 0 0 1", "does not support tri; use fix npt"),
    ("fix 1 all npt/triad temp 300 300 0.1 iso 0 0 1 dilate odd", "dilate of a group; use fix npt"),
    ("fix 1 all npt/triad temp 300 300 0.1 iso 0 0 0",
     "damping parameter of the pressure is 0; give a positive number"),
    ("fix 1 all npt/triad temp 300 300 0.1 x 0 0 1 couple xy", "coupled dimensions"),
    ("fix 1 all npt/triad temp 300 300 0.1 x 0 0 1 y 1 0 1 couple xy", "coupled dimensions"),
    ("fix 1 all npt/triad temp 300 300 0.1 x 0 0 1 couple zz", "Unknown fix npt/triad couple: zz (known: xyz, xy, yz, xz, none)"),
    ("change_box all triclinic\nbox tilt large\nchange_box all xy final 12 remap units box\n"
     "fix 1 all npt/triad temp 300 300 0.1 iso 0 0 1", "tilted by more than 0.55 edges; use fix npt"),
    ("change_box all triclinic\nfix 1 all npt/triad temp 300 300 0.1 iso 0 0 1\n"
     "fix 2 all deform 1 xy erate 0.1 remap x\nrun 0", "tilts fix 2 changes; use fix npt"),
    ("change_box all boundary p p f\nfix 1 all npt/triad temp 300 300 0.1 z 0 0 1", "non-periodic z dimension"),
    ("fix 1 all nvt/triad temp 300 300 0.1\ncompute b all temp/com\nfix_modify 1 temp b\nrun 0", "bias"),
    ("group some id 1:10\ngroup rest subtract all some\nfix 2 some rigid single\n"
     "fix 1 rest npt/triad temp 300 300 0.1 iso 0 0 1\nrun 0", "the rigid bodies of fix 2; use fix npt"),
    ("fix 1 all nvt/triad temp 300 300 0.1\nfix_modify 1 temp none", "none"),
    ("run_style respa 1\nfix 1 all nvt/triad temp 300 300 0.1\nrun 0", "does not support run_style respa; use fix nvt"),
    ("run_style respa 1\nfix 1 all nve/triad\nrun 0", "does not support run_style respa; use fix nve"),
    ("fix 1 all langevin/triad 300 300 0.1", "Missing seed in fix langevin/triad"),
    ("fix 1 all langevin/triad -1 300 0.1 5", "temperature is -1; give zero or more"),
    ("fix 1 all langevin/triad 300 300 0 5", "damping is 0; give a positive number"),
    ("fix 1 all langevin/triad 300 300 0.1 0", "seed is 0; give a whole number of at least 1"),
    ("fix 1 all langevin/triad v_t 300 0.1 5", "a variable for the temperature; use fix langevin"),
    ("fix 1 all langevin/triad 300 300 0.1 5 gjf vfull", "gjf vfull; use fix langevin"),
    ("fix 1 all langevin/triad 300 300 0.1 5 zero yes", "zero yes; use fix langevin"),
    ("fix 1 all langevin/triad 300 300 0.1 5 scale 3 1", "there is no type 3"),
    ("fix 1 all langevin/triad 300 300 0.1 5 scale 1 nan", "scale is nan; give a finite number"),
    ("fix 1 all langevin/triad 300 300 0.1 5 colour red", "keyword: colour"),
    ("fix 1 all langevin/triad 300 300 0.1 5 tally perhaps", "langevin/triad tally is perhaps; give yes or no (or 1 or 0)"),
    ("fix 1 all heat/triad 0 1.0", "interval is 0; give a whole number of at least 1"),
    ("fix 1 all heat/triad 1 v_q", "fix heat/triad does not support a variable for the flux; use fix heat"),
    ("fix 1 all heat/triad 1 1.0 region none", "Region none for fix heat/triad does not exist"),
    ("fix 1 all heat/triad 1 1.0 hex", "Unknown fix heat/triad keyword: hex (known: region)"),
    ("fix 1 all heat/triad 1 -1e9\nfix 2 all nve/triad\nvelocity all create 300 1\nrun 1",
     "or less kinetic energy than the fix takes away; check the group and the flux"),
    ("fix 1 all ehex/triad 1 1e6\nfix 2 all nve/triad\nrun 1", "that the fix would multiply the kinetic energy by more than 100"),
    ("fix 1 all ehex/triad 1 1.0 constrain", "fix ehex/triad does not support constrain; use fix ehex"),
    ("region r sphere 5 5 5 3\nfix 1 all ehex/triad 1 1.0 region r\nrun 0",
     "does not support a region of style sphere; use fix ehex"),
    ("region r block 0 1 0 1 0 1 side out\nfix 1 all ehex/triad 1 1.0 region r\nrun 0",
     "does not support a region with side out; use fix ehex"),
    ("region r block 0 1e-9 0 1e-9 0.3 0.301\nfix 1 all heat/triad 1 1.0 region r\nfix 2 all nve/triad\nrun 1",
     "group all in region r has fewer than two atoms"),
    ("fix 1 all npt/triad temp 300 300 0.1 iso 0 0 1\nfix 2 all grem 400 -0.03 -1000 1\nrun 0",
     "does not support fix 2 of style grem; use fix npt"),
    ("fix 1 all momentum/triad 0 linear 1 1 1", "interval is 0; give a whole number of at least 1"),
    ("fix 1 all momentum/triad 5", "needs the keyword linear"),
    ("fix 1 all momentum/triad 5 angular", "does not support angular; use fix momentum"),
    ("group none empty\nfix 1 none momentum/triad 5 linear 1 1 1\nrun 0", "has no atoms"),
    ("fix 1 all setforce/triad 0 0", "Missing fz in fix setforce/triad"),
    ("fix 1 all setforce/triad 0 nan 0", "fix setforce/triad fy is nan; give a finite number"),
    ("fix 1 all setforce/triad 0 0 v_f", "does not support a variable for the force; use fix setforce"),
    ("fix 1 all setforce/triad 0 0 0 region r", "does not support region; use fix setforce"),
    ("fix 1 all setforce/triad 0 0 1\nminimize 0 0 5 5", "Cannot use non-zero forces in an energy minimization"),
    ("fix 1 all aveforce/triad 0 0 v_f", "does not support a variable for the force; use fix aveforce"),
    ("fix 1 all addforce/triad 0 0 NULL", "fix addforce/triad fz is NULL; give a finite number"),
    ("fix 1 all addforce/triad 0 0 1 every 2", "does not support every; use fix addforce"),
    ("fix 1 all addforce/triad 0 0 1 colour red", "keyword: colour"),
    ("fix 1 all viscous/triad", "Missing gamma in fix viscous/triad"),
    ("fix 1 all viscous/triad 1 scale 3 1", "there is no type 3"),
    ("run_style respa 1\nfix 1 all addforce/triad 0 0 1\nrun 0", "does not support run_style respa; use fix addforce"),
    ("fix 1 all temp/rescale/triad 0 300 300 10 1", "interval is 0; give a whole number of at least 1"),
    ("fix 1 all temp/rescale/triad 5 v_t 300 10 1", "a variable for the temperature; use fix temp/rescale"),
    ("fix 1 all temp/rescale/triad 5 300 300 10 2", "fraction is above 1; give a number up to 1"),
    ("fix 1 all temp/rescale/triad 5 300 300 10", "Missing fraction in fix temp/rescale/triad"),
    ("fix 1 all temp/berendsen/triad 300 300 0", "damping is 0; give a positive number"),
    ("fix 1 all temp/berendsen/triad 300 300 0.1 5", "keyword: 5"),
    ("fix 1 all temp/berendsen/triad 300 300 0.1\nfix 2 all nve/triad\nvelocity all set 0 0 0\n"
     "fix 3 all setforce/triad 0 0 0\nrun 1", "The temperature of fix temp/berendsen/triad is 0"),
    ("fix 1 all temp/berendsen/triad 300 300 0.1\ncompute b all temp/com\nfix_modify 1 temp b\nrun 0", "bias"),
    ("fix 1 all temp/csvr/triad 300 300 0.1", "Missing seed in fix temp/csvr/triad"),
    ("fix 1 all temp/csvr/triad 300 300 0.1 0", "seed is 0; give a whole number of at least 1"),
    ("fix 1 all temp/csvr/triad 300 300 0.1 900000001", "seed is above 900000000"),
    ("fix 1 all spring/self/triad 0", "stiffness is 0; give a positive number"),
    ("fix 1 all spring/self/triad 1 zyx", "fix spring/self/triad direction: zyx"),
    ("fix 1 all spring/self/triad v_k", "a variable for the stiffness; use fix spring/self"),
    ("fix 1 all move/triad rotate 0 0 0 0 0 1 5", "does not support rotate; use fix move"),
    ("fix 1 all move/triad linear 0 NULL 0", "does not support NULL for a velocity; use fix move"),
    ("fix 1 all move/triad linear 0 0", "Missing vz in fix move/triad"),
    ("fix 1 all move/triad linear 0 0 1\nfix 2 all dt/reset 1 NULL NULL 0.01\nrun 5", "time step changes"),
    ("fix 1 all wall/reflect/triad zlo EDGE", "the wall zlo is in a periodic dimension"),
    ("change_box all boundary p p f\nfix 1 all wall/reflect/triad zlo 0 zlo 1", "the wall zlo is there already"),
    ("change_box all boundary p p f\nfix 1 all wall/reflect/triad", "there is no wall"),
    ("change_box all boundary p p f\nfix 1 all wall/reflect/triad zlo v_z", "use fix wall/reflect"),
    ("fix 1 all deform/triad 1 x erate 1 remap v", "does not support remap v; use fix deform"),
    ("fix 1 all deform/triad 1 x variable v_a v_b", "does not support variable; use fix deform"),
    ("run_style verlet/triad\nfix 2 all nve/triad\nrun 2\nfix 1 all deform/triad 1 x erate 1\nrun 2 pre no",
     "Fixes were added or deleted after the run was set up; use 'run' without 'pre no'"),
    ("run_style verlet/triad\nfix 1 all nvt/triad temp 500 500 0.1\nrun 2\nunfix 1\n"
     "fix 1 all nvt/triad temp 900 900 0.1\nrun 2 pre no",
     "Fixes were added or deleted after the run was set up; use 'run' without 'pre no'"),
    ("compute 1 all temp/triad 5", "takes no arguments"),
    ("compute 1 all heat/flux/triad 5", "other arguments than three compute IDs"),
    ("run_style verlet/triad 5", "Unknown run_style verlet/triad keyword: 5"),
    ("run_style verlet/triad ghosts", "Missing value after run_style verlet/triad keyword: ghosts (known: auto, mpi, host)"),
    ("run_style verlet/triad ghosts gpu", "Unknown run_style verlet/triad ghosts: gpu (known: auto, mpi, host)"),
]


@pytest.mark.parametrize("commands, message", BAD, ids=[commands for commands, _ in BAD])
def test_wrong_settings_are_named(commands, message):
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + commands + "\n", check=False)
    assert result.returncode != 0 and message in result.errors, result.errors
    assert "terminate called" not in result.output, "the process was aborted"


@pytest.mark.parametrize("fixes, reason", [
    ("fix a all nvt/triad temp 300 300 0.1\nfix b all langevin/triad 300 300 0.1 4711\n",
     "fix langevin/triad beside fix nvt/triad or npt/triad"),
    ("fix a all nve/triad\nfix b all deform/triad 1 x erate 0.1\nfix c all setforce/triad NULL NULL 0\n", "fix b (deform/triad)"),
    ("group moving dynamic all every 5\nfix a all nve/triad\n", ""),
    ("fix a all nve/triad\n", ""),
])
def test_log_names_what_does_not_allow_batches(fixes, reason):
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + "run_style verlet/triad\n" + fixes
                        + "run 20\n")
    found = re.findall(r"steps on host, \d+ of them in batches.*?(?:, because of (.*))?\n", result.output)
    assert found == [reason], result.output


def test_langevin_needs_atom_ids():
    script = ("units lj\natom_modify id no\nlattice fcc 0.8\nregion box block 0 3 0 3 0 3\ncreate_box 1 box\n"
              "create_atoms 1 box\nmass 1 1\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\n"
              "fix 2 all langevin/triad 1 1 0.1 771\nrun 1\n")
    found = run_lammps(script, check=False)
    assert "Fix langevin/triad requires atom IDs, on which its random numbers depend" in found.output
