"""The arguments of `lammps_triad kappa` and what it prints."""

import argparse
import json
import math
import os
import re
import sys
from pathlib import Path

from .units import UNITS

NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
NEEDS = "numpy, matplotlib or rich is missing: pip install numpy matplotlib rich"


def add_parser(commands):
    kappa = commands.add_parser(
        "kappa", help="thermal conductivity from the output of LAMMPS",
        description="Thermal conductivities in W/(m K) with standard errors, from files that LAMMPS's fixes have written.")
    methods = kappa.add_subparsers(dest="method", required=True)

    def method(name, text, files):
        parser = methods.add_parser(name, help=text, description=text)
        parser._negative_number_matcher = NEGATIVE  # argparse takes -1e-4 for an option, before Python 3.14
        parser.add_argument("files", nargs="+", metavar="FILE", help=files)
        parser.add_argument("--units", choices=sorted(UNITS), default="metal", help="units of the script (metal)")
        parser.add_argument("--plot", metavar="PNG", help="draws the result into this file")
        parser.add_argument("--json", action="store_true", help="prints the result as one line of JSON instead of text")
        return parser

    parser = method("gk", "Green-Kubo integral of the correlation of the heat current",
                    "of fix ave/correlate, or of fix ave/time with the three currents; one per run")
    parser.add_argument("--volume", type=positive, required=True, help="of the material (without vacuum), in cubed length units of the script")
    parser.add_argument("--temperature", type=positive, required=True, help="in K")
    parser.add_argument("--timestep", type=positive, required=True, help="of the script, in its units of time")
    parser.add_argument("--axes", choices=["x", "y", "z", "xy", "xyz"], default="xyz", help="that are averaged (xyz)")
    parser.add_argument("--lags", type=count, help="length of correlation in samples (files of ave/time)")
    parser.add_argument("--pieces", type=count, default=1, help="parts of a run that count as runs (files of ave/time)")
    parser.add_argument("--limit", type=positive, help="upper limit of the integral instead of the first plateau")

    parser = method("hnemd", "mean of fix hnemd/triad", "of fix ave/time with component 1 of fix hnemd/triad; one per run")
    parser.add_argument("--column", help="name of the column with the conductivity of the step (f_ID[1])")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--skip", type=share, default=0.0, help="share of the rows that is left out at the start (0)")
    start.add_argument("--transient", type=not_negative, metavar="TIME",
                       help="time that is left out at the start of every run, instead of a share; needs --timestep")
    parser.add_argument("--volume", type=positive,
                        help="of the material (without vacuum), in cubed length units of the script; with --field and --timestep, the "
                        "error is at least that of the fluctuations in equilibrium")
    parser.add_argument("--field", type=nonzero, help="driving field of the script, in 1/length unit; its size counts")
    parser.add_argument("--timestep", type=positive, help="of the script, in its units of time")

    parser = method("nemd", "temperature gradient between two thermostats",
                    "temperature profile by fix ave/chunk; one per length")
    heat = parser.add_mutually_exclusive_group(required=True)
    heat.add_argument("--heat", nargs="+", metavar="FILE",
                      help="of fix ave/time with the cumulative energies of both thermostats; one per profile")
    heat.add_argument("--power", nargs="+", type=positive, metavar="P",
                      help="power that fix ehex or heat adds, energy/time in units of the script; one per profile")
    parser.add_argument("--area", nargs="+", type=positive, required=True,
                        help="cross section, in units of the script; one, or one per profile")
    parser.add_argument("--length", nargs="+", type=positive,
                        help="of the samples, in units of the script; one per profile, for the extrapolation of 1/κ")
    parser.add_argument("--timestep", type=positive, required=True, help="of the script, in its units of time")
    parser.add_argument("--periodic", action="store_true", help="heat flows from the hot part in two directions")
    parser.add_argument("--ends", type=share, default=0.15,
                        help="share of the profile left out at either end for the gradient (0.15)")
    parser.add_argument("--region", nargs=2, type=float, metavar=("LOW", "HIGH"),
                        help="coordinates between which the gradient is taken, instead of --ends")
    parser.add_argument("--difference", type=positive, metavar="DT",
                        help="temperature of the hot minus the cold thermostat in K: the gradient is DT over the length")
    parser.add_argument("--column", help="name of the column with the temperature")
    parser.add_argument("--skip", type=share, default=0.2, help="share of the frames left out at the start (0.2)")

    parser = method("spectrum", "conductivity by frequency under a driving force", "of fix spectral/triad; one per run")
    parser.add_argument("--volume", type=positive, required=True, help="of the group of the fix, in cubed length units of the script")
    parser.add_argument("--temperature", type=positive, required=True, help="in K")
    parser.add_argument("--field", type=nonzero, required=True,
                        help="driving field along the direction of the correlation, with its sign, in 1/length unit of the script")
    parser.add_argument("--components", choices=["x", "y", "z", "xy", "xz", "yz", "xyz"], default="xyz",
                        help="components of the velocity that count (xyz)")
    parser.add_argument("--highest", type=positive, help="largest frequency that is shown, 1/time unit")
    parser.add_argument("--ballistic", nargs="+", metavar="FILE",
                        help="of fix spectral/triad for a short group between two thermostats: gives mean free paths")
    parser.add_argument("--ballistic-volume", type=positive, help="of that group, in units of the script")
    parser.add_argument("--difference", type=positive, metavar="DT",
                        help="temperature of the hot minus the cold thermostat of these runs in K")
    parser.add_argument("--lengths", nargs="+", type=positive,
                        help="of systems whose conductivities are computed from the mean free paths, in units of the script")


