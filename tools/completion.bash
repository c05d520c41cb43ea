# bash completion for taut(1)

_taut()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local commands="run resume check compare converge verify methods report reproduce export"
    COMPREPLY=()

    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$current"))
        return
    fi

    case $previous in
    -m | --method)
        # The first word of every line of the catalogue that looks like the name of a method.
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" methods 2> /dev/null | grep -oE '^ *[a-z]+')" -- "$current"))
        return ;;
    --precision) COMPREPLY=($(compgen -W "double quad" -- "$current")); return ;;
    -s | --step | -T | --until | -D | --every | --steps | --tol) return ;;
    -o | --report) COMPREPLY=($(compgen -f -- "$current")); return ;;
    esac

    local options="-h" files=
    case ${COMP_WORDS[1]} in
    run) options+=" -m -s -T -o --csv --every -D --precision --tol" files=lua ;;
    resume) options+=" -T" files=taut ;;
    check) options+=" -D" files=lua ;;
    compare) options+=" -m -s -T -D --report" files=lua ;;
    converge) options+=" -m --steps -T -D" files=lua ;;
    verify) options+=" -m -D" files=lua ;;
    report | export) options+=" -o" files=taut ;;
    reproduce) options+=" -o" ;;
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ $files ]]; then
        COMPREPLY=($(compgen -f -X "!*.$files" -- "$current") $(compgen -d -- "$current"))
    fi
}
complete -o filenames -F _taut taut
