#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs that are killed, interrupted or meet a full disk: they leave no store, and a rerun makes it.
. "$(dirname "$0")/lib.sh"

# Blocks until the last background job has executed the program.
started()
{
    while [ "$(cat /proc/$!/comm)" != "$(basename "$LODFS")" ]; do :; done
}

cleanup() { umount "$work/disk" 2>/dev/null; }
options=(-q --scans=default)
make_source source 2
for i in 1 2 3 4 5 6; do
    head -c 8000000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack "${options[@]}" source reference

# Interrupted while scripts are measured: no store remains.
with_signals "$LODFS" pack -q --scans=auto source measured >out 2>err &
started
sleep 0.05
kill -INT $! 2>/dev/null
wait $!
rc=$?
[ $rc = 130 ] || [ $rc = 0 ] || fail "exit $rc while scripts are measured"
[ $rc = 0 ] || [ ! -e measured/manifest.json ] || fail "an interrupted pack left a store"

# Interrupted at many moments: the pack leaves nothing, records that the same command reuses, or,
# if the signal came too late, the whole store.
for delay in 0.001 0.01 0.03 0.05 0.1 0.2; do
    for signal in INT TERM; do
        with_signals "$LODFS" pack "${options[@]}" source stopped >out 2>err &
        started
        sleep $delay
        kill -$signal $! 2>/dev/null
        wait $!
        rc=$?
        if [ -e stopped/manifest.json ]; then
            diff -r stopped reference >/dev/null || fail "the store differs after $delay s"
            [ $rc = 0 ] || fail "exit $rc for a whole store"
        elif [ $rc = 130 ]; then
            [ ! -s err ] || said 'interrupted' # before main begins there is no message
            if [ -e stopped ]; then
                said 'again to continue'
                [ -e stopped/pack.journal ] || fail "an interrupted pack left more than records"
            fi
        elif [ $rc -lt 128 ]; then
            fail "exit $rc after $delay s"
        fi
        rm -rf stopped
    done
done

# Killed: records may remain, a manifest never. The rerun makes the same store.
for delay in 0.01 0.05 0.1 0.2 0.3; do
    "$LODFS" pack "${options[@]}" source killed 2>/dev/null &
    started
    sleep $delay
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    if [ -e killed/manifest.json ]; then
        rm -f killed/pack.journal # the pack was killed behind its commit
        diff -r killed reference >/dev/null ||
            fail "killed after $delay s: there is a manifest, but the store is not whole"
        rm -rf killed
    fi
done
mkdir -p killed/records
echo rubbish >killed/records/000099.raw
echo rubbish >killed/index
echo rubbish >killed/manifest.tmp
expect 10 "$LODFS" info killed
expect 0 "$LODFS" pack "${options[@]}" source killed
diff -r killed reference >/dev/null || fail "a rerun over rubbish made a different store"

mkdir disk
if mount -t tmpfs -o size=20m tmpfs disk 2>/dev/null; then
    expect 0 "$LODFS" pack "${options[@]}" --record-size=1M source reference.1m
    expect 1 "$LODFS" pack "${options[@]}" --record-size=1M source disk/store
    said 'No space left'
    said 'again to continue'
    [ "$(df --output=avail -B1M disk | tail -n 1)" -ge 1 ] ||
        fail "a record that was not finished was left on a full disk"
    expect 10 "$LODFS" info disk/store
    mount -o remount,size=100m disk
    expect 0 "$LODFS" pack --scans=default --record-size=1M --json source disk/store
    json 'd["kept_records"] >= 1'
    diff -r disk/store reference.1m >/dev/null ||
        fail "the rerun after a full disk made a different store"
else
    echo "SKIP: a full disk needs a tmpfs, and none can be mounted here"
fi
finish
