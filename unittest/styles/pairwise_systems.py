"""The systems in which fix pairwise/triad is compared with plain double loops."""

from dataclasses import replace

import numpy as np
from pairwise import System, coulomb_power, gravity, harmonic, lj, scattered, spaced

LJ = {(1, 1): (1.0, 1.0), (1, 2): (0.9, 1.05), (1, 3): (0.5, 0.9), (2, 2): (0.8, 1.1), (2, 3): (1.2, 0.95),
      (3, 3): (0.7, 1.0)}
PLASMA = {(1, 1): (2.0, 0.3, 6.0), (1, 2): (-1.5, 0.5, 9.0), (1, 3): (0.4, 0.0, 1.0), (2, 2): (1.0, 0.7, 2.0),
          (2, 3): (-0.3, 0.6, 1.5), (3, 3): (0.0, 0.8, 4.0)}


def odd(n):
    return np.arange(1, n + 1) % 2 == 1


def third(n):
    return np.arange(1, n + 1) % 3 == 0


ODD_AND_THIRD = "group odd id 1:1000000:2\ngroup third id 3:1000000:3"


def net(n, pairs, seed=5):
    """{(i, j): (K, r0)} of random pairs of IDs."""
    random = np.random.default_rng(seed)
    drawn = {tuple(sorted(random.choice(n, 2, replace=False) + 1)) for _ in range(pairs)}
    return {(int(a), int(b)): (round(random.uniform(1, 3), 3), round(random.uniform(0.5, 1.5), 3)) for a, b in drawn}


def springs(name, atoms, pairs, **more):
    lines = [f"{a} {b} {K} {r0}" for (a, b), (K, r0) in pairs.items()]
    return System(name, atoms, harmonic(pairs), files={"net.pairs": "\n".join(lines) + "\n"}, **more)


_cloud = scattered(101)
_wrapped = replace(_cloud, image=np.random.default_rng(3).integers(-1, 2, (101, 3)))
_tilted = scattered(101, tilt=(2.0, -1.0, 3.0))
_lumps = scattered(40, edge=0.5)
_coincident = replace(_lumps, x=np.concatenate([_lumps.x[:20], _lumps.x[:20] + 1e-3, ])[:40])
_coincident.x[39] = _coincident.x[38]
_chains = spaced(5, chain=10)
_bonded = "bond_style zero\nbond_coeff 1 1.0\nspecial_bonds lj 0.1 0.5 0.7 coul 0.2 0.6 0.8"

