"""The code blocks of the documentation's pages, and what surrounds a fragment so that it runs.

A block of LAMMPS commands is fenced as ```lammps. The comment `<!-- snippet: NAME -->` on the line above it names the
surroundings (CONTEXTS); `each` after the name means that blank lines separate alternatives, each of which runs alone;
`<!-- snippet: none, because ... -->` says why a block cannot run. A block without comment is a whole script.
"""

import re
from dataclasses import dataclass
from pathlib import Path

DOC = Path(__file__).resolve().parents[2] / "doc"

COMMENT = re.compile(r"<!-- snippet: (.*) -->")


@dataclass(frozen=True)
class Snippet:
    page: str
    line: int
    language: str
    context: str  # name in CONTEXTS, "script", or "none, because ..."
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def snippets(language):
    """All blocks of one language, alternatives apart."""
    return [snippet for path in sorted(DOC.rglob("*.md")) for snippet in _snippets_of(path) if
            snippet.language == language]


def _snippets_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    start = None
    for number, line in enumerate(lines):
        if start is None and re.match(r"```\w", line):
            start, language = number, line[3:].strip()
        elif start is not None and line.strip() == "```":
            comment = next((above for above in reversed(lines[:start]) if above.strip()), "")
            match = COMMENT.fullmatch(comment.strip())
            context = match[1] if match else "script"
            blocks = [(start + 2, "\n".join(lines[start + 1:number]))]
            if context.endswith(" each"):
                context = context.removesuffix(" each")
                blocks = _alternatives(start + 2, lines[start + 1:number])
            for first, text in blocks:
                yield Snippet(str(path.relative_to(DOC)), first, language, context, text)
            start = None


def _alternatives(first, lines):
    blocks, block = [], []
    for number, line in enumerate([*lines, ""], first):
        if line.strip():
            block.append((number, line))
        elif block:
            blocks.append((block[0][0], "\n".join(text for _, text in block)))
            block = []
    return blocks


# Boxes that fragments run in. Silicon in the diamond structure; alloys are zincblende, one type more than elements.
SILICON = """\
units metal
lattice diamond 5.432
region box block 0 3 0 3 0 3
create_box 1 box
create_atoms 1 box
mass * 28.0855
displace_atoms all random 0.02 0.02 0.02 4711 units box
neighbor 1.0 bin
velocity all create 300.0 87287
timestep 0.001
thermo 1
"""
SILICON_POTENTIAL = "pair_style tersoff/triad\npair_coeff * * SiCGe.tersoff Si(D)\n"
ALLOY = """\
units metal
atom_modify map yes
lattice diamond {edge}
region box block 0 3 0 3 0 3
create_box {types} box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
set type 1 type/fraction {types} 0.2 4711
mass * 12.0
velocity all create 300.0 87287
thermo 1
"""
PARTICLES = """\
units lj
atom_modify map yes
region box block -6 6 -6 6 -6 6
boundary s s s
create_box 2 box
create_atoms 1 random 60 4711 NULL overlap 0.9 maxtry 1000
create_atoms 2 random 60 1147 NULL overlap 0.9 maxtry 1000
mass * 1.0
group solute type 1
group solvent type 2
comm_modify cutoff 3.1
velocity all create 0.01 87287
timestep 0.001
thermo 1
"""
PAIR_FILE = {"net.pairs": "# ID1 ID2 K r0\n1 2 30.0 1.0\n1 7 12.5 1.3\n"}
NVE, RUN = "fix motion all nve\n", "run 4\n"

# name -> (commands before the fragment, commands after it)
CONTEXTS = {
    "script": ("", ""),
    # a pair_style and its pair_coeff
    "silicon potential": (SILICON, NVE + RUN),
    "alloy of 2": (ALLOY.format(edge=4.36, types=2), NVE + RUN),
    "alloy of 3": (ALLOY.format(edge=4.36, types=3), NVE + RUN),
    "boron nitride": (ALLOY.format(edge=3.65, types=3), NVE + RUN),
    # an integrator, a run style, computes
    "silicon": (SILICON + SILICON_POTENTIAL, RUN),
    "silicon with nve": (SILICON + SILICON_POTENTIAL + NVE, RUN),
    "silicon with nve/triad": (SILICON + SILICON_POTENTIAL + "run_style verlet/triad\nfix motion all nve/triad\n", RUN),
    "silicon without motion": (SILICON + SILICON_POTENTIAL + "run_style verlet/triad\n", RUN),
    "silicon, whole": (SILICON, ""),
    # fix pairwise/triad
    "particles": (PARTICLES, NVE + RUN),
    "particles without motion": (PARTICLES, RUN),
    # a whole script that is cut short: the variables are set before it
    "script of few steps": ("", ""),
}
