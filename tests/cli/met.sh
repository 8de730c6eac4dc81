#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs met: lists of a job, kills at any moment, and files and options that are wrong.
. "$(dirname "$0")/lib.sh"
[ -w /dev/fuse ] || { echo 'SKIP: there is no /dev/fuse' && exit 77; }

cleanup() { "$LODFS" umount "$work/mnt" 2>/dev/null; }
mkdir -p source/train/a source/val mnt
"$PHOTOGRAPHS" source/train/a 60 1 >/dev/null
"$PHOTOGRAPHS" source/val 5 2 >/dev/null
expect 0 "$LODFS" pack -q --scans=default --record-size=64K source store
expect 0 "$LODFS" mount store mnt -o cache_size=4M
(cd mnt && find q4/train -type f | sed "s|^|$work/mnt/|" | sort) >pictures

# A loop as the manual has it: all pictures are dealt, and the job ends after its epochs.
expect 0 "$LODFS" met begin job.json mnt/q4/train --rf=2 --epochs=6 --room=300K
: >all
lists=0
while "$LODFS" met next job.json >list && [ -s list ]; do
    cat list >>all
    lists=$((lists + 1))
    [ $lists -lt 200 ] || { fail 'the job does not end' && break; }
done
sort -u all | cmp -s - pictures || fail 'not all pictures were dealt'
[ "$(wc -l <all)" -ge 360 ] && [ "$(wc -l <all)" -lt 400 ] ||
    fail "6 epochs of 60 pictures had $(wc -l <all)"
uneven=$(sort all | uniq -c | awk '$1 % 2' | wc -l)
[ "$uneven" -lt 40 ] || fail "$uneven pictures were not dealt twice at a time"
expect 0 "$LODFS" met status job.json
printed 'fixed, slide'
expect 0 "$LODFS" met status --json job.json
json 'd["epoch"] >= 5.5 and d["history"] == [[0, 2]] and d["window_records"] > 0'
expect 0 "$LODFS" met end job.json
[ -e job.json ] && fail 'a job that has ended has a file'

# The same arguments give the same lists; --again gives the last one.
expect 0 "$LODFS" met begin one mnt/q4/train --rf=3 --seed=5 --room=300K
expect 0 "$LODFS" met begin two mnt/q4/train/ --rf=3 --seed=5 --room=300K
expect 2 "$LODFS" met next one --again
said 'no list yet'
for turn in 1 2 3 4 5; do
    expect 0 "$LODFS" met next one
    cp out first
    expect 0 "$LODFS" met next two -0
    tr '\0' '\n' <out | cmp -s - first || fail "list $turn: another job has another one"
    expect 0 "$LODFS" met next --again one
    cmp -s out first || fail "--again gives another list"
done

# A command that is killed, or cannot write, leaves the old state or the new one with a whole list.
cp one before
"$LODFS" met next one >/dev/full 2>err && fail 'a list that was not written is taken'
said 'cannot write the list'
cmp -s one before || fail 'a list that was not written counts'
expect 0 "$LODFS" met next one
cp out expected
for turn in 1 2 3 4 5 6 7 8; do
    cp before one
    "$LODFS" met next one >list 2>/dev/null &
    child=$!
    sleep ".00$turn"
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    if cmp -s one before; then
        until "$LODFS" met next one >list 2>err || ! grep -q 'used by another' err; do
            sleep .05 # until the kernel has closed the files of the killed command
        done
    fi
    cmp -s list expected || fail "killed: the list is neither whole nor given again"
done
rm -f one.*.tmp

# Two commands at once.
(
    flock 9
    expect 11 "$LODFS" met next one
    said 'used by another'
    exit $failures
) 9<one || failures=$((failures + 1))

# Other ways to name the folder: through links, from another working directory, with `..` in a name.
ln -s mnt link
mkdir 'two..dots'
expect 0 "$LODFS" mount store 'two..dots' -o cache_size=4M
# Runs `met begin` in a folder; the job has to be of the folder `$3` of a mount.
begins() {
    (cd "$1" && "$LODFS" met begin "$work/way" "$2" --rf=2 2>"$work/err") ||
        fail "in $1, the folder '$2' is refused: $(cat err)"
    expect 0 "$LODFS" met status way
    printed "$3"
    expect 0 "$LODFS" met next way
    expect 0 "$LODFS" met end way
}
begins . ./mnt/q4/train "$work/mnt/q4/train"
begins . mnt/q4/../q4//train/ "$work/mnt/q4/train"
begins . link/q4/train "$work/mnt/q4/train"
begins . link/./auto/train "$work/mnt/auto/train"
begins mnt/q4 ../../link/../mnt/auto "$work/mnt/auto"
begins mnt/q4/train/a ../../../auto/../q5/train "$work/mnt/q5/train"
begins mnt/q4 train "$work/mnt/q4/train"
begins mnt/q4 . "$work/mnt/q4"
begins mnt auto "$work/mnt/auto"
begins . two..dots/q4/train "$work/two..dots/q4/train"
expect 0 "$LODFS" umount 'two..dots'

