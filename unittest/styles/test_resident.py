"""run_style verlet/triad in what may surround a run: the scenarios of the pair styles and LAMMPS's own fixes."""

import functools
import re

import compare
import numpy as np
import pytest
from courses import HOT, MELTING, twins
from foreign_fixes import FOREIGN
from lammps_run import run_lammps
from scenarios import SCENARIOS
from styles import STOCK, triad
from systems import SYSTEMS
from test_fixes import OUTPUT, assert_same_course
from test_runs import OUTPUT as PAIR_OUTPUT
from test_runs import play as play_stock

RESIDENT = "run_style verlet/triad\n"


# Courses of 1000 steps and more are those of test_fixes.py.
@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items()
                                  if "run_style" not in scenario.commands and "1000" not in name])
def test_scenarios_of_the_pair_styles(name, backend):
    scenario = SCENARIOS[name]
    system, style = SYSTEMS[scenario.system], triad("double", backend)
    commands = twins(scenario.commands).replace("{pair}", system.pair_commands(style) + RESIDENT)
    found = run_lammps(system.commands(style) + RESIDENT + PAIR_OUTPUT + commands, files=system.files(),
                       ranks=scenario.ranks)
    compare.assert_same_course(play_stock(name, STOCK), found, scenario.relative)


@functools.cache
def play_foreign(name, style, nve, run_style, ranks):
    commands = HOT + FOREIGN[name].format(nve=nve) + OUTPUT.format(outputs="", every=10, half=50)
    if "thermo_style" in FOREIGN[name]:
        commands = commands.replace("thermo_style custom step temp", "#")
    return run_lammps(SYSTEMS["si-1989"].commands(style) + f"run_style {run_style}\n" + commands + "run 100\n",
                      ranks=ranks)


@pytest.mark.parametrize("ranks, edges, made", [(1, "p p p", True), (2, "p p p", False), (1, "p p s", False)])
def test_lists_are_made_on_the_gpu_alone(ranks, edges, made, cuda):
    script = SYSTEMS["si-melt"].commands(triad("mixed", "cuda")).replace("p p p", edges)
    result = run_lammps(script + RESIDENT + MELTING + "fix integrate all nve/triad\nrun 200\n",
                        files=SYSTEMS["si-melt"].files(), ranks=ranks)
    assert ("lists were made on the GPU alone" in result.output) == made
    assert int(result.output.split("Neighbor list builds = ")[1].split()[0]) > 3


@pytest.mark.parametrize("sort, steps, least, most", [("", 1500, 0, 0), ("", 21500, 1, 1),
                                                      ("atom_modify sort 500 0\n", 1500, 2, 3)])
def test_atoms_are_sorted_rarely_on_a_gpu(sort, steps, least, most, cuda):
    """By default LAMMPS sorts atoms with the first list after each 1000 steps; on a GPU after 20,000."""
    script = sort + SYSTEMS["si-melt"].commands(triad("mixed", "cuda")) + RESIDENT + MELTING
    found = run_lammps(script + f"fix integrate all nve/triad\nrun {steps}\n", files=SYSTEMS["si-melt"].files()).output
    assert "lists were made on the GPU alone" in found
    renewed = re.search(r"(\d+) neighbor lists were renewed by way of LAMMPS's arrays", found)
    assert least <= (int(renewed[1]) if renewed else 0) <= most


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_fixes(name, ranks, backend):
    stock = play_foreign(name, STOCK, "nve", "verlet", ranks)
    found = play_foreign(name, triad("double", backend), "nve/triad", "verlet/triad", ranks)
    assert_same_course(stock, found, 1e-8)
    for file in ("mean.txt", "words.txt", "means.dump"):
        assert (file in stock.files) == (file in found.files)
        if file in stock.files:
            expected, other = (numbers(result.files[file]) for result in (stock, found))
            assert len(expected) > 20
            assert other == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(expected).max())


def numbers(text):
    """The numbers of a file, line by line in order; words and comments aside."""
    found = []
    for line in text.decode().splitlines():
        for word in line.split() if not line.startswith("#") else ():
            try:
                found.append(float(word))
            except ValueError:
                pass
    return np.array(found)
