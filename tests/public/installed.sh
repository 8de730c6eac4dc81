#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# liblodfs as it is installed: the example is built by pkg-config's words and by CMake's, from a
# folder that was moved, and reads each picture of a store once. liblodfs(3) names every function.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
missing() { command -v "$1" >/dev/null || { echo "SKIP: $1 is not installed" && exit 77; }; }
missing pkg-config
missing cmake

quietly meson install -C "$BUILD_ROOT" --no-rebuild --destdir "$work/first"
mv "$work/first" "$work/root"
config=$(find "$work/root" -name lodfs.pc)
libraries=$(dirname "$(dirname "$config")")
prefix=$(sed -n 's/^prefix=//p' "$config")

"$PHOTOGRAPHS" "$work/source" 30 1 0 40 >/dev/null
"$LODFS" pack -q --scans=default "$work/source" "$work/store"
bytes=$(find "$work/source" -name '*.jpg' -printf '%s\n' | awk '{n += $1} END {print n}')
wanted="30 pictures, $bytes bytes"

# try PROGRAM: runs the example.
try()
{
    local told
    told=$(LD_LIBRARY_PATH=$libraries "$1" "$work/store" full 7)
    [ "$told" = "$wanted" ] || { echo "$1: $told, not $wanted"; exit 1; }
    ! LD_LIBRARY_PATH=$libraries "$1" "$work/none" full 7 2>"$work/err" || exit 1
    grep -q 'none' "$work/err" || { cat "$work/err"; exit 1; }
}

export PKG_CONFIG_PATH=${config%/*} PKG_CONFIG_SYSROOT_DIR=$work/root
read -ra words <<<"$(pkg-config --cflags --libs lodfs)"
cc -Wall -Wextra -Werror -o "$work/by-words" "$SOURCE_ROOT/demo/epoch.c" "${words[@]}"
try "$work/by-words"

mkdir "$work/cmake"
cp "$SOURCE_ROOT/demo/epoch.c" "$work/cmake"
printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(example C)' \
    "find_package(lodfs $VERSION CONFIG REQUIRED)" 'add_executable(epoch epoch.c)' \
    'target_link_libraries(epoch lodfs::lodfs)' >"$work/cmake/CMakeLists.txt"
quietly cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$work/root$prefix"
quietly cmake --build "$work/cmake/build"
try "$work/cmake/build/epoch"
sed -i "s/lodfs $VERSION/lodfs 0.0/" "$work/cmake/CMakeLists.txt"
! cmake -S "$work/cmake" -B "$work/other" -DCMAKE_PREFIX_PATH="$work/root$prefix" \
    >"$work/log" 2>&1 || { echo 'another minor version is accepted'; exit 1; }

for name in $(grep -ohE '\blodfs_[a-z0-9_]+\(' "$work/root$prefix"/include/lodfs*.h | tr -d '('); do
    grep -qw "$name" "$SOURCE_ROOT/man/liblodfs.3" || { echo "liblodfs(3) lacks $name"; exit 1; }
done
echo "$wanted"
