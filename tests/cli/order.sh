#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lodfs order: every picture once, ranks that share out a pass, and options that are wrong.
. "$(dirname "$0")/lib.sh"

mkdir -p source/train/a source/train/b source/val/a
"$PHOTOGRAPHS" source/train/a 20 1 >/dev/null
"$PHOTOGRAPHS" source/train/b 20 2 >/dev/null
"$PHOTOGRAPHS" source/val/a 7 3 >/dev/null
cp "$(find source/train/a -name '*.jpg' | sort | head -n 1)" source/val/a/equal.jpg
echo label >source/train/a/label.txt
printf 'not a picture' >"$(printf 'source/train/a/two\nlines.txt')"
expect 0 "$LODFS" pack -q --scans=default --record-size=64K source store

(cd source && find . -name '*.jpg' ! -name equal.jpg | sed 's|^\./||' | sort) >pictures
expect 0 "$LODFS" order store
sort out | cmp -s - pictures || fail "an order is not all pictures, each once"
cp out first
expect 0 "$LODFS" order store/
cmp -s out first || fail "the second order is another one"
for option in --seed=1 --pass=1 --stored; do
    expect 0 "$LODFS" order store $option
    cmp -s out first && fail "$option gives the same order"
    sort out | cmp -s - pictures || fail "$option: other pictures"
done
expect 0 "$LODFS" order store --run=1
cmp -s out first && fail "--run gives the same order"
sort out | cmp -s - pictures || fail "--run: other pictures"

expect 0 "$LODFS" order store --split=train/b
[ "$(wc -l <out)" = 20 ] || fail "$(wc -l <out) pictures below train/b"
grep -qv ^train/b/ out && fail "--split lists others"
expect 0 "$LODFS" order store --split=val/
[ "$(wc -l <out)" = 7 ] || fail "$(wc -l <out) pictures below val"

# Labels are those of ImageFolder; NUL ends each line.
expect 0 "$LODFS" order store --split=train --format=lst -0
tr '\0' '\n' <out | awk -F'\t' '$2 != ($3 ~ "^train/b/") { exit 1 } END { exit NR != 40 }' ||
    fail "wrong labels"

# Ranks share a pass out. With `wrap` each picture comes, with `drop` none comes twice.
for nodes in 1 2 4; do
    for rank in 0 1 2 3; do
        expect 0 "$LODFS" order store --rank=$rank/4 --nodes=$nodes
        cp out drop.$rank
        expect 0 "$LODFS" order store --rank=$rank/4 --nodes=$nodes --tail=wrap
        cp out wrap.$rank
    done
    [ "$(wc -l drop.? | awk '$2 != "total" { print $1 }' | uniq | wc -l)" = 1 ] ||
        fail "$nodes nodes: ranks have unequal parts"
    [ -z "$(sort drop.? | uniq -d)" ] || fail "$nodes nodes: a picture comes twice"
    sort -u wrap.? | cmp -s - pictures || fail "$nodes nodes: wrap leaves pictures out"
done

expect 0 "$LODFS" order store --format=records
(cd store && ls records/*.pcr) | cmp -s - <(sort out) || fail "not each record of pictures once"

expect 1 "$LODFS" order store --split=nowhere
said "no folder 'nowhere'"
expect 1 "$LODFS" order store --split=train/a/label.txt
said "no folder"
for bad in --rank=4/4 --rank=-1/4 --rank=1 --rank=1/ --rank=/2 --rank=1/2x --rank=1/-2 --rank=a/b \
    --rank=0/99999999999999999999 --nodes=2 --nodes=0 --pass=4294967295 --pass=-1 --run=0 \
    --tail=both --format=json --fidelity=q11; do
    expect 2 "$LODFS" order store $bad
    said 'see lodfs order --help'
done
expect 2 "$LODFS" order store --rank=0/3 --nodes=2
said 'cannot be divided'
expect 10 "$LODFS" order source
mkdir empty && expect 0 "$LODFS" pack -q empty none
expect 1 "$LODFS" order none
said 'no picture'
finish
