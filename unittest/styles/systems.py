"""The systems on which the plugin is compared with stock, as data. Lengths in Angstrom."""

import potentials
from family_systems import FAMILY
from random_structures import RANDOM
from system import (DEFAULT_PAIR, INWARD, MELT, TILTED, UNEQUAL_REPULSION, ZINCBLENDE, System, basis, crystal, shuffled,
                    silicon_melt, tilted_crystal, tilted_silicon)

# Wurtzite: a1, a2 span an orthogonal cell of eight atoms.
WURTZITE = ("custom 3.19 a1 1 0 0 a2 0 1.7320508 0 a3 0 0 1.63 "
            "basis 0 0 0 basis 0.5 0.5 0 basis 0.5 0.166667 0.5 basis 0 0.666667 0.5 "
            "basis 0 0 0.375 basis 0.5 0.5 0.375 basis 0.5 0.166667 0.875 basis 0 0.666667 0.875")
# A honeycomb sheet with vacuum above: every atom has three neighbours.
HONEYCOMB = ("custom 2.5 a1 1 0 0 a2 0 1.7320508 0 a3 0 0 4 "
             "basis 0 0 0.5 basis 0.5 0.5 0.5 basis 0 0.333333 0.5 basis 0.5 0.833333 0.5")
# Idealised beta-cristobalite: oxygen on every bond of a diamond lattice.
CRISTOBALITE = ("custom 7.16 a1 1 0 0 a2 0 1 0 a3 0 0 1 "
                + " ".join(f"basis {x} {y} {z}" for x, y, z in
                           [(0, 0, 0), (0, .5, .5), (.5, 0, .5), (.5, .5, 0),
                            (.25, .25, .25), (.25, .75, .75), (.75, .25, .75), (.75, .75, .25)])
                + " " + " ".join(f"basis {fx + dx} {fy + dy} {fz + dz}"
                                 for fx, fy, fz in [(0, 0, 0), (0, .5, .5), (.5, 0, .5), (.5, .5, 0)]
                                 for dx, dy, dz in [(.125, .125, .125), (.125, .375, .375), (.375, .125, .375),
                                                    (.375, .375, .125)]))

