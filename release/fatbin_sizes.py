"""Prints how many bytes of a file are code for each GPU architecture.

    python release/fatbin_sizes.py triadplugin.so

Reads the section .nv_fatbin of an ELF file: a sequence of containers, each with a header of 16 bytes (magic number, size)
and entries whose header names kind (1 PTX, 2 machine code), size and architecture. cuobjdump, which lists the same, is
not part of every toolkit.
"""

import struct
import sys
from collections import Counter
from pathlib import Path

MAGIC = 0xBA55ED50
PTX = 1


def section(data, wanted):
    """The bytes of a section of a 64-bit little-endian ELF file, empty if there is none of that name."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, start, length in headers:
        if data[strings + name:data.index(b"\0", strings + name)] == wanted:
            return data[start:start + length]
    return b""


def sizes(data):
    """Bytes of each architecture (`sm_90`, or `compute_120` for PTX) in the bytes of an ELF file."""
    fatbin, total, position = section(data, b".nv_fatbin"), Counter(), 0
    while position + 16 <= len(fatbin):
        magic, _, header, length = struct.unpack_from("<IHHQ", fatbin, position)
        if magic != MAGIC:
            position += 8  # padding between containers
            continue
        entry, end = position + header, position + header + length
        while entry < end:
            kind, _, entry_header, entry_size = struct.unpack_from("<HHIQ", fatbin, entry)
            (architecture,) = struct.unpack_from("<I", fatbin, entry + 28)
            total[f"{'compute' if kind == PTX else 'sm'}_{architecture}"] += entry_header + entry_size
            entry += entry_header + entry_size
        position = end
    return total


def report(path):
    """A line of text for each architecture, the largest number of bytes last being that of the whole file."""
    data = Path(path).read_bytes()
    lines = [f"{name:12} {size / 1e6:6.2f} MB" for name, size in sorted(sizes(data).items(), key=lambda item: (
        item[0].startswith("compute"), int(item[0].split("_")[1])))]
    return "\n".join([*lines, f"{'whole file':12} {len(data) / 1e6:6.2f} MB"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    print(report(sys.argv[1]))
