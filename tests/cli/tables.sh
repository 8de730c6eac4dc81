#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tables in pack, ls, info, verify, repair and unpack; and hostile CSV, LIBSVM and .npy files.
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"

"$here/make_tables.py" source || fail "the tables were not made"
all=(--scans=default --tables='*.npy' --tables='*.csv' --tables='sub/*.libsvm' --one-hot)

# ------------------------------------------------------------------------ by default: .npy alone
expect 0 "$LODFS" pack --scans=default source plain
printed '3 tables'
printed '1 file equal to another'
expect 0 "$LODFS" ls -R plain
for name in plain.toc sub/equal.toc big-endian.toc random.toc; do
    expect 0 "$LODFS" ls "plain" "$name"
    printed 'schema.json'
    printed 'shard-00000.toc'
done
for name in fortran complex vector object small empty text; do
    expect 1 "$LODFS" ls plain "$name.toc"
done
expect 0 "$LODFS" ls -R --fidelity=original plain
grep -q 'toc' out && fail "original lists names that the source does not have: $(cat out)"
expect 0 "$LODFS" verify plain
expect 0 "$LODFS" unpack -q plain unpacked
diff -r source unpacked || fail "the unpacked tables differ from the source"
[ "$(stat -c %s source/plain.npy)" = "$("$LODFS" ls -l plain plain.npy | awk '{print $2}')" ] ||
    fail "ls -l prints a size that is not that of the source"

# ----------------------------------------------------------------------------------- by --tables
expect 0 "$LODFS" pack "${all[@]}" -v source store
printed '5 tables, 3 tables beside their shards'
printed 'object.npy: its elements are Python objects, which lodfs never unpickles'
printed 'vector.npy: it does not have two axes'
printed 'complex.npy: its elements are not plain numbers'
for name in plain sub/equal fortran small empty text sub/sparse; do
    expect 0 "$LODFS" ls store "$name.toc"
    printed 'schema.json'
done
expect 0 "$LODFS" ls store sub/sparse.toc
printed 'labels.npy'
printed 'shard-00001.toc'
expect 0 "$LODFS" verify store
rm -r unpacked
expect 0 "$LODFS" unpack -q --fidelity=full store unpacked
diff -r source unpacked || fail "the tables unpacked at full differ from the source"
expect 0 "$LODFS" info --json store
json 'd["files"] == 12 and d["pack"]["one_hot"] and d["pack"]["tables"][1] == "*.csv"' ||
    cat out

# Any number of threads writes the same store, and so does repair from the records.
for jobs in 1 3; do
    expect 0 "$LODFS" pack "${all[@]}" -q -j$jobs source "store-$jobs"
    diff -r store "store-$jobs" || fail "-j$jobs writes a different store"
done
mv store-1/index index
rm store-1/manifest.json
expect 0 "$LODFS" repair store-1
diff -r store store-1 || fail "repair makes a different store"
expect 0 "$LODFS" pack "${all[@]}" -q --order=path --batch-rows=100 --shard-rows=700 source by-path
expect 0 "$LODFS" verify by-path
rm -r unpacked
expect 0 "$LODFS" unpack -q by-path unpacked
diff -r source unpacked || fail "the tables differ from the source with other shards"

# info counts a text table at its own size at every fidelity, as its bytes are stored beside its
# shards. It counts a .npy table at the size of its shards, which are its only copy.
mkdir text
cp source/text.csv text
expect 0 "$LODFS" pack -q --tables='*' --one-hot --raw=plain text text-store
expect 0 "$LODFS" info --json text-store
json 'd["fidelity_bytes"]["q1"] == d["shown_bytes"]' || cat out
json 'd["codecs"][0]["stored_bytes"] > 0' || cat out
expect 0 "$LODFS" info --json plain
toc='[c["stored_bytes"] for c in d["codecs"] if c["codec"] == "toc"][0]'
json "$toc < d['fidelity_bytes']['q1']" || cat out

# ---------------------------------------------------------------------------------- folder names
mkdir -p names/taken.toc names/both.toc names/both.npy.toc
cp source/small.npy names/taken.npy
cp source/text.csv names/taken.csv
cp source/plain.npy names/both.npy
cp source/small.npy names/.npy
expect 0 "$LODFS" pack -q --scans=default --tables='*' --one-hot names named
expect 0 "$LODFS" ls -R named
for name in taken.npy.toc taken.csv.toc .npy.toc; do
    expect 0 "$LODFS" ls named "$name"
    printed schema.json
done
expect 0 "$LODFS" ls named both.npy.toc
[ -s out ] && fail "shards appear in a folder of the source: $(cat out)"
expect 0 "$LODFS" unpack -q named unpacked-names
diff -r names unpacked-names || fail "the unpacked names differ from the source"

# --------------------------------------------------------------------------- integers beyond 2^53
mkdir wide
printf 'id,x\n1,2\n9007199254740993,3\n' >wide/a.csv
expect 0 "$LODFS" pack --tables='*' wide wide-store
printed 'a.csv: line 3, column 1 (id): the shards round integers like this one, beyond 2^53'

