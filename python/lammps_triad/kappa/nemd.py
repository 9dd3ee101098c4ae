"""Conductivity from a temperature gradient between two thermostats of LAMMPS (NEMD).

Every system is one file of fix ave/chunk with the temperature profile, and the heat: a file of fix ave/time with the
energies that the two thermostats count (fix langevin with tally yes, or any fix with a cumulative energy), or a power
that fix ehex or heat imposes.
"""

import math

import numpy as np

from .files import InputError, read_frames, read_table
from .statistics import LEAST_BLOCKS, Estimate, common_mean, standard_error, weighted_line
from .units import UNITS

MOST_BLOCKS = 16
MOST_IMBALANCE = 0.2  # of the two powers, relative to their mean, which may then be wrong by half of that


def temperature_frames(path, column):
    """(steps, coordinates of the chunks, temperatures [frames][chunks], chunks that always have atoms)."""
    frames = read_frames(path, ("Chunk",))
    names = frames.names
    if "Coord1" not in names:
        raise InputError(f"{path}: there is no column Coord1; the chunks must be bins along one axis")
    if column is None:
        known = [name for name in names if name in ("temp", "v_temp", "v_kelvin")]
        if len(known) != 1:
            raise InputError(f"{path}: name the temperature, one of {' '.join(names[2:])}, with --column")
        column = known[0]
    if column not in names:
        raise InputError(f"{path}: no column is called {column}; there are {' '.join(names)}")
    occupied = np.ones(frames.values.shape[1], dtype=bool)
    if "Ncount" in names:
        occupied = (frames.values[:, :, names.index("Ncount")] > 0).all(axis=0)
    if not occupied.any():
        raise InputError(f"{path}: no chunk has atoms in all frames; use wider bins or longer averages")
    strides = np.diff(frames.steps)
    gaps = np.nonzero(strides != strides[:1])[0]
    if len(gaps):
        raise InputError(f"{path}: the frame of step {frames.steps[gaps[0] + 1]} comes {strides[gaps[0]]} steps after the one before it, and "
                         f"others after {strides[0]}; give each part without a gap as a file of its own")
    return frames.steps, frames.values[0, :, names.index("Coord1")], frames.values[:, :, names.index(column)], occupied


def power_of_tallies(path, timestep, start):
    """(function from a range of steps to the power that flows, warning or None), from the two cumulative energies in the
    columns after the time step."""
    table = read_table(path)
    if table.rows.shape[1] < 3:
        raise InputError(f"{path}: the cumulative energies of two thermostats are needed in the columns after the time step")
    steps = table.rows[:, 0]
    table.interval()
    for k in (1, 2):
        refuse_jump(table, k)

    def slopes(first, last):
        inside = (steps >= first) & (steps <= last)
        if inside.sum() < 2:
            raise InputError(f"{path}: fewer than two rows between steps {first:g} and {last:g}")
        return [np.polyfit(steps[inside] * timestep, table.rows[inside, k], 1)[0] for k in (1, 2)]

    one, other = slopes(start, steps[-1])
    if one * other > 0:
        raise InputError(f"{path}: both thermostats add or both remove energy between steps {start:g} and {steps[-1]:g}; "
                         "the run is too short, or these are not the hot and the cold one")

    def power(first, last):
        """Negative if the heat of these steps flows the other way, as it may in short blocks."""
        one_now, other_now = slopes(first, last)
        return math.copysign(1, one - other) * (one_now - other_now) / 2

    warning = None
    if abs(one + other) > MOST_IMBALANCE * abs(one - other) / 2:
        warning = (f"{path}: the thermostats add {max(one, other):.3g} and remove {-min(one, other):.3g} energy/time, so the system heats "
                   "up or cools down; leave out more frames by --skip, or check the columns")
    return power, warning


