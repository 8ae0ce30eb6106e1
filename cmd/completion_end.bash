
# Where several words are possible, cobra's script gives bash the words as they are, and
# bash puts what they have in common on the line: a command in the name of a stranger's
# persona or file would be run with the next Enter. The functions below stand in the place
# of cobra's.

# __parley_fits WORD tells whether a word begins with what was typed. It sets $quoted to the
# word as it may stand on a command line.
__parley_fits()
{
    local IFS=$'\n'
    printf -v quoted '%q' "$1"
    [[ -z $cur ]] || compgen -W "$quoted" -- "$cur" >/dev/null
}

__parley_handle_completion_types()
{
    local tab=$'\t' line word quoted common longest=0
    local lines=() words=() safe=()

    ((${#completions[@]} == 0)) && return 0
    for line in "${completions[@]}"; do
        word=${line%%"$tab"*}
        if [[ -n $word ]] && __parley_fits "$word"; then
            lines+=("$line")
            words+=("$word")
            safe+=("$quoted")
            if ((${#word} > longest)); then longest=${#word}; fi
        fi
    done
    ((${#words[@]} == 0)) && return 0

    # One word, or bash puts each of them on the line itself (37 and 42).
    if [[ ${#words[@]} == 1 || ${COMP_TYPE-} == 37 || ${COMP_TYPE-} == 42 ]]; then
        COMPREPLY=("${safe[@]}")
        return 0
    fi

    # What all have in common goes on the line as if it were the only word. 63 only lists.
    if [[ ${COMP_TYPE-} != 63 ]]; then
        common=${words[0]}
        for word in "${words[@]}"; do
            while [[ $word != "$common"* ]]; do common=${common%?}; done
        done
        if [[ -n $common ]] && __parley_fits "${common%?}"; then
            printf -v quoted '%q' "$common"
            COMPREPLY=("$quoted")
            if [[ $(type -t compopt) == builtin ]]; then compopt -o nospace; fi
            return 0
        fi
    fi

    # The others are only shown, as they are. The blank has nothing in common with any of
    # them, so that bash leaves the line as it is.
    COMPREPLY=("${lines[@]}")
    __parley_format_comp_descriptions "$longest"
    if [[ ${COMP_TYPE-} != 63 ]]; then COMPREPLY+=(" "); fi
}
