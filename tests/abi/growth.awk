# growth.awk REFERENCE REPORT: status 0 if all changes in the report of abidiff (--leaf-changes-only) are structs that begin
# with their size and have grown at the end. (Suppressions of abidiff 2.2 for this hide other changes of members, too.)
FNR == 1 { file++ }
file == 1 {
    if ($0 ~ /<class-decl name=/) { split($0, part, "'"); name = part[2]; first = 1 }
    if ($0 ~ /<var-decl/ && first) { first = 0; if ($0 ~ /name='size'/) sized[name] = 1 }
    next
}
/^(Leaf changes|Changed leaf|Removed\/Changed)/ || !NF { next }
/^'struct [a-z_]+.*' changed:$/ { name = $2; sub(/'$/, "", name); old = -1; if (!(name in sized)) bad = 1; next }
/^  type size changed from [0-9]+ to [0-9]+ \(in bits\)$/ { old = $5; if ($7 <= old) bad = 1; next }
/^  [0-9]+ data member insertions?:$/ { next }
/^    '.*', at offset [0-9]+ \(in bits\)/ {
    match($0, /at offset [0-9]+/)
    if (old < 0 || substr($0, RSTART + 10, RLENGTH - 10) + 0 < old + 0) bad = 1
    next
}
{ bad = 1 }
END { exit bad || file < 2 }
