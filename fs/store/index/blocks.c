/* SPDX-License-Identifier: Apache-2.0 */
/* Checked blocks of the index; see blocks.h and FORMAT.md, Block. */
#include "index/blocks.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "index/index_copy.h"

#define SECTION_AT LOD_BLOCK_PAYLOAD
#define NUMBER_AT  (LOD_BLOCK_PAYLOAD + 4)
#define HASH_AT    (LOD_BLOCK_PAYLOAD + 8)

/*
 * On a slow store the index is read in windows, of which a few are kept. If all of the index fits
 * one large request of a disk, it is one window.
 */
#define WINDOW_BLOCKS 64u
#define WHOLE_BLOCKS  320u /* 1280 KiB */
#define WINDOWS_PART  8u   /* of cache_bytes */

#define FAILURES_MAX 16u

struct lod_blocks {
    struct lod_object *index;
    uint64_t seed;
    struct lod_cache *cache;
    struct lod_cache *windows; /* windows of unchecked blocks, by number */
    uint64_t window_blocks;
    struct lod_index_copy *copy; /* NULL: there is none */
    struct lod_io_estimate estimate;
    pthread_mutex_t lock; /* guards the failures */
    struct lod_block_failure failures[FAILURES_MAX];
    unsigned failures_count;
};

/* The place of a block, for fill(). Its key contains the same numbers. */
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
    pthread_mutex_init(&blocks->lock, NULL);
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
        lod_index_copy_end(blocks->copy);
        lod_cache_destroy(blocks->cache);
        lod_cache_destroy(blocks->windows);
        pthread_mutex_destroy(&blocks->lock);
        free(blocks);
    }
    return NULL;
}

void lod_blocks_copy_whole(struct lod_blocks *blocks, unsigned ranges, bool keep)
{
    const bool large = lod_object_bytes(blocks->index) > WHOLE_BLOCKS * LOD_BLOCK_BYTES;

    if ((large || keep) && lod_index_copy_start(blocks->index, ranges, keep, &blocks->copy)) {
        blocks->copy = NULL; /* windows are read from the store instead */
    }
}

static int timed_read(struct lod_blocks *blocks, uint64_t offset, void *into, size_t bytes)
{
    struct lod_range range = {.offset = offset, .into = into, .bytes = bytes};
    struct lod_read_time time = {0};

    int error = lod_object_read(blocks->index, &range, 1, LOD_READ_DEMAND, &time);
    lod_io_estimate_add_timed(&blocks->estimate, bytes, time.first_byte_ns, time.ns);
    return error;
}

static int fill_window(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    struct lod_blocks *blocks = ctx;
    const uint64_t window = blocks->window_blocks * LOD_BLOCK_BYTES;
    uint64_t at = key.high * window, left = lod_object_bytes(blocks->index) - at;
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

/*
 * Reads block `number` of the file, unchecked. If its window cannot be read, reads only the block:
 * then *ret_fresh is true.
 */
static int read_block(struct lod_blocks *blocks, uint64_t number, uint8_t *into, bool *ret_fresh)
{
    struct lod_key window = {.high = number / blocks->window_blocks};
    size_t at = number % blocks->window_blocks * LOD_BLOCK_BYTES;
    struct lod_blob *blob = NULL;

    *ret_fresh = false;
    if (lod_index_copy_read(blocks->copy, number * LOD_BLOCK_BYTES, into, LOD_BLOCK_BYTES)) {
        return 0;
    }
    if (!lod_io_estimate_is_memory(&blocks->estimate) &&
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
    *ret_fresh = true;
    return timed_read(blocks, number * LOD_BLOCK_BYTES, into, LOD_BLOCK_BYTES);
}

static void note_failure(struct lod_blocks *blocks, uint64_t block, int error)
{
    unsigned i = 0;

    pthread_mutex_lock(&blocks->lock);
    while (i < blocks->failures_count &&
           (blocks->failures[i].block != block || blocks->failures[i].error != error)) {
        i++;
    }
    if (i == blocks->failures_count && i < FAILURES_MAX) {
        blocks->failures[blocks->failures_count++] =
            (struct lod_block_failure){.block = block, .error = error};
    }
    pthread_mutex_unlock(&blocks->lock);
}

bool lod_blocks_failure_take(struct lod_blocks *blocks, struct lod_block_failure *ret_failure)
{
    pthread_mutex_lock(&blocks->lock);
    bool found = blocks->failures_count > 0;
    if (found) {
        *ret_failure = blocks->failures[--blocks->failures_count];
    }
    pthread_mutex_unlock(&blocks->lock);
    return found;
}

static int check(const struct place *place, const uint8_t *block)
{
    return lod_block_check(block, place->blocks->seed, place->section, place->number);
}

/* Returns whether to read a wrong block once more, from the store. A wrong block in the copy or in
 * a window stays there, so it is read again each time. */
static bool should_ask_again(struct lod_blocks *blocks, uint64_t number, bool fresh)
{
    return lod_object_report_wrong(blocks->index, number * LOD_BLOCK_BYTES, LOD_BLOCK_BYTES) ||
           !fresh;
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct place *place = ctx;
    struct lod_blob *blob = NULL;
    bool fresh = true;

    int error = lod_blob_create(LOD_BLOCK_BYTES, &blob);
    if (error) {
        return error;
    }
    error = read_block(place->blocks, key.low, blob->data, &fresh);
    error = error ? error : check(place, blob->data);
    if (error == -EBADMSG && should_ask_again(place->blocks, key.low, fresh)) {
        error = timed_read(place->blocks, key.low * LOD_BLOCK_BYTES, blob->data, LOD_BLOCK_BYTES);
        error = error ? error : check(place, blob->data);
    }
    if (error) {
        note_failure(place->blocks, key.low, error);
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
        return -EILSEQ; /* beyond a block number of 32 bits, or the largest file */
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

const struct lod_io_estimate *lod_blocks_io_estimate(const struct lod_blocks *blocks)
{
    return &blocks->estimate;
}

/* A block number of the file determines the section, since sections do not overlap. */
int lod_blocks_ref(struct lod_blocks *blocks, uint32_t section, uint64_t first, uint64_t number,
                   struct lod_block_ref *ref, const uint8_t **ret_payload)
{
    struct lod_blob *blob = NULL;

    if (!ref->blob || ref->at != first + number) {
        int error = get(blocks, section, first, number, &blob);
        if (error) {
            return error;
        }
        lod_block_ref_drop(ref);
        *ref = (struct lod_block_ref){.blob = blob, .at = first + number};
    }
    *ret_payload = ref->blob->data;
    return 0;
}

void lod_block_ref_drop(struct lod_block_ref *ref)
{
    ref->blob = lod_blob_unref(ref->blob);
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
