# check-completion.fish TAUT: tools/completion.fish completes commands, options, their values, methods, params and files.
set root (realpath (dirname (status filename))/../..)
set bin (mktemp -d)
ln -s (realpath $argv[1]) $bin/taut
set -x PATH $bin $PATH
cd $root
source tools/completion.fish
set -g failed 0

# expect LINE WORD...: completing the line offers exactly these, in any order
function expect
    set -l offered (complete -C $argv[1] | string replace -r '\t.*' '' | LC_ALL=C sort)
    set -l wanted (printf '%s\n' $argv[2..-1] | LC_ALL=C sort)
    if test "$offered" != "$wanted"
        set -g failed 1
        echo "'$argv[1]' offers $offered instead of $wanted"
    end
end

set commands (taut --help | sed -n 's/^  taut \([a-z]*\) .*/\1/p')
set methods (taut methods | string match -r '^[a-z]+')
expect "taut " $commands --help --version
expect "taut --v" --version
expect "taut ru" run
expect "taut run --pre" --precision
expect "taut check --a" --all
expect "taut run m.lua --precision " double quad
expect "taut run m.lua --precision=q" --precision=quad
expect "taut run m.lua --start pro" project
expect "taut run m.lua -m " $methods
expect "taut methods ratt" rattle
expect "taut run models/hanging-chain.lua -D " N= g=
expect "taut run models/double-spherical-pendulum.lua -D l" l1= l2=
expect "taut run models/four-" models/four-bar.lua models/four-particles.lua
expect "taut reproduce s" seiler
for command in $commands
    expect "taut $command --hel" --help
end
rm -r $bin
exit $failed
