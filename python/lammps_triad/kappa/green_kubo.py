"""Conductivity from correlation functions of the heat current (Green-Kubo).

Every run and axis gives a correlation function, whose weight is the length of its run. The upper limit of the integral
is the first time at which the mean correlation function, averaged over a window of a tenth of that time and at least 0.5 ps,
is smaller than its standard error: beyond it the integral gains noise only. Optical phonons make the function oscillate
within the least window. The error of κ is the standard error of the integrals up to this limit, over the functions, and,
added in quadrature, the change of the mean integral from the limit to 1.5 times the limit.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from .files import InputError, frames_of, kind_of, read_table
from .statistics import Estimate, standard_error, weighted_mean, weights_text
from .units import UNITS

AXES = "xyz"


@dataclass
class Run:
    """Correlation functions of a run, or of one of its parts."""

    path: str
    stride: float  # steps between samples
    samples: int  # of the currents
    functions: np.ndarray  # [axes][lags]


def read_currents(path):
    """Table of fix ave/time with the currents along x, y and z in the columns after the time step."""
    table = read_table(path)
    names = table.names[1:4]
    if len(names) < 3:
        raise InputError(f"{path}: three columns of currents are needed after the time step, and there are {len(names)}")
    numbered = [re.fullmatch(r".*\[(\d+)\]", name) for name in names]
    if any(name.startswith("f_") for name in names) or any(part and part[1] != str(k) for k, part in enumerate(numbered, 1)):
        raise InputError(f"{path}: the columns after the time step are {' '.join(names)}, and must be the currents along x, y and "
                         "z, such as c_ID[1] c_ID[2] c_ID[3] of compute heat/flux/triad")
    table.interval()
    return table


def runs_of_currents(path, table, axes, lags, pieces):
    """The `pieces` equal parts of a file of fix ave/time count as runs."""
    length = len(table.rows) // pieces
    if lags < 2 or length < 2 * lags:
        raise InputError(f"{path}: {len(table.rows)} samples are too few for {pieces} parts and {lags} lags; a part must have at "
                         "least twice as many samples as lags, and two lags")
    parts = [table.rows[piece * length:(piece + 1) * length] for piece in range(pieces)]
    return [Run(path, table.interval(), length, np.array([autocorrelation(part[:, 1 + AXES.index(axis)], lags) for axis in axes]))
            for part in parts]


def autocorrelation(series, lags):
    """<s(0) s(t)> for t = 0 ... lags - 1 by FFT, without wrapping around."""
    size = 1 << (2 * len(series) - 1).bit_length()
    power = np.abs(np.fft.rfft(series, size))**2
    return np.fft.irfft(power, size)[:lags] / (len(series) - np.arange(lags))


def run_of_correlations(path, axes):
    """From the last frame of a file of fix ave/correlate with ave running, whose first three functions are those of x y z."""
    before = 0
    for frame in frames_of(path, ("Index", "TimeDelta")):
        if len(frame.names) < 6:
            raise InputError(f"{path}: three correlation functions are needed after Index, TimeDelta and Ncount, and there are "
                             f"{max(0, len(frame.names) - 3)}")
        samples = frame.rows[0][2]
        if samples <= before:
            raise InputError(f"{path}:{frame.line}: this frame has {samples:g} samples and the one before it {before:g}; all samples "
                             "of a run must be in its last frame: use ave running, and one file per run")
        before = samples
    rows = np.array(frame.rows)
    for k, name in enumerate(frame.names[3:6], 1):
        one, _, other = name.partition("*")
        number = re.fullmatch(r".*\[(\d+)\]", one)
        if one != other or (number and number[1] != str(k)):
            raise InputError(f"{path}: the column {name} is not the correlation of the current along {'xyz'[k - 1]} with "
                             "itself; the columns after Ncount must be those of the currents along x, y and z, which type auto writes")
    empty = np.nonzero(rows[:, 2] <= 0)[0]
    if len(empty):
        raise InputError(f"{path}:{frame.line + 1 + empty[0]}: this lag has no samples; the run is shorter than the window of the "
                         "correlation")
    stride = rows[1, 1] - rows[0, 1] if len(rows) > 1 else 0
    if stride <= 0:
        raise InputError(f"{path}:{frame.line}: a frame of one lag only, or lags that do not ascend")
    return Run(path, stride, int(rows[0, 2]), np.array([rows[:, 3 + AXES.index(axis)] for axis in axes]))


def read_runs(files, axes, lags, pieces):
    """All runs, whose samples are equally far apart. lags: by default a tenth of the shortest table of currents or part of one."""
    tables = {path: read_currents(path) for path in files if kind_of(path) == "table"}
    if tables:
        lags = lags or min(len(table.rows) // pieces for table in tables.values()) // 10
    elif lags or pieces > 1:
        raise InputError(f"{files[0]}: --lags and --pieces are for currents, written by fix ave/time; the lags of fix ave/correlate are "
                         "those of its script")
    runs = []
    for path in files:
        runs += runs_of_currents(path, tables[path], axes, lags, pieces) if path in tables else [run_of_correlations(path, axes)]
    for run in runs:
        if run.stride != runs[0].stride:
            raise InputError(f"{run.path}: samples are {run.stride:g} steps apart, and in {runs[0].path} {runs[0].stride:g}; all runs "
                             "must have the same interval")
    return runs


def green_kubo(files, volume, temperature, timestep, units="metal", axes="xyz", lags=None, pieces=1, limit=None):
    """volume, temperature in K, timestep: in the script's units. lags, pieces: for files of fix ave/time. limit: upper
    limit of the integral in time units, instead of the rule above."""
    return of_runs(read_runs(files, axes, lags, pieces), volume, temperature, timestep, UNITS[units], limit)


def of_runs(runs, volume, temperature, timestep, unit, limit=None):
    """The same for runs in memory."""
    shortest = min(run.functions.shape[1] for run in runs)
    functions = np.concatenate([run.functions[:, :shortest] for run in runs])
    lengths = np.repeat([run.samples for run in runs], len(runs[0].functions))
    dt = runs[0].stride * timestep
    time = dt * np.arange(shortest)
    if limit is not None and not 0.5 * dt < limit <= (shortest + 0.5) * dt:
        raise InputError(f"--limit {limit:g} {unit.time} is outside of the lags of the files, from {dt:g} to {time[-1]:g}")
    factor = unit.to_si / (unit.boltzmann * temperature**2 * volume)
    integral = np.zeros_like(functions)
    integral[:, 1:] = np.cumsum((functions[:, 1:] + functions[:, :-1]) / 2, axis=1) * dt
    integral *= factor
    n = len(functions)
    mean = weighted_mean(integral, lengths)
    errors = standard_error(integral, lengths)
    at = limit_index(functions, lengths, unit.period / dt) if limit is None else min(int(round(limit / dt)), shortest - 1)
    later = min(int(1.5 * at), shortest - 1)
    drift = abs(mean[later] - mean[at])
    kappa = Estimate(float(mean[at]), float(math.hypot(errors[at], drift)))
    warnings = []
    if at == shortest - 1:
        warnings.append("the integral ends where the window of the correlation ends, so the error does not contain what follows: use "
                        "more lags")
    cut = [run for run in runs if run.functions.shape[1] == shortest]
    if len(cut) < len(runs):
        warnings.append(f"the window of {cut[0].path} ends at {time[-1]:.4g} {unit.time}; longer windows of other runs are cut there")
    return {
        "kappa": kappa, "time": time, "running": mean, "running_error": errors, "limit": float(time[at]),
        "rule": f"integral up to {time[at]:.4g} {unit.time}, standard error over {n} correlation functions"
                f"{weights_text([run.samples for run in runs])}"
                + (f", and the change up to {time[later]:.4g} {unit.time}" if later > at else ""),
        "warning": "; ".join(warnings) or None,
        "time_unit": unit.time,
    }


def limit_index(functions, lengths, least_window):
    """See the rule above; lengths: of the runs of the functions; least_window in lags. The last lag if the mean never drops below
    its error. Fewer than three functions have no usable standard error: their mean ends where it first becomes negative."""
    n, lags = functions.shape
    mean = weighted_mean(functions, lengths)
    if n < 3:
        below = np.nonzero(mean <= 0)[0]
        return int(below[0]) if len(below) else lags - 1
    sums = np.concatenate([np.zeros((n, 1)), np.cumsum(functions, axis=1)], axis=1)
    lag = np.arange(1, lags)
    half = np.maximum(lag // 20, max(1, round(least_window / 2)))
    low, high = np.maximum(0, lag - half), np.minimum(lags, lag + half + 1)
    windows = (sums[:, high] - sums[:, low]) / (high - low)
    noisy = np.nonzero(weighted_mean(windows, lengths) < standard_error(windows, lengths))[0]
    return int(lag[noisy[0]]) if len(noisy) else lags - 1


def plot(result, axes):
    time, mean, error = result["time"], result["running"], result["running_error"]
    if np.isfinite(error).all():
        axes.fill_between(time, mean - error, mean + error, alpha=0.3, label="its standard error")
    axes.plot(time, mean, label="mean integral")
    kappa = result["kappa"]
    axes.errorbar([result["limit"]], [kappa.value], [kappa.error if math.isfinite(kappa.error) else 0], fmt="o",
                  color="k", capsize=4, label="limit, κ and its error")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    axes.set(xlabel=f"upper limit of the integral, {result['time_unit']}", ylabel="κ, W/(m K)")
