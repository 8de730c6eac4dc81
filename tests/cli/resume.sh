#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A stopped pack continues where it stopped, given the same
# arguments and the same source. Its store is identical to that of an uninterrupted pack.
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"

options=(--record-size=64K --scans=default)
make_source source 3
for i in $(seq 10 29); do
    head -c 1500000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack -q "${options[@]}" source reference
records=$(ls reference/records | wc -l)

count() { ls "$1/records" 2>/dev/null | wc -l; }

# begin STORE N [SIGNAL]: packs $from and sends the signal once N records exist, N - 1 of them
# complete. On a busy machine the pack may end before that; then it is started again.
begin()
{
    local pid try
    for try in $(seq 20); do
        rm -rf "$1"
        with_signals "$LODFS" pack -q -j1 "${options[@]}" "${from:-source}" "$1" >out 2>err &
        pid=$!
        while [ "$(count "$1")" -lt "$2" ] && kill -0 $pid 2>/dev/null; do :; done
        kill -"${3:-KILL}" $pid 2>/dev/null
        wait $pid 2>/dev/null
        rc=$?
        unfinished "$1" && return
    done
    fail "no pack could be stopped after $2 records"
}

same() { diff -r "$1" reference >diff.log || { fail "store differs: $2"; head -n 5 diff.log; }; }

# kill_once SOURCE [SECONDS]: packs it to `killed`, or continues a pack there, and kills the program
# SECONDS after a random record appears.
kill_once()
{
    local pid at=$((RANDOM % records))
    "$LODFS" pack -q -j$((round % 3 + 1)) "${options[@]}" "$1" killed 2>/dev/null &
    pid=$!
    while [ "$(count killed)" -lt $at ] && kill -0 $pid 2>/dev/null; do :; done
    sleep "${2:-0}"
    kill -KILL $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
}

# Killed at random moments, and again while it continues, until it ends.
kills=0
for round in $(seq 20); do
    kill_once source 0.0$((RANDOM % 4))
    if [ -e killed/manifest.json ]; then
        rm -f killed/pack.journal # the last pack was killed behind its commit
        same killed "round $round"
        rm -rf killed
    else
        expect 10 "$LODFS" info killed
    fi
done
[ $kills -ge 10 ] || fail "only $kills of 20 packs were killed"
[ -e killed/manifest.json ] || expect 0 "$LODFS" pack -q "${options[@]}" source killed
[ -e killed/pack.journal ] && fail "a pack that has ended leaves its journal"
same killed "after 20 kills"

# A dry run counts the records of the earlier run, writes nothing, and refuses as pack would.
begin store 9
find store -printf '%P %s %T@\n' | sort >there
expect 0 "$LODFS" pack --dry-run "${options[@]}" source store
printed 'records are there from an earlier run that did not end'
expect 0 "$LODFS" pack --dry-run --json "${options[@]}" source store
json '8 <= d["kept_records"] < d["records"]'
expect 1 "$LODFS" pack --dry-run --seed=3 "${options[@]}" source store
said 'it was begun with --seed=0'
find store -printf '%P %s %T@\n' | sort | diff - there >/dev/null ||
    fail "a dry run wrote something"

# Complete records are not written again.
ls -i store/records | sort >before
stat -c '%n %i %Y %Z' store/records/00000[1-8]* >complete
expect 0 "$LODFS" pack --json "${options[@]}" source store
stat -c '%n %i %Y %Z' store/records/00000[1-8]* | diff complete - >/dev/null ||
    fail "complete records were written again"
json '8 <= d["kept_records"] < d["records"] == '"$records"
same store "after a kill"

# Damaged records are written again, and files that do not belong to the store are removed.
begin store 9
flip store/records/000003.raw 700000
truncate -s -1 store/records/000005.*
truncate -s 5000 store/records/000006.*
cp store/records/000007.* store/records/000008.raw
cp store/records/000001.* store/records/000099.raw
: >store/index
: >store/pack.journal.tmp
expect 0 "$LODFS" pack "${options[@]}" source store
printed 'records were kept from an earlier run that did not end'
same store "with damaged records"

# Sound records of another source, with the same names and sizes, are replaced.
cp -r source source.touched
expect 0 "$LODFS" pack -q "${options[@]}" source.touched touched
begin store 9
cp touched/records/00000[2-5]* store/records
expect 0 "$LODFS" pack -q "${options[@]}" source store
same store "with records of another source"

# Files that a kept record holds whole are reported with their own reasons. Ten records of big files
# come first, then one of photographs.
mkdir whole
for photo in source/photos/a/*; do
    { cat "$photo" && echo; } >"whole/${photo##*/}"
    for i in $(seq 12); do
        { head -c $((600 + i)) "$photo" && head -c 9000 /dev/urandom; } \
            >"whole/cut-$i-${photo##*/}"
    done
