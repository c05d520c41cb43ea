#!/bin/sh
# render.sh TAUT MODELS: taut render from outside. What is in a picture is tested in test_render.c.
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

succeeds run "$double" -s 0.01 -T 2 -o one.taut
succeeds render one.taut --size 160x90 --fps 10
is "what is printed" "$(cat out)" "one.gif"
is "a GIF of that size" "$(head -c 10 one.gif | od -An -c | tr -d ' \n')" 'GIF89a240\0Z\0'
succeeds render one.taut --size 160x90 --fps 10 -o again.gif --threads 2
is "the same bytes" "$(cmp one.gif again.gif && echo same)" same
succeeds render one.taut --size 160x90 --fps 10 -o few.gif --colours 12
is "few colours are fewer bytes" "$([ "$(wc -c < few.gif)" -lt "$(wc -c < one.gif)" ] && echo fewer)" fewer
succeeds render one.taut --size 160x90 --at 1 -o one.png
is "a PNG of that size" "$(head -c 24 one.png | tail -c 8 | od -An -tu1 | tr -s ' ')" " 0 0 0 160 0 0 0 90"
succeeds render one.taut --size 160x90 --at 1.009 -o again.png
is "the last frame before a time" "$(cmp one.png again.png && echo same)" same
for option in "--dark" "--plain" "--trail off" "--trail all" "--view 10,40" "--view -62,17,2" "--colours 16"; do
    # shellcheck disable=SC2086 # two words
    succeeds render one.taut --size 160x90 --at 1 -o other.png $option
    is "$option changes the picture" "$(cmp -s one.png other.png || echo changed)" changed
done
is "few colours are fewer bytes" "$([ "$(wc -c < other.png)" -lt "$(wc -c < one.png)" ] && echo fewer)" fewer
succeeds render one.taut --size 160x90 -o end.png
succeeds render one.taut --size 160x90 --at 2 -o again.png
is "without --at the end" "$(cmp end.png again.png && echo same)" same

# A file of triangles and a surface are in the picture; the larger the mesh, the more of it.
printf 'v 0 0 0\nv 0.5 0 0\nv 0 0 0.5\nf 1 2 3\nf 1 3 2\n' > part.obj
# shown SHAPES: shapes.png, a ball and these
shown() {
    printf '%s\n' "local a = point 'a'; lagrangian(norm2(a.dot)/2); start { a = {0, 0, 0}, ['a.dot'] = {1, 0, 1} }
draw { ball(a, 0.1), $1 }" > shapes.lua
    succeeds run shapes.lua -s 0.1 -T 1 -o shapes.taut --force
    succeeds render shapes.taut --size 160x90 --at 1 --view 0,0 -o shapes.png --plain
}
shown ''
cp shapes.png alone.png
for shape in "mesh(a, 'part.obj')" "mesh(a, 'part.obj', nil, 2)" \
    "surface(function(u, v) return {u, 0, v} end, {-1, 1}, {-1, 1}, 4, 4)"; do
    shown "$shape"
    is "$shape is in the picture" "$(cmp -s alone.png shapes.png || echo changed)" changed
    cmp -s last.png shapes.png && is "$shape" same other
    cp shapes.png last.png
done
rm part.obj
# A pipe that nobody writes to would be waited for; a device has no end.
mkfifo part.obj
for file in part.obj /dev/zero .; do
    printf '%s\n' "local a = point 'a'; lagrangian(norm2(a.dot)/2); start { a = {0, 0, 0}, ['a.dot'] = {1, 0, 1} }
draw { ball(a, 0.1), mesh(a, '$file') }" > pipe.lua
    succeeds run pipe.lua -s 0.1 -T 1 -o pipe.taut --force
    for kind in render report; do
        timeout 60 "$taut" "$kind" pipe.taut -o "pipe.$([ $kind = render ] && echo png || echo html)" > out 2> err
        is "$kind, of a mesh that is $file" "$? $(cat err)" \
            "0 cannot read the mesh '$file': it is not a regular file; it is not drawn"
    done
done
rm part.obj
# Places and radii beyond single precision are nowhere; what is left has a size.
for shape in "ball({1e308, 0, 0}, 0.1), ball({-1e308, 1, 0}, 0.1)" "ball(a, 1e200)" \
    "bar(a, {1e300, 0, 0}), arrow(a, {1e300, 0, 0})"; do
    printf '%s\n' "local a = point 'a'; lagrangian(norm2(a.dot)/2); start { a = {0, 0, 0}, ['a.dot'] = {1, 0, 1} }
draw { $shape }" > far.lua
    succeeds run far.lua -s 0.1 -T 1 -o far.taut --force
    timeout 60 "$taut" render far.taut --size 160x90 -o far.png > out 2> err
    is "a picture of $shape" "$? $(cat err)" "0 "
done
printf '%s\n' 'local a, b = point "a", point "b"; lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2)
start { a = {-1e308, 0, 0}, b = {1e308, 1, 0} }' > far.lua
succeeds run far.lua -s 0.1 -T 1 -o far.taut --force
timeout 60 "$taut" render far.taut --size 160x90 -o far.png > out 2> err
is "a picture of places that are nowhere" "$? $(cat err)" "0 "
run render shapes.taut --size 160x90 -o shapes.png
is "a surface needs no file" "$status" 0

