# SPDX-License-Identifier: Apache-2.0
# bash completes lodfs's commands, options and mount points. Commands and options are read from the
# program's own help, so that a new one needs no line here.

_lodfs_commands()
{
    "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

# What stands before the two blanks of a line that begins with an option.
_lodfs_options()
{
    "$1" help "$2" 2>/dev/null | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/  .*//' |
        grep -oE -e '--?[][A-Za-z0-9-]+=?' | sed 's/--\[no-\]\(.*\)/--\1\n--no-\1/'
}

_lodfs_mounts()
{
    findmnt -n -l -o TARGET -t fuse.lodfs 2>/dev/null
}

# Of the words before the cursor, `=` is one by itself.
_lodfs_words()
{
    local command=${COMP_WORDS[1]} word=$2 before=$3 fidelities
    fidelities=$(printf '%s\n' q{1..10} full)
    [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$word" = = ] && word= && before=${COMP_WORDS[COMP_CWORD - 1]}
    case $COMP_CWORD:$command:$before:$word in
    1:*) _lodfs_commands "$1" ;;
    2:help:*) _lodfs_commands "$1" ;;
    *:set:auto:*) echo "$fidelities" ;;
    *:--fidelity:*) printf '%s\noriginal\n' "$fidelities" ;;
    *:-*) _lodfs_options "$1" "$command" ;;
    3:set:*) echo 'auto=' ;;
    2:set:* | 2:stats:* | *:umount:*) _lodfs_mounts ;;
    esac
}

_lodfs()
{
    local word=$2 IFS=$'\n'
    [ "$word" = = ] && word=
    mapfile -t COMPREPLY < <(compgen -W "$(_lodfs_words "$@")" -- "$word")
    case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
    return 0
}

# No word of ours: names of files, as ever.
complete -o default -F _lodfs lodfs
