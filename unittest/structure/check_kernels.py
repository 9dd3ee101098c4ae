"""Checks that objects compiled for one instruction set keep to themselves.

A function that such an object defines for all (an inline function or a template of the standard library, say) might be
the copy that the linker keeps, and then run on a processor without the instructions. So all that these objects define
must name the register size or the set: lanes of Bytes bytes, or one of the given functions.

Usage: check_kernels.py <nm> <function name>,... <object>...
"""

import re
import subprocess
import sys

SHARED = set("TDBRVWu")  # nm's letters of symbols that other objects see


def shared_symbols(nm, path):
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    symbols = [line.split(maxsplit=2)[1:] for line in listing.splitlines()]
    return [name for kind, name in symbols if kind in SHARED]


def main(nm, functions, *objects):
    functions = functions.split(",")
    own = re.compile(rf"\b({'|'.join(functions)})_|Lanes<\w+, \d+>|ChunkLoop<|PairTileLoop<")
    symbols = {path: shared_symbols(nm, path) for path in objects}
    found = [f"{path}: {name}" for path, names in symbols.items() for name in names if not own.search(name)]
    every = [name for names in symbols.values() for name in names]
    found += [f"no object defines {name}" for name in functions if not any(f"{name}_" in other for other in every)]
    print("\n".join(found) or f"{len(objects)} objects keep to themselves")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
