/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "backend/format.h"
#include "index/search.h"

/* Row i is 2 * i; [from, to) cannot be read. */
struct rows {
    uint32_t wanted, from, to, last;
    int error;
    unsigned probes;
};

static int probe(void *ctx, uint32_t number, int *ret_order)
{
    struct rows *rows = ctx;

    rows->probes++;
    rows->last = number;
    if (number >= rows->from && number < rows->to) {
        return rows->error;
    }
    *ret_order = rows->wanted < 2 * number ? -1 : rows->wanted > 2 * number;
    return 0;
}

static int find(struct rows *rows, uint32_t count)
{
    uint32_t number = UINT32_MAX;
    int error = lod_search(probe, rows, 0, count, &number);

    if (!error) {
        cr_assert_eq(2 * number, rows->wanted);
        cr_assert_eq(rows->last, number, "the last one probed");
    }
    return error;
}

Test(search, rows_and_missing_keys_are_told_apart)
{
    for (uint32_t count = 0; count < 70; count++) {
        for (uint32_t wanted = 0; wanted < 2 * count + 3; wanted++) {
            struct rows rows = {.wanted = wanted};
            int expected = wanted % 2 || wanted >= 2 * count ? -ENOENT : 0;
            cr_assert_eq(find(&rows, count), expected);
            cr_assert_leq(rows.probes, 7);
        }
    }
}

Test(search, damage_hides_only_its_own_rows)
{
    enum { COUNT = 60 };

    for (uint32_t from = 0; from < COUNT; from++) {
        for (uint32_t to = from + 1; to <= COUNT; to++) {
            for (uint32_t wanted = 0; wanted < 2 * COUNT + 2; wanted++) {
                struct rows rows = {wanted, from, to, 0, -EBADMSG, 0};
                bool hidden = wanted / 2 >= from && wanted / 2 < to;
                int error = find(&rows, COUNT);
                if (wanted % 2 == 0 && wanted < 2 * COUNT) {
                    cr_assert_eq(error, hidden ? -EBADMSG : 0);
                } else {
                    cr_assert(error == -ENOENT || error == -EBADMSG);
                }
            }
        }
    }
}

Test(search, a_search_gives_up_after_too_many_damaged_rows)
{
    struct rows memory = {.wanted = 4, .from = 0, .to = 10, .error = -ENOMEM};
    cr_assert_eq(find(&memory, 10), -ENOMEM);
    cr_assert_eq(memory.probes, 1);
    struct rows wide = {.wanted = 4, .from = 0, .to = UINT32_MAX, .error = -EBADMSG};
    cr_assert_eq(find(&wide, 1u << 30), -EBADMSG);
    cr_assert_leq(wide.probes, LOD_BLOCK_PAYLOAD + 1);
}