_silicon = [
    System("si-1989", crystal()),
    System("si-64-atoms", crystal(2, displace=0.02)),
    System("si-1988-lambda3", crystal(), "Si.tersoff", "Si"),
    System("si-displaced-compressed", crystal(lattice="diamond 5.24", displace=0.5), strained=True),
    System("si-1988-displaced-compressed", crystal(lattice="diamond 5.24", displace=0.5), "Si.tersoff", "Si",
           strained=True),
    System("si-melt", MELT.format("p p p"), files=silicon_melt),
    System("si-1988-melt", MELT.format("p p p"), "Si.tersoff", "Si", files=silicon_melt),
    System("si-melt-droplet", MELT.format("f f f"), files=silicon_melt),
    System("ge", crystal(lattice="diamond 5.6575"), "Ge.tersoff", "Ge"),
    System("si-real-units", crystal(units="real"), energy_unit=23.060549),
    # Stock sums the virial as positions times forces, which loses the digits that a coordinate of 1e5 A takes.
    System("si-far-from-origin", crystal(origin=20000), stock_error=2e-9),
]
_boundaries = [
    System(f"si-slab-{boundary.replace(' ', '')}",
           crystal(boundary=boundary,
                   after=f"region top block INF INF INF INF 2 INF\ndelete_atoms region top\n{INWARD}"))
    for boundary in ("p p p", "p p f", "p p s", "p p m", "s s s")
]
_boxes = [
    System("triclinic", TILTED, files=tilted_silicon),
    System("triclinic-crystal", TILTED, files=tilted_crystal),
    System("one-unit-cell", crystal(1)),
    System("primitive-cell", """units metal
box tilt large
region box prism 0 3.841 0 3.3264 0 3.1362 1.9205 1.9205 1.1088 units box
create_box 1 box
create_atoms 1 single 0 0 0 units box
create_atoms 1 single 1.9 1.2 0.8 units box
mass 1 28.0855
"""),
    System("one-atom-periodic", crystal(1, "sc 2.5")),
    System("one-atom-alone", crystal(1, "sc 20")),
    System("two-atoms", crystal(1, "sc 20", after="create_atoms 1 single 2.3 0.4 0.3 units box")),
    System("no-atoms", "units metal\nregion box block 0 9 0 9 0 9\ncreate_box 1 box\nmass 1 28.0855\n"),
    System("atoms-in-one-corner", crystal(4, boundary="f f f",
                                          after=f"region far block 0 1 0 1 0 1 side out\n"
                                                                           f"delete_atoms region far\n{INWARD}")),
]
_coordinations = [
    System("fcc-18-neighbours", crystal(4, "fcc 2.9"), strained=True),
    System("fcc-42-neighbours", crystal(5, "fcc 2.2", displace=0.05), strained=True),
    System("sc-6-neighbours", crystal(5, "sc 2.5")),
    System("dimers", crystal(3, "custom 8 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0 0 0 basis 0.28 0 0")),
]
_carbides = [
    System(f"{potential.removesuffix('.tersoff').lower()}-{order}",
           crystal(2, "diamond 4.36", types=ZINCBLENDE, after=after), potential, "Si C",
           stock_error=UNEQUAL_REPULSION.get(potential, 0.0))
    for potential in ("SiC.tersoff", "SiC_1989.tersoff", "SiC_1990.tersoff", "SiC_1994.tersoff",
                      "SiC_Erhart-Albe.tersoff")
    for order, after in (("zincblende", ""), ("shuffled", shuffled(0.5)))
]
_compounds = [
    System("gan-wurtzite", crystal(2, WURTZITE, types=basis(1, 1, 1, 1, 2, 2, 2, 2)), "GaN.tersoff", "Ga N"),
    System("gan-shuffled", crystal(2, WURTZITE, types=basis(1, 1, 1, 1, 2, 2, 2, 2), after=shuffled(0.4)),
           "GaN.tersoff", "Ga N"),
    System("bn-sheet", crystal(4, HONEYCOMB, types=basis(1, 1, 2, 2)), "BNC.tersoff", "B N"),
    System("bnc-sheet", crystal(4, HONEYCOMB, types=basis(1, 1, 2, 2), after=shuffled(0.3, 0.4), box_types=3),
           "BNC.tersoff", "B N C"),
    System("bn-cubic", crystal(3, "diamond 3.615", types=ZINCBLENDE), "BNC.tersoff", "B N"),
    System("bnc-cubic-shuffled", crystal(3, "diamond 3.615", after=shuffled(0.3, 0.4), box_types=3, displace=0.2),
           "BNC.tersoff", "B N C"),
    System("sio2", crystal(2, CRISTOBALITE, types=basis(*8 * [1], *16 * [2])), "SiO.tersoff", "Si O"),
    System("sige", crystal(after=shuffled(0.5), lattice="diamond 5.54", box_types=2), elements="Si(D) Ge"),
    System("sicge-ternary", crystal(after=shuffled(0.3, 0.4), lattice="diamond 5.0", box_types=3), "ternary.tersoff",
           "C Si Ge", files=lambda: {"ternary.tersoff": potentials.ternary_1989()}),
    System("unlike-triplets", crystal(after=shuffled(0.3, 0.4, 0.3), lattice="diamond 5.3", box_types=4, displace=0.3),
           "unlike.tersoff", "W X Y Z", files=lambda: {"unlike.tersoff": potentials.unlike_triplets("WXYZ", 7)},
           strained=True),
]
_mappings = [
    System("more-types-than-elements", crystal(after=shuffled(0.3, 0.4), lattice="diamond 5.54", box_types=3),
           elements="Si(D) Ge Si(D)"),
    System("elements-permuted", crystal(2, "diamond 4.36", types=ZINCBLENDE, after=shuffled(0.4)), "SiC.tersoff",
           "C Si"),
    System("null-overlay", crystal(after=shuffled(0.4), box_types=2), elements="Si(D) NULL", pair="""
pair_style hybrid/overlay {style} lj/cut 6.0
pair_coeff * * {name} {potential} {elements}
pair_coeff * 2 lj/cut 0.01 2.6
"""),
    System("null-hybrid-two-instances", crystal(after=shuffled(0.4), box_types=2), pair="""
pair_style hybrid {style} {style} lj/cut 6.0
pair_coeff * * {name} 1 {potential} Si(D) NULL
pair_coeff * * {name} 2 {potential} NULL Ge
pair_coeff 1 2 lj/cut 0.01 2.6
"""),
    # Bonds with special_bonds weights mark neighbours in the upper bits of the list, which the style must ignore.
    System("special-bonds", crystal(before="atom_style bond").replace(
        "create_box 1 box", "create_box 1 box bond/types 1 extra/bond/per/atom 8 extra/special/per/atom 40"),
           pair=DEFAULT_PAIR + """
bond_style zero
bond_coeff * 2.35
special_bonds lj/coul 0.0 0.5 0.5
create_bonds many all all 1 2.0 2.75
special_bonds lj/coul 0.5 0.5 0.5
"""),
    System("excluded-pairs", crystal(after=shuffled(0.3) + "\nneigh_modify exclude type 2 2", box_types=2),
           elements="Si(D) Si(D)"),
    System("tiled-and-balanced", crystal(after="comm_style tiled\nregion gap block 0 1 0 2 0 3\n"
                                               "delete_atoms region gap\nbalance 1.0 rcb")),
    System("no-skin", crystal(after="neighbor 0.0 bin")),
    System("wide-skin", crystal(after="neighbor 4.0 bin")),
]

PLAIN = {system.name: system for system in
         _silicon + _boundaries + _boxes + _coordinations + _carbides + _compounds + _mappings}
SYSTEMS = PLAIN | FAMILY | RANDOM
