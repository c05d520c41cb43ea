#!/usr/bin/env python3
"""font.py FONT.ttf > programs/plot/font_data.c

Outlines and widths of the letters that pictures in PNG contain, from Liberation Sans 2 (Debian: fonts-liberation2), whose
widths are those of Helvetica: text in SVG and PDF has the same extent.
"""
import struct
import sys

CODES = ([*range(0x20, 0x7F), *range(0xC0, 0x100)]
         + [ord(c) for c in "°±·×µ²³½«»"]
         + [*range(0x3B1, 0x3CA), *map(ord, "ΓΔΘΛΞΠΣΦΨΩ")]
         + [0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026, 0x2212, 0xFFFD])

data = open(sys.argv[1], "rb").read()
tables = {}
for i in range(struct.unpack(">H", data[4:6])[0]):
    tag, _, offset, length = struct.unpack(">4sIII", data[12 + 16 * i:28 + 16 * i])
    tables[tag.decode()] = data[offset:offset + length]
em = struct.unpack(">H", tables["head"][18:20])[0]
long_offsets = struct.unpack(">h", tables["head"][50:52])[0]
glyph_count = struct.unpack(">H", tables["maxp"][4:6])[0]
metric_count = struct.unpack(">H", tables["hhea"][34:36])[0]
offsets = struct.unpack(f">{glyph_count + 1}{'I' if long_offsets else 'H'}",
                        tables["loca"][:(glyph_count + 1) * (4 if long_offsets else 2)])
if not long_offsets:
    offsets = [2 * o for o in offsets]


def characters():
    """Glyph of each code: the table of format 4."""
    cmap, found = tables["cmap"], {}
    for i in range(struct.unpack(">H", cmap[2:4])[0]):
        start = struct.unpack(">HHI", cmap[4 + 8 * i:12 + 8 * i])[2]
        if struct.unpack(">H", cmap[start:start + 2])[0] != 4:
            continue
        count = struct.unpack(">H", cmap[start + 6:start + 8])[0] // 2
        part = lambda k, kind: struct.unpack(f">{count}{kind}", cmap[k:k + 2 * count])
        ends, starts = part(start + 14, "H"), part(start + 16 + 2 * count, "H")
        deltas, at = part(start + 16 + 4 * count, "h"), start + 16 + 6 * count
        ranges = part(at, "H")
        for k in range(count):
            for code in range(starts[k], min(ends[k], 0xFFFE) + 1):
                glyph = code
                if ranges[k]:
                    where = at + 2 * k + ranges[k] + 2 * (code - starts[k])
                    glyph = struct.unpack(">H", cmap[where:where + 2])[0]
                found.setdefault(code, (glyph + deltas[k]) & 0xFFFF)
    return found


def contours(glyph):
    """Lists of (x, y, on the curve)."""
    text = tables["glyf"][offsets[glyph]:offsets[glyph + 1]]
    if not text:
        return []
    count = struct.unpack(">h", text[:2])[0]
    if count < 0:
        return compound(text)
    ends = struct.unpack(f">{count}H", text[10:10 + 2 * count])
    at = 10 + 2 * count
    at += 2 + struct.unpack(">H", text[at:at + 2])[0]
    flags, total = [], ends[-1] + 1
    while len(flags) < total:
        flags.append(text[at])
        at += 1
        if flags[-1] & 8:
            flags += [flags[-1]] * text[at]
            at += 1
    axes = []
    for short, same in ((2, 16), (4, 32)):
        values, now = [], 0
        for f in flags:
            if f & short:
                now += text[at] if f & same else -text[at]
                at += 1
            elif not f & same:
                now += struct.unpack(">h", text[at:at + 2])[0]
                at += 2
            values.append(now)
        axes.append(values)
    points = [(x, y, f & 1) for x, y, f in zip(*axes, flags)]
    return [points[a:b + 1] for a, b in zip((0, *[e + 1 for e in ends[:-1]]), ends)]


def compound(text):
    at, found, flags = 10, [], 32
    while flags & 32:
        flags, glyph = struct.unpack(">HH", text[at:at + 4])
        at += 4
        dx, dy = struct.unpack(">hh" if flags & 1 else ">bb", text[at:at + (4 if flags & 1 else 2)])
        at += 4 if flags & 1 else 2
        at += 2 if flags & 8 else 4 if flags & 64 else 8 if flags & 128 else 0
        if flags & (8 | 64 | 128):
            sys.exit("font.py: a part of a letter is scaled; this font needs more of the format")
        found += [[(x + dx, y + dy, on) for x, y, on in c] for c in contours(glyph)]
    return found


def lines(items, width=118):
    now = "   "
    for item in items:
        if len(now) + len(item) + 2 > width:
            yield now
            now = "   "
        now += " " + item + ","
    yield now


cmap = characters()
glyphs, numbers = [], []
for code in sorted(CODES):
    glyph = cmap.get(code, 0)
    advance = struct.unpack(">H", tables["hmtx"][4 * min(glyph, metric_count - 1):][:2])[0]
    glyphs.append(f"{{ {code}, {round(advance * 2048 / em)}, {len(numbers) // 2} }}")
    for c in contours(glyph):
        for k, (x, y, on) in enumerate(c):
            numbers += [str(4 * x + 2 * (k == len(c) - 1) + on), str(y)]
glyphs.append(f"{{ 0, 0, {len(numbers) // 2} }}")
print("""/* Made by tools/font.py from Liberation Sans 2.1.5:
 * Digitized data copyright (c) 2010 Google Corporation with Reserved Font Arimo, Tinos and Cousine.
 * Copyright (c) 2012 Red Hat, Inc. with Reserved Font Name Liberation.
 * This file is under the SIL Open Font License, version 1.1, which is in debian/copyright; the rest of Taut is not. */
#include "plot/font.h"

const font_glyph taut_font_glyphs[] = {""")
print("\n".join(lines(glyphs)))
print("};\nconst int taut_font_glyph_count = sizeof taut_font_glyphs / sizeof *taut_font_glyphs - 1;\n")
print("const int16_t taut_font_points[] = {")
print("\n".join(lines(numbers)))
print("};")
