#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs fidelity: the table, JSON, and only the name (-q);
# stores that have no answer; damage.
. "$(dirname "$0")/lib.sh"

make_source source 24
expect 0 "$LODFS" pack -q --scans=default source store

# The table, with the choice marked, and the same as JSON and as a name.
expect 0 "$LODFS" fidelity --size=96 store
printed '24 of 24 photographs compared, with a shorter side of at most 96 pixels'
printed 'q6 .. full'
[ "$(grep -c -- '<- take this' out)" = 1 ] || fail "not one choice: $(cat out)"
marked=$(awk '/<- take this/ { print $1 }' out)
expect 0 "$LODFS" fidelity --size=96 --json store
json 'd["fidelity"] == "'"$marked"'" and d["size"] == 96 and d["target"] == .95 and d["decided"]'
json 'd["photographs"] == d["compared"] == 24 and d["unreadable"] == d["small"] == 0'
json '[l["fidelity"] for l in d["levels"]] == ["q1", "q2", "q3", "q4", "q5", "q6"]'
json 'd["levels"][-1]["last"] == "full"'
json 'd["levels"][-1]["share"] == d["levels"][-1]["mssim"] == 1'
json 'all(a["bytes"] < b["bytes"] for a, b in zip(d["levels"], d["levels"][1:]))'
json 'all(.3 < l["worst_tenth"] <= l["mssim"] <= 1 and l["within"] == 0 for l in d["levels"])'
json '[l["fidelity"] for l in d["levels"] if l["mssim"] >= .95][0] == d["fidelity"]'
expect 0 "$LODFS" fidelity -q --size=96 store
[ "$(cat out)" = "$marked" ] || fail "-q says '$(cat out)', the table $marked"
[ -s err ] && fail "-q is not quiet: $(cat err)"

# The number of threads changes nothing. Sizes, crops and targets do.
expect 0 "$LODFS" fidelity -j1 --size=96 --json store
cp out one
expect 0 "$LODFS" fidelity -j3 --size=96 --json store
cmp -s one out || fail "other threads, another result"
q1()
{
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["levels"][0]["mssim"])' "$1"
}
expect 0 "$LODFS" fidelity --size=32 --json store
cp out small
expect 0 "$LODFS" fidelity --json store
cp out own
expect 0 "$LODFS" fidelity --size=96 --crop=.08 --json store
json 'd["crop"] == .08'
cp out crops
python3 -c 'import sys
a, b, c, d = map(float, sys.argv[1:])
sys.exit(not a > b > c or not b > d)' "$(q1 small)" "$(q1 one)" "$(q1 own)" "$(q1 crops)" ||
    fail "q1 at 32, 96, own size, crops: $(q1 small) $(q1 one) $(q1 own) $(q1 crops)"
expect 0 "$LODFS" fidelity -q --target=1 --size=96 store
[ "$(cat out)" = full ] || fail "an MS-SSIM of 1 at $(cat out)"
expect 0 "$LODFS" fidelity -q --target=.01 --size=96 store
[ "$(cat out)" = q1 ] || fail "an MS-SSIM of .01 at $(cat out)"
expect 0 "$LODFS" fidelity --sample=4 --target=.9999 --size=96 --json store
json 'd["compared"] in (4, 8, 16, 24) and d["photographs"] == 24'

# Ten groups: every fidelity is a row.
expect 0 "$LODFS" pack -q --scans=default --full=scans source scans
expect 0 "$LODFS" fidelity --size=96 scans
for name in q1 q9 q10 full; do printf '  %s \n' $name; done >names
grep -oE '^  (q1|q9|q10|full) ' out | diff names - >differ || fail "rows: $(cat differ)"

# Wrong command lines.
for bad in --size=10 --size=4097 --size=x --crop=0 --crop=1.1 --crop=8% --target=0 --target=1.5 \
    --target=.1234567 --sample=1 -j0; do
    expect 2 "$LODFS" fidelity $bad store
    said 'see lodfs fidelity --help'
done
expect 2 "$LODFS" fidelity --crop=.08 store
said '--crop needs --size'
expect 2 "$LODFS" fidelity --json -q store
said 'exclude each other'
expect 2 "$LODFS" fidelity
said 'STORE|MOUNT'

