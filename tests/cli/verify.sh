#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs verify: its answers for a sound store, a damaged one, a missing one, and a mount.
. "$(dirname "$0")/lib.sh"

make_source source
expect 0 "$LODFS" pack -q --scans=default source store

expect 0 "$LODFS" verify store
printed "'store' is sound"
[ "$(wc -l <out)" = 1 ] || fail 'verify prints more than one line for a sound store'
expect 0 "$LODFS" verify -q -j1 store
[ -s out ] && fail 'verify -q prints something'
expect 0 "$LODFS" verify --json -j3 store
json 'd["sound"] and d["damages"] == 0 and d["findings"] == [] and d["bytes"] > 0'
# It counts the items that info counts.
items=$(python3 -c 'import json; print(json.load(open("out"))["items"])')
expect 0 "$LODFS" info --json store
json "d['items'] == $items"

# One bit in the middle of the record of photographs.
cp -r store damaged
record=$(cd damaged/records && ls -- *.pcr | head -n 1)
size=$(stat -c %s "damaged/records/$record")
flip "damaged/records/$record" $((size / 2))
expect 1 "$LODFS" verify damaged
printed "'damaged' is damaged: "
printed "records/$record at "
printed 'its hash differs (slot '
grep -qE "(q[0-9]+(\.\.q10)?, full, original|every fidelity|original) of 'photos/" out ||
    fail "verify names no fidelities and path: $(cat out)"
expect 1 "$LODFS" verify --json damaged
json 'not d["sound"] and len(d["findings"]) == d["damages"] > 0'
json 'all(f["group"] >= 1 and f["path"].startswith("photos/") for f in d["findings"])'
json 'all(0 <= '$((size / 2))' - f["offset"] < f["bytes"] for f in d["findings"])'
json 'all(f["fidelities"] and f["path"].endswith(".jpg") for f in d["findings"])'

# At every fidelity verify names exactly the files that unpack cannot read. Among them are originals
# that share headers with a damaged one.
rm -rf damaged
cp -r store damaged
rebuild=$(od -An -tu4 -j116 -N4 "store/records/$record") # bytes of group 12, the last one
for part in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    at=$((size - 1 - (size - 6000) * part / 7))
    [ $part -ge 7 ] && at=$((size - rebuild + rebuild * (part - 7) / 7 + 5))
    flip "damaged/records/$record" $at
    expect 1 "$LODFS" verify --json damaged
    python3 -c 'import json, sys
found = json.load(open("out"))["findings"]
for fidelity in sys.argv[1:]:
    named = {f["path"] for f in found if fidelity in f["fidelities"]}
    open("named-" + fidelity, "w").write("".join(path + "\n" for path in sorted(named)))
' original full q3
    for fidelity in original full q3; do
        "$LODFS" unpack -v --fidelity=$fidelity damaged unpacked >unpack.log 2>&1
        sed -n 's/^failed: \(.*\): it cannot be read.*/\1/p' unpack.log >failed
        # unpack names the hard links of a file that was not written in lines of their own.
        sed -n 's/^left out: \(.*\): the file it is a hard link of.*/\1/p' unpack.log >>failed
        cmp <(sort failed) named-$fidelity ||
            fail "damage at $at: verify names other files than fail at $fidelity: $(cat failed)"
        rm -rf unpacked
    done
    flip "damaged/records/$record" $at
done

cp -r store more
flip more/index 65636
flip "more/records/$record" 4106
: >more/records/readme.txt
expect 1 "$LODFS" verify more
printed 'index at 65536: a block of nodes is damaged'
printed 'its metadata is damaged'
printed 'note: records/readme.txt: not a record of this store'
printed 'lodfs repair'
printf '{' >more/manifest.json
expect 1 "$LODFS" verify more
printed 'manifest.json'
printed 'its metadata is damaged'
rm more/manifest.json
expect 1 "$LODFS" verify more
printed 'manifest.json: it is missing'

# Without a free file descriptor verify says so. It finds no damage, whichever file it is.
without=0
for files in $(seq 4 40); do
    (ulimit -n "$files" && exec "$LODFS" verify -j2 store) >out 2>err
    rc=$?
    if grep -q 'raise its limit (ulimit -n)' err; then
        without=$((without + 1))
        [ $rc = 1 ] && [ ! -s out ] || fail "exit $rc with $files files: $(cat out err)"
    elif [ $rc = 0 ]; then
        printed 'is sound'
        break
    else # the program itself, or its libraries, cannot be loaded
        [ $without = 0 ] && [ ! -s out ] || fail "exit $rc with $files files: $(cat out err)"
    fi
done
[ $rc = 0 ] && [ $without -gt 2 ] || fail "$without runs had too few files, exit $rc"

# Files that this user may not read are no damage either. Root reads all files.
cp -r store closed
chmod 755 "$work"
for file in manifest.json index "records/$record" records; do
    [ "$(id -u)" = 0 ] || break
    chmod 0 "closed/$file"
    expect 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$LODFS" verify closed
    said 'may not be read by this user'
    chmod 755 "closed/$file"
done

expect 10 "$LODFS" verify nowhere
said 'no such folder'
expect 10 "$LODFS" verify source
said 'no manifest.json'
expect 2 "$LODFS" verify
said 'takes one STORE'
expect 2 "$LODFS" verify -j0 store
said '-j takes'
expect 2 "$LODFS" verify --loud store
said 'unknown option'

flip "damaged/records/$record" $((size / 2))
if [ -c /dev/fuse ] && mkdir mount && "$LODFS" mount damaged mount 2>err; then
    cleanup() { "$LODFS" umount "$work/mount" 2>/dev/null; }
    expect 1 "$LODFS" verify mount
    printed '/damaged'"' is damaged"
    expect 0 "$LODFS" umount mount
fi
expect 0 "$LODFS" verify -q --hashes store

# Records are checked in steps of 64 MiB, also where one file has more than that.
mkdir long
truncate -s 70M long/zeros
expect 0 "$LODFS" pack -q --raw=plain long longs
expect 0 "$LODFS" verify -q longs
record=$(ls longs/records/*.raw)
for at in 100000 $((66 << 20)) $((70 << 20)); do
    flip "$record" "$at"
    expect 1 "$LODFS" verify --json longs
    json 'len(d["findings"]) == 1 and d["findings"][0]["path"] == "zeros"'
    json '0 <= '"$at"' - d["findings"][0]["offset"] < d["findings"][0]["bytes"]'
    flip "$record" "$at"
done
finish
