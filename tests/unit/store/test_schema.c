/* SPDX-License-Identifier: Apache-2.0 */
/* schema.json against its shards: one that matches, and each kind that does not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "verify/schema.h"

static const struct lod_shard_facts facts[] = {
    {.first = 0, .number = 0, .rows = 100, .columns = 4, .batch_rows = 50, .dtype = "<f8"},
    {.first = 100, .number = 1, .rows = 100, .columns = 4, .batch_rows = 50, .dtype = "<f8"},
    {.first = 200, .number = 2, .rows = 30, .columns = 4, .batch_rows = 50, .dtype = "<f8"},
};

static const char *judge_of(const char *text, size_t count, bool labels)
{
    const struct lod_schema_shards shards = {.at = facts, .count = count, .labels = labels};
    const struct lod_span span = {.at = (const uint8_t *)text, .bytes = strlen(text)};

    return lod_schema_judge(span, &shards);
}

#define HEAD(source, dtype, shape, batch, most, shards)                                            \
    "{\"format\": \"lodfs-table\", \"version\": 1, \"source\": \"" source                          \
    "\", \"dtype\": \"" dtype "\", \"shape\": " shape ", \"batch_rows\": " batch                   \
    ", \"rows_a_shard\": " most ", \"shards\": " shards
#define GOOD(source) HEAD(source, "<f8", "[230, 4]", "50", "100", "3")

Test(schema, matching_schemas_are_accepted)
{
    static const char *const good[] = {
        GOOD("npy") "}",
        GOOD("npy") ", \"later\": null}\n",
        HEAD("csv", "<f8", "[230, 4]", "50", "128", "3") /* shards of text may be shorter */
        ", \"columns\": [{\"name\": \"a\", \"first_column\": 0}, {\"first_column\": 1, "
        "\"categories\": [\"x\", \"y\"]}, {\"first_column\": 3, \"categories\": []}, "
        "{\"first_column\": 3}]}",
        GOOD("libsvm") ", \"first_index\": 1, \"labels\": \"labels.npy\"}",
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        const char *wrong = judge_of(good[i], 3, true);
        cr_assert_null(wrong, "%zu: %s", i, wrong);
    }
}

Test(schema, wrong_schemas_are_refused)
{
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"", "malformed"},
        {"[]", "malformed"},
        {GOOD("npy"), "malformed"},
        {"{\"format\": \"lodfs-table\", \"version\": 2}", "malformed"},
        {HEAD("npy", "<f8", "[230]", "50", "100", "3") "}", "malformed"},
        {HEAD("npy", "<f8", "[230, -4]", "50", "100", "3") "}", "malformed"},
        {HEAD("npy", "<f8", "[230.5, 4]", "50", "100", "3") "}", "malformed"},
        {HEAD("npy", "<f8", "[1e300, 4]", "50", "100", "3") "}", "malformed"},
        {HEAD("npy", "<f8", "[\"230\", 4]", "50", "100", "3") "}", "malformed"},
        {HEAD("npy", "<f8", "[231, 4]", "50", "100", "3") "}", "rows than"},
        {HEAD("npy", "<f8", "[230, 5]", "50", "100", "3") "}", "columns than"},
        {HEAD("npy", "<f4", "[230, 4]", "50", "100", "3") "}", "dtype"},
        {HEAD("npy", "<f8", "[230, 4]", "51", "100", "3") "}", "rows per shard or per batch"},
        {HEAD("npy", "<f8", "[230, 4]", "50", "101", "3") "}", "rows per shard or per batch"},
        {HEAD("npy", "<f8", "[230, 4]", "50", "100", "4") "}", "number of shards"},
        {HEAD("csv", "<f8", "[230, 4]", "50", "99", "3") "}", "rows per shard or per batch"},
        {GOOD("xls") "}", "malformed"},
        {GOOD("csv") "}", "malformed"},
        {GOOD("csv") ", \"columns\": [{\"first_column\": 0}]}", "columns and categories"},
        {GOOD("csv") ", \"columns\": [{\"first_column\": 1}]}", "gaps or overlap"},
        {GOOD("csv") ", \"columns\": [3]}", "malformed"},
        {GOOD("csv") ", \"columns\": [{\"first_column\": 0, \"categories\": [1, 2, 3, 4]}]}",
         "malformed"},
        {GOOD("csv") ", \"columns\": [{\"first_column\": 0, \"categories\": [\"a\", \"b\", "
                     "\"c\", \"d\", \"e\"]}]}",
         "columns and categories"},
        {GOOD("libsvm") ", \"first_index\": 2, \"labels\": \"labels.npy\"}", "malformed"},
        {GOOD("libsvm") ", \"first_index\": 1}", "malformed"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *wrong = judge_of(bad[i].text, 3, true);
        cr_assert_not_null(wrong, "%s", bad[i].text);
        cr_assert_not_null(strstr(wrong, bad[i].word), "%s: %s", bad[i].text, wrong);
    }
    cr_assert_not_null(judge_of(GOOD("npy") "}", 2, true), "a shard is missing");
    cr_assert_not_null(
        judge_of(GOOD("libsvm") ", \"first_index\": 1, \"labels\": \"labels.npy\"}", 3, false));
}

Test(schema, shards_with_gaps_are_refused)
{
    struct lod_shard_facts twice[] = {facts[0], facts[0]};
    const struct lod_schema_shards shards = {.at = twice, .count = 2};
    static const char text[] = HEAD("npy", "<f8", "[200, 4]", "50", "100", "2") "}";
    const struct lod_span span = {.at = (const uint8_t *)text, .bytes = sizeof(text) - 1};

    cr_assert_not_null(strstr(lod_schema_judge(span, &shards), "gaps or overlap"));
    twice[1].number = 1;
    cr_assert_not_null(strstr(lod_schema_judge(span, &shards), "gaps or overlap"));
    twice[1].first = 100;
    cr_assert_null(lod_schema_judge(span, &shards));
    cr_assert_geq(lod_schema_cost(span), sizeof(text));
}
