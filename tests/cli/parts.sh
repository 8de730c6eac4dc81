#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pack --plan, --part and the commit: the store is that of one process, byte for byte. Everything
# that does not fit the plan is refused in one line.
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"

options=(--record-size=64K --scans=default)
make_source source 12
for i in $(seq 12); do
    head -c 60000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack -q "${options[@]}" source reference

pack() { "$LODFS" pack -q "${options[@]}" "$@" source store; }
again() { rm -rf store && expect 0 pack --plan; }
same()
{
    diff -r "${2:-store}" "${3:-reference}" >diff.log && return
    fail "store differs: $1"
    head -n 5 diff.log
}
# unchanged COMMAND...: the command writes nothing.
unchanged()
{
    find store -printf '%P %s %T@ %i\n' | sort >there
    "$@"
    find store -printf '%P %s %T@ %i\n' | sort | diff - there >/dev/null || fail "it wrote: $*"
}

# ------------------------------------------------------------------------------ any order, any N
for n in 1 3 7 1000; do
    again
    for k in $(seq 1 $n | shuf | head -n 7); do
        expect 0 pack --part=$k/$n
    done
    if [ $n = 1000 ]; then # many parts are empty; these do the rest
        unchanged expect 12 pack
        expect 0 pack --part=1/2
        expect 0 pack --part=2/2
    fi
    expect 0 pack
    same "$n parts"
done
again
expect 0 "$LODFS" pack --json "${options[@]}" --part=1/2 source store
json 'd["part"] == 1 and d["parts"] == 2 and 0 < d["records"] and d["kept_records"] == 0'
expect 0 "$LODFS" pack --json "${options[@]}" --part=1/2 source store
json 'd["records"] == d["kept_records"] and d["bytes"] > 0'
expect 0 "$LODFS" pack "${options[@]}" --part=2/2 source store
printed 'Part 2 of 2'
expect 0 "$LODFS" pack --json "${options[@]}" source store
json 'd["kept_records"] == 0 and d["equal_files"] == 1 and d["hard_links"] == 1'
same "with reports"

# Without the plan each part would walk the source; a part opens its own files alone.
again
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    for k in 1 2 3 4 5; do # LeakSanitizer cannot work in a program that is traced
        expect 0 env ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=openat2 \
            "$LODFS" pack -q "${options[@]}" --part=$k/5 source store
        grep -q O_DIRECTORY trace && fail "a part opens folders of the source"
        grep -oE 'openat2\([0-9]+, "[^"]+"' trace | cut -d '"' -f 2 | sort -u >>opened
    done
    [ "$(wc -l <opened)" -gt 30 ] || fail "five parts opened $(wc -l <opened) files of 43"
    sort opened | uniq -d | grep . && fail "two parts open these files"
else
    echo 'SKIP: strace does not work here: nobody saw which files a part opens'
fi

# ---------------------------------------------------------------------------------- numbers
for part in 0/3 4/3 0/0 3/0 1 1/ /1 -1/3 1/-3 1/1000001 a/b 1/3/4; do
    unchanged expect 2 pack --part=$part
    said "--part=$part: takes K/N"
done
expect 2 pack --plan --part=1/2
said 'exclude each other'
expect 2 pack --plan --dry-run
said 'exclude each other'

# ------------------------------------------------------------------------------ missing parts
again
unchanged expect 12 pack
said 'run each part'
for k in 1 3 5; do expect 0 pack --part=$k/7; done
truncate -s -1 "$(ls -d store/records/* | tail -n 1)"
unchanged expect 12 pack
said 'run --part=K/7 for K = '
python3 -c 'import re, sys
for a, b in re.findall(r"(\d+)(?:-(\d+))?", re.search("K = ([0-9, -]+),", sys.stdin.read())[1]):
    print(*range(int(a), int(b or a) + 1))' <err >named || fail "no parts are named"
printf 'nonsense' >store/pack.parts
unchanged expect 12 pack
said 'records ('
for k in $(cat named); do expect 0 pack --part=$k/7; done
expect 0 pack
same "of the parts that were missing"

