#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A store with tables of all kinds, read by a C++ program through liblodfs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$MAKE_TABLES" "$work/source"
ln -s plain.npy "$work/source/link"
"$LODFS" pack -q --scans=default --tables='*' --one-hot "$work/source" "$work/store"
"$1" "$work/source" "$work/store"