# ------------------------------------------------------------------------------------- bad input
# refused NAME WORDS: packs the folder `bad` and empties it. Fails unless pack exits with 1, prints
# one line with both arguments, and leaves no store.
refused()
{
    rm -rf no-store
    expect 1 "$LODFS" pack --scans=default --tables='*' bad no-store
    said "$1"
    said "$2"
    [ ! -e no-store/manifest.json ] || fail "pack made a store in spite of $1"
    rm -rf bad
    mkdir bad
}
# header TEXT: prints a .npy file with this header and no elements.
header()
{
    printf '\x93NUMPY\x01\0'
    printf "\\x$(printf %02x ${#1})\\0%s" "$1"
}
mkdir bad
printf 'a,b\n1,2\n3,red\n' >bad/text.csv
refused "'text.csv'" "line 3, column 2 (b): 'red' is no number; --one-hot"
printf 'a,b\n1,2\n"3,4\n' >bad/quote.csv
refused "'quote.csv'" 'line 3: a quote is not closed'
printf 'a,b\n1,\0\n' >bad/nul.csv
refused "'nul.csv'" 'line 2: it has a NUL byte'
printf 'a,b\n1,2\n3\n' >bad/ragged.csv
refused "'ragged.csv'" 'line 3: it has 1 fields, the first record 2'
for i in $(seq -w 13); do
    printf 'a,b\n1,2\n%s\n' $i >"bad/$i.csv"
done
printf 'a,b\n1,2\n' >bad/sound.csv
header "{'descr':'<f8','fortran_order':False,'shape':(1,2)}" >bad/0.npy
words="; '09.csv': line 3: it has 1 fields, the first record 2; and 4 more; files that --tables"
refused "14 tables: '0.npy': its size is not that of header and elements; '01.csv': line 3" "$words"
printf '\xff\xfea\0,\0b\0\n\0' >bad/wide.csv
refused "'wide.csv'" 'iconv -f UTF-16 -t UTF-8'
printf 'price,day\n"1,234",1\n' >bad/price.csv
refused "'price.csv'" "line 2, column 1 (price): '1,234' is no number; write numbers as 1234.5"
printf 'price,day\n1,2021-03-04\n' >bad/day.csv
refused "'day.csv'" "'2021-03-04' is no number; write dates and times as numbers"
printf '# made today\na,b\n1,2\n' >bad/head.csv
refused "'head.csv'" 'line 2: it has 2 fields, the first record 1; nothing may stand before'
printf '# ranks\n1 qid:1 1:2 # first\n' >bad/rank.svm
refused "'rank.svm'" 'line 2: it has a qid'
printf '1:2 2:3\n' >bad/none.svm
refused "'none.svm'" 'line 1: it has no label'
printf '1 2:3\n1 5:1 4:1\n' >bad/order.svm
refused "'order.svm'" 'line 2: its indexes do not ascend'
printf '\x93NUMPY\x02\0\xff\xff\xff\xff{}' >bad/long.npy
refused "'long.npy'" 'its header has more than 64 KiB'
header "{'descr':'<f8','fortran_order':False,'shape':(1,9999999999)}" >bad/size.npy
refused "'size.npy'" 'its size is not that of header and elements'
header "{'descr':'<f8','fortran_order':False,'shape':(1,9223372036854775808)}" >bad/huge.npy
refused "'huge.npy'" 'its shape is larger than 2^63 bytes (byte '
header "{'descr':__import__('os').system('touch pickled')}" >bad/code.npy
refused "'code.npy'" 'its header is malformed (byte '
[ ! -e pickled ] || fail "a header was evaluated"
python3 -c 'print("x," * 999999 + "x")' >bad/wide.csv
refused "'wide.csv'" 'line 1: it has more than 65,536 columns'
truncate -s 1G bad/line.csv
refused "'line.csv'" 'line 1: it has'
yes 1111111 | tr -d '\n' | head -c 1000000000 >bad/long.csv
peak=$("$here/peak.py" "$LODFS" pack -j1 --scans=default --tables='*' bad no-store 2>err) &&
    fail "pack accepts a line of 1 GB"
said 'line 1: it has more than 16 MiB'
read -r peak_kib cpu_s <<<"$peak"
[ "$peak_kib" -lt 600000 ] || fail "a line of 1 GB takes $peak_kib KiB"
[ "$cpu_s" -lt 20 ] || fail "a line of 1 GB takes $cpu_s s of CPU"
rm -rf bad
mkdir bad
{ echo name,n; seq -f "category-%.0f,1" 100000; } >bad/many.csv
one_hot=(--scans=default --tables='*' --one-hot)
peak=$("$here/peak.py" "$LODFS" pack -j1 "${one_hot[@]}" bad no-store 2>err) &&
    fail "pack accepts 100,000 categories"
said "line 2, column 1 (name): a field that is no number makes the column text"
peak_kib=${peak% *}
[ "$peak_kib" -lt 100000 ] || fail "100,000 categories take $peak_kib KiB"
# Without --tables such files are packed as any other file.
rm -rf bad
mkdir bad
printf '\x93NUMPY\x02\0\xff\xff\xff\xff{}' >bad/long.npy
head -c 2000000 /dev/zero >>bad/long.npy
cp source/object.npy bad
expect 0 "$LODFS" pack -q --scans=default bad as-it-is
expect 2 "$LODFS" pack --batch-rows=0 source x
said '--batch-rows takes'
expect 2 "$LODFS" pack --shard-rows=1x source x
said '--shard-rows takes'
expect 2 "$LODFS" pack --tables= source x
said '--tables takes'
finish