# Scores.
expect 0 "$LODFS" met begin scored mnt/q4/train --rf=score --room=300K
expect 2 "$LODFS" met next scored --score=.5
expect 0 "$LODFS" met next scored
expect 2 "$LODFS" met next scored
said -- '--score'
expect 2 "$LODFS" met next scored --score=good
for score in .5 nan inf -inf .5 1e999; do
    expect 0 "$LODFS" met next scored --score=$score
    [ -s out ] || fail "no list after the score $score"
done

# Options and folders that are wrong.
for rf in 0 -1 1000000000 automatic fixed 4x '' 1:2 0:1,0:2 0:1, 0:1,x; do
    expect 2 "$LODFS" met begin wrong mnt/q4/train --rf="$rf"
done
expect 2 "$LODFS" met begin wrong mnt/q4/train --rf-min=5 --rf-max=4
for option in --epochs=-1 --epochs=many --band-width=0 --band-scores=3 --patience=0 --rank=2/2 \
    --rank=1 --shape=round --on-wait=sleep --room=x; do
    expect 2 "$LODFS" met begin wrong mnt/q4/train $option
done
expect 2 "$LODFS" met begin wrong mnt/q4/train --rf=2 --room=1K
said 'record-size'
said 'larger cache_size or tier_size'
for folder in mnt/decoded/q4 mnt source mnt/q4/nowhere mnt/q11 /; do
    expect 2 "$LODFS" met begin wrong "$folder" --rf=2
done
expect 2 "$LODFS" met begin one mnt/q4/train
said 'exists'
expect 2 "$LODFS" met
expect 2 "$LODFS" met nothing
expect 0 "$LODFS" met begin --help
printed 'Usage: lodfs met begin'
expect 0 "$LODFS" help met
printed '    train --files=list' # the example keeps its indentation
[ -e wrong ] && fail 'a job that was refused has a file'

# Files that are wrong.
: >empty
head -c 300 two >cut
sed 's/"version": 1/"version": 7/' two >other
sed 's/"cursor": /"cursor": -/' two >negative
sed 's/"store": "......../"store": "01234567/' two >edited
sed 's/"folder": "[^"]*"/"folder": ""/' two >nowhere
sed 's/"folder": "q4/"folder": "decoded/' two >pixels
truncate -s 1G large
mkdir folder
ln -s two link.json
for file in empty cut other negative edited nowhere pixels large folder link.json absent; do
    expect 2 "$LODFS" met next $file
    [ -s out ] && fail "$file: there is a list"
    [ "$(wc -l <err)" = 1 ] || fail "$file: the message is not one line"
done

# A mount that is gone, and one of another store in its place.
expect 0 "$LODFS" umount mnt
expect 1 "$LODFS" met next two
said 'no lodfs is mounted there'
expect 0 "$LODFS" pack -q --order=path --scans=default source/val store2
expect 0 "$LODFS" mount store2 mnt
expect 2 "$LODFS" met next two
expect 2 "$LODFS" met begin wrong mnt/q4 --rf=2
said 'any-order'
expect 0 "$LODFS" met begin right mnt/q4 --rf=2 --any-order
expect 0 "$LODFS" met next right
[ "$(wc -l <out)" = 5 ] || fail 'data that fits the room is not one list'
expect 0 "$LODFS" umount mnt
expect 0 "$LODFS" mount store mnt
expect 0 "$LODFS" met next two

# Completion knows the five commands and their options.
"$LODFS" __complete met '' | cut -f1 >out
for word in plan begin next status end; do
    printed "$word"
done
"$LODFS" __complete met begin --rf-m | cut -f1 >out
printed '--rf-min='
"$LODFS" __complete met begin job --shape=b | cut -f1 >out
printed '--shape=block'

# plan
expect 0 "$LODFS" met plan mnt --rate=1000 --speed=1M --room=1M
printed 'rf without waiting'
expect 0 "$LODFS" met plan mnt --rate=1000 --speed=1M --room=1M --json
json 'd["fidelities"][0]["fits"] and not d["fidelities"][-1]["fits"]'
json '4 < d["fidelities"][-1]["rf"] < 400 and d["pictures"] == 65'
expect 2 "$LODFS" met plan

# Two jobs share the memory, so there is none for the next part when two large records follow each
# other. How soon they do depends on the order, and so on the id of the store: after 1 to 44 lists
# in five runs.
expect 0 "$LODFS" umount mnt
expect 0 "$LODFS" mount store mnt -o cache_size=4M,store_cache=private,cache=none
expect 0 "$LODFS" met begin alone mnt/full/train --rf=2 --seed=1
expect 0 "$LODFS" met next alone
[ -s err ] && fail "a job that is alone is told: $(cat err)"
for number in $(seq 2 64); do
    "$LODFS" met begin "job$number" mnt/full/train --rf=2 2>err || break
done
said 'larger cache_size or tier_size'
for _ in $(seq 1000); do
    expect 0 "$LODFS" met next alone
    ! grep -q 'too few' err || break
done
said 'too few to load the next part ahead; end other jobs, or mount with a larger cache_size'
finish
