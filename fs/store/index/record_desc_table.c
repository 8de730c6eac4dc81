/* SPDX-License-Identifier: Apache-2.0 */
/* A table of pointers, each set once; see record_desc_table.h. */
#include "index/record_desc_table.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define HEAP_BYTES 16u /* of the allocator, for each row */
#define ROW_BYTES  (sizeof(struct lod_record_desc) + sizeof(struct lod_record_desc *) + HEAP_BYTES)

int lod_record_desc_table_init(struct lod_record_desc_table *recds, uint32_t records,
                               size_t bytes_max)
{
    const size_t most = bytes_max / ROW_BYTES;
    const uint32_t count = records < most ? records : (uint32_t)most;

    *recds = (struct lod_record_desc_table){.rows = calloc(count + 1u, sizeof(*recds->rows))};
    if (!recds->rows) {
        return -ENOMEM;
    }
    recds->count = count;
    return 0;
}

size_t lod_record_desc_table_bytes(const struct lod_record_desc_table *recds)
{
    return recds->count * ROW_BYTES;
}

void lod_record_desc_table_finish(struct lod_record_desc_table *recds)
{
    for (uint32_t i = 0; i < recds->count; i++) {
        free(atomic_load(&recds->rows[i]));
    }
    free(recds->rows);
    *recds = (struct lod_record_desc_table){0};
}

const struct lod_record_desc *lod_record_desc_table_find(const struct lod_record_desc_table *recds,
                                                         uint32_t number)
{
    return number < recds->count ? atomic_load_explicit(&recds->rows[number], memory_order_acquire)
                                 : NULL;
}

void lod_record_desc_table_keep(struct lod_record_desc_table *recds,
                                const struct lod_record_desc *recd)
{
    struct lod_record_desc *absent = NULL;

    if (recd->number >= recds->count) {
        return;
    }
    struct lod_record_desc *kept = malloc(sizeof(*kept));
    if (!kept) {
        return;
    }
    *kept = *recd;
    if (!atomic_compare_exchange_strong(&recds->rows[recd->number], &absent, kept)) {
        free(kept); /* another thread has stored the same row */
    }
}
