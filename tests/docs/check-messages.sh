#!/bin/sh
# check-messages.sh: the library's messages never name an option of the command, which a program that uses the library
# does not have. Looks at the string literals of the folders that are listed.
set -eu
cd "$(dirname "$0")/../.."
found=$(grep -nE '"([^"]*[ (;,])?(--[a-z][a-z-]*|-[a-zA-Z] (name|[A-Z]+)|-[a-zA-Z])([ ,;)=][^"]*)?"' \
    src/analysis/*.[ch] src/model/*.[ch] src/record/*.[ch] src/report/*.[ch] src/run/*.[ch] | grep -v '#define' || true)
[ -z "$found" ] && exit 0
echo "messages of the library that name an option of the command:"
echo "$found"
exit 1
