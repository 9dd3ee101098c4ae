"""Rewrites a user's LAMMPS script for `compare`: the same run with stock styles, or with our options, and measured.

Everything else in the script stays as it is. In the Triad run LAMMPS itself turns `tersoff` into `tersoff/triad`, and
likewise the other styles of the family (command-line switch -suffix), so pair styles that come out of variables are
found too.
"""

import re
from pathlib import Path

from .launch import CompareError

OPTIONS = r"""(?:\s+(?:precision|backend|deterministic)\s+[^\s'"]+)"""
FAMILY = r"tersoff(?:/mod(?:/c)?|/zbl)?"
OUR_STYLE = re.compile(rf"\b({FAMILY}|lj/cut)/triad\b{OPTIONS}*")
# where options go on a pair_style line: behind the name of the style, or behind the variable that holds it
NAMED_STYLE = re.compile(rf"(?<=\s){FAMILY}(?:/triad)?(?=\s|$)")
LJ_WITH_CUTOFF = re.compile(r"(?<=\s)lj/cut(?:/triad)?\s+[^\s'\"]+(?=\s|$)")
STYLE_IN_VARIABLE = re.compile(r"pair_style\s+\$(?:\{\w+\}|\w)(?=\s|$)")

# an include or jump: the command, its first argument with quotes or without, and the rest of the line
FILE_COMMAND = re.compile(r"""\s*(\w+)\s+(?:("[^"]*"|'[^']*')|(\S+))(.*)""", re.DOTALL)

ANY_TEXT = {"encoding": "utf-8", "errors": "surrogateescape"}  # comments come in every encoding

# Energy (extensive), pressure and volume at the present step, in every digit, then the forces. `run 0` makes them current.
PROBE = """\
variable triad_volume equal vol
fix triad_probe all ave/time 1 1 1 c_thermo_pe c_thermo_press v_triad_volume format " %.17g" file "{folder}/{name}.totals"
run 0 post no
write_dump all custom "{folder}/{name}.forces" id fx fy fz modify sort id format float %.17g
unfix triad_probe
variable triad_{name} string measured
"""
DISPLACE = "displace_atoms all random {0} {0} {0} 4711 units box\n"


class StockStyles:
    """Rewrites lines (or values of variables) to LAMMPS's own styles, without our options.

    notes   what the stock run does otherwise than the script says, a sentence each
    """

    def __init__(self):
        self.notes = []

    def __call__(self, line):
        line = OUR_STYLE.sub(r"\1", line)
        words = line.split()
        match words:
            case ["pair_style", *_]:
                return re.sub(OPTIONS, "", line)
            case ["suffix", *_]:
                return f"# {line}"
            case ["compute", name, group, "heat/flux/triad", *_]:
                self.notes.append(f"compute {name} of the stock run is heat/flux with stress/atom, whose heat current differs")
                parts = [f"compute triad_{name}_{style[0]} {group} {style}" for style in ("ke/atom", "pe/atom")]
                parts.append(f"compute triad_{name}_s {group} stress/atom NULL virial")
                return "\n".join([*parts, f"compute {name} {group} heat/flux triad_{name}_k triad_{name}_p triad_{name}_s"])
            case ["compute", name, _, "centroid/stress/atom", *_]:
                self.notes.append(f"compute {name} of the stock run is stress/atom, since stock tersoff has no "
                                  "centroid/stress/atom; heat currents differ")
                return line.replace("centroid/stress/atom", "stress/atom", 1)
            case ["fix", name, _, "langevin/triad", *_]:
                self.notes.append(f"fix {name} of the stock run has other random numbers than langevin/triad, so the courses differ")
                return line.replace("langevin/triad", "langevin", 1)
            case ["fix", _, _, "pairwise/triad", *_]:
                raise CompareError("LAMMPS has no style of its own for fix pairwise/triad, so there is nothing to compare")
            case ["fix" | "compute", _, _, style, *_] | ["run_style", style, *_] if style.endswith("/triad"):
                return line.replace(style, style.removesuffix("/triad"), 1)
        return line


