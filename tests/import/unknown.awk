# -v kind=attribute or element: an XML file with an attribute zzNz that nobody knows in every element, or such an element
# in every one that has others; how many there are goes into the file `places`.
{
    rest = $0; line = ""
    while (match(rest, /<[a-z]+[^<>]*>/)) {
        tag = substr(rest, RSTART, RLENGTH); before = substr(rest, 1, RSTART - 1); rest = substr(rest, RSTART + RLENGTH)
        if (kind == "attribute") sub(/^<[a-z]+/, "& zz" ++n "z=\"1\"", tag)
        else if (tag !~ /\/>$/) tag = tag "<zz" ++n "z/>"
        line = line before tag
    }
    print line rest
}
END { print n > "places" }
