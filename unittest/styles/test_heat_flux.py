"""compute heat/flux/triad beside compute heat/flux with centroid/stress/atom, in one run and sampled in the middle."""

import re

import numpy as np
import pytest
from clusters import CLUSTERS
from courses import HOT
from hybrid_systems import HYBRIDS
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS

# Both computes in every line; `expected` asks the pair style for per-atom tallies on the host.
BOTH = """
compute kinetic {group} ke/atom
compute potential {group} pe/atom
compute stress {group} centroid/stress/atom NULL virial
compute expected {group} heat/flux kinetic potential stress
compute found {group} heat/flux/triad
thermo_style custom step temp c_expected[*] c_found[*]
thermo_modify norm no format float %.17g
thermo 5
"""
ALONE = """
compute found {group} heat/flux/triad
fix sample all ave/time 5 1 5 c_found[1] c_found[2] c_found[3] c_found[4] c_found[5] c_found[6] &
    file flux.txt format " %.17g"
thermo_style custom step temp
thermo_modify norm no format float %.17g
"""
SOME = "group some id 1:60\n"
RUN = "fix integrate all nve/triad\nrun 40\n"

CASES = {"si-1989": SYSTEMS["si-1989"], "sige": SYSTEMS["sige"], "si-melt": SYSTEMS["si-melt"],
         "tiled": SYSTEMS["tiled-and-balanced"], "zbl-core": CLUSTERS["sic-zbl-core"]}


def table(thermo, name):
    return np.array([thermo[f"c_{name}[{n}]"] for n in range(1, 7)])


def script(system, style, run_style, output, group):
    return (system.commands(style) + f"run_style {run_style}\n" + HOT + SOME + output.format(group=group) + RUN)


