"""examples/heat_current: the Green-Kubo script with numbers that can be checked, and the picture of the balance."""

import importlib.util
import re

import numpy as np
import pytest
from lammps_run import LMP, run_lammps
from styles import triad
from test_heat_current import CENTROID, EXAMPLE, STOCK_VIRIAL

SHORT = {"cells": "2", "equilibrate": "20", "steps": "200", "every": "5", "samples": "8"}


def words(variables):
    return [word for name, value in variables.items() for word in ("-var", name, value)]


def test_green_kubo_script():
    """The conductivity it prints is the integral of the correlation function that it writes."""
    result = run_lammps(EXAMPLE.with_name("in.heat_current").read_text(), args=words(SHORT))
    thermo = result.runs[-1]
    rows = np.array([line.split() for line in result.files["current.correlation"].decode().splitlines()[-8:]],
                    dtype=float)
    assert list(rows[:, 1]) == [5.0 * sample for sample in range(8)]
    volume, joule_per_eV, boltzmann = (2 * 5.432e-10) ** 3, 1.602176634e-19, 1.380649e-23
    # eV A/ps = 1.6e-19 J * 1e-10 m / 1e-12 s
    kappa = [np.trapezoid(column, dx=5e-15) * (joule_per_eV * 100) ** 2 / (boltzmann * 300**2 * volume)
             for column in rows[:, 3:].T]
    assert [thermo[f"v_kappa_{axis}"][-1] for axis in "xyz"] == pytest.approx(kappa, rel=1e-4)
    assert thermo["v_kappa"][-1] == pytest.approx(np.mean(kappa), rel=1e-4)


def test_green_kubo_with_atoms_on_the_device(backend):
    """The same conductivity, and no fix that brought atoms to the host."""
    style = {**SHORT, "style": str(triad("double", backend))}
    host, resident = (run_lammps(EXAMPLE.with_name(name).read_text(), args=words({**style, **more}))
                      for name, more in (("in.heat_current", {}), ("in.green_kubo", {"interval": "40"})))
    kappa = [float(re.search(r"^kappa = (\S+) W", result.output, re.MULTILINE).group(1)) for result in (host, resident)]
    assert kappa[1] == pytest.approx(kappa[0], rel=1e-6)
    assert "brought atoms to the host" not in resident.output


def test_stock_can_do_no_better_than_stress_atom():
    script = EXAMPLE.with_name("in.heat_current").read_text()
    stock = {**SHORT, "style": "tersoff", "steps": "40"}
    assert run_lammps(script, args=words({**stock, "virial": STOCK_VIRIAL})).returncode == 0
    refused = run_lammps(script, args=words({**stock, "virial": CENTROID}), check=False)
    assert refused.returncode != 0 and "centroid/stress/atom" in refused.errors


@pytest.fixture
def example():
    spec = importlib.util.spec_from_file_location("energy_balance", EXAMPLE.with_name("energy_balance.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_balance_script(example):
    centroid, stress = (example.energy_balance(example.run(LMP, virial, 100, 0.0005))
                        for virial in (CENTROID, STOCK_VIRIAL))
    for time, change, integral in (centroid, stress):
        assert time == pytest.approx(0.0005 * np.arange(101))
        assert change.shape == integral.shape == (3, 101)
    missing = [np.abs(change - integral).max() for _, change, integral in (centroid, stress)]
    assert 100 * missing[0] < missing[1]


def test_picture(example, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    balances = {(virial, 0.0005): example.energy_balance(example.run(LMP, virial, 20, 0.0005))
                for virial in (CENTROID, STOCK_VIRIAL)}
    example.draw(balances, tmp_path / "balance.png")
    assert (tmp_path / "balance.png").read_bytes().startswith(b"\x89PNG")
