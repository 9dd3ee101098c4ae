"""Energy drift of 512 silicon atoms at constant energy over a nanosecond, in every precision beside stock.

TRIAD_DRIFT_STEPS: number of 1 fs steps, 1,000,000 unless set. CTest label long.
"""

import functools
import os

import numpy as np
import pytest
from lammps_run import run_lammps
from styles import STOCK, triad

STEPS = int(os.environ.get("TRIAD_DRIFT_STEPS", "1000000"))
EVERY = 20

pytestmark = pytest.mark.long


@functools.cache
def drift(style):
    """Slope of the total energy and its standard error, eV per atom and ns."""
    result = run_lammps(f"""
units metal
lattice diamond 5.432
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 28.0855
pair_style {style}
pair_coeff * * SiCGe.tersoff Si(D)
velocity all create 600 2817 loop geom
fix integrate all nve
timestep 0.001
run 5000
thermo_style custom step time etotal temp
thermo_modify norm yes format float %.17g
thermo {EVERY}
run {STEPS}
""", timeout=8 * 3600)
    thermo = result.runs[-1]
    assert len(thermo["Step"]) == STEPS // EVERY + 1 and 250 < thermo["Temp"].mean() < 350
    # Means of 50 blocks, each longer than the correlation of the energy's fluctuations.
    time, energy = (np.array([block.mean() for block in np.array_split(thermo[name], 50)])
                    for name in ("Time", "TotEng"))
    (slope, _), covariance = np.polyfit(time / 1000, energy, 1, cov=True)
    return slope, np.sqrt(covariance[0, 0])


def test_drift(precision, backend, capsys):
    stock, found = drift(STOCK), drift(triad(precision, backend))
    with capsys.disabled():
        print(f"\n{STEPS} steps, eV/atom/ns: stock {stock[0]:.2g} +- {stock[1]:.1g}, "
              f"{precision} on {backend} {found[0]:.2g} +- {found[1]:.1g}")
    allowed = {"double": 2 * abs(stock[0]), "mixed": 2 * abs(stock[0]) + 1e-5, "single": 1e-4}[precision]
    assert abs(found[0]) < allowed + 3 * (stock[1] + found[1])
