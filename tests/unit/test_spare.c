/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "spare.h"

#define PIECE ((size_t)1 << 20)

Test(spare, what_was_given_back_is_taken_again_if_its_size_fits)
{
    struct lod_spare spare;

    lod_spare_init(&spare);
    uint8_t *first = lod_spare_take(&spare, PIECE);
    cr_assert_eq((uintptr_t)first % 64, 0);
    memset(first, 1, PIECE);
    lod_spare_give(&spare, first);
    cr_assert_eq(spare.bytes, PIECE);
    cr_assert_eq(lod_spare_take(&spare, PIECE * 4 / 5), first, "a little smaller");
    cr_assert_eq(spare.bytes, 0);
    lod_spare_give(&spare, first);
    uint8_t *small = lod_spare_take(&spare, PIECE / 2), *large = lod_spare_take(&spare, PIECE + 1);
    cr_assert(small != first && large != first && spare.count == 1);
    lod_spare_give(&spare, small);
    lod_spare_give(&spare, large);
    cr_assert_eq(spare.count, 3);
    cr_assert_eq(lod_spare_take(&spare, PIECE), large, "the one that is still in the cache");
    lod_spare_give(&spare, large);
    lod_spare_finish(&spare);
}

Test(spare, no_more_is_kept_than_it_says)
{
    struct lod_spare spare;
    void *piece[3 * LOD_SPARE_PIECES];

    lod_spare_init(&spare);
    for (size_t bytes = LOD_SPARE_LEAST / 2; bytes <= LOD_SPARE_BYTES_MAX * 2; bytes *= 2) {
        for (unsigned i = 0; i < 3 * LOD_SPARE_PIECES; i++) {
            piece[i] = lod_spare_take(&spare, bytes);
            cr_assert_not_null(piece[i]);
        }
        for (unsigned i = 0; i < 3 * LOD_SPARE_PIECES; i++) {
            lod_spare_give(&spare, piece[i]);
            cr_assert(spare.count <= LOD_SPARE_PIECES && spare.bytes <= LOD_SPARE_BYTES_MAX);
        }
        cr_assert(bytes < LOD_SPARE_LEAST ? spare.count == 0 : spare.count > 0);
    }
    lod_spare_give(&spare, NULL);
    lod_spare_finish(&spare);
}

Test(spare, a_blob_gives_its_memory_back_with_the_last_reference)
{
    struct lod_spare spare;
    struct lod_blob *blob, *again;

    lod_spare_init(&spare);
    cr_assert_eq(lod_spare_blob(&spare, PIECE, &blob), 0);
    uint8_t *data = blob->data;
    cr_assert_eq(blob->bytes, PIECE);
    lod_blob_unref(lod_blob_ref(blob));
    cr_assert_eq(spare.count, 0);
    lod_blob_unref(blob);
    cr_assert_eq(lod_spare_blob(&spare, PIECE, &again), 0);
    cr_assert_eq(again->data, data);
    cr_assert_eq(again->idle, 0);
    lod_blob_unref(again);
    cr_assert_eq(lod_spare_blob(&spare, PIECE * 4 / 5, &again), 0);
    cr_assert_eq(again->data, data);
    cr_assert_eq(again->bytes + again->idle, PIECE, "a cache is charged all of it");
    lod_blob_unref(again);
    cr_assert_eq(lod_spare_blob(&spare, SIZE_MAX, &blob), -ENOMEM);
    cr_assert_eq(lod_spare_blob(NULL, PIECE, &blob), 0);
    lod_blob_unref(blob);
    lod_spare_finish(&spare);
}