# ------------------------------------------------------------- other options, sources and plans
again
unchanged expect 1 "$LODFS" pack "${options[@]}" --seed=3 --part=1/2 source store
said 'with --seed=0, not --seed=3'
unchanged expect 1 "$LODFS" pack "${options[@]}" --exclude='*.txt' --part=1/2 source store
said 'not --exclude=*.txt'
unchanged expect 1 "$LODFS" pack "${options[@]}" --seed=3 source store
said 'with --seed=0, not --seed=3'
sed -i 's/lodfs 0/lodfs 9/' store/pack.plan
unchanged expect 1 pack --part=1/2
said 'damaged plan'
if /usr/bin/python3 -c 'import struct, xxhash
plan = bytearray(open("store/pack.plan", "rb").read())
plan[8:16] = struct.pack("<Q", xxhash.xxh3_64_intdigest(bytes(plan[16:])))
open("store/pack.plan", "wb").write(plan)'; then
    for words in --part=1/2 -q; do
        unchanged expect 1 pack $words
        said 'lodfs 9'
        said 'give each step the same version'
    done
else
    echo 'SKIP: there is no python3-xxhash: nobody saw a plan of another version'
fi
expect 1 pack --plan --seed=4
said 'holds the beginning of another pack'
expect 0 pack --plan
rm -rf other && expect 0 "$LODFS" pack -q "${options[@]}" --plan source/photos other
cp store/pack.plan plan
cp other/pack.plan store/pack.plan
unchanged expect 1 pack --part=1/2
said 'a plan of another pack'
unchanged expect 1 pack
said 'a plan of another pack'
cp plan store/pack.plan
mv store/pack.journal journal
unchanged expect 1 pack --part=1/2
said 'a plan of another pack'
mv journal store/pack.journal

touch -r source/big1 time
touch -r source time.source
touch source/big1
unchanged expect 1 pack --part=1/1
said "'big1': it is not the file that the plan names"
unchanged expect 1 pack --skip-unreadable --part=1/1
said "'big1': it is not the file that the plan names"
expect 1 pack --plan
said "the source has changed: 'big1' has changed"
printf x >>source/big1
touch -r time source/big1
unchanged expect 1 pack --part=1/1
said "'big1': it is not the file that the plan names"
truncate -s -1 source/big1
touch -r time source/big1
mv source/big1 away
unchanged expect 1 pack --part=1/1
said "'big1': it is not the file that the plan names"
mv away source/big1
touch -r time.source source
# The same tree on another machine has other inodes.
cp -a source elsewhere
expect 0 "$LODFS" pack -q "${options[@]}" --part=1/2 elsewhere store
expect 0 pack --part=2/2
# A plan that is made again keeps the records that its parts have written.
ls -i store/records >before
expect 0 pack --plan
ls -i store/records | diff - before >/dev/null || fail "a plan made again drops records"
expect 0 pack
same "from two trees"
unchanged expect 1 pack --part=1/2
said 'already holds a store'
unchanged expect 1 pack --plan
said 'already holds a store'

# -------------------------------------------------------------------------- damaged plans
again
cp store/pack.plan plan
bytes=$(stat -c %s plan)
for cut in 0 8 15 16 20 $((bytes / 3)) $((bytes / 2)) $((bytes - 1)); do
    head -c $cut plan >store/pack.plan
    unchanged expect 1 pack --part=1/2
    said 'damaged plan: run lodfs pack --plan again'
    unchanged expect 1 pack
    said 'damaged plan: run lodfs pack --plan again'
done
for at in 0 9 30 $((bytes / 4)) $((bytes / 2)) $((bytes - 1)); do
    cp plan store/pack.plan
    flip store/pack.plan $at
    unchanged expect 1 pack --part=1/2
    said 'damaged plan: run lodfs pack --plan again'
done
rm store/pack.plan
ln -s ../plan store/pack.plan
unchanged expect 1 pack --part=1/2
said 'damaged plan'
unchanged expect 1 pack
said 'damaged plan'
rm store/pack.plan
unchanged expect 1 pack --part=1/2
said 'has no plan: run lodfs pack --plan first'
expect 1 "$LODFS" pack -q --part=1/2 source nowhere
said "'nowhere' has no plan: run lodfs pack --plan first"
[ -e nowhere ] && fail "a part made the folder of a store"
# Without its plan, the folder is a pack that one process continues, and whose records may be torn.
expect 0 pack
same "by one process"

