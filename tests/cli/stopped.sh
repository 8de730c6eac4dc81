#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Signals that end verify, unpack and repair: they print how far they came, and leave whole files
# only.
. "$(dirname "$0")/lib.sh"

make_source source 3
for i in $(seq 24); do
    head -c 1500000 /dev/urandom >source/big$i
done
expect 0 "$LODFS" pack -q --scans=default --record-size=4M source store
cp -r store damaged
flip damaged/index 65600
cp -r store broken
rm broken/index

# at_once SIGNAL COMMAND...: runs it with the signal already pending.
# ignored SIGNAL COMMAND...: the same, but the program inherits the signal as ignored.
at_once() { begin_with SIG_DFL "$@"; }
ignored() { begin_with SIG_IGN "$@"; }
begin_with()
{
    python3 -c 'import os, signal, sys
number = getattr(signal, "SIG" + sys.argv[2])
signal.signal(number, getattr(signal, sys.argv[1]))
signal.pthread_sigmask(signal.SIG_BLOCK, [number])
os.kill(os.getpid(), number)
os.execv(sys.argv[3], sys.argv[3:])' "$@"
}

# later SECONDS SIGNAL COMMAND...: runs it, sends the signal after SECONDS, and sets rc to the exit
# code. timeout sends SIGCONT too. LeakSanitizer would hang on that at exit, so it is off.
later()
{
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
        timeout --preserve-status -s "$2" "$1" "${@:3}" >out 2>err
    rc=$?
}

# whole_files FOLDER: fails unless each file in it equals that of the source.
whole_files()
{
    diff -r --no-dereference "$1" source 2>&1 | grep -v '^Only in source' >wrong &&
        { fail "a stopped unpack left a file that is not whole"; head -n 3 wrong; }
}

for signal in INT TERM HUP; do
    expect 130 at_once $signal "$LODFS" verify store
    said 'interrupted: the store was not checked to its end'
    printed "'store' has no damage so far; not checked: "
    expect 130 at_once $signal "$LODFS" verify --json store
    json 'd["sound"] is False and d["complete"] is False and d["items"] == 0'
    expect 130 at_once $signal "$LODFS" verify -q store
    [ -s out ] && fail "verify -q prints something after SIG$signal"

    expect 0 ignored $signal "$LODFS" verify -q store

    expect 130 at_once $signal "$LODFS" unpack store empty
    said "'empty' is not complete"
    [ -z "$(ls -A empty)" ] || fail "unpack writes files although SIG$signal was pending"

    expect 130 at_once $signal "$LODFS" repair broken
    said "'broken' is unchanged; run the same command again"
    [ "$(ls broken)" = "$(printf 'manifest.json\nrecords')" ] ||
        fail "repair changed the store although SIG$signal was pending"
done
rm -r empty

# Signals at random moments of a run, until some runs were stopped in the middle.
# measure COMMAND...: runs it, and sets took_us to its time. moment: prints a random part of that.
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
    130) # without a message if the signal came before verify catches signals
        [ -s err ] && said 'interrupted' && printed 'not checked: ' && stopped=$((stopped + 1))
        ;;
    *) fail "exit $rc of a stopped verify" ;;
    esac
    [ $stopped -lt 3 ] || break
done
[ $stopped -ge 1 ] || fail 'in 100 runs no verify was stopped in the middle'

# Damage that was found before the signal is printed.
measure "$LODFS" verify -j1 damaged
for try in $(seq 100); do
    later "$(moment)" INT "$LODFS" verify -j1 damaged
    [ $rc = 130 ] && grep -q '^index at ' out && break
done
[ "$try" != 100 ] || fail 'in 100 runs no stopped verify printed the damage it had found'

stopped=0
measure "$LODFS" unpack -q -j2 store unpacked
for try in $(seq 100); do
    rm -rf unpacked
    later "$(moment)" TERM "$LODFS" unpack -q -j2 store unpacked
    case $rc in
    0) diff -r --no-dereference source unpacked >/dev/null || fail 'exit 0, but files differ' ;;
    130) said 'run the same command again to continue' && stopped=$((stopped + 1)) ;;
    143) ;; # the signal came before unpack catches signals
    *) fail "exit $rc of a stopped unpack" ;;
    esac
    [ -d unpacked ] && whole_files unpacked
    [ $stopped -lt 4 ] || break
done
[ $stopped -ge 1 ] || fail 'in 100 runs no unpack was stopped in the middle'

cp -r broken mended
measure "$LODFS" repair mended
for try in $(seq 8); do
    rm -rf mended
    cp -r broken mended
    later "$(moment)" HUP "$LODFS" repair mended
    case $rc in
    0) diff -r store mended >/dev/null || fail 'exit 0, but the repaired store differs' ;;
    130) diff -r broken mended || fail 'a stopped repair changed the store' ;;
    129) ;; # the signal came before repair catches signals
    *) fail "exit $rc of a stopped repair" ;;
    esac
    expect 0 "$LODFS" repair mended
    diff -r store mended >/dev/null || fail 'the store differs after a second repair'
done
finish
