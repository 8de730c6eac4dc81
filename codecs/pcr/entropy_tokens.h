/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan is written with, noted while it is counted: symbols and the bits behind them. Bounded
 * memory, so a scan may be of more tokens than are kept; it is gone through twice then.
 */
#ifndef LOD_ENTROPY_TOKENS_H
#define LOD_ENTROPY_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct lod_entropy_tables;

struct lod_entropy_tokens {
    uint32_t *at; /* one of the below in the high half, its bits in the low one */
    size_t room;
    size_t count;  /* of the scan; <= room: all of them are there */
    uint64_t bits; /* behind symbols, and corrections */
};

#define LOD_TOKEN(class, table, symbol, bits)                                                      \
    ((uint32_t)(class) << 14 | (table) << 12 | (symbol) << 4 | (bits))
#define LOD_TOKEN_BITS 0x8000u /* bits alone, up to 15 */

/* More than fit are not kept, only counted. `tokens` may be NULL. */
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

/* What lod_entropy_write writes of a scan without restarts; all of its tokens are there. */
LOD_MUST_CHECK int lod_entropy_write_tokens(const struct lod_entropy_tokens *tokens,
                                            const struct lod_entropy_tables *tables, uint8_t *out,
                                            size_t room, size_t *ret_bytes);

#endif
