"""lammps_triad kappa on synthetic data whose conductivity is known, and its messages."""

import json
import math
import re
import subprocess
import sys
from contextlib import nullcontext

import pytest

np = pytest.importorskip("numpy")
from lammps_triad.kappa.files import InputError, read_frames, read_table  # noqa: E402
from lammps_triad.kappa.green_kubo import Run, autocorrelation, green_kubo, of_runs  # noqa: E402
from lammps_triad.kappa.hnemd import hnemd  # noqa: E402
from lammps_triad.kappa.nemd import nemd, refuse_jump  # noqa: E402
from lammps_triad.kappa.spectrum import spectrum  # noqa: E402
from lammps_triad.kappa.statistics import (  # noqa: E402
    Estimate, block_error, common_mean, effective_number, mean_of_series, standard_error, weighted_mean)
from lammps_triad.kappa.units import UNITS  # noqa: E402


def call(*arguments):
    return subprocess.run([sys.executable, "-m", "lammps_triad", "kappa", *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def correlated(rng, n, tau, columns=1):
    """Ornstein-Uhlenbeck series of variance 1 and correlation time tau (in samples): <s(0) s(t)> = exp(-t / tau)."""
    decay = math.exp(-1 / tau)
    noise = rng.normal(size=(n, columns)) * math.sqrt(1 - decay**2)
    series = np.empty((n, columns))
    series[0] = rng.normal(size=columns)
    for k in range(1, n):
        series[k] = decay * series[k - 1] + noise[k]
    return series


def write_table(path, names, rows):
    path.write_text("# Time-averaged data for fix out\n# TimeStep " + " ".join(names) + "\n"
                    + "".join(" ".join(f"{value:.10g}" for value in row) + "\n" for row in rows))
    return path


VOLUME, KELVIN, TIMESTEP, STRIDE = 5000.0, 400.0, 0.001, 10
TAU = 40  # samples


def write_currents(folder, seed, kappa, n=40000):
    """Currents whose Green-Kubo integral is `kappa` W/(m K): the sum over lags by the trapezoidal rule, to infinity."""
    dt = STRIDE * TIMESTEP
    decay = math.exp(-1 / TAU)
    integral = dt * (0.5 + decay / (1 - decay))
    unit = UNITS["metal"]
    variance = kappa * unit.boltzmann * KELVIN**2 * VOLUME / unit.to_si / integral
    currents = correlated(np.random.default_rng(seed), n, TAU, 3) * math.sqrt(variance)
    rows = np.column_stack([STRIDE * np.arange(n), currents])
    return write_table(folder / f"current.{seed}", ["c_J[1]", "c_J[2]", "c_J[3]"], rows)


def test_green_kubo_of_exponential_correlation(tmp_path):
    files = [write_currents(tmp_path, seed, 100.0) for seed in range(8)]
    result = green_kubo(files, VOLUME, KELVIN, TIMESTEP, lags=800)
    kappa = result["kappa"]
    assert 1 < kappa.error < 12
    assert abs(kappa.value - 100) < 3 * kappa.error
    assert 2 * TAU < result["limit"] / (STRIDE * TIMESTEP) < 800
    by_hand = green_kubo(files, VOLUME, KELVIN, TIMESTEP, lags=800, limit=0.4)
    assert by_hand["limit"] == pytest.approx(0.4)
    assert by_hand["kappa"].value == pytest.approx(100 * (1 - math.exp(-1)), rel=0.05)


def test_oscillations_do_not_end_the_integral(tmp_path):
    """An optical oscillation of 0.1 ps takes the function below zero at 0.05 ps; the slow part lives for 3 ps."""
    rng, files = np.random.default_rng(4), []
    time = STRIDE * TIMESTEP * np.arange(1000)
    shape = 0.7 * np.cos(2 * np.pi * time / 0.1) * np.exp(-time / 0.5) + 0.3 * np.exp(-time / 3)
    for k in range(2):
        values = shape[:, None] + 0.05 * correlated(rng, 1000, 30, 3)
        files.append(tmp_path / f"c{k}")
        files[-1].write_text("# Index TimeDelta Ncount J[1]*J[1] J[2]*J[2] J[3]*J[3]\n1000 1000\n" + "".join(
            f"{n + 1} {n * STRIDE} 10 {a:.9g} {b:.9g} {c:.9g}\n" for n, (a, b, c) in enumerate(values)))
    found = green_kubo(files, VOLUME, KELVIN, TIMESTEP)
    assert found["limit"] > 3, found["limit"]


def test_green_kubo_errors_cover_the_truth(tmp_path):
    """In 30 experiments of one run of six parts, the truth lies within two errors in most."""
    inside = 0
    for seed in range(30):
        file = write_currents(tmp_path, 100 + seed, 50.0, n=6000)
        kappa = green_kubo([file], VOLUME, KELVIN, TIMESTEP, lags=300, pieces=6)["kappa"]
        inside += abs(kappa.value - 50) < 2 * kappa.error
    assert inside >= 24, inside  # 27


LENGTHS = (400, 800, 1600, 6400)  # samples of four runs
EXPERIMENTS = 200
STUDENT_11 = 0.661  # share of a t distribution of 11 degrees of freedom (4 runs x 3 axes) that lies within one error


def unequal_runs():
    """Runs of each experiment, whose integral up to 5 correlation times of 10 samples is 100 W/(m K) in the mean: limit, runs."""
    rng, tau, lags = np.random.default_rng(31), 10, 100
    dt, unit = STRIDE * TIMESTEP, UNITS["metal"]
    up_to_limit = dt * (np.exp(-np.arange(5 * tau + 1) / tau).sum() - (1 + math.exp(-5)) / 2)
    variance = 100 * unit.boltzmann * KELVIN**2 * VOLUME / unit.to_si / up_to_limit
    experiments = [[] for _ in range(EXPERIMENTS)]
    for length in LENGTHS:
        currents = correlated(rng, length, tau, 3 * EXPERIMENTS) * math.sqrt(variance)
        for k, runs in enumerate(experiments):
            runs.append(Run("run", STRIDE, length, np.array([autocorrelation(currents[:, 3 * k + axis], lags) for axis in range(3)])))
    return 5 * tau * dt, experiments


def test_green_kubo_weights_runs_by_their_length():
    """The mean of the weighted integrals is the truth within three of its errors; its scatter is that of the best weights, below
    that of equal weights; the truth lies within one error as often as Student's distribution says, within three standard
    deviations of such a count."""
    limit, experiments = unequal_runs()
    at = round(limit / (STRIDE * TIMESTEP))
    values, errors, covered, equal = [], [], 0, []
    for runs in experiments:
        found = of_runs(runs, VOLUME, KELVIN, TIMESTEP, UNITS["metal"], limit)
        values.append(found["running"][at])
        errors.append(found["running_error"][at])
        covered += abs(found["kappa"].value - 100) < found["kappa"].error
        of_each = [of_runs([run], VOLUME, KELVIN, TIMESTEP, UNITS["metal"], limit)["kappa"].value for run in runs]
        equal.append(np.mean(of_each))
        assert values[-1] == pytest.approx(np.average(of_each, weights=LENGTHS))
    values, errors = np.array(values), np.array(errors)
    scatter = values.std(ddof=1)
    assert abs(values.mean() - 100) < 3 * scatter / math.sqrt(EXPERIMENTS)
    best = math.sqrt(sum(1 / n for n in LENGTHS) * sum(LENGTHS)) / len(LENGTHS)  # 1.61 times the error, with equal weights
    assert np.std(equal) / scatter == pytest.approx(best, rel=0.15)
    assert math.sqrt((errors**2).mean()) == pytest.approx(scatter, rel=0.15)
    inside = (abs(values - 100) < errors).mean()
    assert abs(inside - STUDENT_11) < 3 * math.sqrt(STUDENT_11 * (1 - STUDENT_11) / EXPERIMENTS), inside
    assert (abs(values - 100) < 2 * errors).mean() > 0.929 - 0.08  # Student: 0.929; low integrals have small errors
    assert covered / EXPERIMENTS > STUDENT_11 - 0.1, covered  # the error contains the change beyond the limit too


def test_standard_error_with_weights():
    """Values of variance 1/n: the weighted error covers the truth as often as Student's distribution says; the means of runs of
    equal length, and their errors, are the unweighted ones."""
    rng, lengths = np.random.default_rng(5), np.array([1, 2, 3, 10, 20])
    x = rng.normal(size=(5, 20000)) / np.sqrt(lengths)[:, None]
    inside = abs(weighted_mean(x, lengths)) < standard_error(x, lengths)
    assert inside.mean() == pytest.approx(0.626, abs=0.012)  # 4 degrees of freedom
    assert (standard_error(x, lengths)**2).mean() == pytest.approx(1 / lengths.sum(), rel=0.03)
    same = np.full(5, 7)
    assert weighted_mean(x, same) == pytest.approx(x.mean(axis=0), abs=1e-12)
    assert standard_error(x, same) == pytest.approx(x.std(axis=0, ddof=1) / math.sqrt(5))
    assert effective_number(same) == pytest.approx(5) and effective_number([1, 3]) == pytest.approx(1.6)
    assert standard_error([1.0], [3]) == math.inf and (standard_error(np.ones((1, 2)), [3]) == math.inf).all()


def test_green_kubo_of_equal_lengths_is_the_plain_mean(tmp_path):
    files = [write_currents(tmp_path, seed, 100.0, n=4000) for seed in range(3)]
    found = green_kubo(files, VOLUME, KELVIN, TIMESTEP, lags=300, limit=1.0)
    of_each = [green_kubo([file], VOLUME, KELVIN, TIMESTEP, axes=axis, lags=300, limit=1.0)["kappa"].value for file in files
               for axis in "xyz"]
    at = round(1.0 / (STRIDE * TIMESTEP))
    assert found["kappa"].value == pytest.approx(np.mean(of_each))
    assert found["running_error"][at] == pytest.approx(np.std(of_each, ddof=1) / 3) and "weighted" not in found["rule"]


def test_green_kubo_reads_the_lengths_of_runs(tmp_path):
    """From the rows of fix ave/time, of which pieces are parts, and from the last count of fix ave/correlate."""
    files = [write_currents(tmp_path, seed, 100.0, n=n) for seed, n in enumerate((2000, 8000))]
    setting = {"volume": VOLUME, "temperature": KELVIN, "timestep": TIMESTEP, "limit": 0.4}
    one, other = (green_kubo([file], lags=100, **setting)["kappa"].value for file in files)
    both = green_kubo(files, lags=100, **setting)
    assert both["kappa"].value == pytest.approx(0.2 * one + 0.8 * other)
    assert "6 correlation functions, weighted by their lengths, as good as 1.5 runs of equal length" in both["rule"]
    assert len(green_kubo(files, **setting)["time"]) == 200  # a tenth of the shorter run
    paths = [tmp_path / "c1", tmp_path / "c3"]
    for path, samples, height, lags in zip(paths, (100, 300), (4.0, 8.0), (50, 80)):
        path.write_text(f"# Index TimeDelta Ncount J[1]*J[1] J[2]*J[2] J[3]*J[3]\n{samples * STRIDE} {lags}\n" + "".join(
            f"{k + 1} {k * STRIDE} {samples - k} {height} {height} {height}\n" for k in range(lags)))
    found = green_kubo(paths, **setting)
    assert found["kappa"].value == pytest.approx(7 / 4 * green_kubo(paths[:1], **setting)["kappa"].value)
    with pytest.raises(InputError, match="c1: --lags and --pieces are for currents"):
        green_kubo(paths, lags=20, **setting)
    assert "the window of" in found["warning"] and "c1 ends at 0.49 ps" in found["warning"]


def test_green_kubo_of_ave_correlate(tmp_path):
    lags = 500
    rows = "".join(f"{k + 1} {k * STRIDE} 1000 " + " ".join(f"{scale * math.exp(-k / TAU):.12g}" for scale in (1, 2, 3))
                   + "\n" for k in range(lags))
    path = tmp_path / "current.correlation"
    path.write_text("# Time-correlated data for fix correlation\n# Timestep Number-of-time-windows\n"
                    "# Index TimeDelta Ncount c_J[1]*c_J[1] c_J[2]*c_J[2] c_J[3]*c_J[3]\n"
                    f"1000 {lags}\n" + rows.replace(" 1000 ", " 10 ") + f"2000 {lags}\n" + rows)
    decay, dt, unit = math.exp(-1 / TAU), STRIDE * TIMESTEP, UNITS["metal"]
    expected = dt * (0.5 + decay / (1 - decay)) * unit.to_si / (unit.boltzmann * KELVIN**2 * VOLUME)
    for axes, factor in (("xyz", 2), ("x", 1), ("z", 3)):
        result = green_kubo([path], VOLUME, KELVIN, TIMESTEP, axes=axes, limit=lags * dt)
        assert result["kappa"].value == pytest.approx(factor * expected, rel=1e-4)
    assert math.isinf(green_kubo([path], VOLUME, KELVIN, TIMESTEP, axes="x")["kappa"].error)


@pytest.mark.parametrize("tau", [1, 30])
def test_block_error_of_correlated_samples(tau):
    """Of the mean of n samples: sqrt((1 + d) / (1 - d) / n) with the decay d of one step."""
    decay, n = math.exp(-1 / tau), 1 << 16
    found = [block_error([correlated(np.random.default_rng(seed), n, tau)[:, 0]])[0] for seed in range(5)]
    assert np.mean(found) == pytest.approx(math.sqrt((1 + decay) / (1 - decay) / n), rel=0.25)


def test_a_short_series_has_a_lower_bound():
    series = correlated(np.random.default_rng(1), 200, 40)[:, 0]
    assert not block_error([series])[2] and "a lower bound" in mean_of_series([series])[1]
    assert block_error([correlated(np.random.default_rng(1), 1 << 14, 4)[:, 0]])[2]


def test_hnemd(tmp_path):
    files = []
    for seed in range(3):
        noise = correlated(np.random.default_rng(seed), 20000, 20)[:, 0]
        rows = np.column_stack([1000 * np.arange(20000), 0.05 + 0.02 * noise, np.zeros(20000)])
        rows[:2000, 1] += 1  # the transient
        files.append(write_table(tmp_path / f"kappa.{seed}", ["f_drive[1]", "f_drive[2]"], rows))
    result = hnemd(files, skip=0.1)
    expected = 0.05 * 1602.176634
    assert abs(result["kappa"].value - expected) < 3 * result["kappa"].error
    exact = 0.02 * 1602.176634 * math.sqrt(2 * 20 / 54000)
    assert result["kappa"].error == pytest.approx(exact, rel=0.5)
    run = call("hnemd", *files, "--skip", 0.1, "--json", "--plot", tmp_path / "kappa.png")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["kappa"] == pytest.approx(result["kappa"].value) and found["method"] == "hnemd"
    assert (tmp_path / "kappa.png").read_bytes()[:4] == b"\x89PNG"
    # white noise of the size of the fluctuations in equilibrium: 3 x 18 ns in a field of 1e-4 1/Å
    least = math.sqrt(2 * 8.617333262e-5 * expected * 1602.176634 / (4000 * 3 * 18000)) / 1e-4
    known = hnemd(files, skip=0.1, volume=4000, field=-1e-4, timestep=0.001)
    assert least > result["kappa"].error and known["kappa"].error == pytest.approx(least, rel=0.02)
    assert "fluctuations in equilibrium" in known["rule"]
    assert hnemd(files, skip=0.1, volume=4e9, field=1e-4, timestep=0.001)["kappa"] == result["kappa"]
    with pytest.raises(InputError, match="give all three, or none"):
        hnemd(files, volume=4000)
    assert known["warning"] is None
    assert "check --volume" in hnemd(files, skip=0.1, volume=4, field=1e-4, timestep=0.001)["warning"]  # in nm^3
    run = call("hnemd", *files, "--skip", 0.1, "--volume", 4000, "--field", 1e-4, "--timestep", 0.001, "--json")
    assert json.loads(run.stdout)["error"] == pytest.approx(known["kappa"].error)
    assert hnemd(files, units="real", skip=0.1)["kappa"].value == pytest.approx(expected / 1602.176634 * 69476.95, rel=0.01)


def test_runs_of_a_driving_force_count_by_their_length():
    """The error between runs, if it is larger than that of blocks: the rest of the runs' means has the variance 1 / length."""
    rng, lengths = np.random.default_rng(8), (200, 400, 800, 1600, 3200)
    inside, found = 0, []
    for _ in range(200):
        series = [rng.normal(size=n) + 30 * rng.normal() / math.sqrt(n) for n in lengths]
        estimate, rule = mean_of_series(series)
        assert rule.startswith("5 runs, weighted by their lengths, as good as 2.8 runs")
        inside += abs(estimate.value) < estimate.error
        found.append((estimate.value, np.mean([s.mean() for s in series])))
    assert abs(inside / 200 - 0.626) < 0.1, inside
    weighted, equal = np.std(found, axis=0)
    assert weighted < 0.8 * equal


def test_rows_of_a_driving_force_are_equally_far_apart(tmp_path):
    write = lambda name, steps: write_table(tmp_path / name, ["f_d[1]"], [(step, 1 + step % 3) for step in steps])  # noqa: E731
    with pytest.raises(InputError, match="t:5: the sample comes 20 steps after the one before it, and others after 10; the intervals "
                                         "must be equal. Give each part without a gap as a file of its own"):
        hnemd([write("t", (0, 10, 30))])
    with pytest.raises(InputError, match="u: rows are 20 steps apart, and in files before it 10"):
        hnemd([write("t", (0, 10, 20)), write("u", (0, 20, 40))])


def write_nemd(folder, length, kappa, area=900.0, frames=64, seed=1, periodic=False):
    """A profile with the gradient that `kappa` has at a power of 4 eV/ps, with noise, and the tallies."""
    rng = np.random.default_rng(seed)
    power, bins, every = 4.0, 40, 1000
    slope = power / (area * (2 if periodic else 1)) * UNITS["metal"].to_si / kappa
    text, tallies = "# Chunk-averaged data for fix profile\n# Timestep Number-of-chunks Total-count\n" \
                    "# Chunk Coord1 Ncount temp\n", []
    for frame in range(1, frames + 1):
        text += f"{frame * every} {bins} 8000\n"
        for b in range(bins):
            x = (b + 0.5) / bins * length
            text += f"  {b + 1} {x:.6g} 200 {300 - slope * (x - length / 2) + rng.normal():.8g}\n"
        tallies.append((frame * every, power * frame * every * TIMESTEP + 0.01 * rng.normal(),
                        -power * frame * every * TIMESTEP + 0.01 * rng.normal()))
    profile = folder / f"profile.{length:g}"
    profile.write_text(text)
    return profile, write_table(folder / f"heat.{length:g}", ["f_hot", "f_cold"], tallies)


@pytest.mark.parametrize("periodic", [False, True])
def test_nemd(tmp_path, periodic):
    profile, heat = write_nemd(tmp_path, 200, 30.0, periodic=periodic)
    region = (30, 170) if periodic else None
    result = nemd([profile], [heat], [900.0], timestep=TIMESTEP, periodic=periodic, region=region)
    assert abs(result["kappa"].value - 30) < 3 * result["kappa"].error
    assert 0 < result["kappa"].error < 1
    slope = 4.0 / 900 / (2 if periodic else 1) * 1602.176634 / 30
    with_difference = nemd([profile], [heat], [900.0], [200.0], timestep=TIMESTEP, periodic=periodic, difference=200 * slope)
    assert with_difference["kappa"].value == pytest.approx(30, rel=1e-3)
    imposed = nemd([profile], [4.0], [900.0], timestep=TIMESTEP, periodic=periodic, region=(50, 150))
    assert abs(imposed["kappa"].value - 30) < 3 * imposed["kappa"].error


def test_nemd_takes_the_energy_of_the_system_for_no_heat(tmp_path):
    """Both tallies rise and fall together with the energy of the bar, in some blocks by more than the heat."""
    profile, heat = write_nemd(tmp_path, 200, 30.0)
    rows = np.loadtxt(heat)
    expected = nemd([profile], [heat], [900.0], timestep=TIMESTEP)["kappa"].value
    together = 20 * np.sin(rows[:, 0] / 3000)
    heat = write_table(tmp_path / "heat.both", ["f_hot", "f_cold"], np.column_stack([rows[:, 0], (rows[:, 1:].T + together).T]))
    assert nemd([profile], [heat], [900.0], timestep=TIMESTEP)["kappa"].value == pytest.approx(expected, rel=1e-3)
    unequal = write_table(tmp_path / "heat.unequal", ["f_hot", "f_cold"], [(step, 2 * a, b) for step, a, b in rows])
    run = call("nemd", profile, "--heat", unequal, "--area", 900, "--timestep", TIMESTEP)
    assert "the thermostats add 8 and remove 4 energy/time, so the system heats up or cools down" in run.stdout
    assert "warning" not in call("nemd", profile, "--heat", heat, "--area", 900, "--timestep", TIMESTEP).stdout
    write_table(heat, ["f_hot", "f_cold"], [(step, a, a) for step, a, _ in rows])
    with pytest.raises(InputError, match="both thermostats add or both remove energy"):
        nemd([profile], [heat], [900.0], timestep=TIMESTEP)


def test_nemd_combines_runs_of_one_length(tmp_path):
    files = []
    for seed, frames in enumerate((32, 128)):
        (tmp_path / str(seed)).mkdir()
        files.append(write_nemd(tmp_path / str(seed), 200, 30.0 + 10 * seed, frames=frames, seed=seed))
    profiles, heats = zip(*files)
    result = nemd(profiles, heats, [900.0], [200.0, 200.0], TIMESTEP)
    one, other = (system["kappa"] for system in result["systems"])
    first, second = (frames - int(0.2 * frames) for frames in (32, 128))
    shares = first / (first + second), second / (first + second)
    assert result["kappa"].value == pytest.approx(shares[0] * one.value + shares[1] * other.value)
    assert result["kappa"].error == pytest.approx(math.hypot(shares[0] * one.error, shares[1] * other.error))
    assert common_mean([Estimate(x, 0.1) for x in (1, 2, 3, 4, 5)], [1] * 5) == (Estimate(3, pytest.approx(0.5**0.5)), "5 runs")
    with pytest.raises(InputError, match="2 profiles need their lengths"):
        nemd(profiles, heats, [900.0], timestep=TIMESTEP)
    with pytest.raises(InputError, match="the lengths 200.0 and 200.00000000000003 hardly differ"):
        nemd(profiles, heats, [900.0], [200.0, 200.00000000000003], TIMESTEP)
    with pytest.raises(InputError, match="give --region, the coordinates of one side"):
        nemd(profiles, heats, [900.0], [200.0, 200.0], TIMESTEP, periodic=True)


def test_nemd_refuses_gaps(tmp_path):
    """Of the profile, and of the tallies."""
    for of_profile, said in ((True, "the frame of step .* comes .* steps after"), (False, "the intervals must be equal")):
        profile, heat = write_nemd(tmp_path, 200, 30.0)
        if of_profile:
            head, *frames = re.split(r"(?m)^(?=\d+ \d+ )", profile.read_text())
            profile.write_text(head + "".join(frames[:3] + frames[4:]))
        else:
            rows = np.loadtxt(heat)
            write_table(heat, ["f_hot", "f_cold"], np.delete(rows, 3, axis=0))
        with pytest.raises(InputError, match=said):
            nemd([profile], [heat], [900.0], timestep=TIMESTEP)


def test_nemd_refuses_tallies_that_begin_again(tmp_path):
    """As those of a restarted run do, of which rows were appended."""
    profile, heat = write_nemd(tmp_path, 200, 30.0)
    rows = np.loadtxt(heat)
    rows[30:, 1:] -= rows[29, 1:]
    write_table(heat, ["f_hot", "f_cold"], rows)
    with pytest.raises(InputError, match=r"heat.200:33: f_hot jumps from 120.* to 3.98.*; in a restarted run fixes count from zero"):
        nemd([profile], [heat], [900.0], timestep=TIMESTEP)
    for length, restart in ((30, 16), (36, 18), (60, 19)):  # short files, with noise
        rng = np.random.default_rng(length)
        hot = 4 * np.arange(1, length + 1) + rng.normal(0, 1, length)
        for again in (False, True):
            if again:
                hot[restart:] -= hot[restart - 1]
            write_table(heat, ["f_hot", "f_cold"], np.column_stack([rows[:length, 0], hot, -hot]))
            with pytest.raises(InputError, match="jumps from") if again else nullcontext():
                refuse_jump(read_table(heat), 1)


def test_nemd_extrapolates(tmp_path):
    """1/kappa = (1 + 500 / L) / 80."""
    lengths = [200.0, 400.0, 800.0, 1600.0]
    files = [write_nemd(tmp_path, length, 80 / (1 + 500 / length), seed=k) for k, length in enumerate(lengths)]
    run = call("nemd", *[f[0] for f in files], "--heat", *[f[1] for f in files], "--area", 900, "--length", *lengths,
               "--timestep", TIMESTEP, "--json", "--plot", tmp_path / "nemd.png")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert abs(found["kappa"] - 80) < 3 * found["error"] and found["error"] < 8
    assert found["mean_free_path"] == pytest.approx(500, rel=0.2)
    assert len(found["systems"]) == 4


def spectral_head(samples=1000, direction="x"):
    return f"# Virial-velocity correlation of fix s, direction {direction}, {samples} samples\n# Lag K_x K_y K_z\n"


def write_correlation(path, kappa, volume, kelvin, field, f0=5.0, tau=0.8, noise=0.0, seed=0, samples=1000):
    """K(t) = K(0) cos(2 pi f0 t) exp(-|t| / tau), a third of it with each component of the velocity."""
    lags = np.arange(-400, 401) * 0.02
    k = np.cos(2 * np.pi * f0 * lags) * np.exp(-abs(lags) / tau)
    k *= kappa / UNITS["metal"].to_si * kelvin * volume * field
    k = k + noise * abs(k).max() * np.random.default_rng(seed).normal(size=len(k))
    path.write_text(spectral_head(samples) + "".join(
        f"{t:.10g} {v / 3:.12g} {v / 3:.12g} {v / 3:.12g}\n" for t, v in zip(lags, k)))
    return path


def test_spectra_count_by_their_samples(tmp_path):
    setting = {"volume": 5000.0, "temperature": 300.0, "field": 2e-4}
    files = [write_correlation(tmp_path / f"K{samples}", kappa, 5000.0, 300.0, 2e-4, samples=samples)
             for samples, kappa in ((1000, 20.0), (3000, 40.0))]
    result = spectrum(files, **setting)
    assert result["kappa"].value == pytest.approx(35) and result["cumulative"][-1] == pytest.approx(35)
    assert result["kappa"].error == pytest.approx(math.sqrt((15**2 + 3 * 5**2) / 4))
    assert "2 runs, weighted by their lengths, as good as 1.6 runs of equal length" in result["rule"]


def test_spectrum(tmp_path):
    """The integral over frequencies is the conductivity, and the peak is where the correlation oscillates."""
    setting = {"volume": 5000.0, "temperature": 300.0, "field": -2e-4}
    file = write_correlation(tmp_path / "K", 42.0, 5000.0, 300.0, -2e-4)
    result = spectrum([file], **setting)
    assert result["kappa"].value == pytest.approx(42, rel=1e-9) and math.isinf(result["kappa"].error)
    assert result["frequency"][np.argmax(result["spectrum"])] == pytest.approx(5, abs=0.1)
    peak = 2 * 42 * 0.8  # half of the Lorentzian line: 2 kappa times the integral of cos^2 exp(-t / tau)
    assert result["spectrum"].max() == pytest.approx(peak, rel=0.15)
    assert spectrum([file], **setting, components="xy")["kappa"].value == pytest.approx(28, rel=1e-9)
    files = [write_correlation(tmp_path / f"K{seed}", 42.0, 5000.0, 300.0, -2e-4, noise=0.02, seed=seed)
             for seed in range(6)]
    run = call("spectrum", *files, "--volume", 5000, "--temperature", 300, "--field=-2e-4", "--json", "--highest", 20,
               "--plot", tmp_path / "spectrum.png")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert abs(found["kappa"] - 42) < 3 * found["error"] < 3
    assert max(found["frequency"]) <= 20 and len(found["spectrum"]) == len(found["frequency"])
    file.write_text(spectral_head() + "0 1 2 3\n1 2 3\n")
    assert "K:4: 3 columns where 4 are expected" in call("spectrum", file, "--volume", 1, "--temperature", 1, "--field",
                                                         1).stderr


def exponential_correlation(path, height, tau, lags=2000, step=0.01):
    """K(t) = height exp(-|t| / tau): twice its transform is 4 height tau / (1 + (2 pi f tau)^2)."""
    t = np.arange(-lags + 1, lags) * step
    values = height * np.exp(-np.abs(t) / tau) / 3
    path.write_text(spectral_head() + "".join(f"{a:.10g} {b:.12g} {b:.12g} {b:.12g}\n" for a, b in zip(t, values)))
    return path


def test_mean_free_paths(tmp_path):
    """Two correlations of the same shape: all phonons have the path K_driven DT V_b / (K_ballistic T F V)."""
    setting = {"volume": 5000.0, "temperature": 300.0, "field": 1e-4}
    driven, between = (exponential_correlation(tmp_path / name, height, 0.5) for name, height in (("K", 3.0), ("B", 0.2)))
    path = (3.0 / (300 * 5000 * 1e-4)) / (0.2 / (20 * 800))
    result = spectrum([driven], **setting, ballistic=[between], ballistic_volume=800.0, difference=20.0,
                      lengths=[path, 9 * path], highest=5)
    known = np.isfinite(result["path"])
    assert result["path"][known] == pytest.approx(path, rel=1e-9) and known.sum() > 10
    assert result["half_path"] == pytest.approx(path)
    whole = result["kappa"].value
    assert result["cumulative_by_path"][-1] == pytest.approx(whole, rel=0.1)  # where little heat flows, the path is not known
    assert result["kappa_of_length"] == pytest.approx([whole / 2, 0.9 * whole], rel=0.1)
    less = spectrum([driven], **setting, ballistic=[between], ballistic_volume=800.0, difference=20.0, lengths=[path, 9 * path], highest=1)
    assert less["kappa_of_length"] == pytest.approx(result["kappa_of_length"], rel=1e-12), "the output ends there, not the integral"
    assert len(less["path"]) == len(less["frequency"]) < len(result["frequency"])
    across = tmp_path / "across"
    across.write_text(between.read_text().replace("direction x", "direction y"))
    with pytest.raises(InputError, match="across: the direction of the current is y, and x in .*K"):
        spectrum([driven], **setting, ballistic=[across], ballistic_volume=800.0, difference=20.0)
    with pytest.raises(InputError, match="give ballistic runs"):
        spectrum([driven], **setting, difference=20.0)
    slower = exponential_correlation(tmp_path / "S", 3.0, 1.0)  # long lives: the path falls with frequency
    falling = spectrum([slower], **setting, ballistic=[between], ballistic_volume=800.0, difference=20.0, highest=1.5)
    expected = path * 2 * (1 + (np.pi * falling["frequency"])**2) / (1 + (2 * np.pi * falling["frequency"])**2)
    known = np.isfinite(falling["path"])
    assert falling["path"][known] == pytest.approx(expected[known], rel=0.02)
    assert (np.diff(falling["sorted_path"]) >= 0).all()
    run = call("spectrum", driven, "--volume", 5000, "--temperature", 300, "--field", "1e-4", "--ballistic", between,
               "--ballistic-volume", 800, "--difference", 20, "--lengths", 100, 1000, "--plot", tmp_path / "paths.png")
    assert run.returncode == 0 and "L = 1000 Å: kappa = " in run.stdout and "carry half of the heat" in run.stdout, run.stderr
    run = call("spectrum", driven, "--volume", 5000, "--temperature", 300, "--field", "1e-4", "--ballistic", between)
    assert run.returncode != 0 and "need the volume and the temperature difference" in run.stderr


def test_digits():
    assert str(Estimate(123.456789, 2.3456)) == "123.5 ± 2.3"
    assert str(Estimate(0.0123456, 0.00023)) == "0.01235 ± 0.00023"
    assert str(Estimate(1234.5, 234.0)) == "1234 ± 234"
    assert str(Estimate(12.3456, math.inf)) == "12.3 ± unknown"


def test_five_runs_that_differ_have_the_larger_error():
    rng = np.random.default_rng(2)
    series = [rng.normal(size=1000) + offset for offset in (-3, -1, 0, 1, 3)]
    estimate, rule = mean_of_series(series)
    assert rule == "5 runs" and estimate.error == pytest.approx(1, rel=0.1)


BAD = [
    ("# TimeStep f_d[1]\n1 2\n2 x\n", "input:3: not a row of numbers: '2 x'"),
    ("# TimeStep f_d[1]\n1 2\n2 3 4\n", "input:3: 3 columns where 2 are expected"),
    ("# TimeStep f_d[1]\n1 2\n2 nan\n", "input:3: a value is not a finite number"),
    ("1 2\n", "input:1: rows before a line '# TimeStep"),
    ("# TimeStep Number-of-rows\n# Row f_d[1]\n1 1\n1 5\n", "input:1: these are vectors; use fix ave/time without mode vector"),
    ("# TimeStep f_d[1]\n", "input: no rows"),
    ("# TimeStep v_a\n1 2\n", "input: no columns are called f_...[1], as that of fix hnemd/triad; name the one with the conductivity by --column: v_a"),
    ("# TimeStep f_d[1]\n1 2\n2 0.0", "input:3: the file ends within this line"),
    ("# TimeStep f_d[1]\n1 2\n\n3 4\n# TimeStep f_d[1]\n2 3\n", "input:6: time step 2 follows 3; give one file per run"),
    ("# TimeStep f_d[1]\n1 2\n1 2\n", "input:3: time step 1 follows 1; give one file per run"),
    ("# TimeStep f_d[1]\n1 2\n# TimeStep f_d[1] v_a\n2 2 1\n", "input:3: from here on the columns are TimeStep f_d[1] v_a, and before"),
]


@pytest.mark.parametrize("text, message", BAD, ids=[message for _, message in BAD])
def test_bad_tables_are_named(tmp_path, text, message):
    path = tmp_path / "input"
    path.write_text(text)
    run = call("hnemd", path)
    assert run.returncode == 1 and message in run.stderr, run.stderr
    assert "Traceback" not in run.stderr


def assert_refused(folder, text, message, read):
    """read(path of a file with the text) must raise InputError with the message."""
    path = folder / "input"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read(path)
    assert message in str(error.value)


HEAD = "# Timestep Number-of-time-windows\n# Index TimeDelta Ncount"
CORRELATE = f"{HEAD} J[1]*J[1] J[2]*J[2] J[3]*J[3]\n"
BAD_CORRELATIONS = [
    (f"{CORRELATE}10 3\n1 0 5 1 1 1\n2 1 5 1 1 1\n", "input:3: the frame that begins here lacks 1 rows"),
    (f"{CORRELATE}10 2\n1 0 5 1 1 1\n2 1 5 1 1\n", "input:5: 5 columns where 6 are expected"),
    (f"{CORRELATE}10 2\n1 0 5 1 1 1\n2 1 5 1 1 inf\n", "input:5: a value is not a finite number"),
    (f"{CORRELATE}10 2\n1 0 5 1 1 1\n2 1 0 1 1 1\n", "input:5: this lag has no samples"),
    (f"{CORRELATE}10 2\n1 0 9 1 1 1\n2 1 8 1 1 1\n20 2\n1 0 9 1 1 1\n2 1 8 1 1 1\n",
     "input:6: this frame has 9 samples and the one before it 9; all samples of a run must be in its last frame: use ave running"),
    (f"{CORRELATE}10 1\n1 0 5 1 1 1\n5 1\n1 0 5 1 1 1\n", "input:5: time step 5 follows 10; give one file per run"),
    (f"{CORRELATE}10 1\n1 0 5 1 1 1\n20 2\n1 0 5 1 1 1\n2 1 5 1 1 1\n", "input:5: a frame of 2 rows follows one of 1"),
    (f"{CORRELATE}10 1\n1 0 5 1 1 1\n", "input:3: a frame of one lag only"),
    (f"{HEAD} J[1]*J[1] J[1]*J[2] J[1]*J[3]\n10 1\n1 0 5 1 1 1\n", "input: the column J[1]*J[2] is not the correlation of"),
    (f"{HEAD} J[3]*J[3] J[2]*J[2] J[1]*J[1]\n10 1\n1 0 5 1 1 1\n", "input: the column J[3]*J[3] is not the correlation of the current along x"),
    (f"{HEAD} J[1]*J[1]\n10 1\n1 0 5 1\n", "input: three correlation functions are needed after Index, TimeDelta and Ncount, and there are 1"),
    ("# Timestep Number-of-time-windows\n# Index TimeDelta\n10 1\n1 0\n", "input: three correlation functions are needed after Index"),
]


@pytest.mark.parametrize("text, message", BAD_CORRELATIONS, ids=[message for _, message in BAD_CORRELATIONS])
def test_bad_correlations_are_named(tmp_path, text, message):
    assert_refused(tmp_path, text, message, lambda path: green_kubo([path], VOLUME, KELVIN, TIMESTEP))


BAD_SPECTRA = [
    ("-1 1 1 1\n0 2 2 2\n1 1 1 nan\n", "input:5: a value is not a finite number"),
    ("-1 1 1 1\n0 2 2 2\n", "input:4: 2 lags up to here"),
    ("-2 1 1 1\n-1 2 2 2\n0 3 3 3\n", "input:4: the lag in the middle is -1 instead of 0"),
    ("-1 1 1 1\n0 2 2 2\n3 3 3 3\n", "input:5: the lags do not ascend in equal steps"),
    ("", "input:1: 0 lags up to here"),
]


def test_spectra_without_samples_are_refused(tmp_path):
    assert_refused(tmp_path, spectral_head(samples=0) + "-1 0 0 0\n0 0 0 0\n1 0 0 0\n", "input: the run took no samples",
                   lambda path: spectrum([path], volume=1.0, temperature=300.0, field=1e-4))


@pytest.mark.parametrize("text, message", BAD_SPECTRA, ids=[message for _, message in BAD_SPECTRA])
def test_bad_spectra_are_named(tmp_path, text, message):
    assert_refused(tmp_path, spectral_head() + text, message, lambda path: spectrum([path], volume=1.0, temperature=300.0, field=1e-4))


@pytest.mark.parametrize("head", ["", "# Lag K_x K_y K_z\n", "# fix s, direction x, 9 samples\n"])
def test_files_of_spectra_begin_with_samples_and_names(tmp_path, head):
    assert_refused(tmp_path, head + "-1 1 1 1\n0 2 2 2\n1 1 1 1\n", f"input:{head.count(chr(10)) + 1}: rows before the lines",
                   lambda path: spectrum([path], volume=1.0, temperature=300.0, field=1e-4))


def test_spectra_of_one_result_have_the_same_lags_and_direction(tmp_path):
    for name, text in (("a", spectral_head() + "-1 1 1 1\n0 2 2 2\n1 1 1 1\n"), ("b", spectral_head() + "-2 1 1 1\n0 2 2 2\n2 1 1 1\n"),
                       ("c", spectral_head(direction="y") + "-1 1 1 1\n0 2 2 2\n1 1 1 1\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="--highest 0.1: the lowest frequency above 0 is 0.333333 THz"):
        spectrum([tmp_path / "a"], volume=1.0, temperature=300.0, field=1e-4, highest=0.1)
    for name, message in (("b", "b: 3 lags up to 2, and 3 up to 1 in .*a"), ("c", "c: the direction of the current is y, and x in .*a")):
        with pytest.raises(InputError, match=message):
            spectrum([tmp_path / "a", tmp_path / name], volume=1.0, temperature=300.0, field=1e-4)


@pytest.mark.parametrize("units, timestep", [("metal", 1), ("real", 0.001)])
def test_a_time_step_in_other_units_is_refused(tmp_path, units, timestep):
    currents = write_currents(tmp_path, 1, 100.0, 2000)
    run = call("gk", currents, "--volume", VOLUME, "--temperature", KELVIN, "--units", units, "--timestep", timestep)
    assert run.returncode == 1 and f"--timestep {timestep} means" in run.stderr and "check --timestep and --units" in run.stderr


def test_rows_of_the_transient_are_left_out(tmp_path):
    """Runs of different lengths, both with a transient of 2 ps = 200 rows."""
    files = [write_table(tmp_path / f"t{n}", ["f_d[1]"], [(500 + 10 * k, 9 if k < 200 else k % 2) for k in range(n)])
             for n in (400, 1000)]
    result = hnemd(files, transient=2.0, timestep=0.001)
    assert result["kappa"].value == pytest.approx(1602.176634 / 2) and len(result["curves"][0][0]) == 200
    run = call("hnemd", *files, "--transient", 2, "--timestep", 0.001, "--json")
    assert json.loads(run.stdout)["kappa"] == pytest.approx(1602.176634 / 2)
    run = call("hnemd", *files, "--transient", 5, "--timestep", 0.001)
    assert run.returncode == 1 and "t400:402: the run ends here, within the transient of 5 ps" in run.stderr, run.stderr
    assert "--transient is a time and needs --timestep" in call("hnemd", *files, "--transient", 5).stderr
    everything = json.loads(call("hnemd", *files, "--transient", 0, "--timestep", 0.001, "--json").stdout)
    assert everything["kappa"] == json.loads(call("hnemd", *files, "--json").stdout)["kappa"]
    assert "-1 is not a number from 0 on" in call("hnemd", *files, "--transient", -1, "--timestep", 0.001).stderr


def test_only_the_conductivity_of_the_step_counts(tmp_path):
    table = write_table(tmp_path / "t", ["f_d[1]", "f_d[2]", "v_kappa"], [(k, 1 + k % 3, 7, k % 3) for k in range(60)])
    run = call("hnemd", table, "--column", "f_d[2]")
    assert run.returncode == 1 and "only component 1 is the conductivity of the step" in run.stderr
    kappas = [json.loads(call("hnemd", table, *more, "--json").stdout)["kappa"] for more in ([], ["--column", "f_d[1]"], ["--column", "v_kappa"])]
    assert kappas[0] == kappas[1] == pytest.approx(2 * 1602.176634) and kappas[2] == pytest.approx(1602.176634)


def test_a_negative_field_needs_no_equals_sign(tmp_path):
    table = write_table(tmp_path / "t", ["f_d[1]"], [(k, 1 + k % 3) for k in range(60)])
    options = ["--volume", 4000, "--timestep", 0.001, "--json"]
    found = [call("hnemd", table, *field, *options).stdout for field in (["--field", "-1e-4"], ["--field=-1e-4"], ["--field", "-.0001"])]
    assert found[0] and found[0] == found[1] == found[2]


def test_missing_and_cut_files_are_named(tmp_path):
    assert "nothing: No such file" in call("hnemd", tmp_path / "nothing").stderr
    profile, heat = write_nemd(tmp_path, 100, 10.0)
    text = profile.read_text().splitlines()
    profile.write_text("\n".join(text[:-3]) + "\n")
    with pytest.raises(InputError, match=r"profile.100:\d+: the frame that begins here lacks 3 rows"):
        read_frames(profile, ("Chunk",))
    short = call("gk", write_table(tmp_path / "t", ["a"], [(1, 2)]), "--volume", 1, "--temperature", 1, "--timestep", 0.001)
    assert "three columns of currents are needed" in short.stderr
    run = call("gk", profile, "--volume", 1, "--temperature", 1, "--timestep", 0.001)
    assert run.returncode == 1 and "neither fix ave/time nor fix ave/correlate" in run.stderr
    assert read_table(heat).names == ["TimeStep", "f_hot", "f_cold"]


@pytest.mark.parametrize("name, said", [("nowhere/k.png", "No such file or directory"), (".", "this is a folder"),
                                        ("k.foo", "Format 'foo' is not supported")])
def test_a_plot_that_cannot_be_written_is_named(tmp_path, name, said):
    pytest.importorskip("matplotlib")
    table = write_table(tmp_path / "t", ["f_d[1]"], [(0, 1), (10, 2)])
    run = call("hnemd", table, "--plot", tmp_path / name)
    assert run.returncode == 1 and "--plot" in run.stderr and said in run.stderr, run.stderr
    assert "Traceback" not in run.stderr
    run = call("hnemd", table, "--plot", tmp_path / "k.png")  # the error is not known
    assert run.returncode == 0 and not run.stderr and (tmp_path / "k.png").stat().st_size > 1000


@pytest.mark.parametrize("names", [["v_t", "c_J[1]", "c_J[2]"], ["c_J[1]", "c_J[2]", "c_J[4]"], ["f_d[1]", "f_d[2]", "f_d[3]"]])
def test_columns_that_are_no_currents_are_refused(tmp_path, names):
    table = write_table(tmp_path / "t", names, [(step, 1, 2, 3) for step in range(50)])
    with pytest.raises(InputError, match="t: the columns after the time step are .*, and must be the currents along x, y and z"):
        green_kubo([table], VOLUME, KELVIN, TIMESTEP)


def test_runs_with_other_intervals_are_named(tmp_path):
    tables = [write_table(tmp_path / f"t{n}", ["a", "b", "c"], [(n * k, 1, 2, 3) for k in range(50)]) for n in (10, 20)]
    with pytest.raises(InputError, match="t20: samples are 20 steps apart, and in .*t10 10; all runs must have the same interval"):
        green_kubo(tables, VOLUME, KELVIN, TIMESTEP)


def test_what_cannot_be_right_is_warned_of(tmp_path):
    """A volume in nm^3 makes the conductivity a thousand times larger."""
    currents = write_currents(tmp_path, 1, 100.0, 4000)
    run = call("gk", currents, "--volume", VOLUME / 1000, "--temperature", KELVIN, "--timestep", TIMESTEP)
    assert run.returncode == 0 and "warning: no known material has more than 5000 W/(m K); check the units" in run.stdout
    negative = write_table(tmp_path / "t", ["f_d[1]"], [(k, -1 - k % 3) for k in range(20)])
    assert "a negative conductivity is noise" in json.loads(call("hnemd", negative, "--json").stdout)["warning"]


def test_a_result_that_cannot_be_written(tmp_path):
    table = write_table(tmp_path / "t", ["f_d[1]"], [(k, k % 3) for k in range(20)])
    with open("/dev/full", "w") as full:
        run = subprocess.run([sys.executable, "-m", "lammps_triad", "kappa", "hnemd", table, "--json"], stdout=full,
                             stderr=subprocess.PIPE, text=True)
    assert run.returncode == 1
    assert run.stderr == "lammps_triad: the result cannot be written to the standard output: No space left on device\n"


def test_a_file_counts_once(tmp_path):
    table = write_table(tmp_path / "t", ["f_d[1]"], [(k, k % 3) for k in range(20)])
    run = call("hnemd", table, tmp_path / "." / "t")
    assert run.returncode == 1 and "t: the file is given twice" in run.stderr
    (first, heat), (second, _) = (write_nemd(tmp_path, length, 30.0) for length in (100, 200))
    run = call("nemd", first, second, "--heat", heat, heat, "--area", 900, "--length", 100, 200, "--timestep", TIMESTEP)
    assert run.returncode == 1 and "heat.100: the file is given twice" in run.stderr


def test_a_conductivity_that_is_not_finite_is_refused(tmp_path):
    run = call("hnemd", write_table(tmp_path / "t", ["f_d[1]"], [(0, 1e308), (1, 1e308), (2, -1e308)]))
    assert run.returncode == 1 and "lammps_triad: the conductivity is" in run.stderr and "Warning" not in run.stderr


@pytest.mark.parametrize("steps, message", [([10, 10, 20, 30], "t:4: time step 10 follows 10"),
                                            ([30, 20, 10, 0], "t:4: time step 20 follows 30"),
                                            ([0, 10, 30, 40], "t:5: the sample comes 20 steps after the one before it, and others")])
def test_green_kubo_needs_ascending_steps(tmp_path, steps, message):
    table = write_table(tmp_path / "t", ["a", "b", "c"], [(step, 1, 2, 3) for step in steps])
    with pytest.raises(InputError, match=message):
        green_kubo([table], VOLUME, KELVIN, TIMESTEP, lags=2)


@pytest.mark.parametrize("limit", [1e-6, 100.0])
def test_green_kubo_needs_a_limit_among_the_lags(tmp_path, limit):
    with pytest.raises(InputError, match="limit .* is outside of the lags of the files, from 0.01 to 0.99"):
        green_kubo([write_currents(tmp_path, 1, 100.0, 2000)], VOLUME, KELVIN, TIMESTEP, lags=100, limit=limit)


def test_nemd_needs_chunks_with_atoms_and_ascending_steps(tmp_path):
    profile, heat = write_nemd(tmp_path, 100, 10.0)
    text = profile.read_text()
    rows = [line.split() for line in text.splitlines()]
    names = next(row[1:] for row in rows if row[:2] == ["#", "Chunk"])
    count = names.index("Ncount")
    profile.write_text("\n".join(" ".join([*row[:count], "0", *row[count + 1:]] if len(row) == len(names) and row[0] != "#" else row)
                                 for row in rows) + "\n")
    run = call("nemd", profile, "--heat", heat, "--area", 1, "--timestep", 0.001)
    assert run.returncode == 1 and "no chunk has atoms in all frames" in run.stderr, run.stderr
    profile.write_text("\n".join(" ".join(["7", *row[1:]] if len(row) == 3 and row[0] != "#" else row)
                                 for row in map(str.split, text.splitlines())) + "\n")
    run = call("nemd", profile, "--heat", heat, "--area", 1, "--timestep", 0.001)
    assert run.returncode == 1 and "profile.100:45: time step 7 follows 7; give one file per run" in run.stderr, run.stderr
