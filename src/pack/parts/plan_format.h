/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of pack.plan, little endian, for its writer and its reader:
 *
 * - "LODFSPP3" | u64 XXH3-64 of all that follows.
 * - u16 bytes | options | u64 hash of the journal | 4 x u64 facts | u8 labelled.
 * - u32 tables, each: u32 file | u32 parts | u8 kind | u8 wanted.
 * - u64 record_bytes | u32 cuts | u32 records, each: u8 codec | u32 cut | u32 files | u64 bytes.
 * - u32 files, each: u32 index of its source, in storage order.
 * - u32 bytes | scripts, see plan_scans.c.
 * - u32 containers of --from, each: a path | u64 bytes | u64 mtime.
 * - u32 sources, each: a path (framed_file.h) | u8 role | u8 flags | u16 mode | u64 mtime.
 *
 * The rest of a source depends on its role:
 *
 * - FILE: u64 bytes | u8 class of its encoder (encoder.h); NAMES: u32 names; ADDED: u32 owner | u32
 * part; labelled: i32 label; PLACED: its place.
 * - EQUAL, HARD_LINK: u64 bytes | u32 owner.
 * - SYMLINK: u16 bytes | target. LEFT_OUT: u16 bytes | reason.
 *
 * A place is: u32 container | u32 record | u64 at | u8 summed, then u32 sum | u64 sum_at | u64
 * sum_bytes | u8 bytes | head | u32 runs, each: u64 offset | u64 bytes; as struct lod_member_place.
 *
 * A photograph takes about 40 bytes and the end of its name.
 */
#ifndef LOD_PLAN_FORMAT_H
#define LOD_PLAN_FORMAT_H

#include "compiler.h"
#include "pack/scans/scans.h"
#include "pack/target/framed_file.h"

enum {
    LOD_PLAN_SPECIAL = 1, /* flags of a source, as struct lod_source has them */
    LOD_PLAN_SPLIT = 2,
    LOD_PLAN_ADDED = 4,
    LOD_PLAN_NAMES = 8,   /* it has other names */
    LOD_PLAN_PLACED = 16, /* it lies in a container */
    LOD_PLAN_FOLDER = 32, /* LEFT_OUT: it is a folder */
};

#define LOD_PLAN_FLAGS           63u
#define LOD_PLAN_FACTS           4u
#define LOD_PLAN_TABLE_BYTES     10u
#define LOD_PLAN_RECORD_BYTES    17u
#define LOD_PLAN_CONTAINER_BYTES 20u /* the least that a container takes */
#define LOD_PLAN_SOURCE_BYTES    16u /* the least that a source takes */
#define LOD_PLAN_SCANS_MAX       ((uint32_t)1 << 24)

/* Appends scripts, measurements and likeness. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_pack_plan_put_scans(struct lod_buf *file, const struct lod_scans *scans);

#endif
