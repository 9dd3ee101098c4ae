"""fix spectral/triad beside sums over dumped atoms, and its identity with the mean heat current."""

import numpy as np
import pytest
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS
from test_hnemd import HOT, NVT, drive
from test_library import python

LAGS, EVERY, STEPS = 6, 5, 100


def script(name, run_style, more="", group="all", axis="x", steps=STEPS, backend="host"):
    return (SYSTEMS[name].commands(triad("double", backend)) + f"run_style {run_style}\n" + HOT + NVT + "group some id 1:60\n" +
            f"fix spectrum {group} spectral/triad {EVERY} {LAGS} {axis} file correlation\n" + more + f"run {steps}\n")


def correlation(result):
    return np.array([line.split() for line in result.files["correlation"].decode().splitlines()[2:]], dtype=float)


@pytest.mark.parametrize("name, group, axis", [("si-melt", "all", "x"), ("si-melt", "some", "y"), ("sige", "all", "z")])
def test_correlation_is_the_sum_over_atoms(name, group, axis):
    more = ("compute w all centroid/stress/atom NULL virial\n"
            f"dump atoms {group} custom {EVERY} atoms.dump id vx vy vz c_w[*]\n"
            "dump_modify atoms sort id format float %.17g\n")
    result = run_lammps(script(name, "verlet", more, group, axis), files=SYSTEMS[name].files())
    frames = result.frames()[1:]  # the fix samples from the first multiple of its interval on
    row = {"x": (1, 4, 5), "y": (7, 2, 6), "z": (8, 9, 3)}[axis]  # components with this axis as their first
    virial = np.array([[-f[f"c_w[{k}]"] / 1.6021765e6 for k in row] for f in frames])
    velocity = np.array([[f.vx, f.vy, f.vz] for f in frames])
    found = correlation(result)
    assert found[:, 0] == pytest.approx(np.arange(1 - LAGS, LAGS) * EVERY * 0.001)
    n = len(frames)
    assert n == STEPS // EVERY
    for row, (_, *values) in zip(range(1 - LAGS, LAGS), found):
        pairs = [(virial[t] * velocity[t + row]).sum(axis=1) for t in range(n) if 0 <= t + row < n]
        assert values == pytest.approx(np.mean(pairs, axis=0), abs=1e-7 * np.abs(virial * velocity).sum(axis=2).max())


@pytest.mark.parametrize("run_style, ranks", [("verlet", 2), ("verlet", 3), ("verlet/triad", 1), ("verlet/triad", 2)])
@pytest.mark.parametrize("group", ["all", "some"])
def test_run_styles_and_ranks_agree(run_style, ranks, group, backend):
    """Atoms of the melt move between ranks and are sorted."""
    more = "atom_modify sort 10 3.0\n"
    files = SYSTEMS["si-melt"].files()
    expected = correlation(run_lammps(script("si-melt", "verlet", group=group), files=files))
    found = correlation(run_lammps(script("si-melt", run_style, more, group=group, backend=backend), files=files, ranks=ranks))
    assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_runs_go_on(backend):
    """The crystal, whose rows have four entries: one run, and three of the same length in all, whose lags overlap less."""
    whole, *parts = (correlation(run_lammps(script("si-1989", "verlet/triad", steps=steps, backend=backend) + more))
                     for steps, more in ((60, ""), (20, "run 20\nrun 20\n")))
    assert parts[0][LAGS - 1] == pytest.approx(whole[LAGS - 1], rel=1e-6)
    host = correlation(run_lammps(script("si-1989", "verlet", steps=60)))
    assert whole == pytest.approx(host, abs=1e-6 * np.abs(host).max())


def test_lag_zero_is_the_heat_current():
    """With the same samples, the sum over velocities at lag zero is the mean current of compute heat/flux/triad."""
    more = (drive() + "compute j all heat/flux/triad\nvariable j equal c_j[1]-c_j[4]\n"
            f"fix mean all ave/time {EVERY} {STEPS // EVERY} {STEPS} v_j file j format ' %.12g'\n")
    result = run_lammps(script("si-1989", "verlet/triad", more))
    mean = float(result.files["j"].decode().split()[-1])
    assert correlation(result)[LAGS - 1, 1:].sum() == pytest.approx(mean, rel=1e-8)


def read(result, column):
    return result.runs[-1][f"f_spectrum[{LAGS}][{column}]"], result.runs[-1][f"f_spectrum[{LAGS + 1}][{column}]"]


THERMO = (f"thermo_style custom step f_spectrum[{LAGS}][1] f_spectrum[{LAGS}][2] f_spectrum[{LAGS + 1}][1] "
          f"f_spectrum[{LAGS + 1}][2]\nthermo {EVERY}\nthermo_modify format float %.17g\n")


