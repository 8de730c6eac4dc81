/* SPDX-License-Identifier: Apache-2.0 */
/* Makes Huffman tables for decoding, and has the slow paths: long codes and bytes one by one. */
#include <errno.h>
#include <string.h>

#include "pcr/entropy/entropy_source.h"

int lod_entropy_decoder_make(const struct lod_huffman_table *table,
                             struct lod_entropy_decoder *ret_decoder)
{
    uint32_t code = 0;
    unsigned at = 0;

    *ret_decoder = (struct lod_entropy_decoder){.known = true};
    memcpy(ret_decoder->values, table->values, sizeof(ret_decoder->values));
    for (unsigned bits = 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++) {
        const uint32_t step = 1u << (LOD_HUFFMAN_BITS_MAX - bits);
        ret_decoder->first[bits] = code;
        ret_decoder->value_at[bits] = (uint16_t)at;
        for (unsigned i = 0; i < table->counts[bits - 1]; i++, code += step) {
            if (at == table->values_count || code + step > 1u << LOD_HUFFMAN_BITS_MAX) {
                return -EILSEQ;
            }
            uint16_t entry = (uint16_t)(bits << 8 | table->values[at++]);
            const unsigned shift = LOD_HUFFMAN_BITS_MAX - LOD_ENTROPY_LOOK_BITS;
            for (uint32_t k = code >> shift;
                 bits <= LOD_ENTROPY_LOOK_BITS && k < (code + step) >> shift; k++) {
                ret_decoder->look[k] = entry;
            }
        }
        ret_decoder->end[bits] = code;
    }
    return at == table->values_count ? 0 : -EILSEQ;
}

uint16_t lod_entropy_decode_long(uint32_t code, const struct lod_entropy_decoder *d)
{
    for (unsigned bits = LOD_ENTROPY_LOOK_BITS + 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++) {
        if (code < d->end[bits]) {
            uint32_t nth = (code - d->first[bits]) >> (LOD_HUFFMAN_BITS_MAX - bits);
            return (uint16_t)(bits << 8 | d->values[d->value_at[bits] + nth]);
        }
    }
    return 0;
}

struct lod_bit_source lod_bit_source_refill_slowly(struct lod_bit_source s)
{
    while (s.count <= 56) {
        uint8_t byte = 0;
        if (s.at == s.end) {
            s.invented += 8;
        } else {
            byte = *s.at++;
            if (byte == 0xff) {
                s.bad |= s.at == s.end || *s.at != 0;
                s.at += s.at != s.end;
            }
        }
        s.held |= (uint64_t)byte << (56 - s.count);
        s.count += 8;
    }
    return s;
}

bool lod_entropy_decoders_serve(const struct lod_entropy_decoders *decoders,
                                const struct lod_entropy_scan *scan)
{
    bool known = true;

    for (unsigned part = 0; part < scan->count; part++) {
        known &= scan->first  ? decoders->of[LOD_HUFFMAN_AC][scan->part[part].ac].known
                 : scan->high ? true
                              : decoders->of[LOD_HUFFMAN_DC][scan->part[part].dc].known;
    }
    return known;
}
