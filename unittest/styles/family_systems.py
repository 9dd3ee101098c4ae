"""tersoff/mod, tersoff/mod/c, tersoff/zbl and the keyword shift: the systems on which they are compared with stock.

A negative shift finds bonds up to R + D - shift, and stock's own list reaches to R + D plus the skin: here the default
skin of 2 Angstrom covers the difference.
"""

import functools

import potentials
from system import INWARD, MELT, TILTED, ZINCBLENDE, System, crystal, shuffled, silicon_melt, tilted_silicon

_OF = {"mod": ("tersoff/mod", "Si.tersoff.mod", "Si"), "modc": ("tersoff/mod/c", "Si.tersoff.modc", "Si"),
       "zbl": ("tersoff/zbl", "SiC.tersoff.zbl", "Si C"), "plain": ("tersoff", "SiCGe.tersoff", "Si(D)")}
EV_IN_KCAL_MOL = 23.060549
SLAB = crystal(boundary="p p f", after=f"region top block INF INF INF INF 2 INF\ndelete_atoms region top\n{INWARD}")
CARBIDE = crystal(2, "diamond 4.36", types=ZINCBLENDE)
# Nearest atoms 0.5 to 1.7 A apart, so on both sides of the Fermi function at 0.95 A and well inside the ZBL core.
CORE_DIMERS = crystal(3, "custom 7 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0 0 0 basis 0.1357 0 0",
                      types="basis 1 1 basis 2 2", displace=0.35)


def _member(kind, name, create, **more):
    base, potential, elements = _OF[kind]
    return System(f"{kind}-{name}", create, potential, more.pop("elements", elements), base, **more)


def _shifts(kind, name, create, sizes, **more):
    return [_member(kind, f"{name}-shift{size:+g}", create, settings=f"shift {size}", **more) for size in sizes]


def _silicon(kind, **more):
    return [
        _member(kind, "crystal", crystal(), **more),
        _member(kind, "compressed", crystal(lattice="diamond 5.1", displace=0.5), strained=True, **more),
        _member(kind, "melt", MELT.format("p p p"), files=silicon_melt, **more),
        _member(kind, "droplet", MELT.format("f f f"), files=silicon_melt, **more),
        _member(kind, "slab", SLAB, **more),
        _member(kind, "triclinic", TILTED, files=tilted_silicon, **more),
        _member(kind, "one-unit-cell", crystal(1), **more),
        _member(kind, "dense-fcc", crystal(4, "fcc 2.9"), strained=True, **more),
        _member(kind, "real-units", crystal(units="real"), energy_unit=EV_IN_KCAL_MOL, **more),
        _member(kind, "alone", crystal(1, "sc 20"), **more),
    ]


_variants = [*_silicon("mod"), *_silicon("modc"), *_silicon("zbl", elements="Si"),
             _member("zbl", "zincblende", CARBIDE),
             _member("zbl", "carbide-shuffled", crystal(2, "diamond 4.36", types=ZINCBLENDE, after=shuffled(0.5))),
             _member("zbl", "carbide-real-units", crystal(2, "diamond 4.36", types=ZINCBLENDE, units="real"),
                     energy_unit=EV_IN_KCAL_MOL),
             _member("zbl", "carbide-half-length", crystal(4, "diamond 2.2", types=ZINCBLENDE, displace=0.2),
                     strained=True),
             _member("zbl", "core-dimers", CORE_DIMERS, strained=True)]

_shifted = [
    *(system for kind in ("plain", "mod", "modc")
      for system in [*_shifts(kind, "crystal", crystal(), (-0.5, -0.05, 0.05, 0.4)),
                     *_shifts(kind, "melt", MELT.format("p p p"), (-0.2, 0.15), files=silicon_melt),
                     *_shifts(kind, "slab", SLAB, (-0.1, 0.1)),
                     *_shifts(kind, "triclinic", TILTED, (-0.1,), files=tilted_silicon),
                     *_shifts(kind, "real-units", crystal(units="real"), (0.1,), energy_unit=EV_IN_KCAL_MOL)]),
    *_shifts("zbl", "zincblende", CARBIDE, (-0.3, -0.05, 0.1, 0.3)),
    *_shifts("zbl", "core-dimers", CORE_DIMERS, (-0.1, 0.1), strained=True),
    System("si-1988-lambda3-shift", crystal(), "Si.tersoff", "Si", settings="shift -0.15"),
    System("bnc-shift", crystal(3, "diamond 3.615", after=shuffled(0.3, 0.4), box_types=3, displace=0.2),
           "BNC.tersoff", "B N C", settings="shift 0.08"),
]

