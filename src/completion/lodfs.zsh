#compdef lodfs
# SPDX-License-Identifier: Apache-2.0
# Completion of lodfs for zsh. The program computes the words (src/terminal/complete.c).

_lodfs()
{
    local program=${words[1]} kind line word
    local -a typed lines whole whole_help open open_help
    typed=("${(@Q)words[2,CURRENT]}")
    lines=("${(@f)$("$program" __complete "${typed[@]}" 2>/dev/null)}")
    kind=${lines[1]}
    for line in "${(@)lines[2,-1]}"; do
        word=${line%%$'\t'*}
        [[ -n $word ]] || continue
        if [[ $word == *= ]]; then
            open+=("$word") open_help+=("$word  ${line#*$'\t'}")
        else
            whole+=("$word") whole_help+=("$word  ${line#*$'\t'}")
        fi
    done
    (( $#whole )) && compadd -l -d whole_help -a whole
    (( $#open )) && compadd -l -S '' -d open_help -a open
    case $kind in
        files) _files ;;
        folders) _files -/ ;;
    esac
}

_lodfs "$@"
