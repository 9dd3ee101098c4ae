"""Two runs of one input give the same bits, whatever the order in which threads finish: in `mixed`, and on the host."""

import pytest
from lammps_run import run_lammps
from scenarios import NVE
from styles import Style, triad
from systems import SYSTEMS

OUTPUT = """
compute energy all pe/atom
compute stress all stress/atom NULL virial
thermo_style custom step pe ke etotal press pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
dump out all custom 20 atoms.dump id type x y z vx vy vz fx fy fz c_energy c_stress[*]
dump_modify out sort id format float %.17g
"""


def bits(name, style, ranks=1, threads=1, motion=NVE):
    """Everything that a melt or slab run of 200 steps writes."""
    system = SYSTEMS[name]
    script = system.commands(style) + OUTPUT + motion.replace("600", "3000") + "run 200"
    result = run_lammps(script, files=system.files(), ranks=ranks, threads=threads)
    return result.files["atoms.dump"], {column: values.tobytes() for column, values in result.runs[0].items()}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", ["si-melt", "si-slab-ppp", "bnc-sheet"])
def test_same_bits_twice(name, ranks, backend):
    style = triad("mixed", backend)
    first, second = (bits(name, style, ranks) for _ in range(2))
    assert first[0] == second[0], "dumps differ"
    assert first[1] == second[1], "thermo differs"


@pytest.mark.parametrize("name", ["si-melt", "si-slab-ppp"])
def test_same_bits_twice_with_a_barostat(name, backend):
    style, motion = triad("mixed", backend), NVE.replace("nve", "npt/triad temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5")
    first, second = (bits(name, style, motion="run_style verlet/triad\n" + motion) for _ in range(2))
    assert first[0] == second[0], "dumps differ"
    assert first[1] == second[1], "thermo differs"


@pytest.mark.parametrize("ranks", [1, 2])
def test_same_bits_with_any_number_of_threads(ranks, precision):
    style = Style("tersoff/triad", f"precision {precision} backend host deterministic yes")
    one, *others = (bits("si-melt", style, ranks, threads) for threads in (1, 2, 3))
    for other in others:
        assert one[0] == other[0], "dumps differ"
        assert one[1] == other[1], "thermo differs"


def test_deterministic_refuses_what_may_vary(precision, backend):
    style = Style("tersoff/triad", f"precision {precision} backend {backend} deterministic yes")
    result = run_lammps(SYSTEMS["si-slab-ppp"].commands(style) + "run 0\n", check=False)
    if backend == "cuda" and precision != "mixed":
        assert result.returncode != 0 and "deterministic yes" in result.output
    else:
        assert result.returncode == 0