def refuse_jump(table, k):
    """Fixes count from zero again in a restarted run."""
    energy = table.rows[:, k]
    changes = np.diff(energy)
    if len(changes) < 4:
        return
    back = -np.sign(np.median(changes)) * changes
    at = int(np.argmax(back))
    usual = np.percentile(np.abs(np.delete(changes, at)), 90)
    if back[at] > 4 * usual and abs(energy[at + 1]) < abs(energy[at]) / 2:
        raise InputError(f"{table.path}:{table.lines[at + 1]}: {table.names[k]} jumps from {energy[at]:g} to {energy[at + 1]:g}; in a "
                         "restarted run fixes count from zero again. Give each part as a file of its own, with its profile")


def gradient(coordinates, temperatures, chosen):
    """Slope of the straight line through the chosen chunks."""
    return np.polyfit(coordinates[chosen], temperatures[chosen], 1)[0]


def one_system(profile, heat, area, length, timestep, unit, ends, periodic, skip, column, region, difference):
    """Conductivity of one length. `heat`: path of tallies, or power. region: [low, high] of the coordinate in which the
    gradient is taken, without which `ends` is the share of the chunks left out at either end. difference: temperature
    of the hot minus that of the cold thermostat, which over the length is then the gradient."""
    steps, where, kelvin, occupied = temperature_frames(profile, column)
    first = int(skip * len(steps))
    if len(steps) - first < 2:
        raise InputError(f"{profile}: fewer than two frames are left after skip {skip}")
    begin = steps[first - 1] if first else 2 * steps[0] - steps[1]
    steps, kelvin = steps[first:], kelvin[first:]
    power, warning = (lambda _first, _last: heat, None) if isinstance(heat, float) else power_of_tallies(heat, timestep, begin)
    if region:
        chosen = occupied & (where >= region[0]) & (where <= region[1])
    else:
        low, high = where[occupied].min(), where[occupied].max()
        margin = ends * (high - low)
        chosen = occupied & (where >= low + margin) & (where <= high - margin)
    if chosen.sum() < 3:
        raise InputError(f"{profile}: {chosen.sum()} chunks lie where the gradient is to be taken, and at least 3 are needed; those with "
                         f"atoms lie from {where[occupied].min():g} to {where[occupied].max():g}")
    sides = 2 if periodic else 1

    def kappa(lo, hi):
        """Of frames lo to hi - 1."""
        flux = power(steps[lo - 1] if lo else begin, steps[hi - 1]) / (area * sides)
        slope = difference / length if difference else gradient(where, kelvin[lo:hi].mean(axis=0), chosen)
        return unit.to_si * flux / abs(slope)

    n = min(MOST_BLOCKS, len(steps))
    error, rule = math.inf, f"fewer than {LEAST_BLOCKS} frames, too few for an error"
    if n >= LEAST_BLOCKS:
        edges = np.linspace(0, len(steps), n + 1).astype(int)
        error = standard_error([kappa(a, b) for a, b in zip(edges[:-1], edges[1:])], np.diff(edges))
        rule = f"{n} blocks of frames"
    mean = kelvin.mean(axis=0)
    residual = mean[chosen] - np.polyval(np.polyfit(where[chosen], mean[chosen], 1), where[chosen])
    return {"kappa": Estimate(float(kappa(0, len(steps))), error), "rule": rule, "where": where[occupied],
            "profile": mean[occupied], "chosen": chosen[occupied], "warning": warning,
            "duration": float(steps[-1] - begin), "nonlinear": float(residual.std() / np.ptp(mean[chosen]))}


