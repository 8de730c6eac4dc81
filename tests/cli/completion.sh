#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What bash offers behind `lodfs`.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../../src/completion.bash" || exit 1

# offered WORD... : what is offered for the last word, into `out`
offered()
{
    COMP_WORDS=(lodfs "$@")
    COMP_CWORD=$#
    _lodfs "$LODFS" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}" >out
}

has() { grep -qxe "$1" out || fail "no '$1' among $(tr '\n' ' ' <out)"; }
lacks() { ! grep -qxe "$1" out || fail "'$1' among $(tr '\n' ' ' <out)"; }

offered ''
for command in pack mount umount set stats ls info unpack verify repair version help; do
    has $command
done
lacks Usage
offered u
has umount
has unpack
lacks pack
offered help re
has repair
offered pack --
for word in --jobs= --order= --skip-unreadable --dry-run --no-progress --json; do has $word; done
lacks --hashes
offered verify --
for word in --hashes --progress --no-progress --jobs=; do has $word; done
offered mount -
for word in -f -d -s -o; do has $word; done
offered ls --fidelity = q1
has q1
has q10
lacks q2
offered ls --fidelity =
has original
offered set MOUNT a
has auto=
offered set MOUNT auto = f
has full
lacks original
offered pack so
[ "$(cat out)" = '' ] || fail "words of ours stand where files do: $(cat out)"
finish
