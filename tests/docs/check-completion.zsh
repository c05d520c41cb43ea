# check-completion.zsh TAUT: tools/completion.zsh completes commands, options, their values, methods, params and files.
# What zsh would do with the candidates is done here by functions that print them.
emulate zsh
zmodload zsh/parameter
taut_program=${1:A}
cd ${0:A:h}/../..
failed=0

_describe() { local -a list; list=(${(P)@[-1]}); print -l -- ${list%%:*}; }
_files() { print -r -- files "$@"; }
compset() { current=${current#*=}; }
compadd()
{
    local ending=
    if [[ $1 == -S ]]; then ending=$2; shift 2; fi
    if [[ $1 == -a ]]; then print -l -- ${(P)2}; else print -l -- "$@"; fi | sed "s/\$/$ending/"
}
offers()
{
    local -a words=("$@")
    local CURRENT=$#words
    words[1]=$taut_program
    source tools/completion.zsh
}

# expect "LINE" WORD...: completing the line offers these, of those that begin with its last word, in any order
expect()
{
    local -a all=(${(s: :)1})
    [[ $1 == *' ' ]] && all+=('')
    local last=${all[-1]##--*=}
    local offered=$(offers "${all[@]}" | { [[ -n $last ]] && grep -- "^$last" || cat; } | LC_ALL=C sort | xargs)
    [[ $(offers "${all[@]}") == files* ]] && offered=$(offers "${all[@]}")
    shift
    local wanted=$(print -l -- "$@" | LC_ALL=C sort | xargs)
    if [[ $offered != $wanted && $offered != "$*" ]]; then
        failed=1
        print -r -- "'${(j: :)all}' offers $offered instead of $wanted"
    fi
}

commands_there=($($taut_program --help | sed -n 's/^  taut \([a-z]*\) .*/\1/p'))
methods=($($taut_program methods | grep -oE '^[a-z]+'))
expect "taut " $commands_there --help --version
expect "taut ru" run
expect "taut run --pre" --precision
expect "taut check --a" --all
expect "taut run m.lua --precision " double quad
expect "taut run m.lua --precision=q" quad
expect "taut run m.lua --start pro" project
expect "taut run m.lua -m " $methods
expect "taut methods ratt" rattle
expect "taut run models/hanging-chain.lua -D " N= g=
expect "taut run models/double-spherical-pendulum.lua -D l" l1= l2=
expect "taut run models/four-" files -g '*.lua'
expect "taut export r" files -g '*.taut'
expect "taut reproduce s" seiler
for command in $commands_there; do expect "taut $command --hel" --help; done
exit $failed