def nemd(profiles, heats, areas, lengths=None, timestep=None, units="metal", ends=0.15, periodic=False, skip=0.2,
         column=None, region=None, difference=None):
    """profiles, heats (paths or powers), areas and lengths belong together, one per system; one area serves all."""
    unit = UNITS[units]
    if len(heats) != len(profiles):
        raise InputError(f"{len(profiles)} profiles and {len(heats)} heats; give one heat file for every profile")
    areas = list(areas) * len(profiles) if len(areas) == 1 else list(areas)
    if len(areas) != len(profiles):
        raise InputError(f"{len(profiles)} profiles and {len(areas)} areas; give one area, or one for every profile")
    if lengths and len(lengths) != len(profiles):
        raise InputError(f"{len(profiles)} profiles and {len(lengths)} lengths; give one length for every profile")
    if len(profiles) > 1 and not lengths:
        raise InputError(f"{len(profiles)} profiles need their lengths: those of equal length are combined, different ones extrapolated; "
                         "give --length")
    if periodic and not (region or difference):
        raise InputError("with --periodic the temperature falls on both sides of the hot part; give --region, the coordinates of one side")
    if difference and not lengths:
        raise InputError("the temperature difference of the thermostats needs the length between them")
    systems = [one_system(profile, heat, area, length, timestep, unit, ends, periodic, skip, column, region, difference)
               for profile, heat, area, length in zip(profiles, heats, areas, lengths or [None] * len(profiles))]
    result = {"systems": systems, "lengths": lengths, "kappa": systems[0]["kappa"], "length_unit": unit.length,
              "rule": f"standard error of the mean over {systems[0]['rule']}"}
    warnings = [system["warning"] for system in systems]
    values = [system["kappa"] for system in systems]
    if len(systems) > 1 and len(set(lengths)) == 1:
        result["kappa"], rule = common_mean(values, [system["duration"] for system in systems])
        result["rule"] = f"standard error of the mean over {rule}"
    elif len(systems) > 1:
        if math.isclose(min(lengths), max(lengths), rel_tol=1e-6):
            raise InputError(f"the lengths {min(lengths)!r} and {max(lengths)!r} hardly differ, and runs of equal length are combined; "
                             "give one number for them")
        if not all(math.isfinite(value.error) and value.error > 0 for value in values):
            raise InputError("the extrapolation needs an error of every conductivity; use more frames per profile")
        a, error_a, b, _, chi = weighted_line([1 / length for length in lengths], [1 / v.value for v in values],
                                              [v.error / v.value**2 for v in values])
        if a <= 0:
            raise InputError(f"1/κ extrapolates to {a:.3g} at infinite length; longer systems are needed")
        result.update(kappa=Estimate(1 / a, error_a / a**2), line=(a, b), mean_free_path=b / a,
                      rule=f"extrapolation of 1/κ over 1/L with {len(set(lengths))} lengths, "
                           + (f"chi² per degree of freedom {chi:.2g}" if len(values) > 2 else "no degree of freedom")
                           + "; the error contains those of the lengths")
        if a < 2 * error_a:
            warnings.append("1/κ at infinite length is less than two errors above zero, so κ has no upper bound: use longer bars or runs")
    result["warning"] = "; ".join(filter(None, warnings)) or None
    return result


def plot(result, axes):
    unit = result["length_unit"]
    if "line" not in result:
        for system in result["systems"]:
            axes.plot(system["where"], system["profile"], ".", color="0.7")
            axes.plot(system["where"][system["chosen"]], system["profile"][system["chosen"]], ".")
        axes.set(xlabel=f"coordinate, {unit}", ylabel="temperature, K")
        return
    inverse = np.array([1 / length for length in result["lengths"]])
    values = [system["kappa"] for system in result["systems"]]
    axes.errorbar(inverse, [1 / v.value for v in values], [v.error / v.value**2 for v in values], fmt="o", capsize=3,
                  label="bars")
    a, b = result["line"]
    x = np.array([0, inverse.max()])
    axes.plot(x, a + b * x, label="straight line")
    kappa = result["kappa"]
    axes.errorbar([0], [a], [kappa.error / kappa.value**2], fmt="s", color="k", capsize=3, clip_on=False, label="infinite length")
    axes.set(xlabel=f"1/L, 1/{unit}", ylabel="1/κ, m K/W", xlim=(0, None))
    axes.legend(frameon=False, fontsize=8)
