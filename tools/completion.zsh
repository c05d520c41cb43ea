#compdef taut
# zsh completion for taut(1). Commands, options and their values come from `taut --help` and `taut COMMAND --help`, so
# they are those of the taut that is being called.

# Completes the value of an option, given the word that stands for it in the help.
_taut_value()
{
    local -a values
    local word
    case $1 in
    METHOD) values=(${(f)"$($taut methods 2> /dev/null | grep -oE '^[a-z]+')"}) ;;
    'name=value')
        # the model's params and options, from the model file on the command line
        for word in ${words[3,-1]}; do
            [[ $word == *.lua && -f ${~word} ]] || continue
            values=(${(f)"$(grep -oE '\b(param|option) *\(? *["'\''][A-Za-z_0-9]+' ${~word} | grep -oE '[A-Za-z_0-9]+$')"})
            compadd -S = -a values
            return
        done ;;
    COLUMN)
        # the columns of the run on the command line
        for word in ${words[3,-1]}; do
            [[ $word == *.taut && -f ${~word} ]] && values+=(${(f)"$($taut plot ${~word} --list 2> /dev/null)"})
        done ;;
    *\|*) values=(${(s:|:)1}) ;;
    DIR) _files -/; return ;;
    FILE | FILE.c | *.taut) _files; return ;;
    esac
    compadd -a values
}

_taut()
{
    local taut=${~words[1]} command=$words[2] current=$words[CURRENT] previous=$words[CURRENT-1] line name value
    local -a lines described
    (( $+commands[$taut] )) || [[ -x $taut ]] || return 1

    if (( CURRENT == 2 )); then
        described=(${(f)"$($taut --help |
            awk '/^  taut [a-z]+ / { name = $2; sub(/.*\[[a-zA-Z]*\] */, ""); print name ":" $0 }')"} \
                   '--help:what there is' '--version:version and precisions')
        _describe -t commands command described
        return
    fi
    # "-m --method METHOD<tab>what it is"
    lines=(${(f)"$($taut $command --help 2> /dev/null | sed -n '/^  *-/{s/^ *//;s/,//;s/   */\t/;p;}')"})
    if [[ $current == --*=* ]]; then
        previous=${current%%=*}
        compset -P '*='
    fi
    for line in $lines; do
        for name in ${=line%%$'\t'*}; do
            [[ $name == -* ]] && described+=("$name:${line#*$'\t'}") || value=$name
        done
        if [[ -n $value && " ${line%%$'\t'*} " == *" $previous "* && $previous == -* ]]; then
            _taut_value $value
            return
        fi
        value=
    done
    if [[ $current == -* ]]; then
        _describe -o -t options option described
        return
    fi
    case $command in
    reproduce) compadd gonzalez seiler man-gao-zhong jay-simeon wendlandt-marsden comparison ;;
    methods) _taut_value METHOD ;;
    resume | report | render | plot | export | merge | replay) _files -g '*.taut' ;;
    *) _files -g '*.lua' ;;
    esac
}

_taut "$@"
