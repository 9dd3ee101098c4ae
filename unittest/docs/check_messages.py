"""The messages that the manual pages quote are those of the sources.

    check_messages.py <root of the project>

Takes the first column of the tables under "Error messages" and in troubleshooting.md. What stands for a value there
(`...`, a capital letter, `(x, y, z)`, a style's name) splits a message into parts, each of which must occur in a string
of src/. Messages of LAMMPS itself are listed below. Prints what is not found; exit status 1 if anything.
"""

import re
import sys
from pathlib import Path

# Printed by LAMMPS, by the dynamic linker or by KOKKOS.
FOREIGN = re.compile(
    "Unrecognized|Unknown integrate style|Loading plugins|Open of file|undefined symbol|libmpi|Could not determine local MPI|"
    "units are in use|Lost atoms")
VALUE = re.compile(
    r"\.\.\.|\(x, y, z\)|\(style S/tally\)|\b[A-Z]\b|\b\d+\b|tersoff\S*/triad(?:/kk)?|pairwise/triad|"
    r"(?:pair|run)_style|Pair style|backend \w+: |line:|of the previous step|on or near the atom at|"
    r"on the (?:GPU|host \(page-locked\)) for|\bon host\b")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def strings(src):
    """The text of every string literal, adjacent ones joined, with a blank for each value that is put in."""
    text = []
    for path in sorted(src.rglob("*")):
        if path.suffix in {".cpp", ".h", ".cu", ".cuh"}:
            code = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
            text += [re.sub(r"\{[^}]*\}|%[-.0-9]*[a-z]+", "\x00", found) for found in STRING.findall(code)]
    return "\n".join(text).replace('\\"', '"')


def quoted(page):
    """(line number, message) of the first column of the tables that the page has of messages."""
    inside = page.name == "troubleshooting.md"
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## ") and page.name != "troubleshooting.md":
            inside = line == "## Error messages"
        if inside and line.startswith("| `"):
            for message in re.findall(r"`([^`]+)`", line.split(" | ")[0]):
                yield number, message


def main():
    root = Path(sys.argv[1]).resolve()
    text = strings(root / "src")
    count, missing = 0, []
    pages = [*(root / "doc" / "user" / "reference").glob("*.md"), root / "doc" / "user" / "troubleshooting.md"]
    for page in sorted(pages):
        for number, message in quoted(page):
            if FOREIGN.search(message):
                continue
            for part in VALUE.split(message):
                part = part.strip(" :,'()")
                if len(part) < 6:
                    continue
                count += 1
                if part not in text:
                    missing.append(f"{page.relative_to(root)}:{number}: no message says '{part}' (of '{message}')")
    print(*missing, sep="\n")
    print(f"{count} parts of messages, {len(missing)} not found")
    return 1 if missing or not count else 0


if __name__ == "__main__":
    sys.exit(main())
