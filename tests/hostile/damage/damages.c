/* SPDX-License-Identifier: Apache-2.0 */
/* See damages.h. */
#include "damages.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "backend/format.h"
#include "watch.h"

#define BLOCK 4096u

static struct mem_file *any_file(struct chance *chance, struct mem_store *store)
{
    return &store->files[chance_below(chance, store->count)];
}

/* Most of an index is zeros between its sections: prefers places with other bytes. */
static size_t any_place(struct chance *chance, const struct mem_file *file)
{
    size_t at = (size_t)chance_below(chance, file->bytes);

    for (unsigned i = 0; i < 8 && file->bytes && file->data[at] == 0; i++) {
        at = (size_t)chance_below(chance, file->bytes);
    }
    return at;
}

static void flip(struct chance *chance, struct mem_store *store, unsigned bits)
{
    struct mem_file *file = any_file(chance, store);

    for (unsigned i = 0; i < bits && file->bytes; i++) {
        size_t at = any_place(chance, file);
        unsigned bit = (unsigned)chance_below(chance, 8);
        file->data[at] ^= (uint8_t)(1u << bit);
        watch_say("  %s: bit %u of byte %zu flipped\n", file->name, bit, at);
    }
}

static void flip_one(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    (void)other;
    flip(chance, store, 1);
}

static void flip_some(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    (void)other;
    flip(chance, store, 2 + (unsigned)chance_below(chance, 30));
}

static void zero_block(struct chance *chance, struct mem_store *store,
                       const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    size_t at = any_place(chance, file) & ~(size_t)(BLOCK - 1);
    size_t bytes = file->bytes - at < BLOCK ? file->bytes - at : BLOCK;

    (void)other;
    memset(file->data + at, 0, bytes);
    watch_say("  %s: %zu bytes at %zu zeroed\n", file->name, bytes, at);
}

static void overwrite(const struct mem_file *from, size_t source, struct mem_file *file, size_t at)
{
    size_t bytes = BLOCK;

    bytes = file->bytes - at < bytes ? file->bytes - at : bytes;
    bytes = from->bytes - source < bytes ? from->bytes - source : bytes;
    memmove(file->data + at, from->data + source, bytes);
    watch_say("  %s: %zu bytes at %zu are those at %zu of %s\n", file->name, bytes, at, source,
              from->name);
}

static void misplace_block(struct chance *chance, struct mem_store *store,
                           const struct mem_store *other)
{
    const struct mem_file *from = any_file(chance, store);
    struct mem_file *file = any_file(chance, store);

    (void)other;
    if (chance_below(chance, 2)) {
        from = file;
    }
    overwrite(from, any_place(chance, from) & ~(size_t)(BLOCK - 1), file,
              any_place(chance, file) & ~(size_t)(BLOCK - 1));
}

/* Returns a file of the other store. The manifest is never taken, as it would replace the store. */
static const struct mem_file *foreign(const struct mem_store *other, const char *name)
{
    for (unsigned i = 0; i < other->count; i++) {
        if (strcmp(other->files[i].name, name) == 0 && strcmp(name, LOD_MANIFEST_NAME) != 0) {
            return &other->files[i];
        }
    }
    return NULL;
}

/* Copies the block at the same place of another store, with its right hashes. */
static void foreign_block(struct chance *chance, struct mem_store *store,
                          const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    const struct mem_file *from = foreign(other, file->name);
    size_t at = any_place(chance, file) & ~(size_t)(BLOCK - 1);

    if (from && at < from->bytes) {
        watch_say("  a block of another store:\n");
        overwrite(from, at, file, at);
    }
}

static void swap_blocks(struct chance *chance, struct mem_store *store,
                        const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    size_t a = any_place(chance, file) & ~(size_t)(BLOCK - 1);
    size_t b = any_place(chance, file) & ~(size_t)(BLOCK - 1);
    size_t left = file->bytes - (a > b ? a : b), bytes = left < BLOCK ? left : BLOCK;
    uint8_t kept[BLOCK];

    (void)other;
    memcpy(kept, file->data + a, bytes);
    memmove(file->data + a, file->data + b, bytes);
    memcpy(file->data + b, kept, bytes);
    watch_say("  %s: blocks at %zu and %zu swapped\n", file->name, a, b);
}

