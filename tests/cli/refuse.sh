#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Targets and sources that pack refuses: folders with other files, mounts, links that leave the
# source, files that it cannot read.
. "$(dirname "$0")/lib.sh"
cleanup() { umount "$work/mounted" 2>/dev/null; }

# Root can read every file, so the checks of permissions run as user 65534.
as_user()
{
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
chmod 755 "$work"
make_source source 2

expect 0 "$LODFS" pack -q --scans=default source store
cp -r store before
expect 1 "$LODFS" pack source store
said 'already holds a store'
expect 2 "$LODFS" pack source s3://bucket/key
said 'then lodfs push it to s3://BUCKET/KEY'
expect 1 "$LODFS" pack source source
said 'itself'
expect 1 "$LODFS" pack source source/photos/store
said 'lies in the source'
expect 1 "$LODFS" pack source/photos source
said 'holds the source'
ln -s source other
expect 1 "$LODFS" pack source other/store
said 'lies in the source'
mkdir foreign
echo mine >foreign/file
expect 1 "$LODFS" pack source foreign
said "'file'"
mkdir -p records-foreign/records
echo mine >records-foreign/records/notes
expect 1 "$LODFS" pack source records-foreign
said "'notes'"
echo mine >plain
expect 1 "$LODFS" pack source plain
said 'Not a directory'
expect 1 "$LODFS" pack plain new
said "'plain': it is a file; name a folder, or say with --from which kind of container it is"
[ "$(cat foreign/file records-foreign/records/notes plain)" = "$(printf 'mine\nmine\nmine')" ] ||
    fail "a refused pack changed files that are not its own"
diff -r store before >/dev/null || fail "a refused pack changed the store"
mkdir empty
expect 0 "$LODFS" pack -q --scans=default source empty

mkdir locked
expect 11 flock locked "$LODFS" pack source locked
said 'another pack'
[ -z "$(ls -A locked)" ] || fail "a pack without the lock wrote something"

# Targets in a mount, and in the store that it shows.
mkdir mounted
if [ -e /dev/fuse ] && "$LODFS" mount store mounted 2>err; then
    for target in mounted mounted/q1 mounted/q1/labels mounted/new mounted/q1/new; do
        expect 1 "$LODFS" pack source $target
        said 'lies in a mount of lodfs'
    done
    for target in store store/new; do
        expect 1 "$LODFS" pack source $target
        said "lies in a store that is mounted at '$work/mounted'"
    done
    mkdir -p store/deep/er
    for target in store/deep store/deep/er store/deep/er/new; do
        expect 1 "$LODFS" pack source $target
        said "lies in a store that is mounted at '$work/mounted'"
    done
    rm -r store/deep
    for words in fsname=hidden fsname=hidden,subtype=other; do
        "$LODFS" umount mounted && "$LODFS" mount -o $words store mounted ||
            fail "cannot mount with -o $words"
        expect 1 "$LODFS" pack source mounted/q1
        said 'lies in a mount of lodfs'
        expect 1 "$LODFS" pack . ../lodfs-never-made
        said "holds a mount of lodfs, '$work/mounted'"
        expect 0 "$LODFS" verify --hashes mounted
        [ $words = fsname=hidden ] || continue
        expect 1 "$LODFS" pack source store
        said "lies in a store that is mounted at '$work/mounted'"
    done
    "$LODFS" umount mounted && "$LODFS" mount store mounted || fail "cannot mount again"
    for from in . mounted; do
        expect 1 "$LODFS" pack $from ../lodfs-never-made
        said "holds a mount of lodfs, '$work/mounted'"
    done
    mkdir -p above/mounted
    mount --bind mounted above/mounted 2>/dev/null && {
        expect 1 "$LODFS" pack --dry-run above ../lodfs-never-made
        said "'$work/above/mounted'"
        umount above/mounted
    }
    rm -r above
    expect 0 "$LODFS" pack -q --scans=default mounted/original again
    rm -r again
    rm store/manifest.json
    expect 1 "$LODFS" pack source store
    said "mounted at '$work/mounted'"
    cp before/manifest.json store
    mv store moved
    for command in info ls order; do
        expect 10 "$LODFS" $command mounted
        said "the store '$work/store' of the mount 'mounted': no such folder"
    done
    mv moved store
    "$LODFS" umount mounted || fail "cannot unmount"
    diff -r store before >/dev/null || fail "a refused pack changed the store"
else
    echo "SKIP: no FUSE mount is possible here"
fi

# Links that leave the source.
mkdir links
echo x >links/file
ln -s ../source/nothing links/out
expect 1 "$LODFS" pack links l1
said "'out'"
said -- '--symlinks=follow'
[ -e l1 ] && fail "a refused pack left its target folder"
expect 0 "$LODFS" pack -q --symlinks=follow links l1
"$LODFS" ls -l l1 | grep -q '^-.* out$' || fail "a followed link is not stored as a file"
rm links/out
ln -s "$work/links/file" links/absolute
expect 1 "$LODFS" pack links l2
said "'absolute'"
rm links/absolute
mkdir links/folder
ln -s .. links/folder/round
expect 0 "$LODFS" pack -q links l3
expect 1 "$LODFS" pack --symlinks=follow links l4
said "'folder/round' leads back"

# Unreadable files and folders stop pack without --skip-unreadable. A fifo is always left out.
mkdir -p dark/folder
echo 1 >dark/a
echo 2 >dark/b
echo 3 >dark/folder/c
mkfifo dark/fifo
chmod 0 dark/b dark/folder
mkdir -m 777 open
expect 1 as_user "$LODFS" pack dark open/d1
said 'Permission denied'
said -- '--skip-unreadable'
[ -e open/d1 ] && fail "a failed pack left its target folder"
expect 3 as_user "$LODFS" pack --skip-unreadable --json dark open/d2
json '{e["path"]: e["why"] for e in d["left_out"]} == {"b": "Permission denied",
    "fifo": "a fifo", "folder": "Permission denied"}'
json 'd["files"] == 1'
rm dark/b
chmod 755 dark/folder
rm dark/folder/c
expect 0 "$LODFS" pack dark d3
printed 'fifo: a fifo'

# A file that changes all the time. On a busy machine a whole pack may run between two changes, so
# packs are repeated until one notices a change. A pack that notices none must leave a store.
mkdir moving
head -c 20000000 /dev/urandom >moving/still
: >moving/file
(while [ -e moving/file ]; do echo x >>moving/file; done) 2>/dev/null &
caught=0
for i in $(seq 1 40); do
    "$LODFS" pack -q moving m$i >out 2>err
    rc=$?
    if [ $rc = 1 ]; then
        said "'file'"
        said 'changed'
        caught=1
        break
    fi
    [ $rc = 0 ] && [ -e m$i/manifest.json ] || fail "exit $rc for a source that changes"
    rm -rf m$i
done
[ $caught = 1 ] || fail "40 packs did not notice that the source changes"
for i in $(seq 1 40); do
    "$LODFS" pack --skip-unreadable --json moving skip$i >out 2>err
    rc=$?
    [ $rc = 3 ] && break
    rm -rf skip$i
done
[ $rc = 3 ] || fail "40 packs with --skip-unreadable did not notice that the source changes"
json '[e["path"] for e in d["left_out"]] == ["file"]'
kill $! && wait $! 2>/dev/null
finish
