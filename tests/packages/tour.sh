#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs, mounts, reads and unmounts the photographs of a folder, in a folder of its own: with any
# sh, as in busybox. `$LODFS` is the command, one word or more.
# usage: tour.sh PHOTOGRAPHS
set -eu
photographs=$(cd "$1" && pwd)
work=$(mktemp -d)
cd "$work"

fail()
{
    echo "tour: $*"
    exit 1
}

bytes()
{
    find "$1" -type f -exec cat {} + | wc -c
}

$LODFS pack -q "$photographs" store
$LODFS verify -q store
mkdir point
$LODFS mount store point
diff -r "$photographs" point/full || fail 'full is not the source'
[ "$(bytes point/q1)" -lt "$(bytes point/full)" ] || fail 'q1 is not smaller than full'
for file in $(find point/q1 -type f); do
    [ "$(dd if="$file" bs=1 count=3 2>/dev/null | od -An -tx1 | tr -d ' ')" = ffd8ff ] ||
        fail "$file is no JPEG"
done
$LODFS umount point
[ -z "$(ls point)" ] || fail 'something is mounted still'
grep -q "$work" /proc/mounts && fail 'the kernel lists the mount still'
$LODFS unpack -q store again
diff -r "$photographs" again || fail 'unpacked is not the source'
cd / && rm -r "$work"
echo "tour: packed, mounted, read, unmounted"
