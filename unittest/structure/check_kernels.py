"""Checks that objects compiled for one instruction set keep to themselves.

A function that such an object defines for all (an inline function or a template of the standard library, say) might be
the copy that the linker keeps, and then run on a processor without the instructions. So all that these objects define
must name the register size or the set: lanes of Bytes bytes, or a function of the given name.

Usage: check_kernels.py <nm> <function name> <object>...
"""

import re
import subprocess
import sys

SHARED = set("TDBRVWu")  # nm's letters of symbols that other objects see


def offences(nm, function, path):
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    symbols = [line.split(maxsplit=2)[1:] for line in listing.splitlines()]
    shared = [name for kind, name in symbols if kind in SHARED]
    if not any(function in name for name in shared):
        return [f"{path}: does not define {function}"]
    own = re.compile(rf"\b{function}_|Lanes<\w+, \d+>|ChunkLoop<|PairTileLoop<")
    return [f"{path}: {name}" for name in shared if not own.search(name)]


def main(nm, function, *objects):
    found = [offence for path in objects for offence in offences(nm, function, path)]
    print("\n".join(found) or f"{len(objects)} objects keep to themselves")
    return 1 if found or not objects else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
