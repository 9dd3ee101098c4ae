"""Runs of many steps, as data: what a script does after the pair style is set."""

from dataclasses import dataclass

NVE = """
velocity all create 600 2817 loop geom
fix integrate all nve
thermo 10
"""


@dataclass(frozen=True)
class Scenario:
    name: str
    commands: str
    system: str = "si-1989"
    ranks: int = 1
    # Largest difference from stock relative to the largest value of the column. Rounding differences grow with
    # the divergence of trajectories, so it is looser than for one evaluation.
    relative: float = 1e-8
    kokkos: bool = True  # whether KOKKOS has what the script uses


RESTART = NVE + """
run 20
write_restart state.restart
clear
read_restart state.restart
{pair}fix integrate all nve
thermo_style custom step pe press
thermo_modify format float %.17g
run 20
"""

# The other members of the family, `shift` and several instances, in what may surround a pair style.
FAMILY = [
    Scenario("mod-nve", NVE + "run 300", system="mod-melt"),
    Scenario("mod-c-nve-two-ranks", NVE + "run 300", system="modc-melt", ranks=2),
    # Collisions that reach into the ZBL core.
    Scenario("zbl-nve-collisions", NVE.replace("600", "200000") + "timestep 0.0001\nrun 200", system="zbl-zincblende"),
    Scenario("shift-nve-melt", NVE + "neighbor 1.0 bin\nrun 200", system="plain-melt-shift-0.2", ranks=2),
    Scenario("hybrid-nve", NVE + "run 100", system="hybrid-two-members"),
    Scenario("overlay-nve-four-ranks", NVE + "run 100", system="overlay-three-members", ranks=4),
    Scenario("interlayer-nve", NVE + "run 50", system="overlay-interlayer-potential"),
    Scenario("mod-npt", "velocity all create 600 2817\nfix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\n"
             "thermo 10\nrun 100", system="mod-crystal"),
    Scenario("overlay-npt", "velocity all create 600 2817\nfix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n"
             "thermo 10\nrun 100", system="overlay-same-member-twice"),
    Scenario("mod-c-deform", NVE + "fix shear all deform 1 xz erate 2.0 remap x\nrun 100",
             system="modc-triclinic-shift-0.1"),
    # No atom leaves the droplet's box: on one rank KOKKOS on a GPU keeps those that have.
    Scenario("mod-evaporate", "change_box all boundary s s s\natom_modify sort 0 0\n" + NVE
             + "region everywhere block INF INF INF INF INF INF\n"
             "fix remove all evaporate 3 7 everywhere 4711\nrun 40", system="mod-droplet"),
    Scenario("deposit", NVE + "region above block 1 15 1 15 13 15 units box\n"
             "fix add all deposit 6 1 7 4711 region above near 2.0 vz -40 -40 units box\nrun 60", system="si-slab-ppf"),
    Scenario("mod-deposit-two-ranks", NVE + "region above block 1 15 1 15 13 15 units box\n"
             "fix add all deposit 6 1 7 4711 region above near 2.0 vz -40 -40 units box\nrun 60", system="mod-slab",
             ranks=2),
    # Trial deletions exclude atoms from lists by a group that the fix adds when the run is set up.
    Scenario("gcmc", "fix exchange all gcmc 1 10 0 1 3441 3000 -4 0.5 full_energy\nthermo 1\nrun 6", kokkos=False),
    Scenario("gcmc-two-ranks", "fix exchange all gcmc 1 10 0 1 3441 3000 -4 0.5 full_energy\nthermo 1\nrun 6", ranks=2,
             kokkos=False),
    # Types change between steps, with energies in between, and LAMMPS keeps its list.
    Scenario("swap-types", NVE + "fix swap all atom/swap 2 5 4711 4000 ke no types 1 2\nrun 20", system="sige"),
    Scenario("swap-types-two-ranks", NVE + "fix swap all atom/swap 2 5 4711 4000 ke no types 1 2\nrun 20",
             system="bnc-shift", ranks=2),
    Scenario("shift-sorted-atoms", "atom_modify sort 5 3.0\n" + NVE + "run 60", system="mod-melt-shift-0.2"),
    Scenario("zbl-balance", NVE + "fix even all balance 10 1.0 rcb\nrun 50", system="zbl-tiled-and-balanced", ranks=4),
    Scenario("mod-minimize", "thermo 1\nminimize 0 1e-3 20 100", system="mod-crystal-shift+0.05"),
    Scenario("zbl-minimize", "thermo 1\nminimize 0 1e-3 20 100", system="zbl-carbide-shuffled"),
    Scenario("zbl-rerun", NVE + "run 20\nunfix integrate\nrerun atoms.dump first 0 dump x y z",
             system="zbl-zincblende"),
    Scenario("mod-c-restart", RESTART, system="modc-crystal"),
    Scenario("shift-restart", RESTART, system="plain-crystal-shift-0.05"),
    Scenario("other-time-steps", NVE + "run 20\ntimestep 0.0005\nundump out\nreset_timestep 1000\nrun 20\n"
             "timestep 0.002\nrun 20", system="modc-crystal"),
    Scenario("mod-in-pieces", NVE + "run 20\nrun 20 pre no\nrun 0\nrun 1 pre no", system="mod-melt"),
]

