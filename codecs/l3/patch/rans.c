/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables of mode small. FORMAT.md, L3 stream, Tables. */
#include "l3/patch/rans.h"

#include <errno.h>
#include <stdbool.h>

/* A bit reader, lowest bit of each byte first. Past the end it returns zeros and sets `past`. */
struct bits {
    struct lod_span bytes;
    size_t at;
    bool past;
};

static unsigned take_bit(struct bits *b)
{
    size_t byte = b->at / 8;

    b->past |= byte >= b->bytes.bytes;
    return b->past ? 0 : b->bytes.at[byte] >> b->at++ % 8 & 1u;
}

/* Reads a number, at least 1, as k zeros and then its k + 1 bits, the highest first. */
static unsigned take_number(struct bits *b)
{
    unsigned more = 0, value = 1;

    while (more <= LOD_RANS_BITS && !b->past && take_bit(b) == 0) {
        more++;
    }
    for (unsigned i = 0; i < more; i++) {
        value = value << 1 | take_bit(b);
    }
    return value;
}

static void fill(uint32_t slot[LOD_RANS_TOTAL], unsigned *sum, unsigned symbol, unsigned count)
{
    uint32_t entry = (symbol & 255u) | (symbol == LOD_RANS_ESCAPE ? LOD_RANS_ESCAPE_BIT : 0) |
                     (uint32_t)count << LOD_RANS_COUNT_SHIFT;

    for (unsigned i = 0; i < count; i++) {
        slot[(*sum)++] = entry | i << LOD_RANS_OFFSET_SHIFT;
    }
}

static int take_class(struct bits *b, uint32_t slot[LOD_RANS_TOTAL])
{
    unsigned sum = 0;

    for (unsigned place = 0; sum < LOD_RANS_TOTAL; place++) {
        if (place == LOD_RANS_SYMBOLS) {
            return -EILSEQ;
        }
        unsigned count = take_number(b) - 1;
        if (b->past || count > LOD_RANS_TOTAL - sum) {
            return -EILSEQ;
        }
        fill(slot, &sum, lod_rans_symbol_at(place), count);
    }
    return 0;
}

/* Reads a plane's limits. The class of an activity is the number of limits that it reaches. */
static void take_limits(struct lod_cursor *c, struct lod_rans_tables *tables, unsigned plane)
{
    for (unsigned a = 0; a < LOD_RANS_ACTIVITIES; a++) {
        tables->class_of[plane][a] = 0;
    }
    for (unsigned i = 1; i < tables->classes; i++) {
        for (unsigned a = lod_take_u8(c); a < LOD_RANS_ACTIVITIES; a++) {
            tables->class_of[plane][a]++;
        }
    }
}

int lod_rans_tables_take(struct lod_span bytes, unsigned planes, struct lod_rans_tables *ret_tables)
{
    struct lod_cursor c = lod_cursor(bytes.at, bytes.bytes);

    ret_tables->classes = 0;
    if (bytes.bytes == 0) {
        return 0;
    }
    ret_tables->classes = lod_take_u8(&c);
    if (ret_tables->classes == 0 || ret_tables->classes > LOD_RANS_CLASSES) {
        return -EILSEQ;
    }
    for (unsigned plane = 0; plane < planes; plane++) {
        take_limits(&c, ret_tables, plane);
    }
    struct bits b = {.bytes = {.at = c.at, .bytes = c.left}, .past = c.short_of_bytes};
    for (unsigned i = 0; i < ret_tables->classes; i++) {
        int r = take_class(&b, ret_tables->slot[i]);
        if (r) {
            return r;
        }
    }
    while (b.at % 8) {
        if (take_bit(&b)) {
            return -EILSEQ;
        }
    }
    return b.at / 8 == c.left ? 0 : -EILSEQ;
}
