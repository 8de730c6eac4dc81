/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and fills padding blocks, which only complete an MCU. FORMAT.md, Rebuild data. */
#include "pcr/exact/padding.h"

#include <errno.h>

#include "pcr/exact/varint.h"

struct lod_padding lod_padding(struct lod_jpeg *jpeg)
{
    return (struct lod_padding){.jpeg = jpeg,
                                /* a single component is never interleaved, so it has no padding */
                                .component = jpeg->frame.components == 1};
}

/* Returns the block before (x, y) in its MCU. There is one, as the first block of an MCU is inside
 * the image. */
static const int16_t *before(const struct lod_padding *p, int16_t (*row)[LOD_JPEG_BLOCK])
{
    unsigned h = p->jpeg->frame.component[p->component].h;

    if (p->x % h) {
        return row[p->x - 1];
    }
    return lod_jpeg_row(p->jpeg, p->component, p->y - 1)[p->x + h - 1];
}

/* Moves to the next padding block. Returns false if there is none. */
static bool find_padding(struct lod_padding *p)
{
    const struct lod_jpeg_frame *frame = &p->jpeg->frame;

    while (p->component < frame->components) {
        const struct lod_jpeg_component *component = &frame->component[p->component];
        uint32_t first = p->y < component->blocks_high ? component->blocks_wide : 0;
        p->x = p->x < first ? first : p->x;
        if (p->y == frame->mcus_high * component->v) {
            p->component++;
            p->x = p->y = 0;
        } else if (p->x < frame->mcus_wide * component->h) {
            return true;
        } else {
            p->y++;
            p->x = 0;
        }
    }
    return false;
}

int16_t *lod_padding_next(struct lod_padding *p, int16_t *ret_dc)
{
    if (!find_padding(p)) {
        return NULL;
    }
    int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(p->jpeg, p->component, p->y);
    *ret_dc = before(p, row)[0];
    return row[p->x++];
}

/* Reads a padding block from the tail: the difference of DC from the expected one, then the AC that
 * are not 0. */
static int take_padding(struct lod_cursor *tail, int16_t *block)
{
    int64_t dc = block[0] + lod_zigzag_decode(lod_take_varint(tail));
    uint32_t count = lod_take_varint(tail);
    unsigned k = 0;

    if (dc < INT16_MIN || dc > INT16_MAX || count >= LOD_JPEG_BLOCK) {
        return -EILSEQ;
    }
    block[0] = (int16_t)dc;
    for (; count; count--) {
        k += 1u + lod_take_u8(tail);
        int64_t value = lod_zigzag_decode(lod_take_varint(tail));
        if (k >= LOD_JPEG_BLOCK || value < INT16_MIN || value > INT16_MAX) {
            return -EILSEQ;
        }
        block[k] = (int16_t)value;
    }
    return tail->short_of_bytes ? -EILSEQ : 0;
}

int lod_padding_fill(struct lod_jpeg *jpeg, struct lod_cursor *tail)
{
    struct lod_padding padding = lod_padding(jpeg);
    uint32_t plain = tail ? lod_take_varint(tail) : UINT32_MAX;
    int16_t *block, dc;
    int error = 0;

    while (!error && (block = lod_padding_next(&padding, &dc)) != NULL) {
        memset(block, 0, LOD_JPEG_BLOCK * sizeof(*block));
        block[0] = dc;
        if (plain) {
            plain--;
        } else {
            error = take_padding(tail, block);
            plain = error ? 0 : lod_take_varint(tail);
        }
    }
    return error || (tail && tail->short_of_bytes) ? -EILSEQ : 0;
}
