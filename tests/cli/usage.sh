#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Help, version, and the messages about wrong command lines.
. "$(dirname "$0")/lib.sh"

expect 2 "$LODFS"
grep -q 'Usage: lodfs COMMAND' err || fail "lodfs without arguments prints no usage on stderr"
expect 0 "$LODFS" --help
for command in pack mount umount set stats ls order met info fidelity verify push warmup version \
    help; do
    printed "  $command "
done
printed 'Exit codes'
expect 0 "$LODFS" -h
expect 0 "$LODFS" version
printed 'lodfs '
expect 0 "$LODFS" --version
expect 0 "$LODFS" help pack
printed '--record-size'
cp out first
expect 0 "$LODFS" pack --help
cmp -s out first || fail "'help pack' and 'pack --help' differ"
expect 0 "$LODFS" help help
printed 'Usage: lodfs help [COMMAND]'
cp out first
expect 0 "$LODFS" help --help
cmp -s out first || fail "'help help' and 'help --help' differ"
expect 2 "$LODFS" help pack mount
said 'one COMMAND'
expect 2 "$LODFS" help nonsense
said "no command 'nonsense'"
expect 2 "$LODFS" nonsense /mnt -o rw # as mount.fuse3 calls it
said "there is neither a command nor a store 'nonsense'"
expect 2 "$LODFS" pakc
said "did you mean 'pack'?"
expect 2 "$LODFS" "$(printf 'a\033b')"
said '\x1b'

mkdir source
expect 2 "$LODFS" pack
said 'a SOURCE and a STORE'
expect 2 "$LODFS" pack source
expect 2 "$LODFS" pack source store third
said "third"
expect 2 "$LODFS" pack --nonsense source store
said "'--nonsense'"
expect 2 "$LODFS" pack -x source store
said "'-x'"
expect 2 "$LODFS" pack source store -j
said "'-j'"
for bad in -j0 -j257 -jx --seed=-1 --seed=9007199254740992 --seed=1x --order=random \
    --record-size=1 --record-size=16X --record-size=16Mx --record-size=1T --symlinks=copy \
    --top=q0 --top=q11 --top=5 --top= --full=sources '--full=scans --top=q5'; do
    expect 2 "$LODFS" pack $bad source store # some are two words
    said 'see lodfs pack --help'
done
expect 2 "$LODFS" pack --scans=no-such-script source store
said 'no-such-script'
printf '0,1,2: 0-0, 0, 1\nnonsense\n' >broken
expect 2 "$LODFS" pack --scans=broken source store
said 'broken'
[ -e store ] && fail "a wrong command line made a store"
expect 1 "$LODFS" pack no-such-source store
said "'no-such-source': No such file"
expect 1 "$LODFS" pack source no/such/parent
said 'no/such/parent'
expect 0 "$LODFS" pack --record-size=64KiB --seed=9007199254740991 source store

# Every command names an unknown option in its message.
for command in pack mount umount set stats ls order 'met plan' 'met begin' 'met next' 'met status' \
    'met end' info fidelity unpack verify repair push warmup; do
    for word in --nonsense -Z; do
        expect 2 "$LODFS" $command a b $word
        said "unknown option '$word'; see lodfs $command --help"
    done
done
expect 2 "$LODFS" ls store --fidelity
said "a value is missing after '--fidelity'"
expect 2 "$LODFS" verify store -j
said "a value is missing after '-j'"
expect 2 "$LODFS" version 2
said 'takes no arguments'

# No line of any output ends in blanks. No line of help has more than 80 columns.
make_source many
trim() { grep -nE '[[:blank:]]+$' out && fail "blanks at the end of a line: $*"; }
for command in pack mount umount set stats ls order met 'met plan' 'met begin' 'met next' \
    'met status' 'met end' info fidelity unpack verify repair push warmup version \
    help; do
    expect 0 "$LODFS" $command --help
    trim $command --help
    awk -v c="$command" 'length > 80 { print c ": " $0; wide = 1 } END { exit wide }' out ||
        fail "help $command is wider than 80 columns"
done
expect 0 "$LODFS" --help
trim --help
awk 'length > 80 { print; wide = 1 } END { exit wide }' out ||
    fail "--help is wider than 80 columns"
expect 0 "$LODFS" pack --scans=default --original=all -v many trimmed
trim pack
for words in 'info trimmed' 'info -v trimmed' 'ls -lR trimmed' 'verify trimmed' 'repair trimmed' \
    'pack -n many other' 'unpack trimmed back' 'info --json trimmed' 'version'; do
    expect 0 "$LODFS" $words
    trim $words
