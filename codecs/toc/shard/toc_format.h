/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of the fields of a shard's header and of a batch row. FORMAT.md, TOC shard. */
#ifndef LOD_TOC_FORMAT_H
#define LOD_TOC_FORMAT_H

#define LOD_TOC_MAGIC "LODFSTC1"
#define LOD_TOC_MAJOR 1u
#define LOD_TOC_MINOR 0u

enum {
    LOD_TOC_AT_MAJOR = 8,
    LOD_TOC_AT_MINOR = 10,
    LOD_TOC_AT_KIND = 12,
    LOD_TOC_AT_DTYPE = 13,
    LOD_TOC_AT_VALUE = 14,
    LOD_TOC_AT_INDEX_BITS = 15,
    LOD_TOC_AT_ROWS = 16,
    LOD_TOC_AT_COLUMNS = 20,
    LOD_TOC_AT_BATCH_ROWS = 24,
    LOD_TOC_AT_LEAVES = 28,
    LOD_TOC_AT_VALUES = 32,
    LOD_TOC_AT_COLUMN_BITS = 36,
    LOD_TOC_AT_COLUMN_FORM = 37,
    LOD_TOC_AT_SECTIONS = 40, /* u64 each: table, leaf values, leaf columns, batches, body */
    LOD_TOC_AT_RESERVED = 80,
    LOD_TOC_AT_CONTENT_HASH = 112,
    LOD_TOC_AT_HEADER_HASH = 120,
};

#define LOD_TOC_SECTIONS 5u

/* How the columns of the first layer are stored. */
enum {
    LOD_TOC_COLUMN_OF_LEAF = 0,  /* a column for each leaf */
    LOD_TOC_LEAVES_OF_COLUMN = 1 /* a number of leaves for each column */
};

#define LOD_TOC_BATCH_BYTES 16u
enum {
    LOD_TOC_BATCH_AT_CODES = 0,
    LOD_TOC_BATCH_AT_NODES = 4,
    LOD_TOC_BATCH_AT_EMPTY = 8, /* rows without a code */
    LOD_TOC_BATCH_AT_SIZE_MIN = 12,
    LOD_TOC_BATCH_AT_SIZE_BITS = 14,
    LOD_TOC_BATCH_AT_CODE_BITS = 15,
};

#define LOD_TOC_SIZE_MIN_MAX 65535u

#endif
