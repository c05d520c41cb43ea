#!/bin/sh
# plot.sh TAUT MODELS: pictures of runs. Status 77 without python3, which reads them.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
escape=$(printf '\033')
unset LC_ALL LC_CTYPE LANG NO_COLOR

# ask FILE EXPRESSION: about a picture, by the functions below
cat > ask.py << 'END'
import functools, re, struct, sys, xml.etree.ElementTree as tree, zlib

data = open(sys.argv[1], "rb").read()
S = "{http://www.w3.org/2000/svg}"
root = tree.fromstring(data) if sys.argv[1].endswith(".svg") else None

def texts(): return [t.text for t in root.iter(S + "text")]
def strokes(colour): return [p for p in root.iter(S + "path") if p.get("stroke") == colour]
def bands(): return [p.get("fill-opacity") for p in root.iter(S + "path") if p.get("fill-opacity")]
def spots(colour):
    """Of all curves of a colour, without the sample in the legend."""
    found = [[float(x) for x in re.findall(r"-?[0-9.]+", p.get("d"))] for p in strokes(colour)]
    return [(x, y) for f in found for x, y in zip(f[::2], f[1::2])]
def span(colour, k): return max(s[k] for s in spots(colour)) - min(s[k] for s in spots(colour))

def chunks():
    """Of a PNG, whose sums are right."""
    at, found = 8, {}
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        body, end = data[at + 4:at + 8 + size], data[at + 8 + size:at + 12 + size]
        assert struct.pack(">I", zlib.crc32(body)) == end
        found[body[:4].decode()] = body[4:]
        at += 12 + size
    return found
