/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>

#include "store/recds.h"

static struct lod_recd recd_of(uint32_t number)
{
    struct lod_recd recd = {.number = number, .first_item = 10 * number, .items = 10};

    snprintf(recd.path, sizeof(recd.path), "%06u.raw", number);
    return recd;
}

Test(recds, a_row_is_kept_from_the_first_time_on)
{
    struct lod_recds recds;
    struct lod_recd recd = recd_of(7), again = recd_of(7);

    cr_assert_eq(lod_recds_init(&recds, 9, 1 << 20), 0);
    cr_assert_null(lod_recds_find(&recds, 7));
    lod_recds_keep(&recds, &recd);
    const struct lod_recd *kept = lod_recds_find(&recds, 7);
    cr_assert_eq(kept->first_item, 70);
    cr_assert_str_eq(kept->path, "000007.raw");
    lod_recds_keep(&recds, &again);
    cr_assert_eq(lod_recds_find(&recds, 7), kept, "who holds it may go on");
    cr_assert_null(lod_recds_find(&recds, 8));
    cr_assert_null(lod_recds_find(&recds, 9));
    cr_assert_null(lod_recds_find(&recds, UINT32_MAX));
    lod_recds_finish(&recds);
}

Test(recds, a_budget_keeps_what_fits_it)
{
    struct lod_recds recds;
    enum { RECORDS = 100000, BYTES = 64 << 10 };

    cr_assert_eq(lod_recds_init(&recds, RECORDS, BYTES), 0);
    cr_assert_leq(lod_recds_bytes(&recds), BYTES);
    cr_assert_gt(lod_recds_bytes(&recds), BYTES / 2);
    unsigned kept = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct lod_recd recd = recd_of(i);
        lod_recds_keep(&recds, &recd);
        kept += lod_recds_find(&recds, i) != NULL;
    }
    cr_assert_leq(kept * sizeof(struct lod_recd), BYTES);
    cr_assert_gt(kept, BYTES / 2 / sizeof(struct lod_recd));
    lod_recds_finish(&recds);
    cr_assert_eq(lod_recds_init(&recds, 5, 0), 0);
    cr_assert_null(lod_recds_find(&recds, 0));
    lod_recds_finish(&recds);
}

static void *keep_all(void *arg)
{
    for (uint32_t i = 0; i < 1000; i++) {
        struct lod_recd recd = recd_of(i);
        lod_recds_keep(arg, &recd);
        cr_assert_eq(lod_recds_find(arg, i)->first_item, 10 * i);
    }
    return NULL;
}

Test(recds, threads_keep_one_each)
{
    struct lod_recds recds;
    pthread_t ids[4];

    cr_assert_eq(lod_recds_init(&recds, 1000, 1 << 20), 0);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, keep_all, &recds), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
    }
    lod_recds_finish(&recds);
}
