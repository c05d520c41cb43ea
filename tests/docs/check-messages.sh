#!/bin/sh
# check-messages.sh: the library's messages never name an option or a subcommand of the command, which a program that
# uses the library does not have. Looks at the string literals of all folders but those of the command (and of native
# and ensemble/driver.c, which have options of compilers).
set -eu
cd "$(dirname "$0")/../.."
files=$(ls src/*/*.[ch] programs/image/*.[ch] programs/render/*.[ch] |
    grep -vE '^src/native/|^src/ensemble/driver[.]c$')
commands=$(sed -n 's/^const command command_\([a-z]*\) .*/\1/p' programs/cli/*.c | paste -sd '|' -)
case $commands in *check*run*) ;; *) echo "the subcommands were not found: $commands"; exit 1 ;; esac
option='"([^"]*[ (;,])?(--[a-z][a-z-]*|-[a-zA-Z] (name|[A-Z]+)|-[a-zA-Z])([ ,;)=][^"]*)?"'
found=$(echo "$files" | xargs grep -nE "$option|\"[^\"]*taut ($commands)[^a-z\"]?[^\"]*\"" | grep -v '#define' || true)
[ -z "$found" ] && exit 0
echo "messages of the library that name an option or a subcommand of the command:"
echo "$found"
exit 1
