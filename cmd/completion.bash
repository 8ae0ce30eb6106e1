# What the script below needs of the package bash-completion, for where it is not
# installed: the words of the line, of which = and : part none.
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        local i word gap last rest=$COMP_LINE
        words=()
        cword=0
        for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
            word=${COMP_WORDS[i]}
            gap=${rest%%[![:space:]]*}
            rest=${rest#"$gap"}
            rest=${rest#"$word"}
            last=$((${#words[@]} - 1))
            if [[ $last -ge 0 && -z $gap ]] && [[ $word == [=:]* || ${words[last]} == *[=:] ]]; then
                words[last]+=$word
            else
                words+=("$word")
            fi
            if [[ $i -eq $COMP_CWORD ]]; then cword=$((${#words[@]} - 1)); fi
        done
        words=("${words[@]:0:cword+1}")
        cur=${words[cword]}
        prev=
        if [[ $cword -gt 0 ]]; then prev=${words[cword-1]}; fi
    }
fi

