/* SPDX-License-Identifier: Apache-2.0 */
/* One file that becomes several items: their bytes, and their places in the list and the order. */
#include "source_fixture.h"

#include "pack/plan/order.h"
#include "pack/plan/subitems.h"

static struct source_fixture f;

static void begin(void)
{
    source_create(&f);
}

static void end(void)
{
    source_destroy(&f);
}

TestSuite(subitems, .init = begin, .fini = end);

static void check_read(const struct lod_part *part, const char *expected)
{
    struct lod_buf bytes = {0};

    cr_assert_eq(lod_subitems_read(f.fd, source_at(&f, "t"), part, false, &bytes), 0);
    cr_assert_eq(bytes.bytes, strlen(expected));
    cr_assert(bytes.bytes == 0 || memcmp(bytes.data, expected, bytes.bytes) == 0, "%.*s",
              (int)bytes.bytes, bytes.data);
    lod_buf_finish(&bytes);
}

Test(subitems, are_runs_of_the_file_or_bytes_in_memory)
{
    const struct lod_span memory = {(const uint8_t *)"schema", 6};
    struct lod_buf bytes = {0};

    source_text(&f, "t", "0123456789abcdef");
    cr_assert_eq(source_walk(&f), 0);
    check_read(&(struct lod_part){.offset = 3, .run_bytes = 5, .runs = 1}, "34567");
    check_read(&(struct lod_part){.offset = 1, .run_bytes = 2, .stride = 5, .runs = 3}, "1267bc");
    check_read(&(struct lod_part){.memory = memory}, "schema");
    check_read(&(struct lod_part){.memory = {0}}, "");
    const struct lod_part beyond = {.offset = 10, .run_bytes = 7, .runs = 1};
    cr_assert_eq(lod_subitems_read(f.fd, source_at(&f, "t"), &beyond, false, &bytes), -ESTALE);
    lod_buf_finish(&bytes);
}

Test(subitems, of_a_file_that_has_changed_are_refused)
{
    const struct lod_part part = {.run_bytes = 1, .runs = 1};
    struct lod_buf bytes = {0};

    source_text(&f, "t", "0123");
    cr_assert_eq(source_walk(&f), 0);
    source_text(&f, "t", "01234");
    cr_assert_eq(lod_subitems_read(f.fd, source_at(&f, "t"), &part, false, &bytes), -ESTALE);
    lod_buf_finish(&bytes);
}

#define SHARDS 40

static struct lod_part parts_at[1 + SHARDS];
static const struct lod_subitems parts = {.at = parts_at, .count = 1 + SHARDS};

/* "m.npy" becomes an item and SHARDS more; "n.npy" is equal to it and gets the same files. */
static void add_shards(void)
{
    uint32_t owner = (uint32_t)(source_at(&f, "m.npy") - f.list.at);
    uint32_t alias = (uint32_t)(source_at(&f, "n.npy") - f.list.at);
    char path[32];

    f.list.at[owner].parts = &parts;
    f.list.at[alias].role = LOD_SOURCE_EQUAL;
    f.list.at[alias].owner = owner;
    for (unsigned i = 0; i <= SHARDS; i++) {
        parts_at[i] = (struct lod_part){.encoder = &lod_encoder_raw, .weight = 30000};
    }
    for (unsigned i = 0; i < SHARDS; i++) {
        struct lod_source shard = {.path = path,
                                   .encoder = &lod_encoder_raw,
                                   .parts = &parts,
                                   .role = LOD_SOURCE_FILE,
                                   .added = true,
                                   .names = 1};
        snprintf(path, sizeof(path), "m.toc/%03u", SHARDS - 1 - i);
        shard.part = SHARDS - i;
        shard.owner = owner;
        cr_assert_eq(lod_source_list_add(&f.list, &shard), 0);
        shard.role = LOD_SOURCE_EQUAL;
        shard.owner = (uint32_t)f.list.count - 1;
        snprintf(path, sizeof(path), "a.toc/%03u", SHARDS - 1 - i);
        cr_assert_eq(lod_source_list_add(&f.list, &shard), 0);
    }
    cr_assert_eq(lod_source_list_resort(&f.list), 0);
}

static void make_source(void)
{
    char path[32];

    source_text(&f, "m.npy", "table");
    source_text(&f, "n.npy", "table");
    for (unsigned i = 0; i < 50; i++) {
        snprintf(path, sizeof(path), "m%u.txt", i);
        source_text(&f, path, "x");
    }
    cr_assert_eq(source_walk(&f), 0);
    for (size_t i = 0; i < f.list.count; i++) {
        f.list.at[i].encoder = &lod_encoder_raw;
    }
    add_shards();
}

Test(subitems, keep_their_owners_when_the_list_is_sorted_again)
{
    make_source();
    for (size_t i = 1; i < f.list.count; i++) {
        cr_assert(strcmp(f.list.at[i - 1].path, f.list.at[i].path) < 0);
    }
    cr_assert_str_eq(f.list.at[source_at(&f, "n.npy")->owner].path, "m.npy");
    cr_assert_str_eq(f.list.at[source_at(&f, "m.toc/007")->owner].path, "m.npy");
    cr_assert_str_eq(f.list.at[source_at(&f, "a.toc/007")->owner].path, "m.toc/007");
}

static uint32_t cut_at(const struct lod_order *order, size_t place)
{
    size_t record = 0;

    while (place >= order->records[record].first + order->records[record].count) {
        record++;
    }
    return order->records[record].cut;
}

static void check_order(bool by_path)
{
    const struct lod_order_options options = {.by_path = by_path, .record_bytes = 65536};
    struct lod_order order = {0};
    size_t at = 0;

    cr_assert_eq(lod_order_make(&f.list, &options, &order), 0);
    cr_assert_eq(order.files_count, 1 + SHARDS + 50);
    while (strcmp(f.list.at[order.files[at]].path, "m.npy") != 0) {
        at++;
    }
    for (unsigned i = 1; i <= SHARDS; i++) {
        cr_assert_lt(at + i, order.files_count);
        cr_assert_eq(f.list.at[order.files[at + i]].part, i);
    }
    cr_assert_gt(order.records_count, SHARDS / 5, "shards count by their weight");
    cr_assert_eq(cut_at(&order, at), cut_at(&order, at + SHARDS),
                 "the cut of a table has all its shards");
    lod_order_finish(&order);
}

Test(subitems, follow_their_file_in_every_order)
{
    make_source();
    check_order(false);
    check_order(true);
}
