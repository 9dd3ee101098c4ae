"""compute profile/triad beside compute chunk/atom with fix ave/chunk."""

import re

import numpy as np
import pytest
from courses import HOT, MELTING, twins
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

SOME = "group some id 1:100\n"
NVE = "fix integrate all nve\n"
# system, commands before the fixes, group, bins of both computes
CASES = {
    "crystal": ("si-1989", HOT + NVE, "all", "z lower 1.3 units box"),
    "crystal-lattice": ("si-1989", HOT + NVE, "some", "x center 0.37"),
    "upper": ("si-melt", MELTING + NVE, "some", "y upper 0.9 units box"),
    "coordinate": ("sige", HOT + NVE, "all", "x 5.1 2.3 units box"),
    "open-faces": ("si-slab-ppf", MELTING.replace("6000", "1000") + NVE, "all", "z center 0.8 units box"),
    "triclinic": ("triclinic", MELTING + NVE, "all", "y lower 0.07 units reduced"),
    "changing-box": ("si-1989", HOT + "fix integrate all npt temp 600 600 0.1 aniso 0 20000 0.2\n", "all",
                     "z lower 0.1 units reduced"),
    "real-units": ("si-real-units", HOT + NVE, "all", "z lower 0.05 units reduced"),
}
EXPECTED = """
compute bins {group} chunk/atom bin/1d {bins}
compute stress all stress/atom NULL
compute virial all stress/atom NULL virial
fix sample {group} ave/chunk 5 4 20 bins density/number density/mass temp norm sample file expected.txt &
    format " %.17g"
fix tensors {group} ave/chunk 5 4 20 bins c_stress[*] c_virial[*] norm none file tensors.txt format " %.17g"
"""
OURS = """
compute profile {group} profile/triad {place} density/number density/mass temp count ke stress virial {units}
fix sample all ave/time 5 4 20 c_profile[*] mode vector file found.txt format " %.17g"
thermo_modify norm no
run 60
"""


def blocks(text, columns):
    """[samples][rows][columns] of a file of fix ave/time mode vector or fix ave/chunk."""
    rows = [line.split() for line in text.decode().splitlines() if not line.startswith("#")]
    return np.array([[float(word) for word in row] for row in rows if len(row) == columns]).reshape(
        sum(len(row) != columns for row in rows), -1, columns)


def play(name, style, run_style, ranks, stock):
    system, commands, group, bins = CASES[name]
    place, _, units = bins.partition(" units ")
    ours = OURS.format(group=group, place=place, units=f"units {units}" if units else "")
    script = EXPECTED.format(group=group, bins=bins) + "run 60\n" if stock else ours
    return run_lammps(SYSTEMS[system].commands(style) + f"run_style {run_style}\n" + SOME
                      + (commands if stock else twins(commands)) + script,
                      files=SYSTEMS[system].files(), ranks=ranks)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_equals_chunks(name, ranks, run_style, backend):
    stock = play(name, STOCK, "verlet", ranks, True)
    expected, tensors = blocks(stock.files["expected.txt"], 6), blocks(stock.files["tensors.txt"], 15)
    result = play(name, triad("double", backend), run_style, ranks, False)
    found = blocks(result.files["found.txt"], 19)
    assert expected.shape[:2] == found.shape[:2] and expected.shape[0] == 3 and expected.shape[1] > 5
    if "npt" not in CASES[name][1]:  # which brings atoms for its pressure
        assert run_style == "verlet" or "brought" not in result.output
    density, mass, temperature, count = (found[..., k] for k in (2, 3, 4, 5))
    # fix ave/chunk writes coordinates with six digits
    assert found[..., 1] == pytest.approx(expected[..., 1], abs=1e-5 * np.abs(expected[..., 1]).max())
    for ours, theirs in ((count, expected[..., 2]), (density, expected[..., 3]),
                         (mass, expected[..., 4]), (temperature, expected[..., 5])):
        assert ours == pytest.approx(theirs, abs=1e-8 * np.abs(theirs).max())
    assert np.abs(temperature).max() > 100 and count.sum() > 100
    # stress times the volume of a slab is the sum of LAMMPS's per-atom stresses; under npt the volume differs between samples
    stresses = found[..., 7:] * (count / np.where(count > 0, density, 1))[..., None]
    close = 1e-8 if "npt" not in CASES[name][1] else 1e-2
    assert stresses == pytest.approx(tensors[..., 3:], abs=close * np.abs(tensors[..., 3:]).max())


SAMPLES = """
fix a all ave/time 3 2 12 c_one[*] mode vector file a.txt format " %.17g"
fix b all ave/time 4 1 4 c_one[2] c_two[2] mode vector file b.txt format " %.17g"
"""
NOSE_HOOVER = "unfix integrate\nfix integrate all nvt/triad temp 3000 3000 0.1\n"
BESIDE = {
    "alone": SAMPLES,
    "momentum-before": "fix m all momentum/triad 8 linear 1 1 1\n" + SAMPLES,
    "momentum-after": SAMPLES + "fix m all momentum/triad 8 linear 1 1 1\n",
    "heat-before": "fix h all heat/triad 4 20.0\n" + SAMPLES,
    "heat-after": SAMPLES + "fix h all heat/triad 4 20.0\n",
    "ehex-of-a-slab": "region end block INF 1.5 INF INF INF INF units box\nfix h all ehex/triad 1 10.0 region end\n"
                      + SAMPLES,
    "thermostat": "fix h some langevin/triad 600 600 0.1 11\n" + SAMPLES,
    "nose-hoover": NOSE_HOOVER + SAMPLES,
    "driving-force": NOSE_HOOVER + "fix h all hnemd/triad 1e-3 0 0\n" + SAMPLES,
    "lists-of-few-steps": "neighbor 0.7 bin\n" + SAMPLES,
    "other-values": SAMPLES + "fix c all ave/time 6 1 6 c_one[2] c_three[2] mode vector file c.txt format \" %.17g\"\n",
    "stopped": SAMPLES + "fix stop all halt 7 tlimit > 1000000\n",
}


