#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs met where a state cannot be written, where two commands or two copies use one state, and for
# a single picture. tests/cli/met.sh has jobs that go well.
. "$(dirname "$0")/../cli/lib.sh"
[ -w /dev/fuse ] || { echo 'SKIP: there is no /dev/fuse' && exit 77; }

cleanup()
{
    "$LODFS" umount "$work/mnt" 2>/dev/null
    umount "$work/small" 2>/dev/null
}
mkdir -p source single mnt small
"$PHOTOGRAPHS" source 20 1 >/dev/null
# A store's order follows from its files' times. In this one each next part has room in 300 KiB.
find source -exec touch -d @1700000000 {} +
cp "$(find source -type f | sort | head -n 1)" single/
expect 0 "$LODFS" pack -q --scans=default --record-size=64K source store
expect 0 "$LODFS" mount store mnt -o cache_size=4M

# lists NUMBER: fails unless the mount has this number of lists.
lists()
{
    "$LODFS" stats --json mnt >out
    json "d.get('ahead', {}).get('lists', 0) == $1"
}

# The file system of the state is full, or read-only. Then nothing changes.
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=32k lodfs-test small 2>err; then
    expect 0 "$LODFS" met begin alike mnt/full --rf=2 --seed=1 --room=300K
    expect 0 "$LODFS" met begin small/job mnt/full --rf=2 --seed=1 --room=300K
    for turn in 1 2 3; do
        expect 0 "$LODFS" met next alike
        cp out expected
        cp small/job before
        head -c 64K /dev/zero >small/filler 2>/dev/null
        expect 1 "$LODFS" met next small/job
        said "cannot write 'small/job': No space left on device"
        [ -s out ] && fail "list $turn is printed where its state cannot be written"
        expect 1 "$LODFS" met begin small/other mnt/full --rf=2 --seed=1 --room=300K
        said "cannot write 'small/other': No space left on device"
        [ "$(ls -A small)" = "$(printf 'filler\njob')" ] || fail "files are left: $(ls -A small)"
        lists 2
        rm small/filler
        mount -o remount,ro small
        expect 1 "$LODFS" met next small/job
        said "cannot write 'small/job': Read-only file system"
        expect 1 "$LODFS" met begin small/other mnt/full --rf=2 --seed=1 --room=300K
        said "cannot write 'small/other': Read-only file system"
        expect 0 "$LODFS" met status small/job
        lists 2
        mount -o remount,rw small
        cmp -s small/job before || fail 'a state that could not be written has changed'
        expect 0 "$LODFS" met next small/job
        cmp -s out expected || fail "list $turn is another one after failed writes"
    done
    mount -o remount,ro small
    expect 1 "$LODFS" met end small/job
    said "cannot remove 'small/job': Read-only file system"
    mount -o remount,rw small
    expect 0 "$LODFS" met end small/job
    expect 0 "$LODFS" met end alike
    umount small
else
    echo 'no tmpfs can be mounted here: full file systems were not tried'
fi
lists 0

# Two commands at once on one state: each list is given once, or the command fails with a message.
expect 0 "$LODFS" met begin alike mnt/full --rf=2 --seed=1 --room=300K
expect 0 "$LODFS" met begin shared mnt/full --rf=2 --seed=1 --room=300K
for turn in $(seq 12); do
    "$LODFS" met next shared >list.1 2>err.1 &
    "$LODFS" met next shared >list.2 2>err.2
    second=$?
    wait $!
    first=$?
    for number in 1 2; do
        code=$first
        [ $number = 1 ] || code=$second
        case $code in
            0) cp list.$number given.$turn.$number ;;
            11) grep -q 'used by another lodfs met' err.$number ||
                fail "told: $(cat err.$number)" ;;
            *) fail "exit $code of two commands at once: $(cat err.$number)" ;;
        esac
    done
    [ $first = 0 ] || [ $second = 0 ] || fail 'of two commands at once none gives a list'
done
count=$(ls given.* | wc -l)
for turn in $(seq "$count"); do
    "$LODFS" met next alike
done | sort >expected
cat given.* | sort | cmp -s - expected || fail "$count lists of commands at once are others"
lists 2

# Copies of a state are two jobs with one number. Each list of one replaces that of the other.
cp shared copy
for turn in 1 2 3 4 5; do
    expect 0 "$LODFS" met next shared
    cp out first
    expect 0 "$LODFS" met next copy
    cmp -s out first || fail 'a copy of a state gives other lists'
    while read -r path; do
        cmp -s "$path" "source/${path#"$work/mnt/full/"}" || fail "$path has other bytes"
    done <out
done
lists 2
expect 0 "$LODFS" met end copy
expect 0 "$LODFS" met next shared
expect 0 "$LODFS" met end shared
expect 0 "$LODFS" met end alike
lists 0

# A single picture.
expect 0 "$LODFS" umount mnt
expect 0 "$LODFS" pack -q --scans=default single store1
expect 0 "$LODFS" mount store1 mnt
for rf in 4 auto score bollinger; do
    expect 0 "$LODFS" met begin single.job mnt/q4 --rf=$rf --epochs=3
    count=0
    while expect 0 "$LODFS" met next single.job ${score-} && [ -s out ]; do
        [ "$(cat out)" = "$work/mnt/q4/$(ls single)" ] || fail "the list is $(cat out)"
        count=$((count + 1))
        case $rf in score | bollinger) score=--score=.5 ;; esac
        [ $count -lt 50 ] || { fail 'the job does not end' && break; }
    done
    unset score
    [ $count = 3 ] || fail "rf $rf: 3 epochs of a picture are $count lists"
    expect 0 "$LODFS" met end single.job
done
expect 0 "$LODFS" met plan mnt --rate=1000 --speed=1M --room=1M
expect 2 "$LODFS" met begin wrong mnt/q4 --rf=2 --rank=1/2
said 'nothing to read'
finish