# pictures FILE: how many a GIF has
pictures() { od -An -v -tx1 "$1" | tr -d '\n' | grep -o ' 21 f9 04 05' | wc -l | tr -d ' '; }
succeeds render one.taut --size 80x60 --fps 10 --speed 1 -o film.gif
is "2 seconds" "$(pictures film.gif)" 21
succeeds render one.taut --size 80x60 --fps 10 --speed 0.5 --from 1 --to 1.5 -o film.gif
is "half a second at half the speed" "$(pictures film.gif)" 11
run render one.taut --size 80x60 --fps 10 --speed 1 --seconds 1 -o film.gif
is "a film that is cut" "$status $(pictures film.gif) $(grep -c 'shows t = 0 to 0.9 of 2' err)" "0 10 1"

refuse 2 "needs one run file" render
refuse 2 "a film ends in .gif, .mp4 or .webm, a picture in .png" render one.taut -o one.jpg
refuse 2 "not a run file" render "$pendulum" -o x.gif
refuse 2 "cannot write no/where.gif: No such file or directory" render one.taut -o no/where.gif --to 0.1 --size 16x16
refuse 2 "option --size needs WIDTHxHEIGHT" render one.taut -o x.gif --size 100
refuse 2 "option --size needs WIDTHxHEIGHT" render one.taut -o x.gif --size 8x8
refuse 2 "must be even" render one.taut -o x.mp4 --size 101x100
refuse 2 "option --view needs" render one.taut -o x.png --view 10
refuse 2 "option --view needs" render one.taut -o x.png --view 10,100
refuse 2 "option --trail is off, short, long or all" render one.taut -o x.png --trail some
refuse 2 "option --fps is a number from 0.1 to 240" render one.taut -o x.gif --fps 0
refuse 2 "option --fps is for films" render one.taut -o x.png --fps 10
refuse 2 "option --at is for pictures" render one.taut -o x.gif --at 1
refuse 2 "option --colours is for .gif and .png" render one.taut -o x.mp4 --colours 16
refuse 2 "no frame with" render one.taut -o x.png --from 3
printf 'local x = coordinate "x"\nrate(x, -x)\nstart { x = 1 }\n' > bare.lua
run run bare.lua -T 1 -s 0.1 -o bare.taut
[ "$status" -ne 0 ] || refuse 2 "nothing to draw" render bare.taut -o x.png
run ensemble "$pendulum" -T 0.1 -s 0.01 --vary "g=uniform(9,10)" --members 2 -o some.taut
refuse 2 "is an ensemble" render some.taut -o x.png
is "nothing beside" "$(ls ./*.part 2> /dev/null)" ""

# Films through ffmpeg: a program of that name that notes what it was called with and copies what it gets.
mkdir bin
cat > bin/ffmpeg <<'END'
#!/bin/sh
echo "$*" > called
for last; do :; done
cat > "${last#file:}"
[ ! -e fails ] || exit 3
END
chmod +x bin/ffmpeg
PATH="$PWD/bin:$PATH" succeeds render one.taut --size 64x48 --fps 10 --speed 1 -o film.mp4
is "all pictures went through" "$(wc -c < film.mp4 | tr -d ' ')" $((21 * 64 * 48 * 3))
is "as what" "$(grep -c -- '-video_size 64x48 -framerate 10.000000 .*libx264 .*file:film.mp4.part$' called)" 1
PATH="$PWD/bin:$PATH" succeeds render one.taut --size 64x48 --fps 10 --speed 1 -o film.webm
is "as what" "$(grep -c -- 'libvpx-vp9' called)" 1
cp film.mp4 before.mp4
touch fails
PATH="$PWD/bin:$PATH" refuse 1 "film.mp4: ffmpeg failed (exit status 3)" render one.taut --size 64x48 --to 0.1 -o film.mp4
is "the film that was there" "$(cmp film.mp4 before.mp4 && echo same)" same
is "nothing beside" "$(ls ./*.part 2> /dev/null)" ""
if there ffmpeg; then # the real one
    succeeds render one.taut --size 64x48 --fps 10 --speed 1 -o real.mp4
    is "an MP4" "$(head -c 8 real.mp4 | tail -c 4)" ftyp
fi
mkdir none
status=$(PATH="$PWD/none" "$taut" render one.taut -o x.mp4 2> err > out; echo $?)
is "without ffmpeg" "$status $(/usr/bin/env grep -c 'apt install ffmpeg' err)" "2 1"

# A signal ends the film where it is: what is there can be seen.
"$taut" render one.taut --size 640x480 --speed 0.002 --to 2 -o long.gif 2> err > out &
process=$!
tries=0
while [ ! -s long.gif.part ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -TERM $process
wait $process
is "its exit status" "$?" 143
is "what it says" "$(grep -c 'stopped after [0-9]* of [0-9]* pictures; long.gif has those' err)" 1
is "a whole GIF" "$(tail -c 1 long.gif | od -An -tx1 | tr -d ' ')" 3b

finish 60
