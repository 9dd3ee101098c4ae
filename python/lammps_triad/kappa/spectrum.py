"""Conductivity by frequency from the virial-velocity correlation K(t) of fix spectral/triad in a run with fix hnemd/triad.

kappa(f) = 2 / (T V F_e) times the integral over all t of K(t) w(t) cos(2 pi f t), with a window w that falls from one
at t = 0 to zero one sample beyond the longest lag. The integral of kappa(f) over f is K(0) / (T V F_e), which is the conductivity.

Between two thermostats, G(f) = 2 / (V dT) times the same integral is the conductance per area. If phonons cross the
group without scattering, kappa(f) / G(f) is their mean free path (Fan et al., Phys. Rev. B 99, 064308 (2019)).
"""

import re

import numpy as np

from .files import InputError, lines_of, numbers
from .statistics import Estimate, standard_error, weighted_mean, weights_text
from .units import UNITS

COMPONENTS = "xyz"


def read_correlation(path):
    """(direction, number of samples, lags, K by component of the velocity [lags][3])."""
    rows, lines, known, head = [], [], False, None
    for number, line in lines_of(path):
        if line.startswith("#"):
            known = known or line[1:].split()[:2] == ["Lag", "K_x"]
            head = head or re.search(r"direction ([xyz]), (\d+) samples", line)
        elif line.strip():
            if not (known and head):
                raise InputError(f"{path}:{number}: rows before the lines '# ... direction ..., ... samples' and '# Lag K_x K_y K_z', "
                                 "with which files of fix spectral/triad begin")
            rows.append(numbers(path, number, line, 4))
            lines.append(number)
    if head and int(head[2]) == 0:
        raise InputError(f"{path}: the run took no samples; it is shorter than the interval of fix spectral/triad")
    rows = np.array(rows)
    if len(rows) < 3 or len(rows) % 2 == 0:
        raise InputError(f"{path}:{lines[-1] if lines else 1}: {len(rows)} lags up to here; an odd number of at least 3 is needed, from "
                         "-t to t; the file may be cut off")
    steps = np.diff(rows[:, 0])
    uneven = np.nonzero(~np.isclose(steps, steps[0], rtol=1e-6, atol=0))[0]
    if len(uneven) or steps[0] <= 0:
        raise InputError(f"{path}:{lines[uneven[0] + 1 if len(uneven) else 1]}: the lags do not ascend in equal steps")
    if abs(rows[len(rows) // 2, 0]) > 1e-9 * steps[0]:
        raise InputError(f"{path}:{lines[len(rows) // 2]}: the lag in the middle is {rows[len(rows) // 2, 0]:g} instead of 0; the file "
                         "may be cut off")
    return head[1], int(head[2]), rows[:, 0], rows[:, 1:]


def transforms(files, components):
    """(frequencies, samples of the runs, 2 times the integral over all t of K(t) w(t) cos(2 pi f t) [runs][frequencies])."""
    axes, lags, samples, curves = None, None, [], []
    for path in files:
        axis, count, found, values = read_correlation(path)
        if lags is not None and (len(found) != len(lags) or not np.allclose(found, lags)):
            raise InputError(f"{path}: {len(found)} lags up to {found[-1]:g}, and {len(lags)} up to {lags[-1]:g} in {files[0]}; all runs "
                             "must have the same lags")
        if axes not in (None, axis):
            raise InputError(f"{path}: the direction of the current is {axis}, and {axes} in {files[0]}")
        axes, lags = axis, found
        samples.append(count)
        curves.append(sum(values[:, COMPONENTS.index(c)] for c in components))
    dt = lags[1] - lags[0]
    window = 0.5 * (1 + np.cos(np.pi * lags / (lags[-1] + dt)))
    n = len(lags)
    frequency = np.arange(n // 2 + 1) / (n * dt)  # an odd number of lags: all below half of the sampling rate
    cosines = np.cos(2 * np.pi * frequency[:, None] * lags)
    return frequency, samples, np.array([2 * dt * (cosines * (curve * window)).sum(axis=1) for curve in curves])


def spectrum(files, volume, temperature, field, units="metal", components="xyz", highest=None, ballistic=None,
             ballistic_volume=None, difference=None, lengths=None):
    """volume in cubed distance units, temperature in K, field in 1/distance units. components: those of the velocity
    that count; xy is the in-plane part in a film normal to z. highest: largest frequency, by default half of the
    sampling rate.

    ballistic: correlations of a group between two thermostats, so short that phonons cross it without scattering, with
    the group's volume and the temperature difference (K). They give the mean free paths. lengths: of systems whose
    conductivities are wanted."""
    unit = UNITS[units]
    frequency, samples, spectra = transforms(files, components)
    spectra *= unit.to_si / (temperature * volume * field)
    width = np.full(len(frequency), frequency[1])
    width[0] /= 2
    totals = (spectra * width).sum(axis=1)
    cumulative = np.cumsum(spectra * width, axis=1)
    kappa = Estimate(float(weighted_mean(totals, samples)), standard_error(totals, samples))
    shown = frequency <= (highest or np.inf)
    if shown.sum() < 2:
        raise InputError(f"--highest {highest:g}: the lowest frequency above 0 is {frequency[1]:g} {unit.frequency}")
    result = {
        "kappa": kappa, "frequency": frequency[shown], "spectrum": weighted_mean(spectra, samples)[shown],
        "spectrum_error": standard_error(spectra, samples)[shown],
        "cumulative": weighted_mean(cumulative, samples)[shown],
        "time_unit": unit.time, "frequency_unit": unit.frequency, "length_unit": unit.length,
        "rule": f"integral over all frequencies; standard error between {len(files)} runs{weights_text(samples)}" if len(files) > 1
                else "integral over all frequencies; one run has no error, give several",
    }
    if ballistic:
        if not (ballistic_volume and difference):
            raise InputError("mean free paths need the volume and the temperature difference of the ballistic runs")
        axis, of_ballistic = read_correlation(files[0])[0], read_correlation(ballistic[0])[0]
        if axis != of_ballistic:
            raise InputError(f"{ballistic[0]}: the direction of the current is {of_ballistic}, and {axis} in {files[0]}")
        of_conductance, samples_between, conductances = transforms(ballistic, components)
        conductance = weighted_mean(conductances, samples_between) * unit.to_si / (ballistic_volume * difference)
        found = mean_free_paths(frequency, weighted_mean(spectra, samples), width,
                                np.interp(frequency, of_conductance, conductance), lengths)
        for curve in ("conductance", "path"):
            found[curve] = found[curve][shown]
        result.update(found)
    elif lengths or ballistic_volume or difference:
        raise InputError("lengths, the volume and the temperature difference of ballistic runs serve mean free paths; give ballistic runs")
    return result


LEAST_CONDUCTANCE = 0.02  # of the largest one; where less heat flows, the ratio to it is noise


def mean_free_paths(frequency, spectrum, width, conductance, lengths=None):
    """The mean free path Λ(f) = κ(f) / G(f), with the ballistic conductance G per area, in distance units, where G and
    κ are large enough, otherwise nan; the conductivity of phonons whose paths are at most Λ; and for every length L the
    integral of κ(f) / (1 + Λ(f) / L)."""
    path = np.full(len(frequency), np.nan)
    known = (conductance > LEAST_CONDUCTANCE * conductance.max()) & (spectrum > 0)
    if not known.any():
        raise InputError("the conductance of the ballistic runs is nowhere positive; the heat must flow along the axis of "
                         "the correlation")
    path[known] = spectrum[known] / conductance[known]
    order = np.argsort(path[known])
    paths, carried = path[known][order], np.cumsum((spectrum * width)[known][order])
    found = {"conductance": conductance, "path": path, "sorted_path": paths, "cumulative_by_path": carried,
             "half_path": float(np.interp(carried[-1] / 2, carried, paths))}
    if lengths:
        share = [np.where(known, 1 / (1 + np.where(known, path, 0) / length), 1) for length in lengths]
        found.update(lengths=list(lengths), kappa_of_length=[float((spectrum * width * s).sum()) for s in share])
    return found


def plot(result, axes):
    if "path" in result:
        axes.semilogx(result["sorted_path"], result["cumulative_by_path"], label="phonons with paths up to Λ")
        if "lengths" in result:
            axes.semilogx(result["lengths"], result["kappa_of_length"], "o", label="system of this length")
        axes.set(xlabel=f"mean free path Λ or length, {result['length_unit']}", ylabel="κ, W/(m K)", ylim=(0, None))
        axes.legend()
        return
    frequency, values, errors = result["frequency"], result["spectrum"], result["spectrum_error"]
    if np.isfinite(errors).all():
        axes.fill_between(frequency, values - errors, values + errors, alpha=0.3)
    axes.plot(frequency, values, label="κ(f)")
    axes.set(xlabel=f"frequency, {result['frequency_unit']}", ylabel=f"κ(f), W {result['time_unit']}/(m K)",
             xlim=(0, frequency[-1]))
    other = axes.twinx()
    other.plot(frequency, result["cumulative"], color="tab:orange")
    other.set_ylabel("cumulative κ, W/(m K)", color="tab:orange")
