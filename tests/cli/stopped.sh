#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verify, unpack and repair that a signal ends: how far they came, what they leave behind.
. "$(dirname "$0")/lib.sh"

make_source source 3
for i in $(seq 24); do
    head -c 1500000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack -q --scans=default --record-size=4M source store
cp -r store damaged
printf 'x' | dd of="damaged/index" bs=1 seek=65600 conv=notrunc status=none
cp -r store broken
rm broken/index

# at_once SIGNAL COMMAND...: the signal is there before the program begins.
at_once()
{
    python3 -c 'import os, signal, sys
number = getattr(signal, "SIG" + sys.argv[1])
signal.pthread_sigmask(signal.SIG_BLOCK, [number])
os.kill(os.getpid(), number)
os.execv(sys.argv[2], sys.argv[2:])' "$@"
}

# later SECONDS SIGNAL COMMAND...: sent while it runs; its exit code is in rc. timeout sends SIGCONT
# too, for which the leak check of a program that is ending would wait for ever.
later()
{
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
        timeout --preserve-status -s "$2" "$1" "${@:3}" >out 2>err
    rc=$?
}

# What is there of the source is whole.
whole_files()
{
    diff -r --no-dereference "$1" source 2>&1 | grep -v '^Only in source' >wrong &&
        { fail "a part of a file"; head -n 3 wrong; }
}

for signal in INT TERM HUP; do
    expect 130 at_once $signal "$LODFS" verify store
    said 'interrupted: the store was not checked to its end'
    printed "'store' has no damage so far; not checked: "
    expect 130 at_once $signal "$LODFS" verify --json store
    json 'd["sound"] is False and d["complete"] is False and d["items"] == 0'
    expect 130 at_once $signal "$LODFS" verify -q store
    [ -s out ] && fail "verify -q prints after SIG$signal"

    expect 130 at_once $signal "$LODFS" unpack store empty
    said "'empty' is not complete"
    [ -z "$(ls -A empty)" ] || fail "unpack begins after SIG$signal"

    expect 130 at_once $signal "$LODFS" repair broken
    said "nothing of 'broken' was changed"
    [ "$(ls broken)" = "$(printf 'manifest.json\nrecords')" ] || fail "repair changed something"
done
rm -r empty

# At many moments of the time it takes, until some were stopped in the middle.
measure()
{
    local began=$(date +%s%N)
    "$@" >out 2>err
    took_us=$((($(date +%s%N) - began) / 1000 + 1))
}
moment()
{
    local us=$((RANDOM * took_us / 32768 + 1))
    printf '%d.%06d' $((us / 1000000)) $((us % 1000000))
}

measure "$LODFS" verify -j1 store

stopped=0
for try in $(seq 100); do
    later "$(moment)" INT "$LODFS" verify -j1 store
    case $rc in
    0) printed 'is sound' ;;
    130) # not said before it looks for signals
        [ -s err ] && said 'interrupted' && printed 'not checked: ' && stopped=$((stopped + 1))
        ;;
    *) fail "verify ends with $rc" ;;
    esac
    [ $stopped -lt 3 ] || break
done
[ $stopped -ge 1 ] || fail 'no verify was stopped in the middle'

# What was found before the signal is told.
measure "$LODFS" verify -j1 damaged
for try in $(seq 100); do
    later "$(moment)" INT "$LODFS" verify -j1 damaged
    [ $rc = 130 ] && grep -q '^index at ' out && break
done
[ "$try" != 100 ] || fail 'no finding of a verify that was stopped'

stopped=0
measure "$LODFS" unpack -q -j2 store unpacked
for try in $(seq 100); do
    rm -rf unpacked
    later "$(moment)" TERM "$LODFS" unpack -q -j2 store unpacked
    case $rc in
    0) diff -r --no-dereference source unpacked >/dev/null || fail 'unpacked, but not all' ;;
    130) said 'remove it and unpack again' && stopped=$((stopped + 1)) ;;
    143) ;; # before it looks for signals
    *) fail "unpack ends with $rc" ;;
    esac
    [ -d unpacked ] && whole_files unpacked
    [ $stopped -lt 4 ] || break
done
[ $stopped -ge 1 ] || fail 'no unpack was stopped in the middle'

cp -r broken mended
measure "$LODFS" repair mended
for try in $(seq 8); do
    rm -rf mended
    cp -r broken mended
    later "$(moment)" HUP "$LODFS" repair mended
    case $rc in
    0) diff -r store mended >/dev/null || fail 'repaired, and another store' ;;
    130) diff -r broken mended || fail 'a repair that was stopped left something' ;;
    129) ;;
    *) fail "repair ends with $rc" ;;
    esac
    expect 0 "$LODFS" repair mended
    diff -r store mended >/dev/null || fail 'another store after a second repair'
done
finish