done
cp source/big1? whole
expect 0 "$LODFS" pack --json "${options[@]}" whole undisturbed
json 'len(d["whole"]) >= 36'
python3 -c 'import json; print(sorted(map(str, json.load(open("out"))["whole"])))' >reasons
from=whole begin store 12
expect 0 "$LODFS" pack --json "${options[@]}" whole store
json 'd["kept_records"] >= 11'
python3 -c 'import json; print(sorted(map(str, json.load(open("out"))["whole"])))' |
    diff - reasons >/dev/null || fail "the reasons of files stored whole differ"

# Interrupted: complete records stay, and the message says how to continue.
for signal in INT TERM HUP; do
    begin store 4 $signal
    [ $rc = 130 ] || fail "exit $rc after SIG$signal"
    said 'run the same command again to continue'
    [ -e store/pack.journal ] || fail "no journal after SIG$signal"
    expect 0 "$LODFS" pack --json "${options[@]}" source store
    json 'd["kept_records"] >= 3'
    same store "after SIG$signal"
done

# A pack with other options or of another source is refused and changes nothing.
begin store 6
cp -a store before.d
touch -r source time
touch -r source/photos time.photos
refused()
{
    expect 1 "$LODFS" pack "$@" store
    said "'store' holds the beginning of another pack"
    said "$words"
    said "remove 'store' to start over"
    diff -r store before.d >/dev/null || fail "a refused pack changed the records: $words"
}
words='begun with --record-size=65536, not --record-size=131072' refused --record-size=128K \
    --scans=default source
words='begun with --scans=default, not --scans=lean' refused --record-size=64K --scans=lean source
words='begun with --order=shuffle, not --order=path' refused "${options[@]}" --order=path source
words='begun with --seed=0, not --seed=1' refused "${options[@]}" --seed=1 source
words='begun with --raw=zstd of libzstd' refused "${options[@]}" --raw=plain source
words='begun with --symlinks=keep, not' refused "${options[@]}" --symlinks=follow source
echo >source/photos/new
words="'photos/new' is new" refused "${options[@]}" source
rm source/photos/new
mv source/big15 aside
words="'big15' is gone" refused "${options[@]}" source
mv aside source/big15
touch -r source/big16 time.big16
touch source/big16
words="'big16' has changed" refused "${options[@]}" source
touch -r time.big16 source/big16
chmod 600 source/-rf
words="'-rf' has changed" refused "${options[@]}" source
chmod 644 source/-rf
words="the source has changed" refused "${options[@]}" source/labels

# A run that fails before its first record leaves the records of the earlier run as they are.
ln -s /etc source/out
expect 1 "$LODFS" pack "${options[@]}" source store
said "'out'"
diff -r store before.d >/dev/null || fail "a pack that failed early changed the records"
rm source/out
touch -r time source
touch -r time.photos source/photos
cp -a source source.copy
expect 0 "$LODFS" pack --json -j3 "${options[@]}" source.copy store
json 'd["kept_records"] >= 5'
same store "of a copy of the source"

# A damaged journal counts as none: no record is kept.
begin store 6
flip store/pack.journal 40
expect 0 "$LODFS" pack --json --record-size=128K --scans=default source store
json 'd["kept_records"] == 0'
[ -e store/pack.journal ] && fail "the journal was not removed"

# Two packs to one folder at once.
rm -rf store
"$LODFS" pack -q -j1 "${options[@]}" source store &
pid=$!
while [ "$(count store)" -lt 2 ] && kill -0 $pid 2>/dev/null; do :; done
kill -STOP $pid
expect 11 "$LODFS" pack "${options[@]}" source store
said 'is being written by another pack'
kill -CONT $pid
wait $pid || fail "the first of two packs failed"
same store "of two packs at once"

# Tables: one file is several items, in more than one record. Packs are killed at random moments.
"$here/make_tables.py" tables || fail "the tables were not made"
options=(--record-size=64K --scans=default --tables='*' --one-hot --batch-rows=100)
expect 0 "$LODFS" pack -q "${options[@]}" tables reference-tables
same_tables() { diff -r "$1" reference-tables >diff.log || fail "the store of tables differs: $2"; }
from=tables begin store 6
expect 0 "$LODFS" pack --json "${options[@]}" tables store
json '5 <= d["kept_records"] < d["records"]'
same_tables store "after a kill"
rm -rf killed
records=$(ls reference-tables/records | wc -l)
kills=0
for round in $(seq 8); do
    kill_once tables
    [ -e killed/manifest.json ] && rm -f killed/pack.journal &&
        same_tables killed "round $round" && rm -rf killed
done
[ $kills -ge 3 ] || fail "only $kills of 8 packs of tables were killed"
[ -e killed/manifest.json ] || expect 0 "$LODFS" pack -q "${options[@]}" tables killed
same_tables killed "after $kills kills"
from=tables begin store 6
for other in --batch-rows=50 --shard-rows=700 --tables=none; do
    expect 1 "$LODFS" pack "${options[@]}" $other tables store
    said "'store' holds the beginning of another pack"
done
expect 0 "$LODFS" pack -q "${options[@]}" tables store
same_tables store "after other options were refused"
finish
