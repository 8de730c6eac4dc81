#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs repair: it restores index and manifest byte for byte, and names each lost record.
. "$(dirname "$0")/lib.sh"

make_source source
expect 0 "$LODFS" pack -q --scans=default --record-size=64K source store

expect 0 "$LODFS" repair store
printed 'nothing to repair'
expect 0 "$LODFS" repair --json store
json 'd["losses"] == [] and not d["kept"] and not d["index_written"] and d["names"] > 10'
for gone in index manifest.json 'index manifest.json'; do
    rm -rf copy
    cp -r store copy
    (cd copy && rm -- $gone)
    [ "$gone" != index ] || { expect 1 "$LODFS" info copy && said 'missing; lodfs repair'; }
    expect 0 "$LODFS" repair copy
    printed 'rebuilt from '
    diff -r store copy || fail "repair made other bytes after the loss of $gone"
done
head -c 70000 store/index >copy/index
expect 1 "$LODFS" info copy
said 'gives another size; lodfs repair makes it again'
printf 'x' >>copy/manifest.json
expect 1 "$LODFS" info copy
said 'damaged or truncated; lodfs repair makes it again'
expect 0 "$LODFS" repair copy
diff -r store copy || fail 'repair made other bytes after the index was cut'
for file in index manifest.json; do
    rm "copy/$file" && mkfifo "copy/$file"
    expect 1 "$LODFS" info copy
    said 'it is not a regular file, or its storage fails'
    expect 0 "$LODFS" repair copy
    diff -r store copy || fail "repair made other bytes in the place of a pipe, $file"
done

for at in 5000 70000; do # 5000 is between two sections, 70000 inside one
    flip copy/index $at
    expect 0 "$LODFS" repair copy
    printed 'the index was rebuilt'
    diff -r store copy || fail "repair made other bytes after damage at $at"
done
printf 'x' >>copy/index
expect 0 "$LODFS" repair copy
diff -r store copy || fail 'repair made other bytes after a byte was appended'

# A damaged record: a sound index stays as it is. Without an index the record's files are lost.
record=$(cd copy/records && ls -- *.raw | head -n 1)
flip "copy/records/$record" 30
expect 3 "$LODFS" repair copy
printed "lost: $record: its header is damaged"
printed 'sound and stay as they are'
cmp store/index copy/index
expect 3 "$LODFS" repair --json copy
json 'd["kept"] and d["losses_count"] == 1 and d["losses"][0]["name"] == "'"$record"'"'
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

# Of a lost file with other names, all names are given.
mkdir named
head -c 30000 /dev/urandom >named/a
cp named/a named/b && ln named/a named/c
expect 0 "$LODFS" pack -q named names
flip names/records/000001.raw 30
expect 3 "$LODFS" repair names
printed 'lodfs verify names the damaged files'
rm names/index
expect 3 "$LODFS" repair names
printed "lost: b: another name of a lost file, 'a'"
printed "lost: c: another name of a lost file, 'a'"
expect 3 "$LODFS" repair --json names
json '[(e["name"], e["of"]) for e in d["losses"][1:]] == [("b", "a"), ("c", "a")]'

# Without the tree record, files are saved; symbolic links and empty folders are lost.
rm -rf copy
cp -r store copy
rm copy/index copy/records/000000.tree
expect 3 "$LODFS" repair copy
printed 'lost: the tree record: symbolic links'
expect 0 "$LODFS" verify copy
expect 0 "$LODFS" unpack --fidelity=full copy unpacked
cmp unpacked/-rf source/-rf || fail 'a file of the repaired store differs'
[ -e unpacked/empty ] && fail 'there is an empty folder, although its record was lost'

# A store that cannot be written to. A repair with nothing to do succeeds; another one says that it
# cannot write.
# look WHY COMMAND...: repairs `fixed` through COMMAND, under which writing fails with WHY.
look()
{
    local why=$1 gone
    shift
    expect 0 "$@" "$LODFS" repair fixed
    printed 'nothing to repair'
    for gone in index manifest.json; do
        with_rights mv fixed/$gone .
        expect 1 "$@" "$LODFS" repair fixed
        said "cannot write ${gone/index/index.tmp}: $why; the store needs repair: make it"
        with_rights mv $gone fixed
        diff -r store fixed || fail 'a repair that could not write changed the store'
    done
    flip "fixed/records/$record" 30
    expect 3 "$@" "$LODFS" repair fixed
    printed 'sound and stay as they are'
    cp "store/records/$record" fixed/records
}
with_rights() { chmod u+w fixed && "$@" && chmod a-w fixed; }
rm -rf fixed
cp -r store fixed
chmod a-w fixed
weaker=(setpriv '--bounding-set=-dac_override' --)
[ "$(id -u)" = 0 ] || weaker=(env)
if "${weaker[@]}" true 2>/dev/null; then
    look 'Permission denied' "${weaker[@]}"
else
    echo 'SKIP: a capability of root cannot be dropped here'
fi
read_only='mount --bind fixed fixed && mount -o remount,ro,bind fixed && "$@"'
if unshare -m sh -c "$read_only" - true 2>/dev/null; then
    look 'Read-only file system' unshare -m sh -c "$read_only" -
else
    echo 'SKIP: no bind mount is possible here'
fi
chmod u+w fixed

# A repair that is refused changes nothing.
mkdir -p killed/records
cp store/records/*.raw killed/records
expect 10 "$LODFS" repair killed
said 'pack did not finish here; run it again'
expect 10 "$LODFS" repair nowhere
said 'No such file'
expect 10 "$LODFS" repair source
said 'not a lodfs store'
cp -r store locked
rm locked/index
flock locked "$LODFS" repair locked >out 2>err
[ $? = 11 ] || fail 'repair of a locked store does not exit with 11'
[ -e locked/index ] && fail 'repair wrote an index into a locked store'
cp -r store foreign
cp foreign/records/000001.* "foreign/records/000777.${record##*.}"
rm foreign/index
"$LODFS" repair foreign >out 2>err
[ -e foreign/index.tmp ] && fail 'repair left index.tmp behind'
expect 2 "$LODFS" repair
said 'takes one STORE'
expect 2 "$LODFS" repair --hard store
said 'unknown option'
finish
