"""The pair styles that are compared, as a script names them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    name: str
    settings: str = ""

    def __str__(self):
        return f"{self.name} {self.settings}".strip()

    def of(self, base, settings=""):
        """The same choice for another member of the family, with `settings` that stock knows too."""
        return Style(self.name.replace("tersoff", base, 1), f"{settings} {self.settings}".strip())


STOCK = Style("tersoff")


def triad(precision="double", backend="host"):
    """`backend` kokkos is the style of that package, which computes where the package keeps the atoms."""
    if backend == "kokkos":
        return Style("tersoff/triad/kk", f"precision {precision}")
    return Style("tersoff/triad", f"precision {precision} backend {backend}")
