"""Every file, function and class of Triad that a page for developers names exists.

    check_names.py <root of the project>

Looks at code in backticks, outside code blocks, in ARCHITECTURE.md, CONTRIBUTING.md and the pages of doc/dev but
experiments.md, which also names what was deleted. A path is relative to the project or to any folder of it. The parts of
a name (`Class`, `function()`, `Class::function()`, `some_name`) must be words of the sources, CMake files included. Prints
each name that is missing with file and line; exit status 1 if there is one.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from check_links import markdown_files

CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]*\w\.(?:h|cuh|cpp|cu|py|cmake|md|toml|map|yml|yaml|txt|json|in|svg|png)\b")
NAME = re.compile(r"(?:\w+::)*(?:\w+\(\)|[A-Z]\w*[a-z]\w*|[a-z]+_[a-z_]+\w*)")
# files and names of LAMMPS, of MPI and of the example law in extending.md
FOREIGN = re.compile(r"lammpsplugin\.h|version\.h|mpi\.h|MPI_\w+|PairHybrid::.*|Gauss")
SOURCES = {".h", ".cuh", ".cpp", ".cu", ".py", ".cmake"}


def pages(root):
    return [page for page in markdown_files(root) if page in (root / "ARCHITECTURE.md", root / "CONTRIBUTING.md")
            or page.parent == root / "doc" / "dev" and page.name != "experiments.md"]


def lines(page):
    """(line number, line) outside fenced blocks."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def main():
    root = Path(sys.argv[1]).resolve()
    folders = [root / name for name in ("src", "unittest", "testing", "benchmarks", "cmake", "python", "release", "examples",
                                        "doc", "potentials")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [path for path in root.iterdir() if path.is_file()]
    paths = {"/" + str(path.relative_to(root)) for path in files}
    words = set()
    for path in files:
        if path.suffix in SOURCES or path.name == "CMakeLists.txt":
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="ignore")))
    missing = []
    for page in pages(root):
        for number, line in lines(page):
            for code in CODE.findall(line):
                if FOREIGN.fullmatch(code):
                    continue
                if FILE.fullmatch(code):
                    wrong = not any(path.endswith("/" + code) for path in paths)
                elif NAME.fullmatch(code):
                    wrong = not set(re.findall(r"\w+", code)) <= words
                else:
                    continue
                if wrong:
                    missing.append(f"{page.relative_to(root)}:{number}: `{code}` does not exist")
    if missing:
        print(*missing, sep="\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
