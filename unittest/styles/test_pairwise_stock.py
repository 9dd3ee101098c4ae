"""fix pairwise/triad beside stock, run by run: lj with a neighbour list beside pair lj/cut, harmonic beside bond_style
harmonic."""

import functools
from dataclasses import dataclass, replace

import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from pairwise import fix_of

OUTPUT = """
compute energies all pe/atom
compute motion all ke/atom
compute stresses all stress/atom NULL virial
compute flux all heat/flux motion energies stresses
thermo_style custom step atoms pe etotal temp pxx pyy pzz pxy pxz pyz c_flux[*]
thermo_modify norm no lost ignore format float %.17g
thermo 10
dump out all custom 10 atoms.dump id type x y z fx fy fz c_energies
dump_modify out sort id format float %.17g
"""
NVE = "velocity all create 1.4 87287 loop geom\nfix integrate all nve\n"

LIQUID = """
units lj
{before}
lattice {lattice} 0.8442
region box {box}
create_box 2 box {bonds}
create_atoms 1 box
set group all type/fraction 2 0.3 771
mass 1 1.0
mass 2 2.0
displace_atoms all random 0.05 0.05 {shake} 5
neighbor 0.3 bin
"""
COEFFS = [(1, 1, 1.0, 1.0), (1, 2, 0.9, 1.05), (2, 2, 0.8, 1.1)]
STOCK = "pair_style lj/cut 2.5\n" + "".join("pair_coeff {} {} {} {}\n".format(*c) for c in COEFFS)
WORDS = "lj" + "".join(" coeff {} {} {} {}".format(*c) for c in COEFFS)
TRIAD = """
{pair}
fix pairs all {fix} """ + WORDS + """ range list cutoff 2.5 precision double backend {backend} {more}
fix_modify pairs energy yes virial yes {modify}
"""
ALONE = "comm_modify cutoff 2.8"


@dataclass(frozen=True)
class Scenario:
    name: str
    commands: str
    ranks: int = 1
    before: str = ""
    lattice: str = "fcc"
    box: str = "block 0 4 0 4 0 4"
    bonds: str = ""
    setup: str = ""  # for both, before the forces are given
    pair: str = ALONE  # what the script of the fix has beside it
    stock: str = STOCK
    more: str = ""
    modify: str = ""
    relative: float = 1e-8  # rounding grows with the divergence of trajectories
    kokkos: bool = True  # whether KOKKOS has what the script uses, and does the same

    def script(self, forces, backend=None):
        forces = forces.format(pair=self.pair, **fix_of(backend), more=self.more, modify=self.modify)
        liquid = LIQUID.format(before=self.before, lattice=self.lattice, box=self.box, bonds=self.bonds,
                               shake=0 if "dimension" in self.before else 0.05)
        return (liquid + self.setup + forces + OUTPUT + self.commands.replace("{forces}", forces))


BOND = "atom_style bond"
BONDS = "bond/types 1 extra/bond/per/atom 4 extra/special/per/atom 20"
CHAINS = """
bond_style harmonic
bond_coeff 1 30.0 1.1
special_bonds lj 0.0 0.4 0.8
create_bonds single/bond 1 1 2
create_bonds single/bond 1 2 3
create_bonds single/bond 1 3 4
create_bonds single/bond 1 4 5
"""
ZERO = "pair_style zero 2.5\npair_coeff * *"
SHORTER = "pair_style zero 2.5\npair_coeff * *\npair_coeff 1 2 1.0\npair_coeff 2 2 1.5"

