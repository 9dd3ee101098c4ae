"""Conductivity from runs with fix hnemd/triad."""

import numpy as np

from .files import InputError, read_table
from .statistics import mean_of_series
from .units import UNITS


def hnemd(files, units="metal", column=None, skip=0.0):
    """`files`: of fix ave/time, one per run, whose `column` is κ of the present step, f_ID[1] of fix hnemd/triad (the
    default: the only column that ends in [1]). `skip`: share of the rows at the start that is left out."""
    to_si = UNITS[units].to_si
    series, curves = [], []
    for path in files:
        table = read_table(path)
        name = column or only_column(table)
        values = table.column(name) * to_si
        kept = values[int(skip * len(values)):]
        if not len(kept):
            raise InputError(f"{path}: no rows are left after skip {skip}")
        series.append(kept)
        curves.append((table.rows[len(values) - len(kept):, 0], np.cumsum(kept) / np.arange(1, len(kept) + 1)))
    kappa, rule = mean_of_series(series)
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
