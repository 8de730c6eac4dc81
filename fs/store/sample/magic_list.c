/* SPDX-License-Identifier: Apache-2.0 */
/* See magic_list.h. */
#include "sample/magic_list.h"

#include <errno.h>

#include "codec.h"

struct lod_magic lod_magics_at(const struct lod_magics *magics, uint32_t number)
{
    const uint8_t *at = magics->at + (size_t)number * LOD_MAGIC_ENTRY_BYTES;

    return (struct lod_magic){.word = lod_get_le32(at), .fidelities = lod_get_le16(at + 4)};
}

static bool is_sound(const struct lod_magics *magics)
{
    int64_t before = -1;

    for (uint32_t i = 0; i < magics->count; i++) {
        const struct lod_magic magic = lod_magics_at(magics, i);
        if (magic.word <= before || magic.word >= LOD_MAGIC_FILE_MAX / 4 || !magic.fidelities ||
            (magic.fidelities & ~LOD_MAGIC_FIDELITIES)) {
            return false;
        }
        before = magic.word;
    }
    return true;
}

int lod_magics_take(struct lod_cursor *c, struct lod_magics *ret_magics)
{
    const uint8_t *start = c->at;
    const uint16_t count = lod_take_le16(c);
    struct lod_magics magics = {.too_many = count == LOD_MAGICS_TOO_MANY,
                                .count = count == LOD_MAGICS_TOO_MANY ? 0 : count};

    magics.at = lod_take(c, (size_t)magics.count * LOD_MAGIC_ENTRY_BYTES);
    if (c->short_of_bytes || count == 0 || magics.count > LOD_MAGICS_MAX || !is_sound(&magics)) {
        return -EILSEQ;
    }
    magics.list = (struct lod_span){.at = start, .bytes = (size_t)(c->at - start)};
    *ret_magics = magics;
    return 0;
}

int lod_magics_find(const uint8_t *rows, uint32_t slot, struct lod_span lists,
                    struct lod_magics *ret_magics)
{
    struct lod_cursor c = lod_cursor(lists.at, lists.bytes);
    struct lod_magics magics = {0};
    int error = 0;

    for (uint32_t i = 0; !error && i <= slot; i++) {
        magics = (struct lod_magics){0};
        if (lod_row_flags(rows + (size_t)i * LOD_ROW_BYTES) & LOD_ITEM_HAS_MAGIC) {
            error = lod_magics_take(&c, &magics);
        }
    }
    if (!error) {
        *ret_magics = magics;
    }
    return error;
}