def size(): return struct.unpack(">II", chunks()["IHDR"][:8])
def near(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
@functools.cache
def pixels():
    """Rows of red, green and blue, of a file with or without a palette, with any filters."""
    (width, height), kind, palette = size(), chunks()["IHDR"][9], chunks().get("PLTE")
    step, rows, above, found = {2: 3, 3: 1}[kind], zlib.decompress(chunks()["IDAT"]), None, []
    length = step * width
    assert len(rows) == height * (length + 1) and (kind == 3) == (palette is not None)
    for y in range(height):
        type, row = rows[y * (length + 1)], bytearray(rows[y * (length + 1) + 1:(y + 1) * (length + 1)])
        for i in range(length if type else 0):
            a = row[i - step] if i >= step else 0
            b = above[i] if above else 0
            c = above[i - step] if above and i >= step else 0
            row[i] = row[i] + (0, a, b, (a + b) // 2, near(a, b, c))[type] & 255
        above = row
        found.append(b"".join(palette[3 * n:3 * n + 3] for n in row) if palette else bytes(row))
    return found
def count(colour):
    return sum(row[i:i + 3] == colour for row in pixels() for i in range(0, len(row), 3))

def page():
    """What is drawn on the page of a PDF whose table of objects is right."""
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", data)[1])
    assert data[start:start + 4] == b"xref"
    places = [int(p) for p in re.findall(rb"^(\d{10}) 00000 n $", data[start:], re.M)]
    assert all(data[p:].startswith(b"%d 0 obj" % (i + 1)) for i, p in enumerate(places))
    length = int(re.search(rb"/Length (\d+)", data)[1])
    stream = data.index(b"stream\n") + 7
    return zlib.decompress(data[stream:stream + length]).decode()
def words(): return re.findall(r"\(((?:[^()\\]|\\.)*)\) Tj", page())

print(eval(sys.argv[2]))
END
ask() { python3 ask.py "$@" 2>&1 | tail -n 1; }

cat > units.lua << 'END'
title "Kreisel, größer als < 1 & \"x\""
units { length = "m", time = "s", mass = "kg" }
local a = point "a"
lagrangian(norm2(a.dot)/2 - a.z)
constraint("rod", norm2(a) - 1)
observe("spike", max(0, 1 - 2000*abs(time() - 3.333)))
start { a = {1, 0, 0}, ["a.dot"] = {0, 1, 0} }
END
succeeds run units.lua -s 0.001 -T 20 -o units.taut
succeeds run "$double" -T 5 -o double.taut
succeeds run "$double" -m em -T 5 -o em.taut

if there python3; then
    # ---- SVG: one curve per column, axes with names and units, the title ----
    succeeds plot units.taut -y a.x -y a.y,a.z -o three.svg
    is 'what is written' "$(cat out)" three.svg
    is 'curves, with the legend' "$(ask three.svg '[len(strokes(c)) for c in ("#0072b2", "#d55e00", "#009e73")]')" '[2, 2, 2]'
    is 'texts' "$(ask three.svg 'texts()[:5]')" \
        "['Kreisel, größer als < 1 & \"x\"', 'rattle, step 0.001', 'a.x', 'a.y', 'a.z']"
    is 'names of the axes' "$(ask three.svg 'texts()[-2:]')" "['t, s', 'm']"
    succeeds plot units.taut -o energy.svg
    is 'energy' "$(ask energy.svg '[t[:6] for t in texts() if "energy" in t]')" "['energy']"
    succeeds plot units.taut --change --title 'Of my own' -o change.svg
    is 'title and change' "$(ask change.svg '(texts()[0], texts()[-4:-3] != [], "change of energy" in "".join(texts()))')" \
        "('Of my own', True, True)"
    # a change that double precision cannot show
    if [ $quad = yes ]; then
        printf '%s\n' 'local q = coordinate "q"; lagrangian(q.dot^2/2); start { q = 1, ["q.dot"] = 1e-20 }' > slow.lua
        succeeds run slow.lua -T 1 --precision quad -o slow.taut
        succeeds plot slow.taut -y q --change -o slow.svg
        is 'a change in quad' "$(ask slow.svg 'span("#0072b2", 1) > 200')" True
    fi
    # ---- no extreme is lost, and the file is small ----
    succeeds plot units.taut -y spike -o spike.svg
    is 'the spike of one frame' "$(ask spike.svg 'span("#0072b2", 1) > 200')" True
    is 'bytes of 20000 frames' "$(ask spike.svg 'len(data) < 250000')" True
    succeeds plot units.taut -y spike --from 4 -o later.svg
    is 'a later part' "$(ask later.svg 'span("#0072b2", 1) < 1')" True
    succeeds plot units.taut -y spike --to 3.3335 --from 3.3325 -o one.svg
    is 'one frame' "$(ask one.svg 'len(spots("#0072b2"))')" 1
    succeeds plot units.taut -y spike --every 2 -o second.svg
    is 'every second frame' "$(ask second.svg 'span("#0072b2", 1) < 1')" True
    # ---- a circle is a circle where the units are the same ----
    printf '%s\n' 'local a = point("a", 2); lagrangian(norm2(a.dot)/2); constraint("rod", norm2(a) - 1)' \
        'start { a = {1, 0}, ["a.dot"] = {0, 1} }' > circle.lua
    succeeds run circle.lua -T 7 -o circle.taut
    succeeds plot circle.taut -x a.x -y a.y -o circle.svg
    is 'a circle' "$(ask circle.svg 'abs(span("#0072b2", 0) - span("#0072b2", 1)) < 1')" True
    succeeds plot circle.taut -x a.x -y a.y --size 900x300 -o wide.svg
    is 'a circle in a wide picture' "$(ask wide.svg 'abs(span("#0072b2", 0) - span("#0072b2", 1)) < 1')" True
    succeeds plot circle.taut -x a.x -y a.x.dot --size 900x300 -o phase.svg
    is 'not where they differ' "$(ask phase.svg 'span("#0072b2", 0) > 3*span("#0072b2", 1)')" True
    { echo 'units { length = "m", time = "s", mass = "kg" }'; cat circle.lua; } > metres.lua
    succeeds run metres.lua -T 7 -o metres.taut
    succeeds plot metres.taut -x a.x -y a.y --size 900x300 -o same.svg
    is 'alike by their units' "$(ask same.svg 'abs(span("#0072b2", 0) - span("#0072b2", 1)) < 1')" True
    succeeds plot metres.taut -x a.x -y a.x.dot --size 900x300 -o other.svg
    is 'of different units' "$(ask other.svg 'span("#0072b2", 0) > 3*span("#0072b2", 1)')" True
    # ten times the same circle: its segments are drawn once
    succeeds run circle.lua -s 0.0031415926535897933 -T 62.83185307179586 -o turns.taut
    succeeds plot turns.taut -x a.x -y a.y -o turns.svg
    is 'turns' "$(ask turns.svg 'len(spots("#0072b2")) < 8000')" True
    # ---- several runs; logarithmic axes; points ----
    succeeds plot double.taut em.taut --change --log y -o two.svg
    is 'names of runs' "$(ask two.svg 'texts()[1:3]')" "['double', 'em']"
    is 'sizes on a log axis' "$(ask two.svg '"|change of energy|" in texts()')" True
    is 'powers of ten' "$(ask two.svg 'texts().count("10") > 2')" True
    succeeds plot double.taut --points -y a.x -o points.svg
    is 'points' "$(ask points.svg 'strokes("#0072b2")[0].get("d").count("h0") > 300')" True
    # ---- ensembles ----
    succeeds ensemble "$pendulum" --vary 'g=uniform(8,11)' --members 40 -T 2 -o many.taut
    succeeds plot many.taut -y a.x -o many.svg
    is 'bands' "$(ask many.svg 'bands()')" "['0.16', '0.26']"
    # ---- PNG ----
    succeeds plot double.taut -y a.x,a.y -o two.png
    is 'size of the PNG' "$(ask two.png 'size()')" '(1440, 880)'
    is 'colours of the PNG' "$(ask two.png '[count(c) > 300 for c in (b"\x00\x72\xb2", b"\xd5\x5e\x00", b"\xff\xff\xff")]')" '[True, True, True]'
    is 'pixels per metre of the PNG' "$(ask two.png 'struct.unpack(">IIB", chunks()["pHYs"])')" '(5669, 5669, 1)'
    is 'bytes of the PNG' "$(ask two.png 'len(data) < 400000')" True
    # powers of ten: as numbers where all are short, with exponents where they are not
    cat > powers.lua << 'END'
local x = coordinate "x"
lagrangian(x.dot^2/2)
observe("short", 10^(time()/2))
observe("long", 10^(6*time()))
start { x = 0, ["x.dot"] = 1 }
END
    succeeds run powers.lua -s 0.1 -T 4 -o powers.taut
    succeeds plot powers.taut -y short --log y -o short.svg
    is 'numbers' "$(ask short.svg '[t in texts() for t in ("1", "10", "100")]')" '[True, True, True]'
    succeeds plot powers.taut -y long --log y -o powers.svg
    is 'exponents' "$(ask powers.svg '[t in texts() for t in ("1", "100")]')" '[False, False]'
    # numbers of any size have ticks, and the power of ten of their axis is a divisor
    printf '%s\n' 'local x = coordinate "x"' 'lagrangian(x.dot^2/2)' 'observe("large", 1e233*time())' 'observe("most", 1.7e308*(time() - 0.5))' \
        'start { x = 0, ["x.dot"] = 1 }' > large.lua
    succeeds run large.lua -s 0.01 -T 1 -o large.taut
    for column in large:233 most:307; do
        succeeds plot large.taut -y "${column%:*}" -o large.svg
        is "ticks of $column" "$(ask large.svg '[t in texts() for t in ("'"$([ $column = large:233 ] && echo 0.5 || echo 4)"'", "'"${column%:*} / 10"'", "'"${column%:*} / 10${column#*:}"'")].count(True) >= 2')" True
    done
    # a title that is too wide ends before the margin (14 points: 28 pixels), and says that there was more
    long='a title that is a good deal wider than this small picture can be, whatever the letters'
    succeeds plot double.taut -y a.x --title "$long" --size 300x200 -o long.png
    is 'margin' "$(ask long.png 'all(set(row[-3*27:]) == {255} for row in pixels()[:40]), any(set(row) != {255} for row in pixels()[:40])')" '(True, True)'
    succeeds plot double.taut -y a.x --title "$long" --size 300x200 -o long.svg
    is 'dots' "$(ask long.svg '[t.endswith("\u2026") for t in texts() if t.startswith("a title")]')" '[True]'
    succeeds plot double.taut -y a.x --theme dark --size 300x200 -o dark.png
    is 'dark' "$(ask dark.png '(size(), count(b"\x15\x18\x1d") > 100000, count(b"\x56\xb4\xe9") > 50)')" '((600, 400), True, True)'
    # ---- PDF ----
    succeeds plot units.taut -y a.x -o one.pdf
    is 'words of the PDF' "$(ask one.pdf '[w for w in words() if not re.match(r"[\\\\0-9.]+$", w)]')" \
        "['Kreisel, gr\\\\366\\\\337er als < 1 & \"x\"', 'rattle, step 0.001', 't, s', 'a.x, m']"
    is 'lines of the PDF' "$(ask one.pdf 'page().count(" l\n") > 500')" True
    succeeds plot units.taut -y a.x -o again.pdf
    is 'the same bytes again' "$(cmp one.pdf again.pdf && echo same)" same
fi

# ---- in the terminal ----
there python3 || finish 0
succeeds plot double.taut -y a.x,b.x
is 'width of the text' "$(python3 -c 'print(max(len(line.rstrip("\n")) for line in open("out", encoding="utf-8")) <= 80)')" True
is 'rows with braille' "$(python3 -c 'print(sum(any("\u2800" < c < "\u2900" for c in line) for line in open("out", encoding="utf-8")) > 12)')" True
is 'no colour in a file' "$(grep -c "$escape" out)" 0
has 'the legend' 'a.x *.* b.x'
LC_ALL=C "$taut" plot double.taut -y a.x > out
is 'plain letters' "$(LC_ALL=C tr -d '[:print:]\n' < out | wc -c) $(grep -c '\*' out | sed 's/^1[0-9]$/many/')" '0 many'
succeeds plot double.taut -y a.x --color always
is 'colour' "$(grep -c "$escape\[36m" out | sed 's/^1[0-9]$/many/')" many
if there script && there stty; then
    TERM=xterm script -qec "stty cols 50 rows 20; '$taut' plot double.taut -y a.x" typescript < /dev/null | tr -d '\r' > out
    is 'lines of a small terminal' "$(wc -l < out | awk '{ print $1 <= 20 }')" 1
    is 'its width' "$(python3 -c 'import re
print(max(len(re.sub("\033\\[[0-9;]*m", "", line.rstrip("\n"))) for line in open("out", encoding="utf-8")))')" 50
fi
# the title of a run file of a stranger
if there sqlite3; then
    sqlite3 double.taut "update run set value = 'a' || char(27) || '[31mb' where name = 'title'" 2> err
    run plot double.taut
    is 'a title with an escape sequence' "$(head -n 1 out)" 'a\x1b[31mb'
fi

# ---- columns ----
succeeds plot circle.taut --list
is 'columns' "$(tr '\n' ' ' < out)" 't a.x a.y a.x.dot a.y.dot p.a.x p.a.y lambda.rod energy constraint velocity_constraint angular_momentum.z '

# ---- what cannot be drawn ----
# refuses TEXT ARGUMENTS..: status 2, nothing written, one line with the text
refuses() {
    text=$1
    shift
    run plot "$@"
    is "status and message of: taut plot $*" "$status $(wc -c < out | tr -d ' ') $(cat err)" "2 0 taut: $text"
}
refuses "'em.taut' has no column 'enrgy'; did you mean 'energy'? 'taut plot --list' lists them" em.taut -y enrgy
refuses "'em.taut' has no frame from t = 6 to 7" em.taut --from 6 --to 7
cp em.taut empty.taut
if there sqlite3; then
    sqlite3 empty.taut 'delete from frames'
    refuses "'empty.taut' has no frames yet" empty.taut
fi
refuses "'em.jpg': the name of a picture ends in .svg, .png or .pdf" em.taut -o em.jpg
refuses "cannot write nowhere/em.svg: No such file or directory" em.taut -o nowhere/em.svg
is 'no part of a picture is left' "$(ls ./*.part 2> /dev/null)" ''
if [ -f many.taut ]; then
    refuses "'many.taut' is an ensemble: its plots are over t; 'taut replay' makes a run of a member" many.taut -x a.x -y a.y
    refuses "'many.taut' is an ensemble, whose quantiles are plotted as they are" many.taut --change
    refuses "'many.taut' has no quantiles of 'g' in this time: they are made by 'taut ensemble' with --keep and --stats" \
        many.taut -y g
fi
finish 60
