#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pack --levels as a user sees it: the pattern, the summary, a dry run, equal files and hard links,
# and a pack that was stopped.
here=$(dirname "$(readlink -f "$0")")
. "$here/../cli/lib.sh"

PYTHONPATH=$here/../model python3 -c 'import level_images; level_images.make("source")'
photo=$(ls source/train/photos/*.ppm | head -n 1)

same() { cmp -s "$1" "$2" || fail "$1 differs from $2"; }

# The summary names the folders with levels, and each matched file that gets no levels.
expect 0 "$LODFS" pack -v '--levels=*' source all
printed 'train/photos: 10 images'
printed 'val/photos: 4 images'
printed 'Named by --levels, but the same at every fidelity: 17 files'
printed 'val/masks/mask.png: it is flat, as masks are'
printed '14 lossless images have lower fidelities (--levels), which add'
grep -q 'train/masks: ' out && fail "a folder of masks has levels: $(cat out)"
expect 0 "$LODFS" pack -v --json '--levels=*' source json
json 'd["levels"] == d["level_files"] == 14 and d["no_level_files"] == len(d["no_levels"]) == 17'
json '{f["path"]: f["images"] for f in d["level_folders"]} == {"train/photos": 10, "val/photos": 4}'
json 'd["fidelity_bytes"]["q1"] < d["fidelity_bytes"]["q7"] < d["fidelity_bytes"]["q10"]'
rm -r json
expect 0 "$LODFS" info all
printed 'levels ["*"]'
printed '14 lossless images have lower fidelities'

# A dry run says the same, and writes nothing.
"$LODFS" pack -v '--levels=*' source named | sed -n '/^With lower/,$p' >wanted
expect 0 "$LODFS" pack -v -n '--levels=*' source dry
sed -n '/^With lower/,$p' out | diff wanted - || fail "a dry run names others"
[ -e dry ] && fail "a dry run wrote a store"

# The pattern matches as that of --tables: names, or paths if it has a slash.
expect 0 "$LODFS" pack --json '--levels=val/photos/*.png' '--levels=tall.png' source some
json 'd["levels"] == 4 and d["no_level_files"] == 0'
expect 0 "$LODFS" pack -n '--levels=*.PNG' '--levels=tall.png' '--tables=a/*.npy' source none
printed "No file matches --levels='*.PNG'"
printed "No file matches --tables='a/*.npy'"
grep -qF "='tall.png'" out && fail "a pattern that matches a file is said to match none"
expect 2 "$LODFS" pack '--levels=' source none
said "--levels takes a pattern of file names, not ''"
expect 0 "$LODFS" pack source plain
printed 'can have lower fidelities: --levels=GLOB'
[ "$(du -sb some | cut -f1)" -gt "$(du -sb plain | cut -f1)" ] || fail "levels take no bytes"

# Framed files of parts, where the pattern names some pictures: each part has those of its tree,
# also if no record of the named pictures has levels.
mixed() { # NAME PATTERN FILE..
    local name=$1 pattern=$2 number=0 file part
    shift 2
    mkdir "$name" "$name.mnt"
    for file; do
        number=$((number + 1)) && cp "$file" "$name/$number.${file##*.}"
    done
    expect 0 "$LODFS" pack "--levels=$pattern" "$name" "$name.store"
    expect 0 "$LODFS" mount "$name.store" "$name.mnt"
    for part in 0 1 2; do
        ls "$name.mnt/parts/3/$part/q4" | sort >tree
        tar -tf "$name.mnt/parts/3/$part/tar/q4/"*.tar | sort | diff tree - ||
            fail "$name: part $part lacks files"
        cat tree >>"$name.parts"
    done
    "$LODFS" umount "$name.mnt"
    [ "$(sort "$name.parts")" = "$(ls "$name" | sort)" ] || fail "$name: parts lack files"
}
if [ -w /dev/fuse ]; then
    mixed photos '*[02468].p*' source/*/photos/*
    mixed exact '*[02468].p*' source/*/masks/*
else
    echo 'SKIP: parts: there is no /dev/fuse'
fi

# Equal files are one item only if all of them match, or none. A file with a hard link that does
# not match stays exact.
mkdir twins && cp "$photo" twins/a.photo.ppm && cp "$photo" twins/b.photo.ppm
cp "$photo" twins/mask.ppm && tail -c +2 "$photo" | cat <(printf P) - >twins/linked.photo.ppm
printf x >>twins/linked.photo.ppm && ln twins/linked.photo.ppm twins/linked.ppm
expect 0 "$LODFS" pack --json '--levels=*.photo.*' twins twinstore
json 'd["items"] == 3 and d["files"] == 5 and d["equal_files"] == 1 and d["levels"] == 1'
expect 0 "$LODFS" unpack -q --fidelity=q1 twinstore twins.q1
same twins/mask.ppm twins.q1/mask.ppm
same twins/linked.photo.ppm twins.q1/linked.photo.ppm
same twins.q1/a.photo.ppm twins.q1/b.photo.ppm
cmp -s twins/a.photo.ppm twins.q1/a.photo.ppm && fail "a photograph is exact at q1"

# Only photographs differ from full at q1.
for store in all plain; do
    expect 0 "$LODFS" unpack -q --fidelity=q1 $store $store.q1
    expect 0 "$LODFS" unpack -q --fidelity=full $store $store.full
done
diff -r all.full plain.full >/dev/null || fail "full/ depends on levels"
diff -rq all.q1 plain.q1 >differing
[ "$(grep -c photos differing)" = 14 ] || fail "not 14 photographs differ at q1: $(cat differing)"
grep -v photos differing | grep -q . && fail "others differ at q1: $(cat differing)"

# A stopped pack continues with the same patterns only, and makes the same store and summary.
options=(--record-size=64K '--levels=*')
expect 0 "$LODFS" pack -v "${options[@]}" source reference
sed -n '/^With lower/,$p' out >wanted
for try in $(seq 20); do
    rm -rf killed
    "$LODFS" pack -q -j1 "${options[@]}" source killed &
    pid=$!
    while [ "$(ls killed/records 2>/dev/null | wc -l)" -lt 4 ] && kill -0 $pid 2>/dev/null; do
        :
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    unfinished killed && break
done
unfinished killed || fail "no pack could be stopped"
expect 1 "$LODFS" pack --record-size=64K source killed
said 'it was begun with --levels=*'
expect 1 "$LODFS" pack --record-size=64K '--levels=*.png' source killed
said 'it was begun with --levels=* (1 of hash'
expect 0 "$LODFS" pack -v "${options[@]}" source killed
sed -n '/^With lower/,$p' out | diff wanted - || fail "the summary of a resumed pack differs"
diff -r reference killed >/dev/null || fail "a resumed pack has another store"
finish
