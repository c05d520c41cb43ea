# bash completion for taut(1). Commands, options and their values come from `taut --help` and `taut COMMAND --help`, so
# they are those of the taut that is being called.

# _taut_options COMMAND: lines of "-m --method METHOD"
_taut_options()
{
    "$taut" "$1" --help 2> /dev/null | sed -n '/^  *-/{s/^ *//;s/  .*//;s/,//;p}'
}

# Completes the model's params and options as name=, from the model file on the command line.
_taut_definitions()
{
    local word
    for word in "${COMP_WORDS[@]:2}"; do
        [[ $word == *.lua && -f ${word/#\~\//$HOME/} ]] || continue
        COMPREPLY=($(compgen -S = -W "$(grep -oE '\b(param|option) *\(? *["'\''][A-Za-z_0-9]+' "${word/#\~\//$HOME/}" |
                                        grep -oE '[A-Za-z_0-9]+$')" -- "$current"))
    done
    compopt -o nospace 2> /dev/null
}

# Completes the columns of the run on the command line.
_taut_columns()
{
    local word
    for word in "${COMP_WORDS[@]:2}"; do
        [[ $word == *.taut && -f ${word/#\~\//$HOME/} ]] || continue
        COMPREPLY=($(compgen -W "$("$taut" plot "${word/#\~\//$HOME/}" --list 2> /dev/null)" -- "$current"))
    done
}

# Completes the value of an option, given the word that stands for it in the help.
_taut_value()
{
    case $1 in
    METHOD) COMPREPLY=($(compgen -W "$("$taut" methods 2> /dev/null | grep -oE '^[a-z]+')" -- "$current")) ;;
    name=value) _taut_definitions ;;
    *\|*) COMPREPLY=($(compgen -W "${1//|/ }" -- "$current")) ;;
    COLUMN) _taut_columns ;;
    DIR) compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
    FILE | FILE.c | FILE.csv | MODEL.lua | *.taut) compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
}

_taut()
{
    local taut=${COMP_WORDS[0]/#\~\//$HOME/} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} options value=""
    COMPREPLY=()
    type -P -- "$taut" > /dev/null || return

    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "$("$taut" --help | sed -n 's/^  taut \([a-z][a-z]*\) .*/\1/p') --help --version" -- "$current"))
        return
    fi
    # readline splits --name=value into three words
    if [[ $current == = ]]; then
        current="" value=1
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]} value=1
    fi
    [[ ! $value || $previous == --* ]] || return # the value in -D name=value

    options=$(_taut_options "$command")
    value=$(awk -v name="$previous" '$1 == name || $2 == name { if ($NF !~ /^-/) print $NF }' <<< "$options")
    if [[ $previous == -* && $value ]]; then
        _taut_value "$value"
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$(grep -oE -- '(^| )--?[a-zA-Z-]+' <<< "$options")" -- "$current"))
    elif [[ $command == reproduce ]]; then
        COMPREPLY=($(compgen -W "gonzalez seiler man-gao-zhong jay-simeon wendlandt-marsden comparison" -- "$current"))
    elif [[ $command == methods ]]; then
        _taut_value METHOD
    elif [[ $command == import ]]; then
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -X '!*.urdf' -- "$current") $(compgen -f -X '!*.xml' -- "$current") $(compgen -d -- "$current"))
    elif [[ " resume report render plot export merge replay " == *" $command "* ]]; then
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -X '!*.taut' -- "$current") $(compgen -d -- "$current"))
    else
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -X '!*.lua' -- "$current") $(compgen -d -- "$current"))
    fi
}
complete -F _taut taut