done

expect 2 "$LODFS" --nonsense
said "unknown option '--nonsense'"
expect 2 "$LODFS" mount store
said 'a STORE and a MOUNTPOINT; see lodfs mount --help'
expect 2 "$LODFS" umount
said 'one MOUNTPOINT; see lodfs umount --help'
expect 2 "$LODFS" ls
expect 2 "$LODFS" ls --fidelity=q11 store
said 'q1 .. q10'
expect 1 "$LODFS" ls store nothing-there
said "there is no 'nothing-there' in the store 'store'"
expect 2 "$LODFS" set
expect 2 "$LODFS" set store auto=original
said 'q1 .. q10 or full'
expect 2 "$LODFS" set store q3
said 'auto=F'
expect 1 "$LODFS" set store auto=q3
said 'no lodfs is mounted'
expect 2 "$LODFS" stats
expect 1 "$LODFS" stats --json store
said 'no lodfs is mounted'
expect 2 "$LODFS" info
expect 10 "$LODFS" info source
said 'source'
expect 10 "$LODFS" ls no-such-store

# With --json a failure is a document on stdout, beside the message on stderr.
expect 0 "$LODFS" version --json
json '"lodfs " + d["version"] == "'"$("$LODFS" version | head -n 1)"'" and "without" in d'
for words in '10 info --json no-such' '10 verify --json no-such' '10 unpack --json no-such to' \
    '10 repair --json no-such' '1 ls --json store no-such' '2 ls --json --fidelity=q11 store' \
    '2 unpack --json --nonsense store to' '1 pack --json no-such to' '1 stats --json store' \
    '10 fidelity --json no-such'; do
    expect ${words%% *} "$LODFS" ${words#* }
    json 'set(d) == {"error", "exit"} and d["exit"] == '"${words%% *}"' and len(d["error"]) > 9'
    json '"lodfs: error: " + d["error"] + "\n" == open("err").read()'
done
expect 10 env LODFS_INFO_JSON=1 "$LODFS" info no-such
json 'd["exit"] == 10'
expect 10 "$LODFS" info no-such
[ -s out ] && fail 'a failure without --json prints on stdout'

# A variable is the default of its option; each number, size and choice refuses a wrong one.
refused=0
for command in pack mount ls order 'met begin' info fidelity report unpack verify repair push \
    warmup; do
    for name in $("$LODFS" $command --help | grep -oE -e '--[a-z-]+=' | tr -d '=-' | sort -u); do
        variable=LODFS_$(tr 'a-z ' 'A-Z_' <<<"$command $name")
        env "$variable=/none/" "$LODFS" $command no-such no-such >/dev/null 2>err
        grep -qF "the variable $variable takes " err && refused=$((refused + 1))
    done
done
[ $refused -ge 15 ] || fail "only $refused variables are read"
# The command line overrides all values of an option that may be given several times.
expect 0 env LODFS_PACK_EXCLUDE='*' "$LODFS" pack -n --json --exclude=1 --exclude=2 many fresh
json 'd["files"] > 0 and d["left_out_files"] == 0'
expect 2 env LODFS_PACK_JOBS=x "$LODFS" pack source other
said "the variable LODFS_PACK_JOBS takes a number from 1 to 256, not 'x'; see lodfs pack --help"
expect 0 env LODFS_PACK_JOBS= LODFS_PACK_DRY_RUN=1 "$LODFS" pack many fresh
[ -e fresh ] && fail "LODFS_PACK_DRY_RUN=1 packed"
expect 0 env LODFS_INFO_JSON=1 "$LODFS" info store
json '"items" in str(d)'
expect 0 env LODFS_INFO_JSON=0 "$LODFS" info store
expect 2 env LODFS_MET_BEGIN_EPOCHS=x "$LODFS" met begin state source
said '--epochs takes a number'
expect 0 env LODFS_LS_FIDELITY=q11 "$LODFS" help ls
expect 2 env LODFS_LS_FIDELITY=q11 "$LODFS" ls --fidelity=q1 store
said 'LODFS_LS_FIDELITY takes q1 .. q10'
if [ -w /dev/full ]; then
    "$LODFS" info store >/dev/full 2>err
    [ $? = 1 ] || fail "info does not exit with 1 when standard output is full"
    said 'standard output'
fi
finish
