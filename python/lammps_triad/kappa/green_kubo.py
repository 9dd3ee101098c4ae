"""Conductivity from correlation functions of the heat current (Green-Kubo).

Every run and axis gives a correlation function, all of equal weight. The upper limit of the integral is the first time
at which the mean correlation function, averaged over a window of a tenth of that time and at least 0.5 ps, is smaller than
its standard error: beyond it the integral gains noise only. Optical phonons make the function oscillate within the least
window. The error of κ is the standard error of the integrals up to this limit,
over the functions, and, added in quadrature, the change of the mean integral from the limit to 1.5 times the limit.
"""

import math

import numpy as np

from .files import InputError, kind_of, read_frames, read_table
from .statistics import Estimate, standard_error
from .units import UNITS

AXES = "xyz"


def correlations_of_currents(path, axes, lags, pieces):
    """Correlation functions of the currents of a file of fix ave/time, of `pieces` equal parts of the run:
    (steps between samples, [pieces * axes][lags])."""
    table = read_table(path)
    names = table.names[1:4] if len(table.names) >= 4 else None
    if names is None:
        raise InputError(f"{path}: three columns of currents are needed behind the time step, and there are "
                         f"{len(table.names) - 1}")
    strides = np.diff(table.rows[:, 0])
    if not len(strides):
        raise InputError(f"{path}:{table.lines[0]}: this is the only sample")
    other = np.nonzero(strides != strides[0])[0]
    if len(other):
        raise InputError(f"{path}:{table.lines[other[0] + 1]}: the sample comes {strides[other[0]]:g} steps after the one before "
                         f"it, and others after {strides[0]:g}; the intervals must be equal")
    length = len(table.rows) // pieces
    lags = lags or length // 10
    if lags < 2 or length < 2 * lags:
        raise InputError(f"{path}: {len(table.rows)} samples are too few for {pieces} parts and {lags} lags")
    found = []
    for piece in range(pieces):
        part = table.rows[piece * length:(piece + 1) * length]
        for axis in axes:
            found.append(autocorrelation(part[:, 1 + AXES.index(axis)], lags))
    return strides[0], np.array(found)


def autocorrelation(series, lags):
    """<s(0) s(t)> for t = 0 ... lags - 1 by FFT, without wrapping around."""
    size = 1 << (2 * len(series) - 1).bit_length()
    power = np.abs(np.fft.rfft(series, size))**2
    return np.fft.irfft(power, size)[:lags] / (len(series) - np.arange(lags))


def correlations_of_file(path, axes):
    """The same from the last frame of a file of fix ave/correlate, whose first three functions are those of x y z."""
    frames = read_frames(path, ("Index", "TimeDelta"), keep_last=True)
    rows = frames.values[-1]
    if rows.shape[1] < 6:
        raise InputError(f"{path}: three correlation functions are needed, and there are {rows.shape[1] - 3}")
    for name in frames.names[3:6]:
        one, _, other = name.partition("*")
        if one != other:
            raise InputError(f"{path}: the column {name} is not the correlation of a current with itself; the columns behind "
                             "Ncount must be those of the currents along x, y and z, which type auto writes")
    empty = np.nonzero(rows[:, 2] <= 0)[0]
    if len(empty):
        raise InputError(f"{path}:{frames.line + 1 + empty[0]}: this lag has no samples; the run is shorter than the window of the "
                         "correlation")
    stride = rows[1, 1] - rows[0, 1] if len(rows) > 1 else 0
    if stride <= 0:
        raise InputError(f"{path}:{frames.line}: a frame of one lag only, or lags that do not ascend")
    return stride, np.array([rows[:, 3 + AXES.index(axis)] for axis in axes])


def green_kubo(files, volume, temperature, timestep, units="metal", axes="xyz", lags=None, pieces=1, limit=None):
    """volume, temperature in K, timestep: in the script's units. lags, pieces: for files of fix ave/time. limit: upper
    limit of the integral in time units, instead of the rule above."""
    unit = UNITS[units]
    strides, functions = [], []
    for path in files:
        if kind_of(path) == "table":
            stride, found = correlations_of_currents(path, axes, lags, pieces)
        else:
            stride, found = correlations_of_file(path, axes)
        strides.append(stride)
        functions.append(found)
    shortest = min(found.shape[1] for found in functions)
    if any(stride != strides[0] for stride in strides):
        raise InputError(f"{files[0]}: samples are {strides[0]:g} steps apart, and in other files not")
    functions = np.concatenate([found[:, :shortest] for found in functions])
    dt = strides[0] * timestep
    time = dt * np.arange(shortest)
    if limit is not None and not 0.5 * dt < limit <= (shortest + 0.5) * dt:
        raise InputError(f"the limit {limit:g} {unit.time} is outside of the lags of the files, from {dt:g} to {time[-1]:g}")
    factor = unit.to_si / (unit.boltzmann * temperature**2 * volume)
    integral = np.zeros_like(functions)
    integral[:, 1:] = np.cumsum((functions[:, 1:] + functions[:, :-1]) / 2, axis=1) * dt
    integral *= factor
    n = len(functions)
    mean = integral.mean(axis=0)
    errors = integral.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full(shortest, np.inf)
    at = limit_index(functions, unit.period / dt) if limit is None else min(int(round(limit / dt)), shortest - 1)
    later = min(int(1.5 * at), shortest - 1)
    drift = abs(mean[later] - mean[at])
    kappa = Estimate(float(mean[at]), float(math.hypot(standard_error(integral[:, at]), drift)))
    noisy = limit is None and at == shortest - 1
    return {
        "kappa": kappa, "time": time, "running": mean, "running_error": errors, "limit": float(time[at]),
        "rule": f"integral up to {time[at]:.4g} {unit.time}, standard error over {n} correlation functions and "
                "the change up to 1.5 times that time",
        "warning": "the correlation function has not decayed within its window: use more lags" if noisy else None,
        "time_unit": unit.time,
    }


def limit_index(functions, least_window):
    """See the rule above; the last lag if the mean never drops below its error. least_window in lags. Fewer than three
    functions have no usable standard error: their mean ends where it first becomes negative."""
    n, lags = functions.shape
    mean = functions.mean(axis=0)
    if n < 3:
        below = np.nonzero(mean <= 0)[0]
        return int(below[0]) if len(below) else lags - 1
    sums = np.concatenate([np.zeros((n, 1)), np.cumsum(functions, axis=1)], axis=1)
    for k in range(1, lags):
        half = max(1, k // 20, round(least_window / 2))
        lo, hi = max(0, k - half), min(lags, k + half + 1)
        window = (sums[:, hi] - sums[:, lo]) / (hi - lo)
        if window.mean() < window.std(ddof=1) / math.sqrt(n):
            return k
    return lags - 1


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
