"""Builds the documentation into HTML, or checks its spelling.

    python doc/build_site.py --output build/site              # warnings are errors
    python doc/build_site.py --install --environment build/docs-venv --output build/site
    python doc/build_site.py --spelling

The packages of doc/requirements.txt are taken from the Python that runs this file or, where Sphinx is missing there,
from the virtual environment named by --environment, which --install creates. Without either the exit status is 77, by
which CTest knows a skipped test.
"""

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "doc" / "requirements.txt"
SKIPPED = 77
# What codespell reads, and the names that are no spelling mistakes.
SPELLED = ["README.md", "ARCHITECTURE.md", "doc", "examples", "benchmarks", "potentials", "python", "release", "src", "unittest"]
NAMES = ROOT / "doc" / "spelling_names.txt"


def has_packages(python):
    """True if this interpreter can import all that the documentation needs."""
    check = "import sphinx, myst_parser, furo, sphinx_copybutton, sphinxcontrib.mermaid, codespell_lib"
    return subprocess.run([python, "-c", check], capture_output=True).returncode == 0


def find_python(environment, install):
    """The interpreter that has the packages, or None. `install` puts them into `environment` when none has."""
    candidates = [Path(sys.executable)]
    if environment:
        candidates.append(environment / "bin" / "python")
    for python in candidates:
        if python.is_file() and has_packages(python):
            return python
    if not (environment and install):
        return None
    venv.create(environment, with_pip=True)
    subprocess.run([candidates[1], "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-r",
                    REQUIREMENTS], check=True)
    return candidates[1]


def build(python, output):
    """Sphinx's exit status. Every warning is an error; a broken internal link is a warning."""
    command = [python, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2",
               "-d", output.parent / f"{output.name}.doctrees", ROOT / "doc", output]
    return subprocess.run(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}).returncode


def spelling(python):
    """codespell's exit status for everything that people read."""
    files = [ROOT / name for name in SPELLED]
    skip = "*.png,*.svg,*.json,*.tersoff*,*.pyc,*/potentials/*.tersoff,requirements.txt,spelling_names.txt"
    return subprocess.run([python, "-m", "codespell_lib", "--ignore-words", NAMES, "--skip", skip, *files],
                          cwd=ROOT).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", help="folder of the site")
    parser.add_argument("--environment", type=Path, help="virtual environment that may hold the packages")
    parser.add_argument("--install", action="store_true", help="create that environment when the packages are missing")
    parser.add_argument("--spelling", action="store_true", help="check the spelling instead of building")
    options = parser.parse_args()
    python = find_python(options.environment, options.install)
    if python is None:
        print(f"The packages of {REQUIREMENTS.relative_to(ROOT)} are not installed: "
              "cmake --build build --target docs installs them into the build folder.")
        return SKIPPED
    if options.spelling:
        return spelling(python)
    failed = build(python, options.output.resolve())
    if not failed:
        print(f"The site is {options.output / 'index.html'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
