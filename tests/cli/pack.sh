#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs pack: the store of a mixed source, the same for any number of threads and any order in which
# folders list their files.
. "$(dirname "$0")/lib.sh"

fixed=--scans=default # measuring takes longer than all else; it is tested below
make_source source
expect 0 "$LODFS" pack $fixed -j1 --json source one
json 'd["folders"] == 5 and d["symlinks"] == 1'
json 'd["equal_files"] == 1 and d["hard_links"] == 1'
json 'd["files"] == 6 + 2 + 6 + 4 and d["items"] == 6 + 6 + 4'
json 'd["left_out"] == [] and not d["dry_run"]'
json 'sum(c["stored_bytes"] for c in d["codecs"]) == d["stored_bytes"] < d["store_bytes"]'
json 'd["fidelity_bytes"]["q1"] < d["fidelity_bytes"]["q5"] < d["fidelity_bytes"]["full"]'
expect 0 "$LODFS" pack $fixed -j4 --quiet source four
[ -s out ] && fail "pack --quiet prints something"
diff -r one four >/dev/null || fail "the stores of -j1 and -j4 differ"

# Files that were created in another order are listed by their folder in another order.
mkdir copy
(cd source && { find . -mindepth 1 -type d -print0; find . ! -type d -print0 | sort -rz; } |
    tar -cf - --no-recursion --null -T -) | tar -C copy -xpf -
chmod --reference=source copy
find source copy -exec touch -h -d @1700000000 {} + # tar keeps no nanoseconds
expect 0 "$LODFS" pack $fixed -j3 source first
expect 0 "$LODFS" pack $fixed -j2 copy again
diff -r first again >/dev/null || fail "the store depends on the order in which folders list"

# ls lists every name of the source, unchanged.
(cd source && find . -mindepth 1 -printf '%P\0' | sort -z) >names
"$LODFS" ls -R --json one | python3 -c 'import base64, json, sys
for e in json.load(sys.stdin)["entries"]:
    sys.stdout.buffer.write(base64.b64decode(e["path_b64"]) if "path_b64" in e
                            else e["path"].encode())
    sys.stdout.buffer.write(b"\0")' | sort -z >listed
cmp -s names listed || fail "ls lists other names than the source has"
"$LODFS" ls one | grep -qaF "$(printf '\377\376')" || fail "ls changes names when it is piped"

# A time after the last one that a store can hold is stored as that last one.
mkdir late
touch -d @8589934592 late/file
expect 0 "$LODFS" pack late late-store
expect 0 "$LODFS" ls --json late-store
json 'd["entries"][0]["mtime"] == 8589934591.999999999'
expect 0 "$LODFS" verify late-store

# For a folder without files pack and info print one sentence instead of tables.
mkdir empty
expect 0 "$LODFS" pack empty empty-store
printed 'There are no files in it.'
expect 0 "$LODFS" info empty-store
printed 'There are no files in it.'

# --order, --seed and --record-size change the bytes of a store.
expect 0 "$LODFS" pack $fixed --order=path --seed=7 source path
cmp -s one/records/000001.pcr path/records/000001.pcr && fail "--order=path changed nothing"
expect 0 "$LODFS" pack $fixed --seed=7 source seven
cmp -s one/records/000001.pcr seven/records/000001.pcr && fail "--seed changed nothing"
mkdir large
for i in 1 2 3; do
    head -c 60000 /dev/urandom >large/$i
done
expect 0 "$LODFS" pack large usual
expect 0 "$LODFS" pack --record-size=64K large small
[ "$(ls small/records | wc -l)" -gt "$(ls usual/records | wc -l)" ] ||
    fail "--record-size made no more records"

# Files that are neither pictures nor tables are compressed where that pays, by default and with
# --raw=zstd, with the same bytes for any number of threads. Others take their own bytes.
mkdir raw raw/labels
seq -f 'label %06.0f of a photograph' 20000 >raw/long.txt
head -c 100000 raw/long.txt >raw/short.txt
head -c 131072 raw/long.txt >raw/unit.txt
truncate -s 3M raw/hole
for i in $(seq 100); do
    seq -f "$i %g" 30 >raw/labels/$i
