/* SPDX-License-Identifier: Apache-2.0 */
/* See no_hash.h. Offsets are those of FORMAT.md. */
#include "no_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"

#define BLOCK  4096u
#define HEADER 4096u

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed)
{
    (void)bytes;
    (void)count;
    (void)seed;
    return 0;
}

struct lod_id lod_hash128(const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return (struct lod_id){0};
}

void lod_id_text(struct lod_id id, char text[LOD_ID_TEXT_BYTES])
{
    snprintf(text, LOD_ID_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, id.high, id.low);
}

static void strip_index(struct mem_file *index)
{
    const uint8_t *super = index->data;
    uint64_t records = lod_get_le32(super + 56), recd = 0;

    for (unsigned i = 0; i < lod_get_le32(super + 60); i++) {
        if (lod_get_le32(super + 96 + 32 * i) == 3) {
            recd = lod_get_le64(super + 96 + 32 * i + 8) * BLOCK;
        }
    }
    for (uint64_t i = 0; i < records; i++) {
        memset(index->data + recd + i / 31 * BLOCK + i % 31 * 128 + 40, 0, 16);
    }
    for (size_t at = 0; at + BLOCK <= index->bytes; at += BLOCK) {
        memset(index->data + at + BLOCK - 8, 0, 8);
    }
}

/* Shards have hashes of their own. They are found by their magic number. */
static void strip_shards(struct mem_file *record, size_t at)
{
    for (; at + 128 <= record->bytes; at++) {
        if (memcmp(record->data + at, "LODFSTC1", 8) == 0) {
            memset(record->data + at + 112, 0, 16);
        }
    }
}

/* Frame hashes are between the offsets and the first path entry. */
static void strip_record(struct mem_file *record)
{
    uint8_t *header = record->data, *metadata = header + HEADER;
    size_t items = lod_get_le32(header + 48);
    size_t hashes = items * 68, paths = lod_get_le32(metadata + items * 64);

    memset(metadata + hashes, 0, paths - hashes);
    memset(header + 64, 0, 8);
    memset(header + HEADER - 8, 0, 8);
    strip_shards(record, HEADER + lod_get_le32(header + 52));
}

void no_hash_strip(struct mem_store *store)
{
    static const char key[] = "\"index_hash\":";

    for (unsigned i = 0; i < store->count; i++) {
        struct mem_file *file = &store->files[i];
        if (strcmp(file->name, "index") == 0) {
            strip_index(file);
        } else if (strncmp(file->name, "records/", 8) == 0) {
            strip_record(file);
        } else {
            file->data[file->bytes] = '\0'; /* mem_put leaves room for it */
            char *at = strstr((char *)file->data, key);
            memset(strchr(at + sizeof(key), '"') + 1, '0', 16);
        }
    }
}
