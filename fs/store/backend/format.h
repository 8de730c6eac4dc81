/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of FORMAT.md that readers and writers share: magics, sizes, limits, ids, feature
 * bits. Offsets inside a structure are defined in the file that reads it and in the one that writes
 * it.
 */
#ifndef LOD_FORMAT_H
#define LOD_FORMAT_H

#define LOD_FORMAT_MAJOR 1
#define LOD_FORMAT_MINOR 1

/* Incompatible features that this build knows. A store with any other bit is refused, with the
 * bit's number. */
#define LOD_INCOMPATIBLE_KNOWN 0ull

#define LOD_INDEX_MAGIC  "LODFSIX1"
#define LOD_RECORD_MAGIC "LODFSRC1"

#define LOD_BLOCK_BYTES           4096u
#define LOD_BLOCK_PAYLOAD         4080u
#define LOD_SECTION_ALIGN         65536u
#define LOD_SECTIONS_MAX          16u
#define LOD_SECTION_SUPER         0u
#define LOD_SECTION_NODE          1u
#define LOD_SECTION_ITEM          2u
#define LOD_SECTION_RECD          3u
#define LOD_SECTION_NAME          4u
#define LOD_SECTION_SUMS          5u
#define LOD_SECTION_SAMP          6u
#define LOD_SECTION_LAST          LOD_SECTION_SAMP
#define LOD_NODE_ROW_BYTES        32u
#define LOD_ITEM_ROW_BYTES        64u
#define LOD_RECORD_DESC_ROW_BYTES 128u

#define LOD_NAME_MAX            255u
#define LOD_PATH_MAX            4095u
#define LOD_DEPTH_MAX           2048u
#define LOD_TARGET_MAX          3825u
#define LOD_RECORD_ITEMS_MAX    8192u
#define LOD_RECORD_BYTES_MAX    (1ull << 40)
#define LOD_RECORD_META_MAX     (8u << 20)
#define LOD_RECORD_HEADER       4096u
#define LOD_GROUP_BYTES_MAX     0xffffffffull /* of a record with more than one group */
#define LOD_FRAME_SHIFT_MIN     16u
#define LOD_FRAME_SHIFT_MAX     22u
#define LOD_MANIFEST_BYTES_MAX  (1u << 20)
#define LOD_MANIFEST_VALUES_MAX 65536u
#define LOD_NODES_MAX           0xfffffffeull /* 2^32 - 2 */
#define LOD_CUT_SMALL           0xffffffffu   /* records of a class under 5 % of the bytes */
/*
 * In the records of each kind, leads are in the order of their keys. Each codec is a kind; l3 has
 * two: images that may have levels, in their first groups, and others.
 */
#define LOD_LEVEL_GROUPS 7u
#define LOD_RECORD_KINDS (2u * LOD_CODECS)

/* NODE flags. */
#define LOD_NODE_VIRTUAL 1u /* not in original/ */
#define LOD_NODE_APPEND  2u /* the decoded name is appended, not replaced */
#define LOD_NODE_ALIAS   4u /* another node is the item's own */
#define LOD_NODE_SPLIT   8u /* a folder whose pictures are a split; see FORMAT.md, Samples */
#define LOD_NODE_FLAGS   15u
#define LOD_NODE_OF_FILE 7u /* the flags that a file may have */

#define LOD_MANIFEST_NAME "manifest.json"
#define LOD_INDEX_NAME    "index"
#define LOD_RECORDS_NAME  "records"
#define LOD_JOURNAL_NAME  "pack.journal" /* exists while pack runs, or after it was killed */

#endif
