#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages: man shows them without warnings, and they name every option of every command.
. "$(dirname "$0")/lib.sh"
pages=$(cd "$(dirname "$0")/../../man" && pwd)

command -v man >/dev/null || { echo 'SKIP: man is not installed' && exit 77; }
for page in lodfs.1 lodfs-loaders.7 mount.lodfs.8; do
    MANWIDTH=80 man --warnings -l "$pages/$page" >$page 2>err || fail "$page cannot be shown"
    [ -s err ] && fail "$page: $(head -n 1 err)"
    grep -q BSD $page && fail "the head of $page names BSD: $(head -n 1 $page)"
done

# Help is printed from the tables that parse options, so it lists every option that exists.
for command in pack umount set stats ls order info fidelity report unpack verify repair \
    'met plan' 'met begin' 'met next' 'met status' 'met end'; do
    "$LODFS" $command --help | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE -e '--.*' >words
    while read -r word; do
        grep -qF -e "$word" lodfs.1 mount.lodfs.8 || fail "no page names $word of $command"
    done <words
done
for word in $("$LODFS" help mount | sed -n '/^OPTIONS/,$s/^  \([a-z_]*\).*/\1/p'); do
    grep -qw -e "$word" mount.lodfs.8 || fail "mount.lodfs(8) does not name $word"
done
finish