_all = [
    System("gravity-open", _cloud, gravity(0.7, 0.1)),
    System("gravity-periodic", _cloud, gravity(0.7, 0.1), boundary="p p p"),
    System("gravity-slab", _cloud, gravity(0.7, 0.1), boundary="p p f"),
    System("gravity-unwrapped", _wrapped, gravity(0.7, 0.1), "image none", boundary="p p p", images=False),
    System("gravity-triclinic", _tilted, gravity(0.7, 0.1), boundary="p p p"),
    System("gravity-own-masses", replace(_cloud, own_masses=np.linspace(0.5, 3, 101)), gravity(0.7, 0.1)),
    System("gravity-group", _cloud, gravity(0.7, 0.1), setup=ODD_AND_THIRD, group="odd", acts=(odd(101), odd(101))),
    System("gravity-two-groups", _cloud, gravity(0.7, 0.1), "group2 third", setup=ODD_AND_THIRD, group="odd",
           acts=(odd(101), third(101))),
    System("coulomb-power", _cloud, coulomb_power(PLASMA)),
    System("coulomb-power-periodic-two-groups", _cloud, coulomb_power(PLASMA, 0.01), "group2 all", boundary="p p p",
           setup=ODD_AND_THIRD, group="third", acts=(third(101), odd(101) | True)),
    System("coulomb-power-below-the-floor", _coincident, coulomb_power(PLASMA)),
    System("lj-all", spaced(5), lj(LJ)),
    System("lj-all-periodic", spaced(5), lj(LJ), boundary="p p p"),
    System("lj-all-special", _chains, lj(LJ), boundary="p p p", setup=_bonded, special={1: 0.1, 2: 0.5, 3: 0.7}),
    System("lj-all-special-none", _chains, lj(LJ), "exclude none", boundary="p p p", setup=_bonded),
    System("coulomb-power-special-two-groups", _chains, coulomb_power(PLASMA), "group2 third", boundary="p p p",
           group="odd", acts=(odd(125), third(125)), setup=f"{ODD_AND_THIRD}\n{_bonded}", special={1: 0.2, 2: 0.6, 3: 0.8}),
]
_list = [
    System("lj-list", spaced(5), lj(LJ), "range list cutoff 2.5", boundary="p p p", cutoff=2.5),
    System("lj-list-slab-newton-off", spaced(5), lj(LJ), "range list cutoff 2.5", boundary="p f p", cutoff=2.5,
           before="newton off"),
    System("lj-list-newton-pair-off", spaced(5), lj(LJ), "range list cutoff 2.5", boundary="p p p", cutoff=2.5,
           before="newton off on"),
    System("lj-list-tiled", spaced(5), lj(LJ), "range list cutoff 2.5", boundary="p p p", cutoff=2.5,
           setup="comm_style tiled\nbalance 1.0 rcb"),
    System("lj-list-small-box", spaced(2), lj(LJ), "range list cutoff 2.5", boundary="p p p", cutoff=2.5),
    System("lj-list-two-groups", spaced(5), lj(LJ), "range list cutoff 2.5 group2 third", boundary="p p p", cutoff=2.5,
           setup=ODD_AND_THIRD, group="odd", acts=(odd(125), third(125))),
    System("lj-list-special", _chains, lj(LJ), "range list cutoff 2.5", boundary="p p p", cutoff=2.5, setup=_bonded,
           special={1: 0.1, 2: 0.5, 3: 0.7}),
    System("lj-list-special-none", _chains, lj(LJ), "range list cutoff 2.5 exclude none", boundary="p p p", cutoff=2.5,
           setup=_bonded),
    System("coulomb-power-list-triclinic", _tilted, coulomb_power(PLASMA), "range list cutoff 3.0", boundary="p p p",
           cutoff=3.0),
    System("coulomb-power-list-special", _chains, coulomb_power(PLASMA), "range list cutoff 2.5", boundary="p p p",
           cutoff=2.5, setup=_bonded, special={1: 0.2, 2: 0.6, 3: 0.8}),
    System("gravity-list", _cloud, gravity(0.7, 0.1), "range list cutoff 3.0", boundary="p p p", cutoff=3.0),
    System("gravity-list-own-masses", replace(_cloud, own_masses=np.linspace(0.5, 3, 101)), gravity(0.7, 0.1),
           "range list cutoff 3.0", boundary="p p p", cutoff=3.0),
]
_pairs = [
    springs("harmonic-cutoff", _cloud, net(101, 400), settings="cutoff 3.0", boundary="p p p", cutoff=3.0),
    springs("harmonic-newton-off", _cloud, net(101, 400), settings="cutoff 3.0", boundary="p p p", cutoff=3.0,
            before="newton off"),
    springs("harmonic-cutoff-triclinic", _tilted, net(101, 400), settings="cutoff 3.0", boundary="p p p", cutoff=3.0),
    springs("harmonic-every-pair", _cloud, net(101, 300), setup="comm_modify cutoff 20\n"),
    springs("harmonic-group", _cloud, net(101, 400), setup=ODD_AND_THIRD, settings="cutoff 4.0", cutoff=4.0,
            group="odd", acts=(odd(101), odd(101))),
]
SYSTEMS = {system.name: system for system in [*_all, *_list, *_pairs]}

# Numbers of atoms around the sizes of warps, tiles and blocks.
SIZES = [0, 1, 2, 3, 31, 32, 33, 63, 65, 127, 129, 257, 511, 1025]


def of_size(n, settings=""):
    return System(f"gravity-{n}", scattered(n, seed=n), gravity(1.3, 0.2), settings)
