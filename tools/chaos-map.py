#!/usr/bin/env python3
"""The chaos map of docs/ensembles.md: double pendula from rest over their two angles, where the lower mass ends.

    tools/chaos-map.py [--taut build/taut] [--size 1000] [--until 100] [--on gpu] [--threads N] [-o PICTURE.png]
    tools/chaos-map.py --check lanes ...     compares all members with those of another executor, to the bit

The model is the one that the document shows. Prints the seconds of the whole command, and those that it reports for the
members without its own start; needs nothing but Python and taut. `make chaos-map`
renews the picture of the document, on a machine with a GPU.
"""
import argparse
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH = 500  # of the picture, at most: larger maps are averaged
SHADES = 32
ANCHORS = [(13, 8, 135), (126, 3, 168), (204, 71, 120), (248, 149, 64), (240, 249, 33)]
GREY = (128, 128, 128)  # no value: the member failed


def model():
    with open(os.path.join(TOP, "docs", "ensembles.md"), encoding="utf-8") as file:
        return re.search(r"```lua\n(-- double-pendulum\.lua\n.*?)```", file.read(), re.S).group(1)


def run(arguments, folder, on):
    """What computed them, the values of all members, angle2 fastest, the seconds, and those of the members alone."""
    script, result = os.path.join(folder, "double-pendulum.lua"), os.path.join(folder, f"map-{on}.taut")
    with open(script, "w", encoding="utf-8") as file:
        file.write(model())
    grid = f"grid(-3.14,3.14,{arguments.size})"
    command = [arguments.taut, "ensemble", script, "-s", "0.01", "-T", str(arguments.until), "--vary", f"angle1={grid}",
               "--vary", f"angle2={grid}", "--keep", "b.x", "--stats", "none", "--on", on, "-o", result]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    begun = time.monotonic()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    seconds = time.monotonic() - begun
    if done.returncode:
        sys.exit(f"chaos-map: {' '.join(command)}: {done.stderr.strip()}")
    members = re.search(r" in ([0-9.e+-]+) s \(", done.stdout)
    with sqlite3.connect(f"file:{result}?mode=ro", uri=True) as file:
        used, = file.execute("select value from run where name = 'on'").fetchone()
        values = [value for value, in file.execute('select "b.x" from frames order by member')]
    if len(values) != arguments.size**2:
        sys.exit(f"chaos-map: {len(values)} members instead of {arguments.size**2}")
    return used, values, seconds, float(members.group(1))


def shade(part):
    """A colour for a number from 0 to 1."""
    at = min(max(part, 0.0), 1.0) * (len(ANCHORS) - 1)
    low = min(int(at), len(ANCHORS) - 2)
    return tuple(round(a + (b - a) * (at - low)) for a, b in zip(ANCHORS[low], ANCHORS[low + 1]))


def picture(values, size):
    """Rows of indices into the palette, angle2 upwards, and their width."""
    block = (size + WIDTH - 1) // WIDTH
    width = size // block
    rows = []
    for y in range(width - 1, -1, -1):
        row = bytearray()
        for x in range(width):
            cell = [values[(x * block + i) * size + y * block + j] for i in range(block) for j in range(block)]
            known = [value for value in cell if value is not None]
            mean = sum(known) / len(known) if known else None
            row.append(SHADES if mean is None else min(int((mean / 2 + 1) / 2 * SHADES), SHADES - 1))
        rows.append(bytes(row))
    return rows, width


def write_png(path, rows, width):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    colours = [shade((i + 0.5) / SHADES) for i in range(SHADES)] + [GREY]
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0))
                   + chunk(b"PLTE", bytes(sum(colours, ()))) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description="The chaos map of docs/ensembles.md.")
    parser.add_argument("--taut", default=os.path.join(TOP, "build", "taut"))
    parser.add_argument("--size", type=int, default=1000, help="angles of each pendulum (1000)")
    parser.add_argument("--until", type=float, default=100, help="end time (100)")
    parser.add_argument("--on", default="gpu", help="gpu, lanes or interpreter (gpu)")
    parser.add_argument("--threads", type=int, default=0, help="as many as there are processors")
    parser.add_argument("--check", metavar="EXECUTOR", help="compare with those of lanes or interpreter")
    parser.add_argument("-o", "--output", help="the picture, PNG")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        used, values, seconds, members = run(arguments, folder, arguments.on)
        missing = sum(value is None for value in values)
        print(f"chaos map: {arguments.size} x {arguments.size} double pendula, t = {arguments.until:g}, on {used}: "
              f"{seconds:.3g} s with the file, {members:.3g} s of them the members; {missing} failed")
        if arguments.output:
            write_png(arguments.output, *picture(values, arguments.size))
        if arguments.check:
            other, others, seconds, members = run(arguments, folder, arguments.check)
            differ = sum(a != b for a, b in zip(values, others))
            print(f"chaos map: {differ} of {len(values)} members differ from those on {other} ({seconds:.3g} s, "
                  f"{members:.3g} s of them the members)")
            return differ != 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