@pytest.mark.parametrize("group", ["all", "some"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_equals_the_current_of_centroid_virials(name, ranks, group, run_style, backend):
    system = CASES[name]
    thermo = run_lammps(script(system, triad("double", backend), run_style, BOTH, group), files=system.files(),
                        ranks=ranks).runs[0]
    expected = table(thermo, "expected")
    assert np.abs(expected).max() > 1
    assert table(thermo, "found") == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


def samples(system, style, run_style, group, ranks=1):
    result = run_lammps(script(system, style, run_style, ALONE, group), files=system.files(), ranks=ranks)
    return np.loadtxt(result.files["flux.txt"].decode().splitlines())


@pytest.mark.parametrize("group", ["all", "some"])
@pytest.mark.parametrize("name, ranks", [("si-melt", 1), ("si-melt", 2), ("tiled", 1), ("tiled", 4)])
def test_sampled_while_atoms_stay(name, ranks, group, backend):
    """Tallies are then the engine's, and no other compute asks for any."""
    style = triad("double", backend)
    stock, found = (samples(CASES[name], style, run_style, group, ranks) for run_style in ("verlet", "verlet/triad"))
    assert list(found[:, 0]) == list(range(0, 41, 5))
    assert found == pytest.approx(stock, abs=1e-9 * np.abs(stock[:, 1:]).max())


class Layers:
    """Tersoff and Lennard-Jones beside each other."""
    files = staticmethod(dict)

    @staticmethod
    def commands(style):
        return HYBRIDS["layers"].commands("cuda" if "cuda" in style.settings else "host")


CORRELATED = """
compute all all heat/flux/triad
compute some some heat/flux/triad
compute one all profile/triad z lower 0.2 temp ke units reduced
fix a all ave/time 3 2 12 c_all[1] c_some[3] file a.txt format " %.17g"
fix b all ave/correlate 2 5 10 c_all[1] c_all[2] c_some[6] type auto ave running file b.txt
fix c all ave/time 6 1 6 c_one[2] mode vector file c.txt format " %.17g"
compute kinetic all ke/atom
compute potential all pe/atom
compute virials all stress/atom NULL virial
compute parts some heat/flux/triad kinetic potential virials
variable half equal 0.5
variable density equal v_half*c_parts[2]/vol+sqrt(4)*step
fix d all ave/correlate 2 5 10 v_density c_parts[1] c_all[2] type auto ave running file d.txt
variable total equal etotal
variable mean equal (pxx+pyy)/2+temp
compute ofsome some temp/triad
fix e all ave/time 1 4 8 c_thermo_temp c_thermo_pe c_thermo_press[4] v_total v_mean c_ofsome file e.txt format " %.17g"
variable sum equal trap(f_b[3])
thermo_style custom step temp press pe v_sum
thermo_modify norm no format float %.15g
thermo 50
"""
BESIDE = {
    "alone": "",
    "thermostat": "fix h some langevin/triad 600 600 0.1 11\n",
    "nose-hoover": "unfix integrate\nfix integrate all nvt/triad temp 3000 3000 0.1\n",
    "heat": "fix h all heat/triad 4 20.0\n",
    "lists-of-few-steps": "neighbor 0.7 bin\n",
    "lists-of-lammps": "neighbor 0.7 bin\ngroup nobody empty\nneigh_modify exclude group nobody nobody\n",
    "batches-of-seven-steps": "fix stop all halt 7 tlimit > 1000000\n",
}


def compare_samples_within_batches(beside, precision, backend, ranks=1):
    """Samples of steps in the middle of a batch, beside what changes atoms: as step by step."""
    commands = (HOT.replace("600", "3000") + SOME + "fix integrate all nve/triad\n" + BESIDE[beside] + CORRELATED
                + "run 100\nrun 20 pre no\n")
    stock, found = (run_lammps(CASES["si-melt"].commands(triad(precision, backend)) + f"run_style {run_style}\n" + commands,
                               files=CASES["si-melt"].files(), ranks=ranks, env={"TRIAD_SHARED_GPU": "yes"})
                    for run_style in ("verlet", "verlet/triad"))
    for name in ("a.txt", "b.txt", "c.txt", "d.txt", "e.txt"):
        rows = [[[float(word) for word in line.split()] for line in result.files[name].decode().splitlines()
                 if not line.startswith("#")] for result in (stock, found)]
        assert len(rows[0]) == len(rows[1]) >= 10
        most = np.abs(np.concatenate([row[1:] for row in rows[0]])).max()
        close = 1e-8 if precision == "double" else 1e-2  # of float, in which a melt's courses part
        for one, other in zip(*rows):
            assert other == pytest.approx(one, abs=close * most)
    for column, values in stock.runs[0].items():
        if precision == "double":
            assert found.runs[0][column] == pytest.approx(values, abs=1e-8 * np.abs(values).max()), column
    if backend == "cuda":
        made = re.search(r"made (\d+) steps on \w+, (\d+) of them in batches", found.output)
        assert "brought" not in found.output and int(made[2]) > 0.5 * int(made[1]), made[0]


@pytest.mark.parametrize("beside", BESIDE)
def test_sampled_within_batches(beside, precision, backend):
    compare_samples_within_batches(beside, precision, backend)


@pytest.mark.parametrize("beside", ["alone", "nose-hoover", "heat"])
def test_sampled_within_batches_of_ranks(beside, precision, cuda):
    """Where ghosts travel from GPU to GPU; also on a machine with one GPU, on which the ranks take turns."""
    compare_samples_within_batches(beside, precision, "cuda", ranks=2)


PER_ATOM = """
compute kinetic all ke/atom
compute potential all pe/atom
compute virials all {virial} NULL virial
compute found {group} heat/flux{suffix} kinetic potential virials
fix sample all ave/time 5 1 5 c_found[1] c_found[2] c_found[3] c_found[4] c_found[5] c_found[6] &
    file flux.txt format " %.17g"
thermo_style custom step temp
"""


@pytest.mark.parametrize("virial", ["stress/atom", "centroid/stress/atom"])
@pytest.mark.parametrize("group", ["all", "some"])
@pytest.mark.parametrize("name, ranks", [("si-melt", 1), ("sige", 2), ("zbl-core", 1), ("hybrid", 1)])
def test_of_per_atom_computes(name, ranks, group, virial, backend):
    """The compute with the arguments of LAMMPS's: the same numbers, and no copies of atoms."""
    system = CASES.get(name, Layers)
    stock, found = (
        run_lammps(script(system, triad("double", backend), run_style,
                          PER_ATOM.format(group=group, virial=virial, suffix=suffix), group),
                   files=system.files(), ranks=ranks)
        for run_style, suffix in (("verlet", ""), ("verlet/triad", "/triad")))
    assert f"Triad: atoms stay on {backend}" in found.output and "brought" not in found.output, found.output
    rows = [np.loadtxt(result.files["flux.txt"].decode().splitlines()) for result in (stock, found)]
    assert list(rows[1][:, 0]) == list(range(0, 41, 5))
    assert rows[1] == pytest.approx(rows[0], abs=1e-9 * np.abs(rows[0][:, 1:]).max())


READERS = {
    "dump": ("dump values all custom 7 values.txt id c_potential\ndump_modify values sort id format float %.17g\n", ""),
    "compute": ("compute sum all reduce sum c_potential\nfix read all ave/time 7 1 7 c_sum file values.txt format ' %.17g'\n",
                ""),
    "fix": ("fix read all ave/atom 2 2 10 c_potential c_virials[1]\nvariable mean atom f_read[1]+f_read[2]\n"
            "compute sum all reduce sum v_mean\nthermo_style custom step temp c_sum\nthermo 10\n", ""),
    "variable": ("variable more atom 2*c_potential\ncompute sum all reduce max v_more\n"
                 "fix read all ave/time 7 1 7 c_sum file values.txt format ' %.17g'\n", ""),
    "after-fix-halt": ("variable now equal step\nfix stop all halt 5 v_now >= 20 error continue\n",
                       "write_dump all custom values.txt id c_virials[2] modify sort id format float %.17g\n"),
    "rerun": ("dump way all custom 5 way.txt id type x y z vx vy vz\ndump_modify way format float %.17g\n",
              "unfix sample\nundump way\nfix again all ave/time 5 1 5 c_found[1] c_found[5] file values.txt format ' %.17g'\n"
              "rerun way.txt dump x y z vx vy vz\n"),
    "after-the-run": ("", "write_dump all custom values.txt id c_potential modify sort id format float %.17g\n"),
    "next-run-pre-no": ("", "variable late atom c_potential\nrun 0 pre no\n"
                            "write_dump all custom values.txt id c_potential modify sort id format float %.17g\n"),
    "next-run": ("", "compute sum all reduce sum c_potential c_virials[4]\nthermo_style custom step c_sum[1] c_sum[2]\n"
                     "thermo 3\nrun 20\n"),
}


@pytest.mark.parametrize("reader", READERS)
def test_per_atom_computes_remain_readable(reader, backend):
    """Where the engine takes the place of per-atom computes, whatever else reads them finds their values."""
    before, after = READERS[reader]
    system = SYSTEMS["si-1989"]
    stock, found = (
        run_lammps(script(system, triad("double", backend), run_style,
                          PER_ATOM.format(group="all", virial="stress/atom", suffix=suffix) + before, "all") + after)
        for run_style, suffix in (("verlet", ""), ("verlet/triad", "/triad")))
    assert "values.txt" in found.files or "c_sum" in found.output
    for name in {"values.txt", "flux.txt"} & set(stock.files):
        expected, other = (np.array(re.findall(rb"[-+]?\d[-+.e\d]*", result.files[name]), dtype=float)
                           for result in (stock, found))
        assert len(other) == len(expected) > 0
        np.testing.assert_allclose(other, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    for expected, other in zip(stock.runs, found.runs):
        for column, values in expected.items():
            np.testing.assert_allclose(other[column], values, rtol=1e-8, atol=1e-9 * np.abs(values).max())


@pytest.mark.parametrize("end", ["", "variable now equal step\nfix stop all halt 1 v_now >= 17 error continue\n"],
                         ids=["whole-run", "halted"])
@pytest.mark.parametrize("pair", ["one", "hybrid"])
def test_that_nothing_reads_in_steps(end, pair, backend):
    """LAMMPS asks for its value in each step in which a fix samples anything. The engine has it after the run."""
    system = {"one": SYSTEMS["si-1989"], "hybrid": Layers}[pair]
    values = []
    for run_style in ("verlet", "verlet/triad"):
        result = run_lammps(system.commands(triad("double", backend)) + f"run_style {run_style}\n" + HOT
                            + "compute found all heat/flux/triad\nfix integrate all nve/triad\n"
                            "fix mean all ave/time 1 10 10 c_thermo_press c_thermo_pe\n" + end
                            + "thermo_style custom step f_mean[1]\nrun 30\nprint 'now $(c_found[1]:%.15g) $(c_found[5]:%.15g)'\n")
        values.append([float(word) for word in re.search("^now (.*)", result.output, re.MULTILINE)[1].split()])
        if not end and backend == "host" and run_style == "verlet/triad":
            made = re.search(r"made (\d+) steps on \w+, (\d+) of them in batches", result.output)
            assert int(made[2]) > 0.8 * int(made[1])
    assert values[1] == pytest.approx(values[0], rel=1e-8) and abs(values[0][0]) > 1e-3


@pytest.mark.parametrize("styles", ["centroid/stress/atom stress/atom", "stress/atom centroid/stress/atom"])
def test_of_a_compute_that_is_defined_anew(styles, run_style):
    """With the other virial, as the stock compute does."""
    first, second = styles.split()
    system = SYSTEMS["si-melt"]
    commands = (system.commands(triad("double", "host")) + f"run_style {run_style}\n" + HOT + "compute ke all ke/atom\ncompute pe all pe/atom\n"
                "compute w all {} NULL virial\ncompute flux all heat/flux{} ke pe w\nthermo_style custom step c_flux[*]\n"
                "thermo_modify norm no format float %.17g\nrun 0\nuncompute w\ncompute w all {} NULL virial\nrun 0\n")
    stock, found = (run_lammps(commands.format(first, x, second), files=system.files()).runs for x in ("", "/triad"))
    for name in (f"c_flux[{n}]" for n in range(1, 7)):
        assert found[1][name] == pytest.approx(stock[1][name], rel=1e-9)
    assert stock[0]["c_flux[1]"] != pytest.approx(stock[1]["c_flux[1]"], rel=1e-3)
    other = run_lammps(commands.format(first, "/triad", second).replace("uncompute w", "uncompute ke\ncompute ke all displace/atom\nuncompute w"),
                       files=system.files(), check=False)
    assert other.returncode != 0 and "compute ke, which is not ke/atom" in other.errors


@pytest.mark.parametrize("change", ["fix_modify", "keyword", "group"])
def test_of_per_atom_computes_with_other_parts(change, backend):
    """Values that the pair style does not tally are LAMMPS's, and are read on the host."""
    system = SYSTEMS["si-1989"]
    commands = PER_ATOM.format(group="all", virial="stress/atom", suffix="{suffix}")
    if change == "fix_modify":
        commands = "fix push all addforce 0 0 0.1\nfix_modify push virial yes\n" + commands
    elif change == "keyword":
        commands = commands.replace("NULL virial", "NULL")
    else:
        commands = commands.replace("compute potential all", "compute potential some")
    rows = []
    for suffix in ("", "/triad"):
        result = run_lammps(script(system, triad("double", backend), "verlet/triad", commands.format(suffix=suffix),
                                   "all"))
        assert "; atoms are copied to " in result.output
        rows.append(np.loadtxt(result.files["flux.txt"].decode().splitlines()))
    assert rows[1] == pytest.approx(rows[0], abs=1e-11 * np.abs(rows[0][:, 1:]).max())


CHANGES = {
    "thermostat": "fix scale all temp/rescale 1 300 300 0 1\nrun 10\n",
    "before-run-pre-no": "run 10\nvelocity all scale 300\nrun 10 pre no\n",
    "between-commands": 'run 10 every 5 "velocity all scale 200"\n',
    "before-minimisation": "run 10\nvelocity all scale 300\nminimize 0 1e-3 3 10\n",
    "before-another-run-style": "run 10\nvelocity all scale 300\nrun_style verlet\nrun 5\n",
}


@pytest.mark.parametrize("change", CHANGES)
def test_velocities_that_lammps_has_changed(change, backend):
    """By a thermostat after the step, whose forces stay, or by a command between runs."""
    system = SYSTEMS["si-1989"]
    stock, found = (run_lammps(system.commands(triad("double", backend)) + f"run_style {run_style}\n" + HOT
                               + f"fix integrate all {nve}\ncompute found all heat/flux/triad\n"
                               "thermo_style custom step c_found[*]\nthermo_modify format float %.17g\nthermo 5\n"
                               + CHANGES[change])
                    for run_style, nve in (("verlet", "nve"), ("verlet/triad", "nve/triad")))
    assert len(found.runs) == len(stock.runs) > 0
    for expected, run in zip(stock.runs, found.runs):
        currents = table(expected, "found")
        assert table(run, "found") == pytest.approx(currents, abs=1e-8 * np.abs(currents).max())


def test_in_every_precision(precision, backend):
    double, found = (samples(CASES["si-melt"], style, "verlet/triad", "all")[:, 1:]
                     for style in (triad("double", "host"), triad(precision, backend)))
    assert found == pytest.approx(double, abs=(1e-9 if precision == "double" else 2e-4) * np.abs(double).max())


def test_needs_centroid_virials():
    system = SYSTEMS["si-1989"]
    result = run_lammps(system.create + "pair_style sw\npair_coeff * * Si.sw Si\ncompute flux all heat/flux/triad\n"
                        "thermo_style custom step c_flux[1]\nrun 0\n", check=False)
    assert result.returncode != 0 and "needs a pair style with centroid virials" in result.errors