SCENARIOS = {scenario.name: scenario for scenario in [
    Scenario("nve-1000-steps", NVE + "run 1000"),
    Scenario("nve-1000-steps-two-ranks", NVE + "run 1000", ranks=2),
    Scenario("nve-lambda3", NVE + "run 300", system="si-1988-lambda3"),
    Scenario("nve-three-elements", NVE + "run 300", system="bnc-sheet"),
    Scenario("nve-slab", NVE + "run 300", system="si-slab-ppf"),
    Scenario("nve-across-ranks", NVE + "run 200", system="tiled-and-balanced", ranks=4),
    # Atoms travel far between rebuilds of LAMMPS's list: a pruned list of bonded neighbours must follow by itself.
    Scenario("nve-melt-wide-skin", NVE.replace("600", "8000") + "neighbor 3.0 bin\nrun 200", system="si-melt"),
    Scenario("nve-melt-rare-rebuilds", NVE.replace("600", "8000") + "neighbor 3.0 bin\n"
             "neigh_modify every 50 delay 50 check no\nrun 100", system="si-melt"),
    Scenario("nve-reordered-atoms", "atom_modify sort 5 3.0\n" + NVE + "run 100", system="si-melt"),
    Scenario("run-in-pieces", NVE + "run 20\nrun 20 pre no\nrun 20\nrun 0\nrun 0\nrun 1 pre no"),
    Scenario("displaced-between-runs", NVE + "group odd id 1:215:2\n"
             'run 20 every 5 "displace_atoms odd move 0.2 -0.1 0.15 units box"'),
    Scenario("atoms-removed-and-added", NVE + """
run 10
group third id <> 1 70
delete_atoms group third compress no
run 10
create_atoms 1 random 400 77 NULL overlap 2.3 maxtry 500
run 10
delete_atoms group all
run 10
create_atoms 1 box
displace_atoms all random 0.1 0.1 0.1 29 units box
run 10
"""),
    # Which atoms go depends on their order, and KOKKOS on a GPU sorts otherwise.
    Scenario("evaporate", "atom_modify sort 0 0\n" + NVE + "region everywhere block INF INF INF INF INF INF\n"
             "fix remove all evaporate 3 7 everywhere 4711\nrun 40"),
    Scenario("npt", "velocity all create 600 2817\nfix integrate all npt temp 600 600 0.1 aniso 0 0 0.5\n"
             "thermo 10\nrun 200"),
    Scenario("deform", NVE + "fix shear all deform 1 xy erate 2.0 remap x\nrun 100", system="triclinic"),
    Scenario("respa", NVE + "run_style respa 2 2 pair 1\nrun 50", kokkos=False),
    Scenario("minimize", "thermo 1\nminimize 0 1e-3 20 100"),
    Scenario("minimize-melt", "thermo 1\nmin_style fire\nminimize 0 1e-3 20 100", system="si-melt", kokkos=False),
    Scenario("rerun", NVE + "run 20\nunfix integrate\nrerun atoms.dump first 0 dump x y z"),
    Scenario("balance-while-running", NVE + "fix even all balance 10 1.0 shift xyz 5 1.0\nrun 50",
             system="atoms-in-one-corner", ranks=2),
    Scenario("thermo-rarely", NVE + "thermo 37\nrun 100"),
    Scenario("restart", RESTART),
    *FAMILY,
]}