def nonzero(text):
    number = float(text)
    if number == 0 or not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not a number other than 0")
    return number


def positive(text):
    number = float(text)
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def not_negative(text):
    number = float(text)
    if not (number >= 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return number


def count(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def share(text):
    number = float(text)
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share between 0 and 1")
    return number


def analyse(method, arguments):
    """(result, function that plots it)."""
    refuse_repeated(arguments["files"])
    refuse_time_step(arguments.get("timestep"), arguments["units"])
    if method == "gk":
        from .green_kubo import green_kubo, plot

        return green_kubo(**arguments), plot
    if method == "hnemd":
        from .hnemd import hnemd, plot

        return hnemd(**arguments), plot
    if method == "spectrum":
        from .spectrum import plot, spectrum

        refuse_repeated(arguments["ballistic"] or [])
        return spectrum(**arguments), plot
    from .nemd import nemd, plot

    refuse_repeated(arguments["heat"] or [])
    heats = arguments.pop("heat") or arguments["power"]
    arguments.pop("power")
    return nemd(arguments.pop("files"), heats, arguments.pop("area"), arguments.pop("length"), **arguments), plot


def refuse_repeated(files):
    """A file that counts twice makes errors too small."""
    from .files import InputError

    seen = set()
    for file in map(Path, files):
        if file.resolve() in seen:
            raise InputError(f"{file}: the file is given twice; give the file of each run once")
        seen.add(file.resolve())


def refuse_time_step(timestep, units):
    """A time step in other units makes κ wrong by orders of magnitude without a sign of it."""
    from .files import InputError

    shortest, longest = UNITS[units].timesteps
    if timestep is not None and not shortest <= timestep <= longest:
        raise InputError(f"--timestep {timestep:g} means {timestep:g} {UNITS[units].time} in units {units}, and time steps of "
                         f"molecular dynamics are {shortest:g} to {longest:g} {UNITS[units].time}; check --timestep and --units")


def refuse_infinite(result):
    from .files import InputError

    if not math.isfinite(result["kappa"].value):
        raise InputError(f"the conductivity is {result['kappa'].value}; the values of the files are too large, or the "
                         "temperature gradient is zero")


HIGHEST = 5000  # W/(m K), twice that of diamond at 300 K


def plausibility(kappa):
    """A warning, or None."""
    if kappa.value < 0:
        return "a negative conductivity is noise, or a value along the negative field; use longer runs or check --field"
    if kappa.value > HIGHEST:
        return f"no known material has more than {HIGHEST} W/(m K); check the units of the volume, area and lengths, and --units"
    return None


def save(figure, path):
    from .files import InputError

    if Path(path).is_dir():
        raise InputError(f"--plot {path}: this is a folder")
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"--plot {path}: {error.strerror}") from None
    except ValueError as error:  # a format that matplotlib does not know
        raise InputError(f"--plot {path}: {error}") from None


def kappa(method, plot, json, **arguments):  # noqa: A002, the names of the options
    """Runs the command; prints and draws. Raises InputError, and ImportError without the extra [analysis]."""
    import numpy

    with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):  # refuse_infinite() tells of these
        result, draw = analyse(method, arguments)
    refuse_infinite(result)
    result["warning"] = "; ".join(filter(None, [result.get("warning"), plausibility(result["kappa"])])) or None
    say(as_json(method, result) if json else as_text(result))
    if plot:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(6, 4), constrained_layout=True)
        draw(result, axes)
        axes.set_title(f"κ = {result['kappa']} W/(m K)")
        save(figure, plot)


