#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs unpack: the tree as it was, at every fidelity; what is left out; what is refused.
. "$(dirname "$0")/lib.sh"

make_source source
head -c 3000000 /dev/urandom >source/large.bin
chmod 640 source/large.bin
chmod 555 source/photos/b
touch -d '1955-11-05 06:15:00.123456789' source/nothing source/empty source/labels
touch -h -d '2001-01-01 00:00:00.5' source/photos/link.jpg
expect 0 "$LODFS" pack -q --scans=default source store

# names, kinds, modes, times, link counts and targets, NUL-separated
tree() { (cd "$1" && find . -printf '%P %y %m %T@ %n %l\0' | sort -z); }
sums() { (cd "$1" && find . -type f ! -name '*.jpg' -print0 | sort -z | xargs -0 sha256sum -z); }

for threads in 1 4; do
    expect 0 "$LODFS" unpack --fidelity=full -j$threads store full$threads
    cmp <(tree source) <(tree full$threads) || fail "the tree differs with $threads threads"
    cmp <(sums source) <(sums full$threads) || fail "bytes differ with $threads threads"
    [ full$threads/photos/b/copy.jpg -ef full$threads/photos/b/hard.jpg ] || fail 'no hard link'
done
# The pixels are those of the source.
for photo in source/photos/a/*; do
    cmp <(djpeg "$photo") <(djpeg "full1/photos/a/${photo##*/}") || fail "pixels of $photo"
done
expect 0 "$LODFS" unpack -q --fidelity=q2 store q2
[ -s out ] && fail 'not quiet'
cmp <(tree source) <(tree q2) || fail 'the tree differs at q2'
cmp <(sums source) <(sums q2) || fail 'bytes differ at q2'

# The default: exact bytes, and a word about every file of which the store has none.
"$LODFS" unpack -v store exact >out 2>err
rc=$?
left=$(grep -c '^left out: ' out)
[ $rc = $((left ? 3 : 0)) ] || fail "exit $rc with $left left out"
cmp <(sums source) <(sums exact) || fail 'bytes differ'
[ "$left" = 0 ] || printed '--fidelity=full'
(cd exact && find . -type f -print0 | xargs -0 sha256sum) >all
(cd source && sha256sum --quiet -c ../all) || fail 'a file is not the one of the source'
[ $(($(find exact -type f | wc -l) + left)) = "$(find source -type f | wc -l)" ] ||
    fail 'files neither written nor named'

# Damage: one file is missing and named, the others are there.
cp -r store damaged
record=$(cd damaged/records && grep -l -a large.bin -- *.raw | head -n 1)
size=$(stat -c %s "damaged/records/$record")
printf 'xxxx' | dd of="damaged/records/$record" bs=1 seek=$((size - 2000000)) conv=notrunc \
    status=none
"$LODFS" unpack --fidelity=full damaged most >out 2>err
[ $? = 1 ] || fail 'a damaged store, and no exit 1'
printed 'failed: large.bin: '
[ -e most/large.bin ] && fail 'a part of a file'
cmp most/-rf source/-rf || fail 'others are not there'

# Refused.
expect 1 "$LODFS" unpack store q2
said 'name an empty or a new folder'
expect 1 "$LODFS" unpack store source/large.bin
said 'Not a directory'
expect 1 "$LODFS" unpack store no/such/folder
said 'No such file'
expect 10 "$LODFS" unpack source new
said 'no manifest.json'
[ -e new ] && fail 'a folder made for no store'
expect 2 "$LODFS" unpack store
said 'takes a STORE and a FOLDER'
expect 2 "$LODFS" unpack --fidelity=q11 store new
said '--fidelity is original, full or q1 .. q10'
if [ -c /dev/full ] && mkdir tiny && mount -t tmpfs -o size=1m none tiny 2>/dev/null; then
    cleanup() { umount "$work/tiny" 2>/dev/null; }
    mkdir tiny/in
    expect 1 "$LODFS" unpack -q --fidelity=full store tiny/in
    said 'No space left on device'
    umount tiny
fi
chmod -R u+w source full1 full4 q2 exact most
finish
