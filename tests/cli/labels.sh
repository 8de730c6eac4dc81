#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pack --labels and --splits: their effect on the store, the
# values they refuse, and how a stopped pack with them continues.
. "$(dirname "$0")/lib.sh"

mkdir -p source/one/a source/two/b source/rest
"$PHOTOGRAPHS" photos 12 1 0 40 >/dev/null
pictures=(photos/*/*.jpg)
for i in 0 1 2; do
    cp "${pictures[i]}" source/one/a/$i.jpg
    cp "${pictures[i + 3]}" source/two/b/$i.jpg
    cp "${pictures[i + 6]}" source/rest/$i.jpg
done
echo text >source/one/a/0.txt
cp source/one/a/0.jpg source/rest/same.jpg
options=(--scans=default --record-size=64K)
pack() { expect "$1" "$LODFS" pack -q "${options[@]}" "${@:2}" source store; }

# Returns the lines "path label" of a store, as lodfs order has them.
labels_of() { "$LODFS" order --format=lst "$1" | awk -F'\t' '{ print $3, $2 }' | sort; }

# has STORE PATH LABEL
has()
{
    labels_of "$1" | grep -qxF "$2 $3" || { fail "$2 has not the label $3"; labels_of "$1"; }
}

# A list may have a byte order mark, both line ends, a leading ./ and trailing blanks. Pictures that
# it does not name have no label.
{
    printf '\xef\xbb\xbfone/a/0.jpg\t7\r\n./two/b/1.jpg\t2147483647\r\n\n'
    printf 'rest/2.jpg\t-1  \none/a/1.jpg\t0'
} >given
pack 0 --labels=given
for pair in 'one/a/0.jpg 7' 'two/b/1.jpg 2147483647' 'rest/2.jpg -1' 'one/a/1.jpg 0' \
    'two/b/2.jpg -1' 'rest/1.jpg -1'; do
    has store ${pair% *} ${pair#* }
done
expect 0 "$LODFS" verify store
expect 0 "$LODFS" info --json store
json 'd["samples"]["own_labels"] == 9 and d["samples"]["unlabelled"] == 6'
json '[s["classes"] for s in d["samples"]["splits"]] == [0]'
expect 0 "$LODFS" info store
printed 'with labels of a list or of containers: 9'
cp -r store copy
rm copy/index copy/manifest.json
expect 0 "$LODFS" repair copy
diff -r store copy >/dev/null || fail "repair makes another index"
expect 0 "$LODFS" pack -q "${options[@]}" --labels=<(cat given) -j1 source piped
diff -r store piped >/dev/null || fail "a pipe gives another store"
rm -rf copy piped
printf '3\t    4.000000\tone/a/0.jpg   \n0\t-1\trest/0.jpg\n9\t5\ttwo/b/0.jpg\n' >list.lst
rm -rf store
pack 0 --labels=list.lst
has store one/a/0.jpg 4
has store two/b/0.jpg 5
rm -rf store
: >empty
pack 0 --labels=empty
has store one/a/0.jpg -1
rm -rf store

# A file equal to another one has its label, if that has none.
printf 'rest/same.jpg\t3\n' >given
expect 0 "$LODFS" pack "${options[@]}" --labels=given source store
has store one/a/0.jpg 3
grep -q 'of another label' out && fail "one label is told as two"
rm -rf store
printf 'rest/same.jpg\t3\none/a/0.jpg\t4\n' >given
expect 0 "$LODFS" pack "${options[@]}" --labels=given source store
has store one/a/0.jpg 4
printed '1 file is equal to another file of another label'
rm -rf store

# refused LINES WORDS: pack names the line, and leaves nothing.
refused()
{
    printf "$1" >given
    pack 1 --labels=given
    said "$2"
    expect 1 "$LODFS" pack -q --dry-run "${options[@]}" --labels=given source store
    said "$2"
    [ -e store ] && fail "a pack with refused labels left a store"
}
refused 'one/a/0.jpg\t1\nnone.jpg\t2\n' "given: line 2: 'none.jpg' is not in the source"
refused 'one/a/0.jpg\t1\n\none/a/0.jpg\t1\n' "given: line 3: 'one/a/0.jpg' has a label already"
refused 'one/a/0.txt\t1\n' "line 1: 'one/a/0.txt' is not a picture"
refused 'one/a\t1\n' "line 1: 'one/a' is not a picture"
refused 'one/a/0.jpg\t2147483648\n' "'2147483648' is not a label"
refused 'one/a/0.jpg\t-2\n' "'-2' is not a label"
refused 'one/a/0.jpg\t1.5\n' "'1.5' is not a label"
refused 'one/a/0.jpg\tcat\n' "'cat' is not a label"
refused 'one/a/0.jpg\t\n' "'' is not a label"
refused 'one/a/0.jpg\t99999999999999999999999\n' "is not a label"
refused 'one/a/0.jpg 1\n' 'line 1: it is neither'
refused '\t1\n' 'line 1: it is neither'
refused '1\t2\t3\tone/a/0.jpg\n' 'line 1: it is neither'
refused 'x\t2\tone/a/0.jpg\n' 'line 1: it is neither'
refused 'one/a/0.jpg\t1\0\n' 'line 1: it is neither'
refused "$(printf 'x%.0s' $(seq 5000))\t1\n" 'line 1: it is neither'
pack 1 --labels=missing
said "cannot read the labels 'missing': No such file"
pack 1 --labels=source
said 'Is a directory'
truncate -s 5G large
pack 1 --labels=large
said 'more than 4 GiB'
rm large

# --splits: the named folders only; no splits; errors for names that are no folder of the source.
printf 'one/a/0.jpg\t7\n' >given
pack 0 --splits=one,two
expect 0 "$LODFS" info --json store
json '[(s["name"], s["samples"], s["classes"]) for s in d["samples"]["splits"]] == \
    [("one", 3, 1), ("two", 3, 1)]'
json 'd["samples"]["in_no_format"]["no_split"] == 3 and d["pack"]["splits"] == "named"'
expect 0 "$LODFS" ls store tar/q4
cp -r store copy
rm copy/index
expect 0 "$LODFS" repair copy
diff -r store copy >/dev/null || fail "repair finds other splits"
rm -rf copy store
mv source/one source/train && mv source/two source/val && rm -r source/rest
pack 0
expect 0 "$LODFS" info --json store
json '[s["name"] for s in d["samples"]["splits"]] == ["train", "val"]'
rm -rf store
pack 0 --splits=none
expect 0 "$LODFS" info --json store
json '[s["name"] for s in d["samples"]["splits"]] == ["data"] and d["pack"]["splits"] == "none"'
expect 0 "$LODFS" verify store
rm -rf store
mkdir 'source/a,b' "$(printf 'source/\xffx')"
pack 0 --splits='a\,b,\377x,val'
expect 0 "$LODFS" info --json store
json '[s["name"] for s in d["samples"]["splits"]] == ["val"]'
rm -rf store

long=$(printf 'x%.0s' $(seq 201))
for wrong in '' 'train,' 'train,,val' . .. train/a /train train,train "$long" \
    "$(seq -s, 65)" "$(seq -s, 400)"; do
    pack 2 --splits="$wrong"
    said '--splits'
done
for wrong in other train,other train/a.jpg; do
    [ $wrong = train/a.jpg ] || pack 1 --splits=$wrong
done
said "'other' is no folder in the root of the source"
touch source/file
pack 1 --splits=file
said "'file' is no folder"
expect 1 "$LODFS" pack -q --dry-run --splits=other source store
said "'other' is no folder"
[ -e store ] && fail "a refused pack left a store"

# A stopped pack continues with the same labels and splits, and refuses other ones.
for i in 0 1 2 3; do head -c 3000000 /dev/urandom >source/train/big$i; done
printf 'train/a/0.jpg\t7\n' >given
expect 0 "$LODFS" pack -q -j1 "${options[@]}" --labels=given --splits=train,val source reference
for try in $(seq 20); do
    rm -rf store
    with_signals "$LODFS" pack -q -j1 "${options[@]}" --labels=given --splits=train,val source \
        store 2>err &
    while [ ! -e store/records/000003.* ] && kill -0 $! 2>/dev/null; do :; done
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    unfinished store && break
done
unfinished store || fail "no pack could be stopped"
pack 1 --labels=given
said 'it was begun with --splits=train,val'
pack 1 --splits=train,val
said 'it was begun with --labels of contents'
printf 'train/a/0.jpg\t8\n' >other
pack 1 --splits=train,val --labels=other
said 'it was begun with --labels of contents'
expect 1 "$LODFS" pack -q --dry-run "${options[@]}" --splits=train,val --labels=other source store
said 'it was begun with --labels of contents'
expect 0 "$LODFS" pack --dry-run --json "${options[@]}" --splits=train,val --labels=given source \
    store
json 'd["kept_records"] > 0'
mv given elsewhere
expect 0 "$LODFS" pack --json "${options[@]}" --splits=train,val --labels=elsewhere source store
json 'd["kept_records"] > 0'
diff -r store reference >/dev/null || fail "a pack that went on makes another store"

finish
