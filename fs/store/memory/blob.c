/* SPDX-License-Identifier: Apache-2.0 */
/* Reference counting, and the plain kind of blob: head and bytes in one allocation. */
#include "memory/blob.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

static void destroy_plain(struct lod_blob *blob)
{
    free(blob);
}

int lod_blob_create(size_t bytes, struct lod_blob **ret_blob)
{
    if (bytes > SIZE_MAX - sizeof(struct lod_blob)) {
        return -ENOMEM;
    }
    struct lod_blob *blob = malloc(sizeof(*blob) + bytes);
    if (!blob) {
        return -ENOMEM;
    }
    blob->bytes = bytes;
    blob->idle = 0;
    blob->destroy = destroy_plain;
    blob->data = (uint8_t *)(blob + 1);
    atomic_init(&blob->refs, 1);
    *ret_blob = blob;
    return 0;
}

void lod_blob_ref_many(struct lod_blob *blob, unsigned count)
{
    unsigned before = atomic_fetch_add_explicit(&blob->refs, count, memory_order_relaxed);
    assert(before > 0);
    (void)before;
}

void lod_blob_unref_many(struct lod_blob *blob, unsigned count)
{
    if (atomic_fetch_sub_explicit(&blob->refs, count, memory_order_acq_rel) == count) {
        blob->destroy(blob);
    }
}

struct lod_blob *lod_blob_ref(struct lod_blob *blob)
{
    lod_blob_ref_many(blob, 1);
    return blob;
}

struct lod_blob *lod_blob_unref(struct lod_blob *blob)
{
    if (blob) {
        lod_blob_unref_many(blob, 1);
    }
    return NULL;
}