static void cut(struct mem_file *file, size_t bytes)
{
    file->bytes = bytes;
    watch_say("  %s: cut to %zu bytes\n", file->name, bytes);
}

static void cut_anywhere(struct chance *chance, struct mem_store *store,
                         const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);

    (void)other;
    cut(file, (size_t)chance_below(chance, file->bytes + 1));
}

static void cut_end(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    size_t most = file->bytes < BLOCK ? file->bytes : BLOCK;

    (void)other;
    cut(file, file->bytes - (size_t)chance_below(chance, most + 1));
}

static void lengthen(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    size_t more = 1 + (size_t)chance_below(chance, 2 * BLOCK);
    uint8_t *data = calloc(file->bytes + more, 1);

    (void)other;
    memcpy(data, file->data, file->bytes);
    mem_put(store, file->name, data, file->bytes + more);
    free(data);
    watch_say("  %s: %zu bytes more\n", file->name, more);
}

static void swap_files(struct chance *chance, struct mem_store *store,
                       const struct mem_store *other)
{
    struct mem_file *a = any_file(chance, store), *b = any_file(chance, store), kept = *a;

    (void)other;
    a->data = b->data;
    a->bytes = b->bytes;
    b->data = kept.data;
    b->bytes = kept.bytes;
    watch_say("  %s and %s swapped\n", a->name, b->name);
}

static void foreign_file(struct chance *chance, struct mem_store *store,
                         const struct mem_store *other)
{
    const struct mem_file *from = foreign(other, any_file(chance, store)->name);

    if (from) {
        mem_put(store, from->name, from->data, from->bytes);
        watch_say("  %s is another store's\n", from->name);
    }
}

static void lose_file(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);

    (void)other;
    file->gone = true;
    watch_say("  %s is gone\n", file->name);
}

static void extreme_integer(struct chance *chance, struct mem_store *store,
                            const struct mem_store *other)
{
    static const uint64_t extremes[] = {0,          1,          0x7fffffff, 0x80000000,
                                        UINT32_MAX, 1ull << 63, UINT64_MAX};
    struct mem_file *file = any_file(chance, store);
    unsigned width = 1u << chance_below(chance, 4);
    uint64_t value = extremes[chance_below(chance, sizeof(extremes) / sizeof(extremes[0]))];
    size_t at = any_place(chance, file) & ~(size_t)(width - 1);

    (void)other;
    if (file->bytes - at >= width) {
        lod_put_le(file->data + at, width, value);
        watch_say("  %s: %u bytes at %zu are %#llx\n", file->name, width, at,
                  (unsigned long long)value);
    }
}

static void garbage(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    struct mem_file *file = any_file(chance, store);
    size_t at = any_place(chance, file);
    size_t bytes = (size_t)chance_below(chance, 600);

    (void)other;
    bytes = file->bytes - at < bytes ? file->bytes - at : bytes;
    for (size_t i = 0; i < bytes; i++) {
        file->data[at + i] = (uint8_t)chance_bits(chance);
    }
    watch_say("  %s: %zu bytes at %zu are garbage\n", file->name, bytes, at);
}

void damages_apply(struct chance *chance, struct mem_store *store, const struct mem_store *other)
{
    static void (*const kinds[])(struct chance *, struct mem_store *, const struct mem_store *) = {
        flip_one,   flip_one,     flip_one,    flip_some,       zero_block,    zero_block,
        cut_end,    cut_anywhere, swap_blocks, misplace_block,  foreign_block, foreign_file,
        swap_files, lose_file,    lengthen,    extreme_integer, garbage,
    };

    kinds[chance_below(chance, sizeof(kinds) / sizeof(kinds[0]))](chance, store, other);
}
