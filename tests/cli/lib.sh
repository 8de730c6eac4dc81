# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder, which source it: a work folder that is removed at exit, and
# checks that print what failed. $LODFS is the program, $PHOTOGRAPHS the one that makes JPEGs.
set -uo pipefail
export LC_ALL=C

# Under nohup SIGHUP is ignored. Programs inherit that, and a shell cannot undo it for itself.
[ "${SIGNALS_ARE_DEFAULT-}" ] ||
    SIGNALS_ARE_DEFAULT=1 exec env --default-signal=HUP,INT,TERM bash "$0" "$@"

work=$(mktemp -d)
failures=0
# A child that is killed between fork and exec still has this trap, and may run it at any moment.
# So the trap cleans up only in the process of the script itself.
trap '[ "$BASHPID" = $$ ] && { cleanup; rm -rf "$work"; }' EXIT
cleanup() { :; }
cd "$work" || exit 1

fail()
{
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# The shell starts background jobs with SIGINT ignored. `with_signals COMMAND &` restores it.
with_signals() { exec env --default-signal=HUP,INT,TERM "$@"; }

# expect CODE COMMAND...: runs it with stdout in `out` and stderr in `err`; fails unless it exits
# with CODE.
expect()
{
    local code=$1 rc
    shift
    "$@" >out 2>err
    rc=$?
    [ $rc = "$code" ] && return
    fail "exit $rc instead of $code: $*"
    head -n 5 err
}

# said WORDS: fails unless `err` is one line that contains WORDS.
said()
{
    grep -qF -- "$1" err || { fail "the message does not contain '$1':"; cat err; }
    [ "$(wc -l <err)" = 1 ] || { fail "the message is not one line:"; cat err; }
}

# printed WORDS: fails unless `out` contains WORDS.
printed()
{
    grep -qF -- "$1" out || { fail "the output does not contain '$1':"; cat out; }
}

# json EXPRESSION: fails unless the Python expression is true; d is the JSON document in `out`.
json()
{
    python3 -c 'import json, sys
d = json.load(open("out"))
sys.exit(not eval(sys.argv[1]))' "$1" || fail "the JSON does not satisfy: $1"
}

# make_source FOLDER [PHOTOGRAPHS]: makes a source with small photographs, labels, symbolic and hard
# links, equal files, an empty folder and odd names.
make_source()
{
    mkdir -p "$1/photos/a" "$1/photos/b" "$1/empty" "$1/labels"
    "$PHOTOGRAPHS" made "${2:-6}" 1 0 40 >photographs.log 2>&1 ||
        fail "the photographs were not made: $(cat photographs.log)"
    find made -name '*.jpg' -exec mv -t "$1/photos/a" {} + && rm -r made
    for photo in "$1"/photos/a/*; do
        printf 'label of %s\n' "${photo##*/}" >"$1/labels/${photo##*/}.txt"
    done
    cp "$(ls -d "$1"/photos/a/* | head -n 1)" "$1/photos/b/copy.jpg"
    ln "$1/photos/b/copy.jpg" "$1/photos/b/hard.jpg"
    ln -s a/../b/copy.jpg "$1/photos/link.jpg"
    printf x >"$1/$(printf 'odd\033name\nhere')"
    printf y >"$1/$(printf '\377\376')"
    printf z >"$1/-rf"
    : >"$1/nothing"
}

# flip FILE OFFSET: changes one bit. A fixed byte would be there already once in 256 times.
flip()
{
    python3 - "$1" "$2" <<'EOF' || fail "no byte was changed: $*"
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    byte = f.read(1)[0] ^ 16
    f.seek(int(sys.argv[2]))
    f.write(bytes([byte]))
EOF
}

# unfinished STORE: whether a pack stopped there before its commit, so that another can continue.
unfinished() { [ -e "$1/pack.journal" ] && [ ! -e "$1/manifest.json" ]; }

finish()
{
    [ $failures = 0 ] && echo "all as expected"
    exit $((failures != 0))
}
