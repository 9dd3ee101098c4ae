"""Conductivity by frequency from the virial-velocity correlation K(t) of fix spectral/triad in a run with fix hnemd/triad.

kappa(f) = 2 / (T V F_e) times the integral over all t of K(t) w(t) cos(2 pi f t), with a window w that falls from one
at t = 0 to zero one sample beyond the longest lag. The integral of kappa(f) over f is K(0) / (T V F_e), which is the conductivity.
"""

from pathlib import Path

import numpy as np

from .files import InputError, lines_of, numbers
from .statistics import Estimate, standard_error
from .units import UNITS

COMPONENTS = "xyz"


def read_correlation(path):
    """(lags, K by component of the velocity [lags][3])."""
    rows, known = [], False
    for number, line in lines_of(path):
        if line.startswith("#"):
            known = known or line[1:].split()[:2] == ["Lag", "K_x"]
        elif line.strip():
            if not known:
                raise InputError(f"{path}:{number}: rows before a line '# Lag K_x K_y K_z'; fix spectral/triad writes such "
                                 "files")
            rows.append(numbers(path, number, line, 4))
    rows = np.array(rows)
    if len(rows) < 3 or len(rows) % 2 == 0:
        raise InputError(f"{path}: {len(rows)} lags; an odd number of at least 3 is needed, from -t to t")
    steps = np.diff(rows[:, 0])
    if not np.allclose(steps, steps[0], rtol=1e-6) or abs(rows[len(rows) // 2, 0]) > 1e-9 * steps[0]:
        raise InputError(f"{Path(path)}: lags are not equally spaced around 0")
    return rows[:, 0], rows[:, 1:]


def spectrum(files, volume, temperature, field, units="metal", components="xyz", highest=None):
    """volume in cubed distance units, temperature in K, field in 1/distance units. components: those of the velocity
    that count; xy is the in-plane part in a film normal to z. highest: largest frequency, by default half of the
    sampling rate."""
    unit = UNITS[units]
    lags, curves = None, []
    for path in files:
        found, values = read_correlation(path)
        if lags is not None and (len(found) != len(lags) or not np.allclose(found, lags)):
            raise InputError(f"{path}: the lags are others than in {files[0]}")
        lags = found
        curves.append(sum(values[:, COMPONENTS.index(c)] for c in components))
    factor = unit.to_si / (temperature * volume * field)
    dt = lags[1] - lags[0]
    window = 0.5 * (1 + np.cos(np.pi * lags / (lags[-1] + dt)))
    n = len(lags)
    frequency = np.arange(n // 2 + 1) / (n * dt)  # an odd number of lags: all below half of the sampling rate
    cosines = np.cos(2 * np.pi * frequency[:, None] * lags)
    spectra = np.array([2 * factor * dt * (cosines * (curve * window)).sum(axis=1) for curve in curves])
    width = np.full(len(frequency), frequency[1])
    width[0] /= 2
    totals = (spectra * width).sum(axis=1)
    cumulative = np.cumsum(spectra * width, axis=1)
    kappa = Estimate(float(totals.mean()), standard_error(totals))
    shown = frequency <= (highest or np.inf)
    return {
        "kappa": kappa, "frequency": frequency[shown], "spectrum": spectra.mean(axis=0)[shown],
        "spectrum_error": np.array([standard_error(column) for column in spectra.T])[shown],
        "cumulative": cumulative.mean(axis=0)[shown], "time_unit": unit.time,
        "rule": f"integral over all frequencies; standard error between {len(files)} runs" if len(files) > 1
                else "integral over all frequencies; one run has no error, give several",
    }


def plot(result, axes):
    frequency, values, errors = result["frequency"], result["spectrum"], result["spectrum_error"]
    if np.isfinite(errors).all():
        axes.fill_between(frequency, values - errors, values + errors, alpha=0.3)
    axes.plot(frequency, values, label="κ(f)")
    axes.set(xlabel=f"frequency, 1/{result['time_unit']}", ylabel=f"κ(f), W {result['time_unit']}/(m K)",
             xlim=(0, frequency[-1]))
    other = axes.twinx()
    other.plot(frequency, result["cumulative"], color="tab:orange")
    other.set_ylabel("cumulative κ, W/(m K)", color="tab:orange")
