# SPDX-License-Identifier: Apache-2.0
# Completion of lodfs for bash. The program computes the words (src/terminal/complete.c).

_lodfs()
{
    local program=$1 words=() word='' glue='' kind='' lines=() line i
    # bash makes '=' a word of its own; the program expects it inside a word.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ( $word == = || $glue ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        [[ $word == = ]] && glue=yes || glue=''
    done
    [[ $word == = ]] && word=''
    local before=${words[-1]%"$word"}
    { read -r kind && mapfile -t lines; } < <("$program" __complete "${words[@]}" 2>/dev/null)
    COMPREPLY=()
    for line in "${lines[@]}"; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$before"}")
    done
    case $kind in
        names) compopt -o filenames ;;
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
    esac 2>/dev/null
    case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac 2>/dev/null
    return 0
}

complete -F _lodfs lodfs
