"""Conductivity from runs with fix hnemd/triad."""

import math
import re

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


def hnemd(files, units="metal", column=None, skip=0.0, volume=None, field=None, timestep=None, transient=None):
    """`files`: of fix ave/time, one per run, whose `column` is κ of the present step, f_ID[1] of fix hnemd/triad (the
    default: the only column that ends in [1]). `skip`: share of the rows at the start that is left out; or `transient`: time
    after the first row whose rows are left out, which needs the time step. volume of the material, size of the field, time
    step: give all three, or none of volume and field; with them the error is at least that of the fluctuations of the
    current in equilibrium."""
    if (volume is None) != (field is None) or (field is not None and timestep is None):
        raise InputError("--volume, --field and --timestep belong together; give all three, or none")
    if transient is not None and timestep is None:
        raise InputError("--transient is a time and needs --timestep")
    unit = UNITS[units]
    to_si = unit.to_si
    series, curves, intervals, steps = [], [], [], 0
    for path in files:
        table = read_table(path)
        step = table.rows[:, 0]
        if len(step) > 1:
            intervals.append(table.interval())
            if intervals[-1] != intervals[0]:
                raise InputError(f"{path}: rows are {intervals[-1]:g} steps apart, and in files before it {intervals[0]:g}; all runs must "
                                 "have the same interval, so that all rows count equally")
        values = conductivities(table, column) * to_si
        first = int(skip * len(values)) if transient is None else int(np.searchsorted(step, step[0] + transient / timestep))
        kept = values[first:]
        if not len(kept):
            raise InputError(f"{path}:{table.lines[-1]}: the run ends here, within the transient of {transient:g} {unit.time}")
        series.append(kept)
        steps += len(kept) * (step[-1] - step[0]) / max(1, len(values) - 1)
        curves.append((step[first:] - step[0], np.cumsum(kept) / np.arange(1, len(kept) + 1)))
    kappa, rule = mean_of_series(series)
    of_blocks = kappa.error
    if volume is not None and steps > 0:
        kappa, rule = with_least_error(kappa, rule, volume, field, steps * timestep, unit)
    warning = None
    if kappa.error > 20 * of_blocks:
        warning = (f"the fluctuations of the files give an error of {of_blocks:.2g}, less than a twentieth of that of a system of "
                   "this volume and field; check --volume, --field and --timestep")
    return {"kappa": kappa, "warning": warning, "rule": f"standard error of the mean over {rule}", "curves": curves,
            "timestep": timestep, "time_unit": unit.time, "runs": [float(values.mean()) for values in series]}


def conductivities(table, column):
    """Of the step, in units of the script."""
    if column is None:
        return table.column(only_column(table))
    component = re.fullmatch(r"(f_\w+)\[(\d+)\]", column)
    if component and component[2] != "1" and f"{component[1]}[1]" in table.names:
        raise InputError(f"{table.path}: of fix hnemd/triad, only component 1 is the conductivity of the step; {column} is a mean over "
                         f"the run, a current or a temperature. Use --column '{component[1]}[1]'")
    return table.column(column)


def only_column(table):
    names = table.matching(r"f_\w+\[1\]")
    if len(names) != 1:
        raise InputError(f"{table.path}: {len(names) or 'no'} columns are called f_...[1], as that of fix hnemd/triad; name the "
                         f"one with the conductivity by --column: {' '.join(table.names[1:])}")
    return names[0]


def plot(result, axes):
    scale = result["timestep"] or 1
    for k, (step, running) in enumerate(result["curves"]):
        axes.plot(scale * step, running, lw=1, color="0.6", label="running mean of a run" if k == 0 else None)
    kappa = result["kappa"]
    if np.isfinite(kappa.error):
        axes.axhspan(kappa.value - kappa.error, kappa.value + kappa.error, alpha=0.25)
    axes.axhline(kappa.value, label="mean of all runs and its standard error")
    axes.set(xlabel=f"time after the first row, {result['time_unit'] if result['timestep'] else 'steps'}",
             ylabel="running mean of κ, W/(m K)")
    axes.legend(frameon=False, fontsize=8)
