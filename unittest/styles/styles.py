"""The pair styles that are compared, as a script names them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    name: str
    settings: str = ""

    def __str__(self):
        return f"{self.name} {self.settings}".strip()


STOCK = Style("tersoff")


def triad(precision="double", backend="host"):
    return Style("tersoff/triad", f"precision {precision} backend {backend}")
