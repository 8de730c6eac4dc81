#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Signals while a pack runs: at every stage SIGTERM stops it and SIGUSR1 makes it print progress.
. "$(dirname "$0")/lib.sh"

make_source source 40

# Succeeds once the program waits for SIGUSR1. Before that, the signal would end it.
waits() { (((0x0$(sed -n 's/^SigBlk:\t//p' "/proc/$pid/status" 2>/dev/null || echo 0)) & 0x200)); }

# begin PROGRAM ARGUMENTS: starts it as $pid, with SIGUSR1 pending: a busy machine may run this
# script next when the program has ended. `err` is emptied first: the child opens it too late for a
# parent that looks for words there.
begin()
{
    : >err
    python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
os.execvp(sys.argv[1], sys.argv[1:])' "$@" >out 2>err &
    pid=$!
}

# asked SIGNAL WORDS: sends SIGUSR1 until `err` contains WORDS, then sends SIGNAL. Fails if the
# program ends before, or after 100 seconds.
asked()
{
    local from=$SECONDS
    until grep -q "$2" err; do
        kill -0 "$pid" 2>/dev/null || return 1
        ! waits || kill -USR1 "$pid" 2>/dev/null || return 1
        [ $((SECONDS - from)) -lt 100 ] || return 1
        sleep .05
    done
    kill "-$1" "$pid" 2>/dev/null || [ "$1" != TERM ] # a short pack may have ended
}

# ends SECONDS: waits for the program. rc becomes its exit code, or 'late' if it had to be killed.
ends()
{
    local from=$SECONDS
    while kill -0 "$pid" 2>/dev/null; do
        if [ $((SECONDS - from)) -ge "$1" ]; then
            kill -KILL "$pid"
            wait "$pid" 2>/dev/null
            rc=late
            return
        fi
        sleep .05
    done
    wait "$pid"
    rc=$?
}

# Measuring 40 photographs by each of the scripts takes one processor minutes.
begin "$LODFS" pack -j1 source measured
asked TERM 'measuring scan scripts: [0-9]*/[0-9]* files' ||
    fail "no progress is printed while scripts are measured"
ends 100
[ "$rc" = 130 ] || fail "exit $rc after SIGTERM while scripts are measured"
grep -q 'interrupted: no store was made' err || fail "no message about the signal: $(cat err)"
[ -e measured/manifest.json ] && fail 'an interrupted pack left a store'

# SIGUSR1 does not end pack, and each line of progress names its stage.
begin "$LODFS" pack -q -j1 --scans=default source asked
asked USR1 'lodfs: [a-z ]*' || fail "no progress is printed while pack runs: $(cat err)"
ends 100
[ "$rc" = 0 ] || fail "exit $rc after SIGUSR1"
stages='beginning|listing |examining |looking |reading |measuring |packing|writing '
grep -vqE "^lodfs: ($stages)" err &&
    fail "a line names no stage: $(cat err)"
expect 0 "$LODFS" verify -q asked

# Under nohup SIGHUP is ignored, and the program keeps it so.
begin sh -c 'trap "" HUP && exec "$@"' sh "$LODFS" pack -q -j1 --scans=default source hung
asked HUP 'lodfs: [a-z ]*' || fail "no progress is printed under nohup: $(cat err)"
ends 100
[ "$rc" = 0 ] || fail "exit $rc after an ignored SIGHUP"

# The daemon of a mount has no progress to print, and SIGUSR1 does not end it.
if [ -e /dev/fuse ] && mkdir mount && "$LODFS" mount asked mount 2>err; then
    cleanup() { umount "$work/mount" 2>/dev/null; }
    pkill -USR1 -f "^$LODFS mount asked mount\$" || fail 'the daemon of the mount was not found'
    cmp source/nothing mount/full/nothing || fail 'SIGUSR1 ends the daemon of a mount'
    "$LODFS" umount mount || fail 'after SIGUSR1 the mount cannot be unmounted'
else
    echo 'SKIP: no FUSE mount is possible here'
fi
finish
