/* SPDX-License-Identifier: Apache-2.0 */
/* Checked blocks of the index; see blocks.h and FORMAT.md, Block. */
#include "store/blocks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "clock.h"
#include "hash.h"

#define SECTION_AT LOD_BLOCK_PAYLOAD
#define NUMBER_AT  (LOD_BLOCK_PAYLOAD + 4)
#define HASH_AT    (LOD_BLOCK_PAYLOAD + 8)

/*
 * A store that makes us wait is read a window at a time, of which few are kept; all of it, where
 * that is one request of a disk.
 */
#define WINDOW_BLOCKS 64u
#define WHOLE_BLOCKS  320u /* 1280 KiB */
#define WINDOWS_PART  8u   /* of the budget */

struct lod_blocks {
    struct lod_object *index;
    uint64_t seed;
    struct lod_cache *cache;
    struct lod_cache *windows; /* of blocks not yet checked, by number */
    uint64_t window_blocks;
    struct lod_pace pace;
};

/* What a fill needs to know; all of it is in the key too. */
struct place {
    struct lod_blocks *blocks;
    uint32_t section, number;
};

static uint64_t window_blocks(const struct lod_object *index, size_t budget)
{
    uint64_t all = (lod_object_bytes(index) + LOD_BLOCK_BYTES - 1) / LOD_BLOCK_BYTES;

    return all && all <= WHOLE_BLOCKS && all <= budget / LOD_BLOCK_BYTES ? all : WINDOW_BLOCKS;
}

int lod_blocks_create(struct lod_object *index, uint64_t seed, size_t cache_bytes,
                      struct lod_blocks **ret_blocks)
{
    struct lod_blocks *blocks = calloc(1, sizeof(*blocks));

    if (!blocks) {
        return -ENOMEM;
    }
    blocks->index = index;
    blocks->seed = seed;
    const size_t windows_bytes = cache_bytes / WINDOWS_PART;
    blocks->window_blocks = window_blocks(index, windows_bytes);
    int error = lod_cache_create(cache_bytes - windows_bytes, &blocks->cache);
    error = error ? error : lod_cache_create(windows_bytes, &blocks->windows);
    if (error) {
        lod_blocks_destroy(blocks);
        return error;
    }
    *ret_blocks = blocks;
    return 0;
}

struct lod_blocks *lod_blocks_destroy(struct lod_blocks *blocks)
{
    if (blocks) {
        lod_cache_destroy(blocks->cache);
        lod_cache_destroy(blocks->windows);
        free(blocks);
    }
    return NULL;
}

static int timed_read(struct lod_blocks *blocks, uint64_t offset, void *into, size_t bytes)
{
    uint64_t from = lod_clock_ns();

    int error = lod_object_pread(blocks->index, offset, into, bytes);
    lod_pace_add(&blocks->pace, bytes, lod_clock_ns() - from);
    return error;
}

static int fill_window(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    struct lod_blocks *blocks = ctx;
    const uint64_t window = blocks->window_blocks * LOD_BLOCK_BYTES;
    uint64_t at = key.low * window, left = lod_object_bytes(blocks->index) - at;
    struct lod_blob *blob = NULL;

    int error = lod_blob_create((size_t)(left < window ? left : window), &blob);
    error = error ? error : timed_read(blocks, at, blob->data, blob->bytes);
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

/* Block `number` of the file, unchecked. What is wrong with a window is none of its blocks' fault.
 */
static int read_block(struct lod_blocks *blocks, uint64_t number, uint8_t *into)
{
    struct lod_key window = {.low = number / blocks->window_blocks};
    size_t at = number % blocks->window_blocks * LOD_BLOCK_BYTES;
    struct lod_blob *blob = NULL;

    if (!lod_pace_is_memory(&blocks->pace) &&
        number < lod_object_bytes(blocks->index) / LOD_BLOCK_BYTES &&
        !lod_cache_get(blocks->windows, window, fill_window, blocks, &blob)) {
        bool whole = at + LOD_BLOCK_BYTES <= blob->bytes;
        if (whole) {
            memcpy(into, blob->data + at, LOD_BLOCK_BYTES);
        }
        lod_blob_unref(blob);
        if (whole) {
            return 0;
        }
    }
    return timed_read(blocks, number * LOD_BLOCK_BYTES, into, LOD_BLOCK_BYTES);
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct place *place = ctx;
    struct lod_blob *blob = NULL;

    int error = lod_blob_create(LOD_BLOCK_BYTES, &blob);
    if (error) {
        return error;
    }
    error = read_block(place->blocks, key.low, blob->data);
    if (!error) {
        error = lod_block_check(blob->data, place->blocks->seed, place->section, place->number);
    }
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

static int get(struct lod_blocks *blocks, uint32_t section, uint64_t first, uint64_t number,
               struct lod_blob **ret_blob)
{
    struct place place = {.blocks = blocks, .section = section};

    if (number > UINT32_MAX || first > INT64_MAX / LOD_BLOCK_BYTES - number) {
        return -EILSEQ; /* past what a block's own number, or a file, can be */
    }
    place.number = (uint32_t)number;
    struct lod_key key = {.high = (uint64_t)section << 32 | place.number, .low = first + number};
    return lod_cache_get(blocks->cache, key, fill, &place, ret_blob);
}

int lod_blocks_copy(struct lod_blocks *blocks, uint32_t section, uint64_t first, uint64_t number,
                    uint32_t offset, void *into, uint32_t bytes)
{
    struct lod_blob *blob = NULL;

    assert(offset <= LOD_BLOCK_PAYLOAD && bytes <= LOD_BLOCK_PAYLOAD - offset);
    int error = get(blocks, section, first, number, &blob);
    if (!error) {
        memcpy(into, blob->data + offset, bytes);
        lod_blob_unref(blob);
    }
    return error;
}

const struct lod_pace *lod_blocks_pace(const struct lod_blocks *blocks)
{
    return &blocks->pace;
}

/* Sections do not overlap, so a number of the file is one of its section. */
int lod_blocks_hold(struct lod_blocks *blocks, uint32_t section, uint64_t first, uint64_t number,
                    struct lod_held *held, const uint8_t **ret_payload)
{
    struct lod_blob *blob = NULL;

    if (!held->blob || held->at != first + number) {
        int error = get(blocks, section, first, number, &blob);
        if (error) {
            return error;
        }
        lod_held_drop(held);
        *held = (struct lod_held){.blob = blob, .at = first + number};
    }
    *ret_payload = held->blob->data;
    return 0;
}

void lod_held_drop(struct lod_held *held)
{
    held->blob = lod_blob_unref(held->blob);
}

int lod_block_check(const uint8_t block[LOD_BLOCK_BYTES], uint64_t seed, uint32_t section,
                    uint32_t number)
{
    if (lod_get_le32(block + SECTION_AT) != section || lod_get_le32(block + NUMBER_AT) != number ||
        lod_get_le64(block + HASH_AT) != lod_hash64(block, HASH_AT, seed)) {
        return -EBADMSG;
    }
    return 0;
}

void lod_block_seal(uint8_t block[LOD_BLOCK_BYTES], uint64_t seed, uint32_t section,
                    uint32_t number)
{
    lod_put_le32(block + SECTION_AT, section);
    lod_put_le32(block + NUMBER_AT, number);
    lod_put_le64(block + HASH_AT, lod_hash64(block, HASH_AT, seed));
}