_unlike = [
    System(f"{base.removeprefix('tersoff').strip('/').replace('/', '-') or 'plain'}-unlike-triplets"
           + settings.replace("shift ", "-shift"),
           crystal(after=shuffled(0.3, 0.4, 0.3), lattice="diamond 5.3", box_types=4, displace=0.3), "unlike.tersoff",
           "W X Y Z", base, settings, strained=True,
           files=functools.partial(lambda base: {"unlike.tersoff": potentials.unlike_triplets("WXYZ", 11, base)}, base))
    for base, settings in [("tersoff", "shift -0.2"), ("tersoff/mod", ""), ("tersoff/mod", "shift 0.2"),
                           ("tersoff/mod/c", ""), ("tersoff/mod/c", "shift -0.2"), ("tersoff/zbl", ""),
                           ("tersoff/zbl", "shift 0.2")]
]

# Boron nitride in two layers: tersoff within each, an interlayer potential between them.
BILAYER = """units metal
atom_style full
lattice custom 2.5 a1 1 0 0 a2 0 1.7320508 0 a3 0 0 2.72 &
    basis 0 0 0.25 basis 0.5 0.5 0.25 basis 0 0.333333 0.25 basis 0.5 0.833333 0.25 &
    basis 0 0 0.75 basis 0.5 0.5 0.75 basis 0 0.333333 0.75 basis 0.5 0.833333 0.75
region box block 0 4 0 2 0 1
create_box 2 box
create_atoms 1 box basis 3 2 basis 4 2 basis 5 2 basis 6 2
mass * 12
region lower block INF INF INF INF INF 0.5
set group all mol 2
set region lower mol 1
displace_atoms all random 0.05 0.05 0.05 8417 units box
"""
TWO_TYPES = crystal(after=shuffled(0.4), box_types=2)
_several_instances = [
    System("hybrid-two-members", TWO_TYPES, pair="""
pair_style hybrid tersoff{suffix} shift 0.05 {choice} tersoff/mod{suffix} {choice} lj/cut 6.0
pair_coeff * * tersoff{suffix} SiCGe.tersoff Si(D) NULL
pair_coeff * * tersoff/mod{suffix} Si.tersoff.mod NULL Si
pair_coeff 1 2 lj/cut 0.01 2.6
"""),
    System("hybrid-mod-c-beside-lj", TWO_TYPES, pair="""
pair_style hybrid lj/cut 6.0 tersoff/mod/c{suffix} shift -0.1 {choice}
pair_coeff * * tersoff/mod/c{suffix} Si.tersoff.modc Si NULL
pair_coeff * 2 lj/cut 0.01 2.6
"""),
    System("overlay-three-members", TWO_TYPES, pair="""
pair_style hybrid/overlay tersoff{suffix} {choice} tersoff/mod{suffix} shift -0.1 {choice} tersoff/zbl{suffix} {choice}
pair_coeff * * tersoff{suffix} SiCGe.tersoff Si(D) Ge
pair_coeff * * tersoff/mod{suffix} Si.tersoff.mod Si Si
pair_coeff * * tersoff/zbl{suffix} SiC.tersoff.zbl Si NULL
"""),
    System("overlay-same-member-twice", TWO_TYPES, pair="""
pair_style hybrid/overlay tersoff{suffix} shift 0.1 {choice} tersoff{suffix} {choice}
pair_coeff * * tersoff{suffix} 1 SiCGe.tersoff Si(D) Ge
pair_coeff * * tersoff{suffix} 2 Si.tersoff NULL Si
"""),
    System("overlay-interlayer-potential", BILAYER, pair="""
pair_style hybrid/overlay tersoff{suffix} shift -0.00407 {choice} ilp/graphene/hbn 8.0 1
pair_coeff * * tersoff{suffix} BNC.tersoff B N
pair_coeff * * ilp/graphene/hbn BNCH.ILP B N
"""),
    _member("mod", "excluded-group", crystal(after="group some id 1:70\nneigh_modify exclude group some all")),
    _member("zbl", "tiled-and-balanced", crystal(2, "diamond 4.36", types=ZINCBLENDE,
                                                 after="comm_style tiled\nregion gap block 0 1 0 2 0 2\n"
                                                       "delete_atoms region gap\nbalance 1.0 rcb")),
    _member("modc", "types-in-any-order", crystal(after=shuffled(0.3, 0.4), box_types=3), elements="Si Si Si"),
]

FAMILY = {system.name: system for system in _variants + _shifted + _unlike + _several_instances}
