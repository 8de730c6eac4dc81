#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs repair: the same bytes again, and what it says of what cannot be saved.
. "$(dirname "$0")/lib.sh"

make_source source
expect 0 "$LODFS" pack -q --scans=default --record-size=64K source store

expect 0 "$LODFS" repair store
printed 'nothing to repair'
for gone in index manifest.json 'index manifest.json'; do
    rm -rf copy
    cp -r store copy
    (cd copy && rm -- $gone)
    expect 0 "$LODFS" repair copy
    printed 'made again from '
    diff -r store copy || fail "not the same without $gone"
done
head -c 70000 store/index >copy/index
printf 'x' >>copy/manifest.json
expect 0 "$LODFS" repair copy
diff -r store copy || fail 'not the same after damage'

# A damaged record: a sound index is not touched; with the index gone its files are lost.
record=$(cd copy/records && ls -- *.raw | head -n 1)
printf 'xx' | dd of="copy/records/$record" bs=1 seek=30 conv=notrunc status=none
expect 3 "$LODFS" repair copy
printed "lost: $record: its header is damaged"
printed 'sound and stay as they are'
cmp store/index copy/index
rm copy/index
expect 3 "$LODFS" repair copy
printed "lost: $record"
for again in 1 2; do
    expect 3 "$LODFS" repair copy
    printed "lost: $record"
    printed 'stay as they are'
done
expect 0 "$LODFS" verify copy
printed "note: records/$record: not a record of this store"

# Without the tree record: files stay.
rm -rf copy
cp -r store copy
rm copy/index copy/records/000000.tree
expect 3 "$LODFS" repair copy
printed 'lost: the tree record: symbolic links'
expect 0 "$LODFS" verify copy
expect 0 "$LODFS" unpack --fidelity=full copy unpacked
cmp unpacked/-rf source/-rf || fail 'a file differs'
[ -e unpacked/empty ] && fail 'an empty folder out of nothing'

# A store that cannot be written to is said to be that.
if [ "$(id -u)" != 0 ]; then
    cp -r store fixed
    rm fixed/index
    chmod a-w fixed
    expect 1 "$LODFS" repair fixed
    said 'cannot write index.tmp: Permission denied'
    chmod u+w fixed
elif unshare -m true 2>/dev/null; then
    unshare -m sh -c 'mount --bind store copy && mount -o remount,ro,bind copy &&
        "$1" repair copy' - "$LODFS" >out 2>err
    [ $? = 1 ] || fail 'a read-only store was repaired'
    said 'cannot write index.tmp: Read-only file system'
fi

# What is refused changes nothing.
mkdir -p killed/records
cp store/records/*.raw killed/records
expect 10 "$LODFS" repair killed
said 'pack did not finish here; run it again'
expect 10 "$LODFS" repair nowhere
said 'No such file'
expect 10 "$LODFS" repair source
said 'no store'
cp -r store locked
rm locked/index
flock locked "$LODFS" repair locked >out 2>err
[ $? = 11 ] || fail 'a locked store was repaired'
[ -e locked/index ] && fail 'an index in a locked store'
cp -r store foreign
cp foreign/records/000001.* "foreign/records/000777.${record##*.}"
rm foreign/index
"$LODFS" repair foreign >out 2>err
[ -e foreign/index.tmp ] && fail 'index.tmp left behind'
expect 2 "$LODFS" repair
said 'takes one STORE'
expect 2 "$LODFS" repair --hard store
said 'unknown option'
finish
