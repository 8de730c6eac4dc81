# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: a work folder of their own, checks that name what failed.
# Sourced; $LODFS is the program, $PHOTOGRAPHS makes JPEGs.
set -uo pipefail
export LC_ALL=C

work=$(mktemp -d)
failures=0
# A child that is killed between fork and exec still has this trap, and may run it in the middle of
# anything: only what surely is the script itself cleans up.
trap '[ "$BASHPID" = $$ ] && { cleanup; rm -rf "$work"; }' EXIT
cleanup() { :; }
cd "$work" || exit 1

fail()
{
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# expect CODE COMMAND...: output in out, messages in err.
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

# said WORDS: they stand in err, which is one line.
said()
{
    grep -qF -- "$1" err || { fail "no '$1' in the message:"; cat err; }
    [ "$(wc -l <err)" = 1 ] || { fail "not one line:"; cat err; }
}

# printed WORDS: they stand in out.
printed()
{
    grep -qF -- "$1" out || { fail "no '$1' in the output:"; cat out; }
}

# json EXPRESSION: true of the document d in out.
json()
{
    python3 -c 'import json, sys
d = json.load(open("out"))
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not true of the JSON: $1"
}

# make_source FOLDER [PHOTOGRAPHS]: a source with a bit of everything: small photographs, labels,
# links, an empty folder, odd names.
make_source()
{
    mkdir -p "$1/photos/a" "$1/photos/b" "$1/empty" "$1/labels"
    "$PHOTOGRAPHS" made "${2:-6}" 1 0 40 >photographs.log 2>&1 ||
        fail "no photographs: $(cat photographs.log)"
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

finish()
{
    [ $failures = 0 ] && echo "all as expected"
    exit $((failures != 0))
}
