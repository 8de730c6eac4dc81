/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "memory/buffer_pool.h"

#define PIECE ((size_t)1 << 20)

Test(buffer_pool, a_returned_buffer_is_reused_if_its_size_fits)
{
    struct lod_buffer_pool pool;

    lod_buffer_pool_init(&pool);
    uint8_t *first = lod_buffer_pool_take(&pool, PIECE);
    cr_assert_eq((uintptr_t)first % 64, 0);
    memset(first, 1, PIECE);
    lod_buffer_pool_release(&pool, first);
    cr_assert_eq(pool.bytes, PIECE);
    cr_assert_eq(lod_buffer_pool_take(&pool, PIECE * 4 / 5), first, "a little smaller");
    cr_assert_eq(pool.bytes, 0);
    lod_buffer_pool_release(&pool, first);
    uint8_t *small = lod_buffer_pool_take(&pool, PIECE / 2),
            *large = lod_buffer_pool_take(&pool, PIECE + 1);
    cr_assert(small != first && large != first && pool.count == 1);
    lod_buffer_pool_release(&pool, small);
    lod_buffer_pool_release(&pool, large);
    cr_assert_eq(pool.count, 3);
    cr_assert_eq(lod_buffer_pool_take(&pool, PIECE), large, "the one that is still in the cache");
    lod_buffer_pool_release(&pool, large);
    lod_buffer_pool_finish(&pool);
}

Test(buffer_pool, the_pool_keeps_no_more_than_its_limit)
{
    struct lod_buffer_pool pool;
    void *piece[3 * LOD_BUFFER_POOL_PIECES];

    lod_buffer_pool_init(&pool);
    for (size_t bytes = LOD_BUFFER_POOL_LEAST / 2; bytes <= LOD_BUFFER_POOL_BYTES_MAX * 2;
         bytes *= 2) {
        for (unsigned i = 0; i < 3 * LOD_BUFFER_POOL_PIECES; i++) {
            piece[i] = lod_buffer_pool_take(&pool, bytes);
            cr_assert_not_null(piece[i]);
        }
        for (unsigned i = 0; i < 3 * LOD_BUFFER_POOL_PIECES; i++) {
            lod_buffer_pool_release(&pool, piece[i]);
            cr_assert(pool.count <= LOD_BUFFER_POOL_PIECES &&
                      pool.bytes <= LOD_BUFFER_POOL_BYTES_MAX);
        }
        cr_assert(bytes < LOD_BUFFER_POOL_LEAST ? pool.count == 0 : pool.count > 0);
    }
    lod_buffer_pool_release(&pool, NULL);
    lod_buffer_pool_finish(&pool);
}

Test(buffer_pool, a_blob_gives_its_memory_back_with_the_last_reference)
{
    struct lod_buffer_pool pool;
    struct lod_blob *blob, *again;

    lod_buffer_pool_init(&pool);
    cr_assert_eq(lod_buffer_pool_blob(&pool, PIECE, &blob), 0);
    uint8_t *data = blob->data;
    cr_assert_eq(blob->bytes, PIECE);
    lod_blob_unref(lod_blob_ref(blob));
    cr_assert_eq(pool.count, 0);
    lod_blob_unref(blob);
    cr_assert_eq(lod_buffer_pool_blob(&pool, PIECE, &again), 0);
    cr_assert_eq(again->data, data);
    cr_assert_eq(again->idle, 0);
    lod_blob_unref(again);
    cr_assert_eq(lod_buffer_pool_blob(&pool, PIECE * 4 / 5, &again), 0);
    cr_assert_eq(again->data, data);
    cr_assert_eq(again->bytes + again->idle, PIECE, "a cache is charged all of it");
    lod_blob_unref(again);
    cr_assert_eq(lod_buffer_pool_blob(&pool, SIZE_MAX, &blob), -ENOMEM);
    cr_assert_eq(lod_buffer_pool_blob(NULL, PIECE, &blob), 0);
    lod_blob_unref(blob);
    lod_buffer_pool_finish(&pool);
}
