# SPDX-License-Identifier: Apache-2.0
# Completion of heddle for bash. Options come from each command's own --help.

_heddle_options() {
    "$1" "$2" --help 2>/dev/null | grep -Eo -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

_heddle() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local heddle=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'cc c++ record analyze replay check report show convert --help --version' -- "$current")
        return
    fi
    case $previous in
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current") && return ;;
    --kinds) mapfile -t COMPREPLY < <(compgen -W 'nondet race deadlock wakeup memory misuse' -- "$current") && return ;;
    --to) mapfile -t COMPREPLY < <(compgen -W 'std trace' -- "$current") && return ;;
    --format)
        local formats='text json'
        [[ $command != report ]] || formats='html junit sarif json perfetto'
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
        return
        ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heddle_options "$heddle" "$command")" -- "$current")
        return
    fi
    local ending=
    case $command in
    analyze) ending=trace ;;
    replay) ending=witness ;;
    esac
    if [[ $ending ]]; then
        mapfile -t COMPREPLY < <(
            compgen -f -X "!*.$ending" -- "$current"
            compgen -d -- "$current"
        )
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -o filenames -F _heddle heddle