def test_another_time_step_starts_a_new_mean():
    """Lags of two time steps are not mixed, and the lags of the output are those of the samples."""
    start = script("si-melt", "verlet/triad", THERMO)
    files = SYSTEMS["si-melt"].files()
    for pre in ("", " pre no"):
        mixed = run_lammps(start + f"timestep 0.0005\nrun 20{pre}\n", files=files)
        assert read(mixed, 1)[1] == pytest.approx(EVERY * 0.0005)
        later, lag = read(mixed, 2)
        assert later[0] == 0 and lag[:2] == pytest.approx(0), "no sample, then one"
        assert later[1] != 0 and lag[2] != 0
    halved = correlation(run_lammps(script("si-melt", "verlet") + f"timestep 0.0005\nrun {STEPS}\n", files=files))
    afterwards = script("si-melt", "verlet").replace("fix spectrum", f"run {STEPS}\ntimestep 0.0005\nfix spectrum")
    assert halved == pytest.approx(correlation(run_lammps(afterwards, files=files)), rel=1e-6), "as many samples as before"
    result = run_lammps(script("si-melt", "verlet/triad", "fix r all dt/reset 1 1e-5 0.002 0.001 units box\n"), files=files,
                        check=False)
    assert result.returncode != 0 and "spectral/triad needs a constant time step during a run" in result.errors


@pytest.mark.parametrize("between", ["", "reset_timestep 102", "reset_timestep 95", "minimize 0 1e-8 20 20",
                                     "delete_atoms group all\ncreate_atoms 1 box\nvelocity all create 600 11 loop geom"])
def test_samples_of_two_runs_are_not_correlated(between):
    """The mean goes on. With a single sample in the second run, only lag zero gains something."""
    first = run_lammps(script("si-1989", "verlet/triad", THERMO, steps=10) + between + "\nrun 5\n")
    before, after = first.runs[0], first.runs[-1]
    assert before[f"f_spectrum[{LAGS + 1}][2]"][-1] != 0
    assert after[f"f_spectrum[{LAGS + 1}][2]"][-1] == before[f"f_spectrum[{LAGS + 1}][2]"][-1]
    assert after[f"f_spectrum[{LAGS}][2]"][-1] != before[f"f_spectrum[{LAGS}][2]"][-1]


AFTER_AN_ERROR = """
import json, sys
from lammps import lammps

instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
caught = ""
try:
    instance.commands_string(json.loads(sys.argv[1]))
except Exception as error:
    caught = str(error)
instance.commands_string("unfix stop\\nrun 5")
print(json.dumps([caught, open("correlation").read()]))
"""


@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
def test_samples_after_an_error_are_those_of_a_new_run(run_style):
    """A run that fix halt ends, with an error that Python catches and without one; then a run with a single sample."""
    found = {}
    for how in ("hard", "continue"):
        stop = f"variable now equal step\nfix stop all halt 1 v_now >= 30 error {how}\n"
        caught, text = python(AFTER_AN_ERROR, script("si-1989", run_style, stop))
        assert ("halt" in caught) == (how == "hard"), caught
        found[how] = np.array([line.split() for line in text.splitlines()[2:]], dtype=float)
    different = np.arange(1 - LAGS, LAGS) != 0  # lag zero gains the sample of the second run
    assert found["hard"][different] == pytest.approx(found["continue"][different], rel=1e-9)


BAD = [
    ("fix 1 all spectral/triad 5 10", "missing"),
    ("fix 1 all spectral/triad 0 10 x", "interval is 0; give"),
    ("fix 1 all spectral/triad 5 1 x", "number of lags is 1; give"),
    ("fix 1 all spectral/triad 5 400000000 x", "number of lags is 400000000; give"),
    ("fix 1 all spectral/triad 5 10 x file nowhere/correlation", "cannot open file nowhere/correlation of fix spectral/triad"),
    ("fix 1 all spectral/triad 5 10 w", "direction: w"),
    ("fix 1 all spectral/triad 5 10 x colour red", "keyword: colour"),
    (f"{NVT}fix 1 all spectral/triad 5 10 x\npair_style sw\npair_coeff * * Si.sw Si\nrun 0", "centroid virials"),
    (f"{NVT}fix 1 all spectral/triad 5 10 x\npair_style lj/cut 5\npair_coeff * * 0.01 2.2\nrun 0", "centroid virials"),
    (f"{NVT}fix 1 all spectral/triad 5 10 x file same\nfix 2 all spectral/triad 5 10 y file same\nrun 0",
     "fixes 1 and 2 write the same file same; give each"),
    (f"{NVT}fix pull all deform/triad 1 x erate 0.1\nfix 1 all spectral/triad 5 10 x\nrun 0", "define fix pull behind it"),
    (f"{NVT}fix 1 all spectral/triad 5 10 x file /dev/full\nrun 10", "cannot write file /dev/full of fix spectral/triad"),
]


@pytest.mark.parametrize("commands, message", BAD, ids=[commands for commands, _ in BAD])
def test_wrong_settings_are_named(commands, message):
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + commands + "\n", check=False)
    assert result.returncode != 0 and message.lower() in result.errors.lower(), result.errors