@pytest.mark.parametrize("beside, ranks", [(name, 1) for name in BESIDE]
                         + [(name, 2) for name in ("alone", "thermostat", "nose-hoover", "lists-of-few-steps")])
def test_sampled_within_batches(beside, ranks, backend):
    """Samples of steps in the middle of a batch, beside what changes atoms at the end of steps: as step by step."""
    commands = (MELTING + SOME + "fix integrate all nve/triad\ncompute one all profile/triad z lower 0.2 temp ke units "
                "reduced\ncompute two some profile/triad x lower 0.2 count units reduced\n"
                "compute three some profile/triad y lower 0.2 stress units reduced\n"
                + BESIDE[beside] + "thermo 50\nrun 100\nrun 23 pre no\n")
    stock, found = (run_lammps(SYSTEMS["si-melt"].commands(triad("double", backend)) + f"run_style {style}\n" + commands,
                               files=SYSTEMS["si-melt"].files(), ranks=ranks) for style in ("verlet", "verlet/triad"))
    for name in {"a.txt", "b.txt", "c.txt"} & set(stock.files):
        rows = [[[float(word) for word in line.split()] for line in result.files[name].decode().splitlines()
                 if not line.startswith("#")] for result in (stock, found)]
        assert len(rows[0]) == len(rows[1]) > 20
        for one, other in zip(*rows):
            assert other == pytest.approx(one, rel=1e-7, abs=1e-6)
    made = re.search(r"made (\d+) steps on \w+, (\d+) of them in batches", found.output)
    # samples of the stress, renewed lists, and on the host steps with a driving force, are steps of their own
    single = beside == "other-values" or (beside == "driving-force" and backend == "host")
    assert "brought" not in found.output and (single or int(made[2]) > int(made[1]) / 2)


def test_kinetic_energy_is_that_of_all_slabs(precision, run_style, backend):
    commands = (HOT + "fix integrate all nve/triad\ncompute profile all profile/triad z lower 0.05 ke count units "
                "reduced\nvariable sum equal sum(c_profile[2])\nvariable n equal sum(c_profile[3])\n"
                "thermo_style custom step ke v_sum v_n\nthermo_modify norm no format float %.17g\nthermo 5\nrun 20\n")
    thermo = run_lammps(SYSTEMS["si-1989"].commands(triad(precision, backend)) + f"run_style {run_style}\n"
                        + commands).runs[0]
    assert thermo["v_sum"] == pytest.approx(thermo["KinEng"], rel=1e-12 if precision == "double" else 1e-6)
    assert thermo["v_n"] == pytest.approx(np.full(5, 216))


def test_stress_of_a_fix(backend):
    """The per-atom virials are then LAMMPS's, with those of the fix, and the log says what reads atoms."""
    system = SYSTEMS["si-1989"]
    commands = (HOT + "fix integrate all nve\nfix push all addforce 0 0 0.1\nfix_modify push virial yes\n"
                "compute profile all profile/triad z lower 0.1 stress units reduced\n"
                "compute stress all stress/atom NULL\ncompute sum all reduce sum c_stress[3]\n"
                "variable ours equal sum(c_profile[4])*vol/10\nthermo_style custom step v_ours c_sum\n"
                "thermo_modify norm no format float %.17g\nthermo 5\nrun 20\n")
    result = run_lammps(system.commands(triad("double", backend)) + "run_style verlet/triad\n" + commands)
    thermo = result.runs[0]
    assert "compute profile (profile/triad) in thermo output" in result.output
    assert thermo["v_ours"] == pytest.approx(thermo["c_sum"], abs=1e-9 * np.abs(thermo["c_sum"]).max())


BAD = [
    ("z lower", "Missing slab width in compute profile/triad"),
    ("w lower 1 temp", "Unknown compute profile/triad direction: w (known: x, y, z)"),
    ("z middle 1 temp", "Unknown compute profile/triad origin: middle (known: lower, center, upper)"),
    ("z lower 0 temp", "compute profile/triad slab width is 0; give a positive number"),
    ("z lower 1", "compute profile/triad needs at least one value"),
    ("z lower 1 heat", "Unknown compute profile/triad value: heat"),
    ("z lower 1 temp units inch", "Unknown compute profile/triad units: inch (known: box, lattice, reduced)"),
]


@pytest.mark.parametrize("words, message", BAD, ids=[words for words, _ in BAD])
def test_wrong_settings_are_named(words, message):
    script = SYSTEMS["si-1989"].commands(triad("double", "host")) + f"compute 1 all profile/triad {words}\n"
    result = run_lammps(script, check=False)
    assert result.returncode != 0 and message in result.errors, result.errors


def test_a_box_with_another_number_of_slabs_is_an_error():
    script = (SYSTEMS["si-1989"].commands(triad("double", "host")) + HOT + "fix integrate all nve\n"
              "compute profile all profile/triad z lower 2 temp units box\n"
              "fix sample all ave/time 10 1 10 c_profile[*] mode vector\nfix pull all deform 1 z scale 1.5\nrun 50\n")
    result = run_lammps(script, check=False)
    assert "slabs instead of" in result.errors and "use units reduced" in result.errors
