/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens: symbols and the bits after them, noted while a scan is counted, so that it can be written
 * without a second walk. Memory is bounded: a scan with too many tokens is walked twice.
 * Progressive scans, which pack writes, have a faster walk of their own here.
 */
#ifndef LOD_ENTROPY_TOKENS_H
#define LOD_ENTROPY_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct lod_jpeg;
struct lod_entropy_counts;
struct lod_entropy_scan;
struct lod_entropy_tables;

struct lod_entropy_tokens {
    uint32_t *at; /* one of the constants below in the high half, the bits in the low one */
    size_t room;
    size_t count;  /* tokens of the scan; if it is <= room, all of them are kept */
    uint64_t bits; /* bits after symbols, and correction bits */
};

#define LOD_TOKEN(class, table, symbol, bits)                                                      \
    ((uint32_t)(class) << 14 | (table) << 12 | (symbol) << 4 | (bits))
#define LOD_TOKEN_BITS 0x8000u /* up to 15 bits without a symbol */

/* Adds a token. Tokens that do not fit are only counted. `tokens` may be NULL. */
static inline void lod_entropy_note(struct lod_entropy_tokens *tokens, uint32_t what, uint32_t more,
                                    unsigned more_bits)
{
    if (tokens) {
        tokens->bits += more_bits;
        if (tokens->count < tokens->room) {
            tokens->at[tokens->count] = what << 16 | more;
        }
        tokens->count++;
    }
}

/*
 * As lod_entropy_count, in half of the time, for a progressive scan without restarts and with plain
 * padding. Returns false without counting for any other scan, and if the tokens do not fit.
 */
bool lod_entropy_tokens_of(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                           struct lod_entropy_tokens *tokens,
                           struct lod_entropy_counts *ret_counts);

/* Writes the bytes that lod_entropy_write makes of a scan without restarts, from all its tokens. */
LOD_MUST_CHECK int lod_entropy_write_tokens(const struct lod_entropy_tokens *tokens,
                                            const struct lod_entropy_tables *tables, uint8_t *out,
                                            size_t room, size_t *ret_bytes);

#endif
