#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pack that does not end well: killed, interrupted, disk full. No store, and a rerun makes one.
. "$(dirname "$0")/lib.sh"

# Waits until the last background job is the program and no longer a shell on its way there.
started()
{
    while [ "$(cat /proc/$!/comm 2>/dev/null)" = "$(cat /proc/$$/comm)" ]; do :; done
}

cleanup() { umount "$work/disk" 2>/dev/null; }
options=(-q --scans=default)
make_source source 2
for i in 1 2 3 4 5 6; do
    head -c 8000000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack "${options[@]}" source reference

# Interrupted while scripts are measured: nothing of it remains.
"$LODFS" pack -q --scans=auto source measured >out 2>err &
started
sleep 0.05
kill -INT $! 2>/dev/null
wait $!
rc=$?
[ $rc = 130 ] || [ $rc = 0 ] || fail "exit $rc while scripts are measured"
[ $rc = 0 ] || [ ! -e measured/manifest.json ] || fail "a store of an interrupted pack"

# Interrupted at many moments: nothing remains, or what the same command goes on with, or (too late)
# the whole store.
for delay in 0.001 0.01 0.03 0.05 0.1 0.2; do
    for signal in INT TERM; do
        "$LODFS" pack "${options[@]}" source stopped >out 2>err &
        started
        sleep $delay
        kill -$signal $! 2>/dev/null
        wait $!
        rc=$?
        if [ -e stopped/manifest.json ]; then
            diff -r stopped reference >/dev/null || fail "another store after $delay"
            [ $rc = 0 ] || fail "exit $rc for a whole store"
        elif [ $rc = 130 ]; then
            [ ! -s err ] || said 'interrupted' # nothing is said before main begins
            if [ -e stopped ]; then
                said 'again to go on'
                [ -e stopped/pack.journal ] || fail "an interrupted pack left more than records"
            fi
        elif [ $rc -lt 128 ]; then
            fail "exit $rc after $delay"
        fi
        rm -rf stopped
    done
done

# Killed: records may remain, a manifest never; the rerun starts clean.
for delay in 0.01 0.05 0.1 0.2 0.3; do
    "$LODFS" pack "${options[@]}" source killed 2>/dev/null &
    started
    sleep $delay
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    if [ -e killed/manifest.json ]; then
        diff -r killed reference >/dev/null || fail "a manifest before its store, after $delay"
        rm -rf killed
    fi
done
mkdir -p killed/records
echo rubbish >killed/records/000099.raw
echo rubbish >killed/index
echo rubbish >killed/manifest.tmp
expect 10 "$LODFS" info killed
expect 0 "$LODFS" pack "${options[@]}" source killed
diff -r killed reference >/dev/null || fail "a rerun made another store"

mkdir disk
if mount -t tmpfs -o size=20m tmpfs disk 2>/dev/null; then
    expect 0 "$LODFS" pack "${options[@]}" --record-size=1M source reference.1m
    expect 1 "$LODFS" pack "${options[@]}" --record-size=1M source disk/store
    said 'No space left'
    said 'again to go on'
    [ "$(df --output=avail -B1M disk | tail -n 1)" -ge 1 ] ||
        fail "a record that was not finished was left on a full disk"
    expect 10 "$LODFS" info disk/store
    mount -o remount,size=100m disk
    expect 0 "$LODFS" pack --scans=default --record-size=1M --json source disk/store
    json 'd["kept_records"] >= 1'
    diff -r disk/store reference.1m >/dev/null || fail "the rerun made another store"
else
    echo "skipped: no tmpfs can be mounted here, so no full disk"
fi
finish
