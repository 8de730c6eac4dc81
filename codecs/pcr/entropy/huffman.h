/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huffman tables of JPEG, for writing entropy-coded bytes. Allocates nothing.
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

/* A table as in a DHT segment. */
struct lod_huffman_table {
    uint8_t counts[LOD_HUFFMAN_BITS_MAX]; /* codes of 1 .. 16 bits */
    uint16_t values_count;                /* their sum, up to 256 */
    uint8_t values[256];
};

/* The standard tables: by class, then 0 luminance, 1 chrominance. */
extern const struct lod_huffman_table lod_huffman_standard[2][2];

/* Takes a table of DHT, after its class and number. Returns -EILSEQ if it ends early or has too
 * many codes. */
LOD_MUST_CHECK int lod_huffman_take(struct lod_cursor *c, struct lod_huffman_table *ret_table);

/* For each symbol: code << 8 | length in bits; 0: it has no code. */
struct lod_huffman_codes {
    uint32_t entry[256];
};

/* Returns -EILSEQ if there are more codes than their lengths allow. A symbol that occurs twice gets
 * its first code. */
LOD_MUST_CHECK int lod_huffman_codes(const struct lod_huffman_table *table,
                                     struct lod_huffman_codes *ret_codes);

bool lod_huffman_same(const struct lod_huffman_table *a, const struct lod_huffman_table *b);

/* Makes the table of T.81 K.2 for symbols with these counts. Without symbols it is empty. */
void lod_huffman_optimal(const uint32_t counts[256], struct lod_huffman_table *ret_table);

#endif
