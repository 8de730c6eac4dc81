/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huffman tables as JPEG has them, for writing entropy-coded bytes. Pure; nothing is allocated.
 */
#ifndef LOD_HUFFMAN_H
#define LOD_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_HUFFMAN_BITS_MAX 16
#define LOD_HUFFMAN_TABLES   4 /* of each class */

enum lod_huffman_class {
    LOD_HUFFMAN_DC = 0,
    LOD_HUFFMAN_AC = 1,
};

/* A table as a DHT segment carries it. */
struct lod_huffman_table {
    uint8_t counts[LOD_HUFFMAN_BITS_MAX]; /* codes of 1 .. 16 bits */
    uint16_t values_count;                /* their sum, up to 256 */
    uint8_t values[256];
};

/* By class, then 0 luminance, 1 chrominance. */
extern const struct lod_huffman_table lod_huffman_standard[2][2];

/* Takes a table as DHT has it, behind the byte that names it. -EILSEQ: it ends early, or too many.
 */
LOD_MUST_CHECK int lod_huffman_take(struct lod_cursor *c, struct lod_huffman_table *ret_table);

/* The code of each symbol << 8 | its bits; 0: the symbol has none. */
struct lod_huffman_codes {
    uint32_t entry[256];
};

/* -EILSEQ: more codes than bits can tell apart. A symbol that stands twice has its first code. */
LOD_MUST_CHECK int lod_huffman_codes(const struct lod_huffman_table *table,
                                     struct lod_huffman_codes *ret_codes);

bool lod_huffman_same(const struct lod_huffman_table *a, const struct lod_huffman_table *b);

/* The table of T.81 K.2 for symbols that occur so often. None occurs: the table is empty. */
void lod_huffman_optimal(const uint32_t counts[256], struct lod_huffman_table *ret_table);

#endif