def with_options(**options):
    """A function that gives every style of Triad on a pair_style line these options, such as precision="double"."""
    chosen = {keyword: value for keyword, value in options.items() if value}

    def rewrite(line):
        if first_word(line) != "pair_style":
            return line
        for keyword in chosen:
            line = re.sub(rf"\s+{keyword}\s+\S+", "", line)
        words = "".join(f" {keyword} {value}" for keyword, value in chosen.items())
        lj = f"|{LJ_WITH_CUTOFF.pattern}" if "hybrid" in line else ""  # alone, there is nothing to compare
        return re.sub(f"{NAMED_STYLE.pattern}|{STYLE_IN_VARIABLE.pattern}{lj}", lambda match: match[0] + words, line)

    return rewrite


def first_word(line):
    words = line.split(maxsplit=1)
    return words[0] if words else ""


def logical_lines(text):
    """The script's commands, one string each: continuations with & joined, text in triple quotes kept together."""
    pending = ""
    for line in text.splitlines():
        pending += line
        if pending.count('"""') % 2:
            pending += "\n"
        elif pending.rstrip().endswith("&"):
            pending = pending.rstrip()[:-1] + " "
        else:
            yield pending
            pending = ""
    if pending:
        yield pending


class Copy:
    """A copy of a script and of the files it includes, rewritten line by line, in a folder of its own.

    Energy, pressure, volume and forces are written when the first `run` or `minimize` is reached (start.*) and when the
    script has ended or reaches a line that quits (end.*).

    displaced   atoms are displaced at random by up to this length before start.* is written
    nudged      the same after start.* is written
    only_start  the script ends when start.* is written
    """

    def __init__(self, script, folder, rewrite, displaced=None, nudged=None, only_start=False):
        self.script = Path(script).resolve()
        self.folder = Path(folder)
        self.rewrite = rewrite
        self.probes = ("start",) if only_start else ("start", "end")
        self.measures_start = False
        self.copies = {}  # original file -> its copy
        before = DISPLACE.format(displaced) if displaced else ""
        after = (DISPLACE.format(nudged) if nudged else "") + ("quit\n" if only_start else "")
        for name, text in (("start", before + PROBE + after), ("end", PROBE)):
            self.folder.joinpath(f"in.{name}").write_text(text.format(folder=self.folder, name=name))
        self.path = self._copy(self.script)
        text = self.path.read_text(**ANY_TEXT)
        text = f"variable triad_start string unmeasured\n{text}\ninclude '{self.folder}/in.end'\n"
        self.path.write_text(text, **ANY_TEXT)

    def _copy(self, original):
        copy = self.folder / f"{len(self.copies)}.{original.name}"
        self.copies[original] = copy
        lines = []
        for line in logical_lines(original.read_text(**ANY_TEXT)):
            word = first_word(line)
            if word in ("run", "minimize") and not self.measures_start:
                self.measures_start = True
                # the condition matters in a loop, which comes here more than once
                lines.append(f'if "${{triad_start}} == unmeasured" then "include \'{self.folder}/in.start\'"')
            if word == "quit":
                lines.append(f"include '{self.folder}/in.end'")
            if word in ("include", "jump"):
                line = self._redirect(line)
            lines.append(self.rewrite(line))
        copy.write_text("\n".join(lines) + "\n", **ANY_TEXT)
        return copy

    def _redirect(self, line):
        """An include or jump that names a file leads to its copy; the name may not hang on a variable."""
        parts = FILE_COMMAND.fullmatch(line)
        if not parts:
            return line
        command, quoted, name, rest = parts.groups()
        name = quoted[1:-1] if quoted else name
        original = (self.script.parent / name).resolve()
        if name == "SELF" or not original.is_file():
            return line
        copy = self.copies.get(original) or self._copy(original)
        return f"{command} '{copy}'{rest}"