SCENARIOS = {s.name: s for s in [
    Scenario("nve", NVE + "run 300"),
    Scenario("nve-three-ranks", NVE + "run 200", ranks=3),
    Scenario("nve-four-ranks-one-sided", NVE + "run 100", ranks=4, more="kernel onesided"),
    Scenario("nve-newton-off", NVE + "run 100", ranks=2, before="newton off"),
    Scenario("nve-tiled", NVE + "comm_style tiled\nfix even all balance 10 1.0 rcb\nrun 50", ranks=4),
    Scenario("slab", NVE + "run 100", before="boundary p p f", box="block 0 4 0 4 -1 5", ranks=2),
    Scenario("two-dimensions", NVE.replace("nve", "nve\nfix flat all enforce2d") + "run 100", before="dimension 2",
             lattice="sq2", box="block 0 8 0 8 -0.1 0.1"),
    Scenario("small-box", NVE + "run 100", box="block 0 2 0 2 0 2"),
    # Velocities by ID: KOKKOS on a GPU rounds positions in tilted boxes otherwise, and loop geom is seeded by their bits.
    Scenario("triclinic-deform", NVE.replace("loop geom", "loop all") + "fix shear all deform 1 xy erate 0.2 remap x\nrun 100",
             box="prism 0 4 0 4 0 4 1 0.5 -0.5"),
    Scenario("npt", "velocity all create 1.4 87287 loop geom\n"
             "fix integrate all npt temp 1.4 1.4 0.5 aniso 0.5 0.5 2.0\nrun 100", ranks=2),
    Scenario("minimize", "thermo 1\nminimize 0 1e-4 30 200"),
    Scenario("minimize-fire-two-ranks", "thermo 1\nmin_style fire\nminimize 0 1e-4 30 200", ranks=2, kokkos=False),
    Scenario("respa-inner", NVE + "run_style respa 2 2 {inner}\nrun 50", modify="respa 1", kokkos=False),
    Scenario("respa-outer", NVE + "run_style respa 2 2 {outer}\nrun 50", kokkos=False),
    Scenario("pieces", NVE + "run 20\nrun 20 pre no\nrun 0\nrun 0\nrun 1 pre no\nrun 20 every 5 \"print x\""),
    Scenario("atoms-removed-and-added", NVE + "run 10\ngroup third id <> 1 70\ndelete_atoms group third compress no\n"
             "run 10\ncreate_atoms 1 random 20 77 NULL overlap 0.9 maxtry 500\nrun 10\ndelete_atoms group all\nrun 10\n"
             "create_atoms 1 box\nrun 10"),
    Scenario("evaporate", NVE + "region everywhere block INF INF INF INF INF INF\n"
             "fix remove all evaporate 3 7 everywhere 4711\nrun 40", ranks=2, before="atom_modify sort 0 0"),
    # On one rank KOKKOS on a GPU keeps atoms that have left an open box.
    Scenario("atoms-lost", NVE + "run 100", before="boundary f f f", box="block 0 3.7 0 3.7 0 3.7", kokkos=False),
    Scenario("atoms-lost-two-ranks", NVE + "run 100", before="boundary f f f", box="block 0 3.7 0 3.7 0 3.7", ranks=2),
    Scenario("swap-types", NVE + "fix swap all atom/swap 2 5 4711 4000 ke no types 1 2\nrun 20", pair=ZERO),
    Scenario("sorted-atoms", "atom_modify sort 5 3.0\n" + NVE + "run 60"),
    Scenario("list-of-a-pair-style", NVE + "run 100", pair=ZERO),
    Scenario("list-trimmed", NVE + "run 100", pair="pair_style zero 3.0\npair_coeff * *", ranks=2),
    Scenario("pair-style-shorter-for-some-types", NVE + "run 100", pair=SHORTER, more="kernel onesided"),
    Scenario("excluded-pairs", "neigh_modify exclude type 2 2\n" + NVE + "run 100"),
    Scenario("special-bonds", NVE + "run 100", before=BOND, bonds=BONDS, setup=CHAINS, ranks=2),
    Scenario("special-bonds-one-sided", NVE + "run 100", before=BOND, bonds=BONDS, setup=CHAINS,
             more="kernel onesided"),
    Scenario("rerun", NVE + "run 20\nunfix integrate\nrerun atoms.dump first 0 dump x y z"),
    Scenario("restart", NVE + "run 20\nwrite_restart state.restart\nclear\nread_restart state.restart\n"
             "neighbor 0.3 bin\n{forces}" + OUTPUT + "fix integrate all nve\nrun 20"),
]}


@functools.cache
def of_stock(name):
    scenario = SCENARIOS[name]
    script = scenario.script(scenario.stock).replace("{inner}", "pair 1").replace("{outer}", "pair 2")
    return run_lammps(script, ranks=scenario.ranks, timeout=120)


