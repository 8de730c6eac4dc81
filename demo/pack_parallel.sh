#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs a folder in N parts, M at once on this machine. Options of pack follow the store.
#   pack_parallel.sh N M SOURCE STORE [OPTIONS ..]
# To continue after a failure, run it again: complete records are kept.
set -eu
n=$1 m=$2 source=$3 store=$4
shift 4
lodfs=${LODFS:-lodfs}

"$lodfs" pack --plan "$@" "$source" "$store"
seq "$n" | xargs -P "$m" -I %part% "$lodfs" pack -q -j1 "--part=%part%/$n" "$@" "$source" "$store"
exec "$lodfs" pack "$@" "$source" "$store"