done
expect 0 "$LODFS" pack -q raw raw-plain --raw=plain
expect 0 "$LODFS" info --json raw-plain
json 'all(c["stored_bytes"] == c["source_bytes"] for c in d["codecs"])'
json 'd["pack"]["raw"] == "plain"'
expect 0 "$LODFS" pack -q -j1 raw raw-one
expect 0 "$LODFS" pack -q -j4 --raw=zstd raw raw-four
diff -r raw-one raw-four >/dev/null || fail "compressed files depend on the threads"
expect 0 "$LODFS" info --json raw-one
json '8 * d["codecs"][0]["stored_bytes"] < d["codecs"][0]["source_bytes"]'
expect 0 "$LODFS" verify raw-one
expect 0 "$LODFS" unpack -q raw-one raw-back
diff -r raw raw-back || fail "compressed files do not come back"
expect 0 "$LODFS" pack -q large large-zstd
expect 0 "$LODFS" info --json large-zstd
json 'd["codecs"][0]["stored_bytes"] == d["codecs"][0]["source_bytes"]'
expect 2 "$LODFS" pack --raw=gzip raw gzip
said '--raw'

# Scan scripts are measured, with the same result for any number of threads, or named by --scans.
make_source few 1
expect 0 "$LODFS" pack -j1 --json few measured
json 'd["scans"]["classes"]'
expect 0 "$LODFS" pack -j4 -q few again-measured
diff -r measured again-measured >/dev/null || fail "the scripts chosen depend on the threads"
for scans in lean best default spectral; do
    expect 0 "$LODFS" pack --scans=$scans --json few scans-$scans
    json 'all(c["script"] == "'$scans'" for c in d["scans"]["classes"])'
done

# With --full=source, --original=all adds nothing to a JPEG: its source is there already. --top=q10
# keeps all groups.
expect 0 "$LODFS" pack $fixed -q few kept
expect 0 "$LODFS" pack $fixed -q --original=all few kept-all
cmp kept/records/000001.pcr kept-all/records/000001.pcr || fail '--original=all changes the JPEGs'
expect 0 "$LODFS" unpack -q kept-all back-all
diff -r --no-dereference few back-all || fail '--original=all does not return the source'
expect 0 "$LODFS" pack $fixed -q --top=q10 few top10
expect 0 "$LODFS" verify --hashes -q top10

# A JPEG that cannot be rewritten as scans is stored as it is, and pack says why.
mkdir odd
djpeg "$(ls few/photos/a/*.jpg | head -n 1)" | cjpeg -arithmetic >odd/arithmetic.jpg
for full in source scans; do
    expect 0 "$LODFS" pack $fixed --full=$full odd odd-$full
    printed 'arithmetic.jpg: arithmetic coding'
    expect 0 "$LODFS" unpack -q --fidelity=q1 odd-$full odd-$full.q1
    cmp odd/arithmetic.jpg odd-$full.q1/arithmetic.jpg || fail 'q1 of a JPEG stored whole differs'
done

expect 0 "$LODFS" pack $fixed --dry-run source dry
printed 'Would pack'
[ -e dry ] && fail "--dry-run wrote something"
expect 0 "$LODFS" pack $fixed -n --json source dry
json 'd["dry_run"] and d["files"] == 18 and d["records"] >= 3'

# A JPEG that is too large to be rebuilt is not stored twice, and that is said: a gray one of
# 10,112 x 10,112, each block a DC difference of 0 and the end, of a bit each.
mkdir huge
python3 -c '
import sys
side = 10112
table = lambda kind: b"\xff\xc4\x00\x14" + bytes([kind, 1]) + bytes(16)
sys.stdout.buffer.write(
    b"\xff\xd8\xff\xdb\x00\x43\x00" + b"\x08" * 64
    + b"\xff\xc0\x00\x0b\x08" + side.to_bytes(2, "big") * 2 + b"\x01\x01\x11\x00"
    + table(0x00) + table(0x10) + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"
    + bytes(2 * side * side // 64 // 8) + b"\xff\xd9")' >huge/a.jpg
expect 0 "$LODFS" pack --scans=default --full=scans --json huge huge-store
json 'd["codecs"][0]["codec"] == "pcr" and d["codecs"][0]["kept"] == 1'
json 'd["codecs"][0]["stored_bytes"] < 1.6 * d["codecs"][0]["source_bytes"]'
expect 0 "$LODFS" info huge-store
printed '(--full=scans)'
printed '1 of them cannot be rebuilt within the limits'

# info prints the numbers that pack printed.
expect 0 "$LODFS" info --json one
json 'd["files"] == 18 and d["folders"] == 5 and d["symlinks"] == 1 and d["shared_files"] == 2'
json 'd["pack"]["seed"] == 0 and d["pack"]["order"] == "shuffle"'
expect 0 "$LODFS" info one
printed 'fidelity'
awk 'length > 80 { print "wide: " $0; bad = 1 } END { exit bad }' out ||
    fail "info prints lines of more than 80 columns"
expect 0 "$LODFS" ls -l --fidelity=q1 one photos/a
grep -q '^-rw' out || fail "ls -l prints no mode"
expect 0 "$LODFS" ls -l one photos
printed ' -> a/../b/copy.jpg'
finish
