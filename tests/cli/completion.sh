#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion in bash, zsh and fish. The program computes the words; the scripts pass them on.
. "$(dirname "$0")/lib.sh"
scripts=$(dirname "$0")/../../src/completion
. "$scripts/lodfs.bash" || exit 1

# answered WORD... : writes the words that the program offers for the last WORD into `out`
answered() { "$LODFS" __complete "$@" >whole; sed 's/\t.*//' whole >out; }
# offered WORD... : writes the words that bash offers for the last WORD into `out`. bash counts '='
# as a word.
offered()
{
    COMP_WORDS=(lodfs "$@")
    COMP_CWORD=$#
    _lodfs "$LODFS" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}" >out
}

has() { grep -qxe "$1" out || fail "'$1' is not among $(tr '\n' ' ' <out)"; }
lacks() { ! grep -qxe "$1" out || fail "'$1' should not be among $(tr '\n' ' ' <out)"; }
only()
{
    [ "$(sort out | tr '\n' ' ')" = "$* " ] || fail "$(sort out | tr '\n' ' ')instead of $*"
}
kind() { [ "$(head -n 1 out)" = "$1" ] || fail "$(head -n 1 out) instead of $1"; }

# Commands, options, values of options.
offered ''
for command in pack mount umount set stats ls info fidelity report unpack verify repair push \
    warmup version help; do
    has $command
done
lacks Usage
lacks __complete
offered u
only umount unpack
offered help rep
only repair report
offered pack --
for word in --jobs= --order= --skip-unreadable --dry-run --no-progress --json --help; do
    has $word
done
lacks --hashes
offered verify --
for word in --hashes --progress --no-progress --jobs=; do has $word; done
offered mount -
for word in -f -d -s -o; do has $word; done
offered ls --fidelity = q1
only q1 q10
offered ls --fidelity =
has original
offered ls --fidelity or
only original
offered pack --order = ''
only path shuffle
offered pack --l3 = p
only packed paper
answered pack --scans=
kind files
has --scans=spectral
answered pack -j ''
only words

# Options of -o and their values, also after a comma.
offered mount -o ca
only ca_file= cache= cache_size=
offered mount -fo noexec,cache = n
only none
offered mount -o noexec,cache = n
only none
offered mount -o fidelity = fu
only full
answered mount -o noexec,cache=k
only noexec,cache=kernel words

# Operands: the shell completes files and folders; the program completes mounts and settings.
answered pack ''
only folders
answered pack --json source ''
only folders
answered pack -- --so
only folders
answered mount -o ''
has fsname=
answered umount -l ''
kind names
answered stats --json ''
kind names
offered set MOUNT a
only auto=
offered set MOUNT auto = f
only full
answered version ''
only words
answered nonsense ''
only words

# The options of every command are offered once each. An '=' follows those that take a value.
for command in pack mount umount set stats ls info fidelity report unpack verify repair push \
    warmup version help; do
    "$LODFS" help $command | grep -oE '^ +(-., )?--[a-z0-9-]+' |
        grep -oE -e '--.*' | sort -u >wanted
    answered $command --
    grep -e '^--' out | sed 's/=$//' | grep -vx -e --help | sort >given
    diff wanted given >differ || fail "$command: $(cat differ)"
done

# A mount is offered by its path, even if the path has a space.
if [ -e /dev/fuse ] && mkdir -p source 'the mount' && expect 0 "$LODFS" pack -q source store &&
    "$LODFS" mount store 'the mount' 2>/dev/null; then
    cleanup() { umount "$work/the mount" 2>/dev/null; }
    offered umount "$work/the"
    only "$work/the mount"
    offered set "$work/the"
    has "$work/the mount"
    "$LODFS" umount 'the mount'
else
    echo 'SKIP: no FUSE mount is possible here'
fi

# in_zsh WORD... : writes the words that _lodfs passes to zsh into `out`. Two functions stand in for
# the interactive shell.
in_zsh()
{
    zsh -f -c '
        compadd() { while [[ $1 == -* ]]; do
                [[ $1 == -S || $1 == -d ]] && shift; shift; done; print -l -- "${(@P)1}"; }
        _files() { print files "$@"; }
        script=$1; shift; words=("$@"); CURRENT=$#words; source $script' \
        zsh "$scripts/lodfs.zsh" "$LODFS" "$@" >out 2>err || fail "zsh: $(cat err)"
}
if command -v zsh >/dev/null; then
    in_zsh u
    only umount unpack
    in_zsh pack --order=
    only --order=path --order=shuffle
    in_zsh pack --or
    only --order= --original=
    in_zsh pack source ''
    only 'files -/'
    in_zsh set MOUNT auto=f
    only auto=full
    in_zsh mount -o noexec,cache=k
    only noexec,cache=kernel
else
    echo 'SKIP: zsh is not installed'
fi

# in_fish LINE: writes the words that fish offers after LINE into `out`
in_fish()
{
    PATH="$(dirname "$LODFS"):$PATH" HOME=$work fish --no-config -c \
        'source $argv[1]; complete -C $argv[2]' "$scripts/lodfs.fish" "$1" 2>err | cut -f1 >out
}
if command -v fish >/dev/null; then
    in_fish 'lodfs u'
    only umount unpack
    in_fish 'lodfs pack --order='
    only --order=path --order=shuffle
    mkdir -p folder-a folder-b && : >file-a
    in_fish 'lodfs info fold'
    only folder-a/ folder-b/
    in_fish 'lodfs info file'
    lacks file-a
    in_fish 'lodfs pack --scans=fi'
    has --scans=fine
    in_fish 'lodfs set MOUNT auto=f'
    only auto=full
else
    echo 'SKIP: fish is not installed'
fi
finish
