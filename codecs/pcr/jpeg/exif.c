/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the EXIF orientation. EXIF 2.3, section 4.5; TIFF 6.0, section 2. */
#include "pcr/jpeg/exif.h"

#include <stdbool.h>

#define TAG_BYTES       6 /* "Exif", 0, 0 */
#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT      3
#define ENTRY_BYTES     12

static unsigned take_tiff(struct lod_cursor *c, unsigned bytes, bool big)
{
    const uint8_t *at = lod_take(c, bytes);
    unsigned value = 0;

    for (unsigned i = 0; at && i < bytes; i++) {
        value = value << 8 | at[big ? i : bytes - 1 - i];
    }
    return value;
}

/* Returns the orientation of the entry at `c`, or 0 if it is not a well-formed orientation. */
static uint8_t entry_orientation(struct lod_cursor c, bool big)
{
    unsigned tag = take_tiff(&c, 2, big);
    unsigned type = take_tiff(&c, 2, big);
    unsigned count = take_tiff(&c, 4, big);
    unsigned value = take_tiff(&c, 2, big);

    return tag == TAG_ORIENTATION && type == TYPE_SHORT && count == 1 && value <= 8 ? (uint8_t)value
                                                                                    : 0;
}

/* Returns the orientation in the first directory of a TIFF structure, which ends with the segment
 * at the latest. */
static uint8_t directory_orientation(struct lod_cursor tiff, unsigned offset, bool big)
{
    struct lod_cursor c = tiff;
    uint8_t found = 0;

    lod_take(&c, offset);
    unsigned entries = take_tiff(&c, 2, big);
    for (; entries && !found && c.left >= ENTRY_BYTES; entries--) {
        found = entry_orientation(c, big);
        lod_take(&c, ENTRY_BYTES);
    }
    return found;
}

uint8_t lod_exif_orientation(struct lod_cursor contents)
{
    struct lod_cursor c = contents;

    lod_take(&c, TAG_BYTES);
    struct lod_cursor tiff = c;
    const uint8_t *order = lod_take(&c, 2);
    bool big = order && order[0] == 'M' && order[1] == 'M';
    if (!order || (!big && memcmp(order, "II", 2) != 0) || take_tiff(&c, 2, big) != 42) {
        return 0;
    }
    unsigned offset = take_tiff(&c, 4, big);
    return c.short_of_bytes ? 0 : directory_orientation(tiff, offset, big);
}

void lod_exif_write(uint8_t orientation, uint8_t ret_segment[LOD_EXIF_BYTES])
{
    const uint8_t segment[LOD_EXIF_BYTES] = {
        0xff, 0xe1,        0,   LOD_EXIF_BYTES - 2, /* APP1 and its length */
        'E',  'x',         'i', 'f',
        0,    0, /* TAG_BYTES */
        'M',  'M',         0,   42,
        0,    0,           0,   8, /* TIFF, first directory at 8 */
        0,    1,                   /* one entry */
        0x01, 0x12,        0,   TYPE_SHORT,
        0,    0,           0,   1,
        0,    orientation, 0,   0,
        0,    0,           0,   0, /* no further directory */
    };
    memcpy(ret_segment, segment, sizeof(segment));
}
