#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pack --exclude, --exclude-from and --include: folders and members of a tar. The store equals that
# of a source without these files.
. "$(dirname "$0")/lib.sh"

fixed=(-q --scans=default)
mkdir -p source/{a,b/deep,.git/objects,empty,b/thumbs}
echo 1 >source/a/1.txt
echo 2 >source/b/2.txt
echo x >source/b/2.tmp
echo y >source/b/deep/y.tmp
echo t >source/b/thumbs/2.txt
echo g >source/.git/objects/g.txt
ln -s 1.txt source/a/link.tmp
ln source/b/2.txt source/b/thumbs/linked.txt
printf 'new' >$'source/a/new\nline.tmp'

# stored STORE: the names of a store, a line each.
stored() { "$LODFS" ls -R --json "$1" | python3 -c 'import json, sys
print(" ".join(sorted(e["path"] for e in json.load(sys.stdin)["entries"])))'; }

is() { [ "$(stored "$1")" = "$2" ] || fail "$1 has $(stored "$1"), not $2"; }

expect 0 "$LODFS" pack "${fixed[@]}" --exclude='*.tmp' --exclude=.git/ --exclude=b/thumbs source one
is one 'a a/1.txt b b/2.txt b/deep empty'
printf '\xef\xbb\xbf*.tmp\r\n# of the editor\n\n/.git\nb/**/thumbs/\n' >patterns
expect 0 "$LODFS" pack "${fixed[@]}" --exclude-from=patterns source two
diff -r one two >/dev/null || fail "--exclude-from makes another store than --exclude"
cp -a source less
rm -r less/.git less/b/thumbs less/b/deep/y.tmp less/b/2.tmp less/a/*.tmp
touch -r source less && for at in a b b/deep; do touch -r source/$at less/$at; done
expect 0 "$LODFS" pack "${fixed[@]}" less three
diff -r one three >/dev/null || fail "the store is not that of a source without these files"

# A link that is left out may lead anywhere.
expect 0 "$LODFS" pack "${fixed[@]}" --include='*.txt' --exclude='b/**' --exclude=.git source four
is four 'a a/1.txt'
ln -s /elsewhere source/out
expect 1 "$LODFS" pack "${fixed[@]}" source five
expect 0 "$LODFS" pack "${fixed[@]}" --exclude=out --include='[12].txt' source five
is five 'a a/1.txt b b/2.txt b/thumbs b/thumbs/2.txt'
rm source/out
# Patterns that leave nothing are an error, also of a dry run; a source without files is none.
for also in --dry-run --plan --exclude='*.tmp'; do
    expect 1 "$LODFS" pack "${fixed[@]}" "$also" --include='*.TXT' source six
    said "no file of 'source' matches --include='*.TXT'"
    [ -e six ] && fail "a pack of nothing leaves a folder"
done
expect 1 "$LODFS" pack "${fixed[@]}" --include='*.txt' --include=none --exclude='*.txt' source six
said 'of those that are not excluded'
expect 0 "$LODFS" pack "${fixed[@]}" source/empty six
is six ''

# The same for members of a tar; an excluded folder need not be a member.
(cd source && find . -type f -print0 | tar --hard-dereference --null -T - -cf ../source.tar)
expect 0 "$LODFS" pack "${fixed[@]}" --from=tar --exclude='*.tmp' --exclude=.git/ \
    --exclude=b/thumbs/ source.tar from
is from 'a a/1.txt b b/2.txt'
expect 0 "$LODFS" pack "${fixed[@]}" --from=tar --include='b/*' source.tar included
is included 'b b/2.tmp b/2.txt'
expect 1 "$LODFS" pack "${fixed[@]}" --from=tar --include='c/*' source.tar none
said "no file of 'source.tar' matches --include='c/*'"

# The result names what is left out; this is no failure.
expect 0 "$LODFS" pack --dry-run --json --exclude='*.tmp' --exclude=.git --include='*.txt' source no
json '[e["why"] for e in d["left_out"]].count("excluded") == 5'
json '[e["why"] for e in d["left_out"]].count("it contains no included file") == 2'
json '{".git", "b/2.tmp", "b/deep", "empty"} < {e["path"] for e in d["left_out"]}'
json 'd["left_out_files"] + d["left_out_folders"] == len(d["left_out"])'
json 'd["left_out_folders"] == 3'
expect 0 "$LODFS" pack --dry-run --exclude='*.tmp' --exclude=.git --include='*.txt' source no
printed 'Left out: 4 files, 3 folders'
expect 0 "$LODFS" pack --dry-run --exclude=.git/ source no
printed 'Left out: 1 folder'
mkdir many
touch many/{1..12}.txt many/{1..30}.tmp && mkfifo many/pipe
expect 0 "$LODFS" pack --dry-run --exclude='*.tmp' --exclude=3.txt many no
printed 'and 22 more (-v lists all); in all:'
printed '          31  excluded'
printed '           1  a fifo'
expect 0 "$LODFS" pack --dry-run -v --exclude='*.tmp' many no
printed '  9.tmp: excluded'
! grep -q 'in all' out || fail 'counts where all are listed'
tar --hard-dereference -C source -cf folders.tar a b empty
expect 0 "$LODFS" pack --dry-run --from=tar --exclude=b/thumbs/ --include='*.txt' folders.tar no
printed 'Left out: 6 files, 3 folders'
[ -e no ] && fail "a dry run writes"
# The pack that commits a plan also counts the files that the plan left out.
for as in --plan --part=1/1 --json; do
    expect 0 "$LODFS" pack $as --exclude=.git --exclude='*.tmp' source planned
done
json '[d["left_out_files"], d["left_out_folders"]] == [4, 1]'

for bad in --exclude= --include=/ --exclude="$(printf '%05000d' 1)"; do
    expect 2 "$LODFS" pack "$bad" source no
    said 'takes a pattern of file names'
done
expect 2 "$LODFS" pack --exclude-from=nothing source no
said '--exclude-from=nothing: No such file'
printf 'a\n/\n' >patterns
expect 2 "$LODFS" pack --exclude-from=patterns source no
said 'line 2'
head -c 2000000 /dev/zero | tr '\0' '#' >patterns
expect 2 "$LODFS" pack --exclude-from=patterns source no
said '1 MiB'
[ -e no ] && fail "a refused pack writes"
finish
