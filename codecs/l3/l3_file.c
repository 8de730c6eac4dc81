/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes .l3 files: magic, the row without fields of the store, groups 8 and 9. */
#include "l3/l3_file.h"

#include <errno.h>
#include <string.h>

#include "l3/container/level_rules.h"

static const uint8_t magic[8] = {'L', 'O', 'D', 'F', 'S', 'L', '3', '1'};

#define ROW_FLAGS    0
#define ROW_OWN_NODE 4
#define ROW_LEVELS   41 /* to the end */

/* Clears the fields that belong to the store: whether it has the source's bytes, node, levels. */
static void make_free(uint8_t row[LOD_ROW_BYTES])
{
    row[ROW_FLAGS] =
        row[ROW_FLAGS] & (LOD_ITEM_NO_ORIGINAL | LOD_ITEM_KEPT) ? LOD_ITEM_NO_ORIGINAL : 0;
    memset(row + ROW_OWN_NODE, 0, 4);
    memset(row + ROW_LEVELS, 0, LOD_ROW_BYTES - ROW_LEVELS);
}

void lod_l3_file_head(const uint8_t row[LOD_ROW_BYTES], uint8_t head[LOD_L3_FILE_HEAD_BYTES])
{
    memcpy(head, magic, sizeof(magic));
    memcpy(head + sizeof(magic), row, LOD_ROW_BYTES);
    make_free(head + sizeof(magic));
}

int lod_l3_file_open(struct lod_span bytes, struct lod_l3_file *ret_file)
{
    struct lod_cursor c = lod_cursor(bytes.at, bytes.bytes);
    const uint8_t *found = lod_take(&c, sizeof(magic)), *row = lod_take(&c, LOD_ROW_BYTES);
    struct lod_l3_file file;

    if (c.short_of_bytes || memcmp(found, magic, sizeof(magic)) != 0) {
        return -EILSEQ;
    }
    memcpy(file.row, row, LOD_ROW_BYTES);
    int error = lod_l3_row_read(file.row, &file.parsed);
    if (error || file.row[ROW_FLAGS] & (uint8_t)~LOD_ITEM_NO_ORIGINAL ||
        lod_row_own_node(file.row) != 0 || lod_l3_has_levels(&file.parsed)) {
        return -EILSEQ;
    }
    file.stream = (struct lod_span){.bytes = file.parsed.stream};
    file.stream.at = lod_take(&c, file.stream.bytes);
    file.chunks = (struct lod_span){.bytes = file.parsed.chunks};
    file.chunks.at = lod_take(&c, file.chunks.bytes);
    if (c.short_of_bytes || c.left) {
        return -EILSEQ;
    }
    *ret_file = file;
    return 0;
}
