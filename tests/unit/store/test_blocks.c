/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of an invented index: this file defines the functions of the store that they call. */
#include "index/blocks.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "clock.h"

#define SEED    77u
#define SECTION 3u

static uint8_t *file;
static uint64_t blocks_count, requests;
static useconds_t wait_us;

uint64_t lod_object_bytes(const struct lod_object *object)
{
    (void)object;
    return blocks_count * LOD_BLOCK_BYTES;
}

int lod_object_read(struct lod_object *object, struct lod_range *ranges, unsigned count,
                    enum lod_read_class class, struct lod_read_time *ret_time)
{
    const uint64_t offset = ranges->offset, began = lod_clock_ns();

    (void)object;
    (void)class;
    cr_assert_eq(count, 1);
    requests++;
    if (wait_us) {
        usleep(wait_us);
    }
    if (offset + ranges->bytes > blocks_count * LOD_BLOCK_BYTES) {
        return -EIO;
    }
    memcpy(ranges->into, file + offset, ranges->bytes);
    ret_time->ns = lod_clock_ns() - began;
    return 0;
}

uint64_t lod_object_copied(struct lod_object *object, uint64_t from, uint64_t to)
{
    (void)object;
    (void)to;
    return from;
}

void lod_object_offer(struct lod_object *object, uint64_t offset, const void *from, size_t bytes)
{
    (void)object;
    (void)offset;
    (void)from;
    (void)bytes;
}

bool lod_object_report_wrong(struct lod_object *object, uint64_t offset, size_t bytes)
{
    (void)object;
    (void)offset;
    (void)bytes;
    return false;
}

static struct lod_blocks *begin(uint64_t count, size_t cache_bytes, useconds_t us)
{
    struct lod_blocks *blocks = NULL;

    file = realloc(file, count * LOD_BLOCK_BYTES);
    blocks_count = count;
    requests = 0;
    wait_us = us;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *block = file + (size_t)i * LOD_BLOCK_BYTES;
        memset(block, 0, LOD_BLOCK_BYTES);
        lod_put_le32(block, i);
        lod_block_seal(block, SEED, SECTION, i);
    }
    cr_assert_eq(lod_blocks_create(NULL, SEED, cache_bytes, &blocks), 0);
    return blocks;
}

static int get(struct lod_blocks *blocks, uint32_t number)
{
    uint8_t word[4] = {0};

    int error = lod_blocks_copy(blocks, SECTION, 0, number, 0, word, sizeof(word));
    cr_assert(error || lod_get_le32(word) == number);
    return error;
}

static void get_all(struct lod_blocks *blocks)
{
    for (uint32_t i = 0; i < blocks_count; i++) {
        cr_assert_eq(get(blocks, i), 0);
    }
}

Test(blocks, blocks_of_a_fast_store_are_read_singly_and_once)
{
    struct lod_blocks *blocks = begin(50, 1 << 20, 0);

    get_all(blocks);
    get_all(blocks);
    cr_assert_eq(requests, 50);
    lod_blocks_destroy(blocks);
}

Test(blocks, blocks_of_a_slow_store_are_read_in_windows)
{
    struct lod_blocks *blocks = begin(400, 16 << 20, 2000);

    get_all(blocks);
    cr_assert_leq(requests, 1 + 7, "64 blocks each, once the first had been waited for");
    cr_assert(!lod_io_estimate_is_memory(lod_blocks_io_estimate(blocks)));
    lod_blocks_destroy(blocks);
}

Test(blocks, an_index_of_one_request_is_read_in_one)
{
    struct lod_blocks *blocks = begin(240, 16 << 20, 2000);

    get_all(blocks);
    cr_assert_eq(requests, 2, "the first told the speed");
    lod_blocks_destroy(blocks);
}

Test(blocks, an_index_larger_than_the_cache_is_read_in_small_windows)
{
    struct lod_blocks *blocks = begin(240, 4 << 20, 2000);

    get_all(blocks);
    cr_assert_leq(requests, 1 + 4);
    lod_blocks_destroy(blocks);
}

Test(blocks, a_damaged_block_affects_no_other)
{
    struct lod_blocks *blocks = begin(20, 1 << 20, 2000);

    file[7 * LOD_BLOCK_BYTES + 100] ^= 1;
    for (uint32_t i = 0; i < blocks_count; i++) {
        cr_assert_eq(get(blocks, i), i == 7 ? -EBADMSG : 0);
    }
    cr_assert_eq(get(blocks, (uint32_t)blocks_count), -EIO, "past the end");
    lod_blocks_destroy(blocks);
}
