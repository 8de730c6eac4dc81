#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs unpack: it restores the tree at every fidelity, and names files that it leaves out. It
# refuses a target that holds files.
. "$(dirname "$0")/lib.sh"

make_source source
head -c 3000000 /dev/urandom >source/large.bin
chmod 640 source/large.bin
chmod 555 source/photos/b
touch -d '1955-11-05 06:15:00.123456789' source/nothing source/empty source/labels
touch -h -d '2001-01-01 00:00:00.5' source/photos/link.jpg
expect 0 "$LODFS" pack -q --scans=default source store

# tree FOLDER: prints names, kinds, modes, times, link counts and targets, NUL-separated.
# sums FOLDER: prints the hash of every file but the photographs.
tree() { (cd "$1" && find . -printf '%P %y %m %T@ %n %l\0' | sort -z); }
sums() { (cd "$1" && find . -type f ! -name '*.jpg' -print0 | sort -z | xargs -0 sha256sum -z); }

for threads in 1 4; do
    expect 0 "$LODFS" unpack --fidelity=full -j$threads store full$threads
    cmp <(tree source) <(tree full$threads) || fail "the tree differs with $threads threads"
    cmp <(sums source) <(sums full$threads) || fail "bytes differ with $threads threads"
    [ full$threads/photos/b/copy.jpg -ef full$threads/photos/b/hard.jpg ] ||
        fail 'a hard link was not restored'
done
# At full, the pixels are those of the source.
for photo in source/photos/a/*; do
    cmp <(djpeg "$photo") <(djpeg "full1/photos/a/${photo##*/}") || fail "pixels of $photo differ"
done
expect 0 "$LODFS" unpack -q --fidelity=q2 store q2
[ -s out ] && fail 'unpack -q prints something'
cmp <(tree source) <(tree q2) || fail 'the tree differs at q2'
cmp <(sums source) <(sums q2) || fail 'bytes differ at q2'

# The default fidelity is original: exact bytes, and a line for each file that has no original.
"$LODFS" unpack -v store exact >out 2>err
rc=$?
left=$(grep -c '^left out: ' out)
[ $rc = $((left ? 3 : 0)) ] || fail "exit $rc with $left left out"
cmp <(sums source) <(sums exact) || fail 'bytes differ at original'
[ "$left" = 0 ] || printed '--fidelity=full'
(cd exact && find . -type f -print0 | xargs -0 sha256sum) >all
(cd source && sha256sum --quiet -c ../all) || fail 'an unpacked file differs from the source'
[ $(($(find exact -type f | wc -l) + left)) = "$(find source -type f | wc -l)" ] ||
    fail 'a file was neither written nor named'

# Damage: the file that cannot be read is named and missing; all others are written.
cp -r store damaged
record=$(cd damaged/records && grep -l -a large.bin -- *.raw | head -n 1)
size=$(stat -c %s "damaged/records/$record")
flip "damaged/records/$record" $((size - 2000000))
"$LODFS" unpack --fidelity=full damaged most >out 2>err
[ $? = 1 ] || fail 'unpack of a damaged store does not exit with 1'
printed 'failed: large.bin: '
[ -e most/large.bin ] && fail 'unpack left a part of the damaged file'
"$LODFS" unpack --fidelity=full --json damaged told >out 2>err
[ $? = 1 ] || fail 'unpack --json of a damaged store does not exit with 1'
json 'd["failed_count"] == 1 and [n["path"] for n in d["failed"]] == ["large.bin"]'
json 'd["left_out"] == [] and d["fidelity"] == "full"'
written=$(find told -type f ! -name .lodfs-unpack -printf x | wc -c)
json 'd["files"] + d["hard_links"] == '"$written"
rm -rf told
expect 2 "$LODFS" unpack --json -q damaged told
cmp most/-rf source/-rf || fail 'unpack did not write the files that are not damaged'

# Long runs of zeros become holes: at the beginning, in the middle, at the end, and as an entire
# file.
mkdir holes
truncate -s 3M holes/all
printf x >holes/end && truncate -s 2M holes/end
truncate -s 2M holes/begin && printf x >>holes/begin
truncate -s 2000000 holes/middle && printf x >>holes/middle && truncate -s 4M holes/middle
truncate -s 60K holes/short
for raw in zstd plain; do
    expect 0 "$LODFS" pack -q --raw=$raw holes store.$raw
    expect 0 "$LODFS" unpack -q store.$raw holes.$raw
    diff -r holes holes.$raw || fail "$raw: a file with holes differs"
    [ "$(du -s -k holes.$raw | cut -f 1)" -lt 600 ] || fail "$raw: holes were written as zeros"
done

# Targets and stores that unpack refuses.
expect 1 "$LODFS" unpack store q2
said 'name an empty or a new folder'
expect 1 "$LODFS" unpack store source/large.bin
said 'Not a directory'
expect 1 "$LODFS" unpack store no/such/folder
said 'No such file'
cp -r store whole && (cd whole && find . | sort) >names
ln -s whole/records link && mkdir whole/in
for folder in whole/x whole/records/x/ link/x whole/in; do
    expect 1 "$LODFS" unpack whole $folder
    said 'it lies in the store; name a folder outside of it'
done
rmdir whole/in && cmp names <(cd whole && find . | sort) || fail 'unpack wrote into the store'
cd whole && expect 1 "$LODFS" unpack . x
said 'it lies in the store'
rm out err && cd "$work" || exit 1
expect 0 "$LODFS" unpack -q whole whole.beside
chmod -R u+w whole.beside
expect 10 "$LODFS" unpack source new
said 'no manifest.json'
[ -e new ] && fail 'unpack made a folder although there is no store'
expect 2 "$LODFS" unpack store
said 'takes a STORE|MOUNT and a FOLDER'
expect 2 "$LODFS" unpack --fidelity=q11 store new
said '--fidelity takes q1 .. q10, full or original'
if [ -c /dev/full ] && mkdir tiny && mount -t tmpfs -o size=1m none tiny 2>/dev/null; then
    cleanup() { umount "$work/tiny" 2>/dev/null; }
    mkdir tiny/in
    expect 1 "$LODFS" unpack -q --fidelity=full store tiny/in
    said 'No space left on device'
    umount tiny
fi
chmod -R u+w source full1 full4 q2 exact most
finish
