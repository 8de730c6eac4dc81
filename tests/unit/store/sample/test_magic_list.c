/* SPDX-License-Identifier: Apache-2.0 */
/* Malformed lists of magic words, and the places where a scan finds the word. */
#include <criterion/criterion.h>
#include <errno.h>

#include "sample/magic_scan.h"

static int take(const void *bytes, size_t count, struct lod_magics *ret)
{
    struct lod_cursor c = lod_cursor(bytes, count);

    return lod_magics_take(&c, ret);
}

Test(magic_list, malformed_lists)
{
    static const uint8_t good[] = {2, 0, 1, 0, 0, 0, 1, 4, 2, 0, 0, 0, 255, 7};
    static const uint8_t many[] = {255, 255};
    uint8_t bad[sizeof(good)];
    struct lod_magics magics;

    cr_assert_eq(take(good, sizeof(good), &magics), 0);
    cr_assert_eq(magics.count, 2);
    cr_assert_eq(magics.list.bytes, sizeof(good));
    cr_assert_eq(lod_magics_at(&magics, 1).word, 2);
    cr_assert_eq(lod_magics_at(&magics, 0).fidelities, 0x401);
    cr_assert_eq(take(many, sizeof(many), &magics), 0);
    cr_assert(magics.too_many && magics.count == 0);
    for (size_t bytes = 0; bytes < sizeof(good); bytes++) {
        cr_assert_eq(take(good, bytes, &magics), -EILSEQ, "cut at %zu", bytes);
    }
    static const uint8_t wrong[][2] = {{0, 0}, {8, 1}, {8, 0}, {11, 8}, {13, 8}, {1, 17}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        memcpy(bad, good, sizeof(good));
        bad[wrong[i][0]] = wrong[i][1];
        cr_assert_eq(take(bad, sizeof(bad), &magics), -EILSEQ, "%zu", i);
    }
    memcpy(bad, good, sizeof(good));
    bad[6] = bad[7] = 0;
    cr_assert_eq(take(bad, sizeof(bad), &magics), -EILSEQ, "of no fidelity");
}

/* The word at every offset, in pieces of every size; only multiples of 4 count. */
Test(magic_list, words_are_found_across_pieces)
{
    uint8_t data[300];

    for (unsigned at = 0; at + 4 <= sizeof(data); at++) {
        for (unsigned step = 1; step < sizeof(data); step = step * 3 + 1) {
            struct lod_magic_words words = {0};
            memset(data, 0x0a, sizeof(data));
            lod_put_le32(data + at, LOD_MAGIC_WORD);
            for (unsigned from = 0; from < sizeof(data); from += step) {
                const unsigned left = (unsigned)sizeof(data) - from;
                const struct lod_span piece = {.at = data + from,
                                               .bytes = left < step ? left : step};
                cr_assert_eq(lod_magic_words_add(&words, piece), 0);
            }
            cr_assert_eq(words.found.count, at % 4 == 0);
            cr_assert(at % 4 || words.found.at[0] == at / 4);
            lod_magic_words_finish(&words);
        }
    }
}

Test(magic_list, too_many_words)
{
    for (unsigned count = LOD_MAGICS_MAX; count <= LOD_MAGICS_MAX + 1; count++) {
        uint8_t row[LOD_ROW_BYTES] = {0}, *data = malloc((size_t)count * 4);
        struct lod_span group[LOD_GROUPS_MAX] = {{.at = data, .bytes = (size_t)count * 4}};
        struct lod_buf list = {0};

        for (unsigned i = 0; i < count; i++) {
            lod_put_le32(data + (size_t)i * 4, LOD_MAGIC_WORD);
        }
        lod_put_le64(row + 8, (uint64_t)count * 4);
        cr_assert_eq(lod_magic_scan(&lod_codec_raw, row, group, &list), 0);
        cr_assert_eq(list.bytes,
                     count > LOD_MAGICS_MAX ? 2 : 2 + count * (size_t)LOD_MAGIC_ENTRY_BYTES);
        cr_assert_eq(lod_get_le16(list.data), count > LOD_MAGICS_MAX ? 0xffff : count);
        free(data);
        lod_buf_finish(&list);
    }
}
