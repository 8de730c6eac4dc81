/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>

#include "index/record_desc_table.h"

static struct lod_record_desc recd_of(uint32_t number)
{
    struct lod_record_desc recd = {.number = number, .first_item = 10 * number, .items = 10};

    snprintf(recd.path, sizeof(recd.path), "%06u.raw", number);
    return recd;
}

Test(record_desc_table, a_row_is_kept_after_its_first_use)
{
    struct lod_record_desc_table recds;
    struct lod_record_desc recd = recd_of(7), again = recd_of(7);

    cr_assert_eq(lod_record_desc_table_init(&recds, 9, 1 << 20), 0);
    cr_assert_null(lod_record_desc_table_find(&recds, 7));
    lod_record_desc_table_keep(&recds, &recd);
    const struct lod_record_desc *kept = lod_record_desc_table_find(&recds, 7);
    cr_assert_eq(kept->first_item, 70);
    cr_assert_str_eq(kept->path, "000007.raw");
    lod_record_desc_table_keep(&recds, &again);
    cr_assert_eq(lod_record_desc_table_find(&recds, 7), kept, "who holds it may go on");
    cr_assert_null(lod_record_desc_table_find(&recds, 8));
    cr_assert_null(lod_record_desc_table_find(&recds, 9));
    cr_assert_null(lod_record_desc_table_find(&recds, UINT32_MAX));
    lod_record_desc_table_finish(&recds);
}

Test(record_desc_table, only_rows_within_the_limit_are_kept)
{
    struct lod_record_desc_table recds;
    enum { RECORDS = 100000, BYTES = 64 << 10 };

    cr_assert_eq(lod_record_desc_table_init(&recds, RECORDS, BYTES), 0);
    cr_assert_leq(lod_record_desc_table_bytes(&recds), BYTES);
    cr_assert_gt(lod_record_desc_table_bytes(&recds), BYTES / 2);
    unsigned kept = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct lod_record_desc recd = recd_of(i);
        lod_record_desc_table_keep(&recds, &recd);
        kept += lod_record_desc_table_find(&recds, i) != NULL;
    }
    cr_assert_leq(kept * sizeof(struct lod_record_desc), BYTES);
    cr_assert_gt(kept, BYTES / 2 / sizeof(struct lod_record_desc));
    lod_record_desc_table_finish(&recds);
    cr_assert_eq(lod_record_desc_table_init(&recds, 5, 0), 0);
    cr_assert_null(lod_record_desc_table_find(&recds, 0));
    lod_record_desc_table_finish(&recds);
}

static void *keep_all(void *arg)
{
    for (uint32_t i = 0; i < 1000; i++) {
        struct lod_record_desc recd = recd_of(i);
        lod_record_desc_table_keep(arg, &recd);
        cr_assert_eq(lod_record_desc_table_find(arg, i)->first_item, 10 * i);
    }
    return NULL;
}

Test(record_desc_table, threads_keep_one_copy_of_each_row)
{
    struct lod_record_desc_table recds;
    pthread_t ids[4];

    cr_assert_eq(lod_record_desc_table_init(&recds, 1000, 1 << 20), 0);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(pthread_create(&ids[i], NULL, keep_all, &recds), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
    }
    lod_record_desc_table_finish(&recds);
}