# --------------------------------------------------------------------------------- locks
again
exec 3<>store/pack.plan
python3 -c 'import fcntl, struct
lock = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 1, 1, 0)  # the second record, as a part has it
fcntl.fcntl(3, fcntl.F_OFD_SETLK, lock)' || fail "no lock"
expect 11 pack --part=1/1
said 'another process is writing'
unchanged expect 11 pack
said 'a part of it still runs'
unchanged expect 11 pack --plan
said 'a part of it still runs'
expect 0 pack --part=7/7
exec 3>&-
expect 0 pack --part=1/1
unchanged expect 11 flock store "$LODFS" pack -q "${options[@]}" source store
said 'another pack'
# A killed part leaves a folder, which the same part or the commit removes.
mkdir -p store/pack.part-1-1.00000000 store/pack.part-9-9.00000000
cp store/records/000001* store/pack.part-1-1.00000000
cp store/records/000001* store/pack.part-9-9.00000000
expect 0 pack --part=1/1
[ -e store/pack.part-1-1.00000000 ] && fail "a part leaves its own remains"
expect 0 pack
same "after killed parts"

# ------------------------------------ a record of another source, where a file has another size
again
cp -a source longer
printf x >>longer/big1
touch -r source/big1 longer/big1
expect 0 "$LODFS" pack -q "${options[@]}" longer longer-store
cp longer-store/records/* store/records
unchanged expect 12 pack
said 'lacks 1 of '
expect 0 pack --part=1/1
expect 0 pack
same "beside a record of another source"

# ------------------------------------ a record that a plain pack may have torn is not kept
rm -rf store && mkdir -p store/records && expect 0 pack --plan && rm store/pack.plan
cp reference/records/00000[1-3]* store/records
record=$(ls store/records/000003*)
flip "$record" $(($(stat -c %s "$record") / 2))
expect 0 pack --plan
[ -z "$(ls store/records)" ] || fail "a plan keeps records that nobody checked"

# ------------------------------------------- tables, labels, splits, filters, links, empty folders
"$here/make_tables.py" tables || fail "the tables were not made"
cp -r source/photos tables/photos
ln -s photos/a tables/link
find tables/photos -type f -printf 'photos/%P\t7\n' >labels
more=(--scans=default --record-size=64K
    --tables='*.npy' --tables='*.csv' --tables='sub/*.libsvm'
    --one-hot --labels=labels --splits=photos
    --exclude=object.npy)
expect 0 "$LODFS" pack -q "${more[@]}" tables table-reference
for n in 1 4; do
    rm -rf table-store
    expect 0 "$LODFS" pack -q "${more[@]}" --plan tables table-store
    for k in $(seq $n); do
        expect 0 "$LODFS" pack -q "${more[@]}" --part=$k/$n tables table-store
    done
    expect 0 "$LODFS" pack --json "${more[@]}" tables table-store
    json 'd["tables"] + d["tables_beside"] >= 5 and d["shards"] > 5'
    same "tables in $n parts" table-store table-reference
done
auto=(--record-size=64K)
expect 0 "$LODFS" pack -q "${auto[@]}" source auto-reference
expect 0 "$LODFS" pack -q "${auto[@]}" --plan source auto-store
expect 0 "$LODFS" pack -q "${auto[@]}" --part=1/1 source auto-store
expect 0 "$LODFS" pack -q "${auto[@]}" source auto-store
same "with measured scripts" auto-store auto-reference
images=(--scans=default --record-size=64K --levels='*.png')
mkdir images
for i in $(seq 9); do
    /usr/bin/python3 -c 'import random, struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
r = random.Random(sys.argv[1])
rows = b"".join(b"\0" + r.randbytes(300) for _ in range(200))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" +
    chunk(b"IHDR", struct.pack(">IIBBBBB", 100, 200, 8, 2, 0, 0, 0)) +
    chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))' "$i" >images/$i.png
done
expect 0 "$LODFS" pack -q "${images[@]}" images level-reference
expect 0 "$LODFS" pack -q "${images[@]}" --plan images level-store
for k in 3 1 2; do expect 0 "$LODFS" pack -q "${images[@]}" --part=$k/3 images level-store; done
expect 0 "$LODFS" pack -q "${images[@]}" images level-store
[ "$(ls level-store/records | wc -l)" -gt 3 ] || fail "one record is no test of parts"
same "with levels" level-store level-reference
mkdir nothing
expect 0 "$LODFS" pack -q nothing nothing-reference
expect 0 "$LODFS" pack -q --plan nothing nothing-store
expect 0 "$LODFS" pack -q --part=2/3 nothing nothing-store
expect 0 "$LODFS" pack -q nothing nothing-store
same "of no files" nothing-store nothing-reference

finish
