"""Systems of pair_style hybrid with styles of the Tersoff family and lj/cut: how a script names them, with stock styles
and with ours."""

from dataclasses import dataclass

LAYERS = """units metal
boundary p p p
lattice custom 2.46 a1 1.0 0.0 0.0 a2 0.0 1.7320508 0.0 a3 0.0 0.0 4.0 &
  basis 0.0 0.0 0.2 basis 0.0 0.33333333 0.2 basis 0.5 0.5 0.2 basis 0.5 0.83333333 0.2 &
  basis 0.0 0.33333333 0.54 basis 0.0 0.66666667 0.54 basis 0.5 0.83333333 0.54 basis 0.5 0.16666667 0.54
region box block 0 6 0 4 0 1
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass * 12.011
displace_atoms all random 0.05 0.05 0.05 8417 units box
"""

SILICON_IN_ARGON = """units metal
boundary p p p
lattice diamond 5.432
region box block 0 3 0 3 0 6
create_box 2 box
region solid block INF INF INF INF 0 2.99
create_atoms 1 region solid
lattice fcc 5.6
region gas block INF INF INF INF 3.3 5.4
create_atoms 2 region gas
mass 1 28.0855
mass 2 39.948
displace_atoms all random 0.1 0.1 0.1 8417 units box
"""

GRAPHENE_ON_SILICON = """units metal
boundary p p p
lattice diamond 5.432
region box block 0 3 0 3 0 5
create_box 3 box
region solid block INF INF INF INF 0 2.99
create_atoms 2 region solid basis 1 3
lattice custom 2.46 a1 1.0 0.0 0.0 a2 0.0 1.7320508 0.0 a3 0.0 0.0 4.0 basis 0.0 0.0 0.0 basis 0.0 0.33333333 0.0 &
  basis 0.5 0.5 0.0 basis 0.5 0.83333333 0.0
region sheet block 0.1 5.9 0.1 3.4 1.95 2.05
create_atoms 1 region sheet
mass 1 12.011
mass 2 28.0855
mass 3 28.0855
displace_atoms all random 0.05 0.05 0.05 8417 units box
"""


@dataclass(frozen=True)
class Hybrid:
    name: str
    create: str
    pair: str  # {t}: suffix and settings of Tersoff styles; {lj}, {s}: name of lj/cut, its settings; {x}: suffix

    def commands(self, backend=None, precision="double", lj=True):
        """The script up to the pair coefficients. `backend` None: stock styles. `lj`: our lj/cut too."""
        settings = f"precision {precision} backend {backend}"
        ours = backend is not None
        return self.create + self.pair.format(
            x="/triad" if ours else "", s=settings if ours else "", lj="lj/cut/triad" if ours and lj else "lj/cut",
            ls=settings if ours and lj else "")


HYBRIDS = {hybrid.name: hybrid for hybrid in [
    Hybrid("layers", LAYERS, """
pair_style hybrid tersoff{x} {s} {lj} 7.0 {ls}
pair_coeff * * tersoff{x} SiC.tersoff C C
pair_coeff 1 2 {lj} 0.00284 3.4
"""),
    Hybrid("layers-of-two-instances", LAYERS, """
pair_style hybrid/overlay tersoff{x} {s} tersoff{x} {s} {lj} 7.0 {ls}
pair_coeff * * tersoff{x} 1 SiC.tersoff C NULL
pair_coeff * * tersoff{x} 2 BNC.tersoff NULL C
pair_coeff 1 2 {lj} 0.00284 3.4
"""),
    Hybrid("silicon-in-argon", SILICON_IN_ARGON, """
pair_style hybrid {lj} 8.5 {ls} tersoff{x} {s}
pair_coeff * * tersoff{x} Si.tersoff Si NULL
pair_coeff 1 2 {lj} 0.0085 3.0 7.0
pair_coeff 2 2 {lj} 0.0104 3.4
pair_modify pair {lj} shift yes
"""),
    Hybrid("overlay-of-lj-on-all", SILICON_IN_ARGON, """
pair_style hybrid/overlay tersoff{x} {s} {lj} 6.0 {ls}
pair_coeff * * tersoff{x} Si.tersoff Si NULL
pair_coeff 1 1 {lj} 0.002 2.0
pair_coeff 1 2 {lj} 0.009 3.0
pair_coeff 2 2 {lj} 0.0104 3.4 7.5
pair_modify tail yes
"""),
    Hybrid("graphene-on-silicon", GRAPHENE_ON_SILICON, """
pair_style hybrid tersoff{x} {s} tersoff/mod{x} {s} {lj} 7.0 {ls}
pair_coeff * * tersoff{x} SiC.tersoff C NULL NULL
pair_coeff * * tersoff/mod{x} Si.tersoff.mod NULL Si Si
pair_coeff 1 2*3 {lj} 0.0089 3.33
"""),
    Hybrid("lj-alone", SILICON_IN_ARGON, """
pair_style {lj} 6.0 {ls}
pair_coeff 1 1 0.01 2.2
pair_coeff 2 2 0.0104 3.4 7.5
pair_modify mix sixthpower tail yes
"""),
]}
