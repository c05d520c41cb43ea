# fish completion for taut(1). Commands, options and their values come from `taut --help` and `taut COMMAND --help`, so
# they are those of the taut that is being called.

# __taut_options COMMAND: lines of "-m --method METHOD<tab>what it is"
function __taut_options
    $taut $argv[1] --help 2> /dev/null | sed -n '/^  *-/{s/^ *//;s/,//;s/   */\t/;p;}'
end

function __taut_value --argument-names value current
    switch $value
        case METHOD
            $taut methods 2> /dev/null | string match -r '^[a-z]+'
        case 'name=value'
            # the model's params and options, from the model file on the command line
            for word in (commandline -opc)[3..-1]
                string match -q '*.lua' -- $word; and test -f $word; or continue
                string match -ra '(?:param|option) *\(? *["\'](\w+)' < $word | string match -rv '[ ("]|\'' |
                    string replace -r '$' '='
            end
        case '*|*'
            string split '|' -- $value
        case COLUMN
            # the columns of the run on the command line
            for word in (commandline -opc)[3..-1]
                string match -q '*.taut' -- $word; and test -f $word; and $taut plot $word --list 2> /dev/null
            end
        case DIR
            __fish_complete_directories $current
        case FILE FILE.c '*.taut'
            __fish_complete_path $current
    end
end

function __taut_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -g taut $words[1]
    if test (count $words) -eq 1
        $taut --help 2> /dev/null |
            awk '/^  taut [a-z]+ / { name = $2; sub(/.*\[[a-zA-Z]*\] */, ""); print name "\t" $0 }'
        printf '%s\n' --help --version
        return
    end
    set -l command $words[2]
    set -l options (__taut_options $command)
    set -l previous $words[-1]
    # --name=value is one word here
    set -l equals (string match -r '^(--[a-z-]+)=(.*)' -- $current)
    if test -n "$equals"
        set previous $equals[2]
    end
    for line in $options
        set -l parts (string split ' ' -- (string split \t -- $line)[1])
        if contains -- $previous $parts; and not string match -q -- '-*' $parts[-1]
            if test -n "$equals"
                __taut_value $parts[-1] $equals[3] | string replace -r '^' -- "$previous="
            else
                __taut_value $parts[-1] $current
            end
            return
        end
    end
    if string match -q -- '-*' $current
        for line in $options
            set -l halves (string split \t -- $line)
            for part in (string split ' ' -- $halves[1])
                string match -q -- '-*' $part; and printf '%s\t%s\n' $part "$halves[2]"
            end
        end
        return
    end
    switch $command
        case reproduce
            printf '%s\n' gonzalez seiler man-gao-zhong jay-simeon wendlandt-marsden comparison
        case methods
            __taut_value METHOD
        case resume report render plot export merge replay
            __fish_complete_suffix $current .taut
        case '*'
            __fish_complete_suffix $current .lua
    end
end

complete -c taut -f -a '(__taut_complete)'
