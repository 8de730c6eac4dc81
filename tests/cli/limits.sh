#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Limits of the process (ulimit): a command that cannot work within them fails with one line. A
# store that it left unfinished is not taken for complete.
. "$(dirname "$0")/lib.sh"
make_source source 2
head -c 300000 /dev/urandom >source/large
expect 0 "$LODFS" pack -q --scans=default source store

# below KIB COMMAND...: runs it with files of at most KIB KiB.
below()
{
    (ulimit -f "$1" && shift && exec "$@")
}

expect 1 below 64 "$LODFS" pack -q --scans=default source packed
said 'cannot write record'
said 'File too large; no store was made'
[ ! -e packed/manifest.json ] || fail 'a pack that could not write a record made a store'
expect 0 "$LODFS" pack -q --scans=default source packed
diff -r store packed || fail 'a pack that went on made other bytes'

expect 1 below 64 "$LODFS" unpack -q store unpacked
said "cannot write 'large': File too large"
[ ! -e unpacked/large ] || fail 'unpack left a file that is cut'

rm packed/index
expect 1 below 64 "$LODFS" repair packed
said 'cannot write index.tmp: File too large'
[ ! -e packed/index.tmp ] && [ ! -e packed/index ] || fail 'repair left an index that is cut'

expect 1 below 4 "$LODFS" report --no-pictures -o page.html store
said "cannot write 'page.html': File too large; nothing was written"

# A record that is kept open has a file. A store may have more records than a process may open.
mkdir many
for i in $(seq 100); do
    head -c 66000 /dev/urandom >many/$i
done
expect 0 "$LODFS" pack -q --record-size=64K --raw=plain many many.store
expect 0 "$LODFS" info --json many.store
json 'd["records"] > 100'
(ulimit -n 40 && exec "$LODFS" unpack -q -j2 many.store many.out) >out 2>err ||
    fail "100 records are too many for 40 files: $(head -n 3 err)"
[ ! -s err ] || fail "messages of a sound store: $(head -n 3 err)"
diff -r many many.out || fail 'files differ'

# A user who may have one thread is not told that another pack is at work. Root may have any number,
# and processes of other tests do not count for a user of this one.
if [ "$(id -u)" = 0 ]; then
    user=$((100000 + $$))
    chmod 755 "$work"
    mkdir theirs
    chown "$user" theirs
    one_thread()
    {
        (ulimit -u 1 && ASAN_OPTIONS=detect_leaks=0 exec setpriv --reuid="$user" --regid=65534 \
            --clear-groups "$@")
    }
    expect 1 one_thread "$LODFS" pack -q -j4 --scans=default source theirs/store
    said "cannot pack 'source' into 'theirs/store': Cannot allocate memory"
else
    echo 'SKIP: not root: no user for a limit of threads'
fi
finish
