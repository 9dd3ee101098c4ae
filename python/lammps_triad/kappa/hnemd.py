"""Conductivity from runs with fix hnemd/triad."""

import math

import numpy as np

from .files import InputError, read_table
from .statistics import Estimate, mean_of_series
from .units import UNITS


def with_least_error(kappa, rule, volume, field, duration, unit):
    """The estimate and the rule of its error, whose error is at least that of the mean over a duration that is long
    beside the correlation time: the current fluctuates as in equilibrium, where the integral of its correlation function
    is k_B T^2 V κ (Green-Kubo). volume of the material, field and duration in units of the script."""
    least = math.sqrt(2 * unit.boltzmann * abs(kappa.value) * unit.to_si / (volume * duration)) / abs(field)
    if least <= kappa.error < math.inf:
        return kappa, rule
    return Estimate(kappa.value, least), "the whole time, from the fluctuations in equilibrium"


def hnemd(files, units="metal", column=None, skip=0.0, volume=None, field=None, timestep=None):
    """`files`: of fix ave/time, one per run, whose `column` is κ of the present step, f_ID[1] of fix hnemd/triad (the
    default: the only column that ends in [1]). `skip`: share of the rows at the start that is left out. volume of the
    material, size of the field, time step: give all three, or none; with them the error is at least that of the
    fluctuations of the current in equilibrium."""
    given = [value is not None for value in (volume, field, timestep)]
    if any(given) and not all(given):
        raise InputError("the volume, the field and the time step belong together; give all three, or none")
    unit = UNITS[units]
    to_si = unit.to_si
    series, curves, steps = [], [], 0
    for path in files:
        table = read_table(path)
        name = column or only_column(table)
        values = table.column(name) * to_si
        kept = values[int(skip * len(values)):]
        if not len(kept):
            raise InputError(f"{path}: no rows are left after skip {skip}")
        series.append(kept)
        steps += len(kept) * (table.rows[-1, 0] - table.rows[0, 0]) / max(1, len(values) - 1)
        curves.append((table.rows[len(values) - len(kept):, 0], np.cumsum(kept) / np.arange(1, len(kept) + 1)))
    kappa, rule = mean_of_series(series)
    if all(given) and steps > 0:
        kappa, rule = with_least_error(kappa, rule, volume, field, steps * timestep, unit)
    return {"kappa": kappa, "rule": f"standard error of the mean over {rule}", "curves": curves,
            "runs": [float(values.mean()) for values in series]}


def only_column(table):
    names = table.matching(r"f_\w+\[1\]")
    if len(names) != 1:
        raise InputError(f"{table.path}: {len(names)} columns are called f_...[1]; name one of "
                         f"{' '.join(table.names[1:])} with --column")
    return names[0]


def plot(result, axes):
    for step, running in result["curves"]:
        axes.plot(step, running, lw=1, color="0.6")
    kappa = result["kappa"]
    if np.isfinite(kappa.error):
        axes.axhspan(kappa.value - kappa.error, kappa.value + kappa.error, alpha=0.25)
    axes.axhline(kappa.value)
    axes.set(xlabel="time step", ylabel="running mean of κ, W/(m K)")