def say(text):
    from .files import InputError

    sys.stdout.reconfigure(errors="replace")  # a terminal without the letters of the text
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest of the text when it ends
        raise InputError(f"the result cannot be written to the standard output: {error.strerror}") from None


def as_text(result):
    lines = [f"kappa = {result['kappa']} W/(m K)", f"error: {result['rule']}"]
    for k, system in enumerate(result.get("systems", [])):
        length = f"L = {result['lengths'][k]:g} {result['length_unit']}" if result["lengths"] else f"profile {k + 1}"
        lines.append(f"{length}: kappa = {system['kappa']} W/(m K), {system['rule']}; the profile departs from a "
                     f"straight line by {100 * system['nonlinear']:.1f} % of its range")
    if "runs" in result and len(result["runs"]) > 1:
        lines.append("runs: " + " ".join(f"{value:.4g}" for value in result["runs"]))
    for length, value in zip(result.get("lengths") or [], result.get("kappa_of_length", [])):
        lines.append(f"L = {length:g} {result['length_unit']}: kappa = {value:.4g} W/(m K), from mean free paths")
    if "sorted_path" in result:
        lines.append(f"mean free paths: phonons with paths up to {result['half_path']:.3g} {result['length_unit']} carry half of the heat")
    if result.get("warning"):
        lines.append(f"warning: {result['warning']}")
    return "\n".join(lines)


def as_json(method, result):
    def number(value):
        return value if math.isfinite(value) else None

    found = {"method": method, "kappa": number(result["kappa"].value), "error": number(result["kappa"].error),
             "unit": "W/(m K)", "rule": result["rule"]}
    for key in ("limit", "warning", "runs", "mean_free_path"):
        if result.get(key) is not None:
            found[key] = result[key]
    if "frequency" in result:
        found.update({key: [number(float(value)) for value in result[key]]
                      for key in ("frequency", "spectrum", "spectrum_error", "cumulative", "conductance", "path",
                                  "sorted_path", "cumulative_by_path") if key in result})
    if "kappa_of_length" in result:
        found.update(lengths=result["lengths"], kappa_of_length=result["kappa_of_length"])
    if "systems" in result:
        found["systems"] = [{"length": result["lengths"][k] if result["lengths"] else None,
                             "kappa": number(system["kappa"].value), "error": number(system["kappa"].error)}
                            for k, system in enumerate(result["systems"])]
    return json.dumps(found, ensure_ascii=False)
