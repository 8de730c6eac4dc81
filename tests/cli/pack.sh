#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What pack makes of a source with a bit of everything, whatever the threads and the listing order.
. "$(dirname "$0")/lib.sh"

fixed=--scans=default # measuring takes longer than all else; it has a part of its own
make_source source
expect 0 "$LODFS" pack $fixed -j1 --json source one
json 'd["folders"] == 5 and d["symlinks"] == 1'
json 'd["equal_files"] == 1 and d["hard_links"] == 1'
json 'd["files"] == 6 + 2 + 6 + 4 and d["items"] == 6 + 6 + 4'
json 'd["left_out"] == [] and not d["dry_run"]'
json 'sum(c["stored_bytes"] for c in d["codecs"]) == d["stored_bytes"] < d["store_bytes"]'
json 'd["fidelity_bytes"]["q1"] < d["fidelity_bytes"]["q5"] < d["fidelity_bytes"]["full"]'
expect 0 "$LODFS" pack $fixed -j4 --quiet source four
[ -s out ] && fail "--quiet says something"
diff -r one four >/dev/null || fail "-j1 and -j4 differ"

# The same files made in another order lie in another order in a folder.
mkdir copy
(cd source && { find . -mindepth 1 -type d -print0; find . ! -type d -print0 | sort -rz; } |
    tar -cf - --no-recursion --null -T -) | tar -C copy -xpf -
chmod --reference=source copy
find source copy -exec touch -h -d @1700000000 {} + # tar keeps no nanoseconds
expect 0 "$LODFS" pack $fixed -j3 source first
expect 0 "$LODFS" pack $fixed -j2 copy again
diff -r first again >/dev/null || fail "the order of a folder's listing shows in the store"

# Every name is there, as it is.
(cd source && find . -mindepth 1 -printf '%P\0' | sort -z) >names
"$LODFS" ls -R --json one | python3 -c 'import json, sys
d = json.load(sys.stdin)
sys.stdout.write("".join(e["path"] + "\0" for e in d["entries"]))' | sort -z >listed
python3 - <<'END' || fail "names differ"
import re, sys
def plain(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text)
names = open("names", "rb").read().split(b"\0")
listed = [plain(n) for n in open("listed", "rb").read().split(b"\0")]
sys.exit(sorted(names) != sorted(listed))
END
"$LODFS" ls one | grep -qaF "$(printf '\377\376')" || fail "ls changes names when it is piped"

# What changes bytes, and what does not.
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

# Scripts: measured, which takes no notice of threads either, or named.
make_source few 1
expect 0 "$LODFS" pack -j1 --json few measured
json 'd["scans"]["classes"]'
expect 0 "$LODFS" pack -j4 -q few again-measured
diff -r measured again-measured >/dev/null || fail "what is measured depends on threads"
for scans in lean best default spectral; do
    expect 0 "$LODFS" pack --scans=$scans --json few scans-$scans
    json 'all(c["script"] == "'$scans'" for c in d["scans"]["classes"])'
done

expect 0 "$LODFS" pack $fixed --dry-run source dry
printed 'Would pack'
[ -e dry ] && fail "--dry-run wrote something"
expect 0 "$LODFS" pack $fixed -n --json source dry
json 'd["dry_run"] and d["files"] == 18 and d["records"] >= 3'

# info says what pack said.
expect 0 "$LODFS" info --json one
json 'd["files"] == 18 and d["folders"] == 5 and d["symlinks"] == 1 and d["shared_files"] == 2'
json 'd["pack"]["seed"] == 0 and d["pack"]["order"] == "shuffle"'
expect 0 "$LODFS" info one
printed 'fidelity'
awk 'length > 80 { print "wide: " $0; bad = 1 } END { exit bad }' out || fail "over 80 columns"
expect 0 "$LODFS" ls -l --fidelity=q1 one photos/a
grep -q '^-rw' out || fail "no mode in ls -l"
expect 0 "$LODFS" ls -l one photos
printed ' -> a/../b/copy.jpg'
finish
