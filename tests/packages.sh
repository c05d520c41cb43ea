#!/bin/sh
# packages.sh DEBS SOURCE: debian/ says what the project says; and the packages of the folder DEBS, if make deb has built
# them since the last change, unpacked as they are: what is in them, and the programs of tests/consumers against them.
# Status 77 without packages.
# Installed in a chroot they are by make deb-test.
set -eu
debs=$1 source=$2
status=0
complain() { echo "$*"; status=1; }

version=$(sed -n 's/^project(taut VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
changelog=$(sed -n '1s/^taut (\([^)]*\)) .*/\1/p' "$source/debian/changelog")
[ "$version" = "$changelog" ] || complain "CMakeLists.txt has version '$version', debian/changelog '$changelog'"
soversion=${version%%.*}
grep -q "^Package: libtaut$soversion\$" "$source/debian/control" || complain "debian/control has no libtaut$soversion"
# What tools/setup.sh installs to build is what debian/control asks for.
wanted=$(sed -n '/^build="/,/"$/p; /^deb="/,/"$/p' "$source/tools/setup.sh" | sed 's/^[a-z]*=//' | tr -d '"')
for package in $(awk '/^[A-Z]/ { on = /^Build-Depends:/ } on' "$source/debian/control" |
    sed 's/^Build-Depends://; s/[(<|].*//; s/,//; s/debhelper-compat/debhelper/'); do
    case " $(echo $wanted) " in
    *" $package "*) ;;
    *) complain "debian/control wants $package for the build, tools/setup.sh does not install it" ;;
    esac
done
# The sources of the libraries inside the page templates are of the versions that the templates name.
for library in $(sed -n 's/^\(three\|uplot\) \([0-9.]*\)$/\1-\2/p' "$source"/viewer/dist/*.html | LC_ALL=C sort -u); do
    [ -s "$source/debian/missing-sources/page.html/$library.tar.xz" ] ||
        complain "debian/missing-sources has no $library, which viewer/dist contains"
done
for page in "$source"/viewer/dist/*.html; do
    [ -e "$source/debian/missing-sources/$(basename "$page")" ] ||
        complain "debian/missing-sources has no $(basename "$page"): make it a link to page.html"
done
if ! ls "$debs"/*"_${version}_"*.deb > /dev/null 2>&1 || ! command -v dpkg-deb > /dev/null; then
    [ "$status" -ne 0 ] && exit $status
    echo "no packages of version $version: make deb builds them"
    exit 77
fi
newer=$(find "$source/debian" "$source/src" "$source/programs" "$source/include" "$source/python" "$source/tools" -type f \
    -newer "$(ls "$debs"/taut_"$version"_*.deb | head -n 1)" | head -n 1)
if [ -n "$newer" ]; then
    echo "the packages are older than $newer: make deb builds them again"
    [ "$status" -ne 0 ] && exit $status
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for package in "$debs"/*"_${version}_"*.deb; do
    case $package in
    *-dbgsym_*) continue ;;
    esac
    dpkg-deb -x "$package" "$scratch"
    dpkg-deb -f "$package" Package >> "$scratch/packages"
done
list=$(LC_ALL=C sort "$scratch/packages" | tr '\n' ' ')
[ "$list" = "libtaut-dev libtaut$soversion python3-taut taut taut-doc " ] || complain "the packages are: $list"
for file in bin/taut share/man/man1/taut.1.gz share/bash-completion/completions/taut share/zsh/vendor-completions/_taut \
    share/fish/vendor_completions.d/taut.fish share/taut/models/pendulum.lua \
    include/taut/taut.h share/doc/taut/docs/library.md share/doc/taut/examples/pendulum.c; do
    [ -s "$scratch/usr/$file" ] || complain "no package has /usr/$file"
done
if grep -rIl "$(cd "$source" && pwd)" "$scratch"; then complain "the source folder is written into these files"; fi
"$source/tests/consumers/programs.sh" "$scratch/usr" cc || status=1
exit $status
