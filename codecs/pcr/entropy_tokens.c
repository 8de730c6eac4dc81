/* SPDX-License-Identifier: Apache-2.0 */
/* A scan written from its tokens: the tables are looked up, the blocks are not gone through. */
#include "pcr/entropy_tokens.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>

#include "pcr/entropy.h"
#include "pcr/entropy_bits.h"

int lod_entropy_write_tokens(const struct lod_entropy_tokens *tokens,
                             const struct lod_entropy_tables *tables, uint8_t *out, size_t room,
                             size_t *ret_bytes)
{
    struct lod_bits bits = {.at = out, .end = out + room};
    bool missing = false;

    assert(tokens->count <= tokens->room);
    for (size_t i = 0; i < tokens->count && !bits.full; i++) {
        uint32_t what = tokens->at[i] >> 16, more = tokens->at[i] & 0xffff, count = what & 15;
        if (what & LOD_TOKEN_BITS) {
            lod_bits_put(&bits, more, count);
            continue;
        }
        uint32_t entry = tables->codes[what >> 14][what >> 12 & 3].entry[what >> 4 & 0xff];
        missing |= !entry;
        lod_bits_put(&bits, entry >> 8 << count | more, (entry & 0xff) + count);
    }
    lod_bits_align(&bits, false);
    if (missing || bits.full) {
        return missing ? -EILSEQ : -ENOSPC;
    }
    *ret_bytes = (size_t)(bits.at - out);
    return 0;
}