@pytest.mark.parametrize("name", SCENARIOS)
def test_lj_beside_lj_cut(name, backend):
    scenario = SCENARIOS[name]
    if backend == "kokkos" and not scenario.kokkos:
        pytest.skip("KOKKOS has no variant of what this script uses, or another behaviour")
    script = scenario.script(TRIAD, backend).replace("{inner}", "").replace("{outer}", "")
    found = run_lammps(script, ranks=scenario.ranks, timeout=120)
    assert_same_course(of_stock(name), found, scenario.relative)


@pytest.mark.parametrize("kernel", ["triangular", "onesided"])
@pytest.mark.parametrize("of_pair_style", ["half", "full"])
def test_beside_a_list_that_ends_earlier_for_some_types(of_pair_style, kernel, backend):
    """LAMMPS may want to derive the list of the fix from it, which depends on its version: then that is refused."""
    name = "pair-style-shorter-for-some-types"
    pair = SHORTER.replace("zero 2.5", "zero 2.5 full") if of_pair_style == "full" else SHORTER
    scenario = replace(SCENARIOS[name], pair=pair, more=f"kernel {kernel}")
    found = run_lammps(scenario.script(TRIAD, backend), check=False)
    if found.returncode == 0:
        assert_same_course(of_stock(name), found, scenario.relative)
    else:
        assert "ends before the cutoff 2.5 for some types" in found.errors or "lists that KOKKOS builds" in found.errors
        assert (of_pair_style, kernel) != ("half", "onesided")


# ---- springs

NET = """
units lj
atom_style bond
boundary p p s
region box block 0 8 0 8 0 8
create_box 1 box bond/types 2 extra/bond/per/atom 40 extra/special/per/atom 200
lattice sc 0.5
create_atoms 1 box
mass 1 1.3
displace_atoms all random 0.2 0.2 0.2 5
velocity all create 0.5 87287 loop geom
{pair}
comm_modify cutoff 5
neighbor 0.4 bin
bond_style {style}
bond_coeff 1 2.0 1.2
bond_coeff 2 3.5 1.5
special_bonds lj/coul 0 1 1
create_bonds many all all 1 0.0 1.2
create_bonds many all all 2 1.21 1.6
write_data bonds.data
"""
SPRINGS = """
fix pairs all {fix} harmonic net.pairs {more} precision double backend {backend}
fix_modify pairs energy yes virial yes
"""
SPRING = {"1": (4.0, 1.2), "2": (7.0, 1.5)}  # V of bond_style harmonic lacks the factor 1/2
MOVE = "timestep 0.002\nfix integrate all nve\nrun 100"
PAIR = "pair_style zero 2.0\npair_coeff * *"


@functools.cache
def bonds(ranks):
    """The lines of a pair list with the bonds that LAMMPS creates; it numbers the atoms by rank."""
    text = run_lammps(NET.format(style="zero nocoeff", pair=PAIR), ranks=ranks).files["bonds.data"].decode()
    rows = [line.split() for line in text.split("\nBonds\n\n")[1].split("\n\n")[0].splitlines()]
    assert len(rows) > 500
    return "".join("{} {} {} {}\n".format(a, b, *SPRING[kind]) for _, kind, a, b in rows)


@functools.cache
def of_bond_style(ranks):
    return run_lammps(NET.format(style="harmonic", pair=PAIR) + OUTPUT + MOVE, ranks=ranks)


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("settings", ["", "cutoff 3.5"])
def test_harmonic_beside_bond_style_harmonic(settings, ranks, backend):
    """Bonds stretch less than the cutoff here, so both act on the same pairs."""
    springs = SPRINGS.format(more=settings, **fix_of(backend))
    found = run_lammps(NET.format(style="zero nocoeff", pair=PAIR) + springs + OUTPUT + MOVE,
                       files={"net.pairs": bonds(ranks)}, ranks=ranks)
    assert_same_course(of_bond_style(ranks), found, 1e-8)


def test_harmonic_without_bonds_in_the_system(backend):
    """The same springs between atoms that know nothing of bonds."""
    script = NET.format(style="zero nocoeff", pair=PAIR)
    atomic = "\n".join(line for line in script.splitlines() if "bond" not in line).replace("atom_style bond", "")
    atomic = atomic.replace("lattice sc", "create_box 1 box\nlattice sc")
    found = run_lammps(atomic + SPRINGS.format(more="", **fix_of(backend)) + OUTPUT + MOVE, files={"net.pairs": bonds(1)})
    assert_same_course(of_bond_style(1), found, 1e-8)
