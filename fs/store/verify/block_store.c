/* SPDX-License-Identifier: Apache-2.0 */
/* See block_store.h. */
#include "verify/block_store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory/cache.h"

struct blocks {
    struct lod_store *inner;
    struct lod_cache *cache;
};

struct object {
    struct blocks *blocks;
    struct lod_object *inner;
    uint64_t name_hash;
    atomic_bool direct; /* not a record, or a block was wrong: it is read without blocks */
};

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    struct object *object = ctx;
    const uint64_t at = key.low * LOD_BLOCK_STORE_BLOCK;
    const uint64_t left = lod_object_bytes(object->inner) - at;
    struct lod_blob *blob = NULL;

    int error =
        lod_blob_create(left < LOD_BLOCK_STORE_BLOCK ? (size_t)left : LOD_BLOCK_STORE_BLOCK, &blob);
    error = error ? error : lod_object_pread(object->inner, at, blob->data, blob->bytes);
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

/* Copies the part of a range that is in the block of its first byte. Returns its bytes, or an
 * error. */
static ssize_t copy_block(struct object *object, uint64_t offset, void *into, size_t bytes)
{
    const struct lod_key key = {.high = object->name_hash, .low = offset / LOD_BLOCK_STORE_BLOCK};
    const size_t skip = offset % LOD_BLOCK_STORE_BLOCK;
    struct lod_blob *blob = NULL;

    int error = lod_cache_get(object->blocks->cache, key, fill, object, &blob);
    if (error) {
        return error;
    }
    const size_t part = bytes < blob->bytes - skip ? bytes : blob->bytes - skip;
    memcpy(into, blob->data + skip, part);
    lod_blob_unref(blob);
    return (ssize_t)part;
}

/* Bytes of a block that cannot be read are asked for alone, so that only damaged frames have
 * errors.
 */
static int object_pread(void *state, uint64_t offset, void *into, size_t bytes)
{
    struct object *object = state;
    size_t done = 0;

    while (done < bytes && !object->direct) {
        ssize_t part = copy_block(object, offset + done, (uint8_t *)into + done, bytes - done);
        if (part < 0) {
            break;
        }
        done += (size_t)part;
    }
    return done == bytes ? 0
                         : lod_object_pread(object->inner, offset + done, (uint8_t *)into + done,
                                            bytes - done);
}

/* The block is reported first: the range itself was not read yet. */
static bool object_report_wrong(void *state, uint64_t offset, size_t bytes)
{
    struct object *object = state;

    return !atomic_exchange(&object->direct, true) ||
           lod_object_report_wrong(object->inner, offset, bytes);
}

static int object_open(void *state, const char *name, const struct lod_object_facts *facts,
                       void **ret_object, uint64_t *ret_bytes)
{
    struct object *object = calloc(1, sizeof(*object));

    if (!object) {
        return -ENOMEM;
    }
    object->blocks = state;
    object->name_hash = lod_hash64(name, strlen(name), 0);
    object->direct = strncmp(name, LOD_RECORDS_NAME "/", strlen(LOD_RECORDS_NAME "/")) != 0;
    int error = lod_object_open_known(object->blocks->inner, name, facts, &object->inner);
    if (error) {
        free(object);
        return error;
    }
    *ret_bytes = lod_object_bytes(object->inner);
    *ret_object = object;
    return 0;
}

static void object_close(void *state)
{
    struct object *object = state;

    lod_object_close(object->inner);
    free(object);
}

static void close_blocks(void *state)
{
    struct blocks *blocks = state;

    lod_cache_destroy(blocks->cache);
    free(blocks);
}

static const struct lod_store_backend backend = {
    .name = "blocks",
    .close = close_blocks,
    .object_open = object_open,
    .object_close = object_close,
    .object_pread = object_pread,
    .object_report_wrong = object_report_wrong,
};

int lod_block_store_create(struct lod_store *inner, struct lod_store **ret_store)
{
    struct blocks *blocks = calloc(1, sizeof(*blocks));
    int error = blocks ? lod_cache_create(LOD_BLOCK_STORE_BYTES, &blocks->cache) : -ENOMEM;

    if (!error) {
        blocks->inner = inner;
        error = lod_store_wrap(&backend, blocks, inner, ret_store);
    }
    if (error && blocks) {
        lod_cache_destroy(blocks->cache);
        free(blocks);
    }
    return error;
}
