"""Runs clang-format or clang-tidy on the project's sources; the targets format-check, format and tidy call this."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

SUFFIXES = {".h", ".cpp", ".cuh", ".cu"}
GCC_ONLY = {"-fschedule-insns", "-fsched-pressure", "-Wno-maybe-uninitialized"}  # options that clang does not know
FOLDERS = ("src", "unittest", "benchmarks", "examples", "testing")


def sources(root):
    """C++ and CUDA files of the project's folders, sorted."""
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def run_format(root, tool, arguments):
    """Runs clang-format on all files; returns its exit status."""
    files = [str(file) for file in sources(root)]
    status = subprocess.run([tool, *arguments, *files], cwd=root).returncode
    print(f"clang-format: {len(files)} files, {'changes needed' if status else 'nothing to change'}")
    return status


def tidy_one(tool, build, file):
    """clang-tidy on one file of compile_commands.json: its name, exit status and findings."""
    command = [tool, "--quiet", "-p", str(build), file]
    done = subprocess.run(command, capture_output=True, text=True)
    return file, done.returncode, done.stdout


def run_tidy(root, tool, build):
    """Runs clang-tidy on every C++ source of src that the build folder compiles; returns 1 if there was a finding."""
    commands = json.loads((build / "compile_commands.json").read_text())
    commands = [entry for entry in commands if Path(entry["file"]).is_relative_to(root / "src")]
    for entry in commands:
        entry["command"] = " ".join(word for word in entry["command"].split() if word not in GCC_ONLY)
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    files = sorted({entry["file"] for entry in commands if entry["file"].endswith(".cpp")})
    if not files:
        sys.exit(f"{build}/compile_commands.json names no source of {root / 'src'}.")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, status, findings in pool.map(lambda file: tidy_one(tool, folder, file), files):
            if status:
                failed += 1
                print(findings, end="", flush=True)
    print(f"clang-tidy: {len(files)} sources, {failed} with findings")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True, help="root of the project")
    parser.add_argument("check", choices=["format-check", "format", "tidy"])
    parser.add_argument("tool", help="path of clang-format or clang-tidy")
    parser.add_argument("--build", type=Path, help="build folder with compile_commands.json, for tidy")
    arguments = parser.parse_args()
    root = arguments.source.resolve()
    if arguments.check == "tidy":
        return run_tidy(root, arguments.tool, arguments.build)
    return run_format(root, arguments.tool, ["-i"] if arguments.check == "format" else ["--dry-run", "-Werror"])


if __name__ == "__main__":
    sys.exit(main())
