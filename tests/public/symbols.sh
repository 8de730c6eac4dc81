#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# liblodfs shows lodfs_* and nothing else, all that its headers declare, under its soname.
set -eu
shown=$(nm -D --defined-only "$LODFS_LIBRARY" |
    awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort)
declared=$(grep -oE '\blodfs_[a-z0-9_]+\(' "$SOURCE_ROOT/fs/api/lodfs.h" \
    "$SOURCE_ROOT"/fs/api/lodfs_{order,met}.h -h | tr -d '(' | sort -u)
if [ "$shown" != "$declared" ]; then
    diff <(echo "$shown") <(echo "$declared")
    exit 1
fi
readelf -d "$LODFS_LIBRARY" | grep -q 'SONAME.*\[liblodfs\.so\.0\]'
nm -D "$LODFS_LIBRARY" | grep -q 'T lodfs_read@@LODFS_0'
echo "$(echo "$shown" | wc -l) symbols"
