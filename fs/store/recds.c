/* SPDX-License-Identifier: Apache-2.0 */
/* A table of pointers, each set once; see recds.h. */
#include "store/recds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define HEAP_BYTES 16u /* of the allocator, a row */
#define ROW_BYTES  (sizeof(struct lod_recd) + sizeof(struct lod_recd *) + HEAP_BYTES)

int lod_recds_init(struct lod_recds *recds, uint32_t records, size_t bytes_max)
{
    const size_t most = bytes_max / ROW_BYTES;
    const uint32_t count = records < most ? records : (uint32_t)most;

    *recds = (struct lod_recds){.rows = calloc(count + 1u, sizeof(*recds->rows))};
    if (!recds->rows) {
        return -ENOMEM;
    }
    recds->count = count;
    return 0;
}

size_t lod_recds_bytes(const struct lod_recds *recds)
{
    return recds->count * ROW_BYTES;
}

void lod_recds_finish(struct lod_recds *recds)
{
    for (uint32_t i = 0; i < recds->count; i++) {
        free(atomic_load(&recds->rows[i]));
    }
    free(recds->rows);
    *recds = (struct lod_recds){0};
}

const struct lod_recd *lod_recds_find(const struct lod_recds *recds, uint32_t number)
{
    return number < recds->count ? atomic_load_explicit(&recds->rows[number], memory_order_acquire)
                                 : NULL;
}

void lod_recds_keep(struct lod_recds *recds, const struct lod_recd *recd)
{
    struct lod_recd *absent = NULL;

    if (recd->number >= recds->count) {
        return;
    }
    struct lod_recd *kept = malloc(sizeof(*kept));
    if (!kept) {
        return;
    }
    *kept = *recd;
    if (!atomic_compare_exchange_strong(&recds->rows[recd->number], &absent, kept)) {
        free(kept); /* another thread was first, with the same row */
    }
}