# No answer: no store, no photographs, only photographs that are too small.
expect 10 "$LODFS" fidelity source
mkdir labels && echo label >labels/label
expect 0 "$LODFS" pack -q labels texts
expect 1 "$LODFS" fidelity --size=96 texts
said 'nothing in it has lower fidelities'
[ -s out ] && fail "a choice without photographs: $(cat out)"
mkdir narrow
python3 -c 'import random, sys
sys.stdout.buffer.write(b"P6 400 10 255 " + random.Random(1).randbytes(12000))' |
    cjpeg -quality 95 >narrow/1.jpg
expect 0 "$LODFS" pack -q --scans=default narrow narrows
expect 1 "$LODFS" fidelity -q --size=96 narrows
said 'of 1, 0 damaged or not of 8 bits, 1 with a side below 11 pixels'

# A photograph that is too large to decode is not drawn, so one of five is no error. Where most are,
# there is no choice.
mkdir wide
python3 -c 'import random, sys
sys.stdout.buffer.write(b"P6 4000 4000 255 " + random.Random(1).randbytes(12000) * 4000)' |
    cjpeg -quality 50 -sample 1x1 >wide/wide.jpg
expect 0 "$LODFS" pack -q --scans=default wide wides
expect 1 "$LODFS" fidelity --size=96 wides
said 'too few photographs can be compared: of 1, 1 too large to decode'
cp $(find source -name '*.jpg' | sort | head -n 4) wide
expect 0 "$LODFS" pack -q --scans=default wide mixed
for sample in 2 4 128; do
    expect 0 "$LODFS" fidelity --size=96 --sample=$sample --target=.01 mixed
    printed "$((sample < 4 ? sample : 4)) of 5 photographs compared"
    printed '1 photograph of the store was left out: too large to decode.'
done
expect 0 "$LODFS" fidelity --size=96 --json mixed
json 'd["photographs"] == 5 and d["compared"] == 4 and d["large"] == 1 and d["decided"]'

# A damaged photograph is left out and counted. If many are damaged, there is no choice.
record=$(ls store/records/*.pcr | head -n 1)
size=$(stat -c %s "$record")
flip "$record" $((size / 2))
expect 0 "$LODFS" fidelity --size=96 store
printed '23 of 24 photographs compared'
printed '1 photograph was left out: damaged or not of 8 bits.'
expect 0 "$LODFS" fidelity --size=96 --json store
json 'd["unreadable"] == 1 and d["compared"] == 23'
for part in 3 4 5 6 7; do
    flip "$record" $((size * part / 11))
done
"$LODFS" fidelity -q --size=96 store >out 2>err
[ $? = 1 ] || fail "a choice for a store of which a fifth is damaged: $(cat out)"
grep -q 'too few photographs can be compared: of 24' err || fail "no reason: $(cat err)"
[ -s out ] && fail "a name for a damaged store: $(cat out)"

# Of a mount point, the store behind it, also for info, ls and unpack. `set` takes the name.
if [ -e /dev/fuse ] && mkdir mount && "$LODFS" mount scans mount 2>/dev/null; then
    cleanup() { umount "$work/mount" 2>/dev/null; }
    expect 0 "$LODFS" fidelity -q --size=96 scans
    cp out alone
    expect 0 "$LODFS" fidelity -q --size=96 mount
    cmp -s alone out || fail "the mount says $(cat out), its store $(cat alone)"
    expect 0 "$LODFS" set mount auto="$(cat out)"
    [ "$(readlink mount/auto)" = "$(cat alone)" ] || fail "auto leads to $(readlink mount/auto)"
    for command in info 'ls -lR' 'info --json'; do
        expect 0 "$LODFS" $command scans
        grep -v -e '^scans$' -e '"store":' out >alone
        expect 0 "$LODFS" $command mount
        grep -v -e '^mount$' -e '"store":' out | cmp -s alone - ||
            fail "$command of a mount: $(cat out)"
    done
    expect 0 "$LODFS" unpack -q scans unpacked
    expect 0 "$LODFS" unpack -q mount unpacked.mount
    diff -r unpacked unpacked.mount >/dev/null || fail 'the mount is unpacked to other files'
    "$LODFS" umount mount
else
    echo 'SKIP: nothing can be mounted here'
fi
finish
