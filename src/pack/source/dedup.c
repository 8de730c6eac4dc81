/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds equal files. Candidates agree in size, class of encoder and sketch. All their bytes are
 * hashed in chunks; the hash of a chunk is the seed of the next. Files of equal hash are compared
 * byte by byte with the first by path.
 */
#include "backend/file_io.h"
#include "pack/source/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

#define CHUNK_BYTES ((size_t)1 << 20)

struct candidate {
    struct lod_source *file;
    uint64_t hash;
    struct candidate *first; /* the first file, by path, with the same hash; may be this one */
    bool equal;
};

struct equal {
    struct lod_probe *probe;
    struct candidate *at;
    size_t count;
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_look(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = compare_u64(x->file->bytes, y->file->bytes);

    order = order ? order
                  : compare_u64(lod_encoder_class(x->file->encoder),
                                lod_encoder_class(y->file->encoder));
    return order ? order : compare_u64(x->file->sketch, y->file->sketch);
}

/* Compares by hash, and then by place in the list, which is sorted by path. */
static int by_hash(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = by_look(a, b);

    order = order ? order : compare_u64(x->hash, y->hash);
    return order ? order : (x->file < y->file ? -1 : x->file > y->file);
}

static bool has_twin(const struct equal *e, size_t i)
{
    return (i > 0 && by_look(&e->at[i - 1], &e->at[i]) == 0) ||
           (i + 1 < e->count && by_look(&e->at[i], &e->at[i + 1]) == 0);
}

/* Collects the files that agree with another one. */
static int gather(struct equal *e)
{
    const struct lod_source_list *list = e->probe->list;
    size_t kept = 0;

    e->at = calloc(list->count + 1, sizeof(e->at[0]));
    if (!e->at) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role == LOD_SOURCE_FILE && list->at[i].sketch) {
            e->at[e->count++].file = &list->at[i];
        }
    }
    qsort(e->at, e->count, sizeof(e->at[0]), by_look);
    for (size_t i = 0; i < e->count; i++) {
        e->at[i].equal = has_twin(e, i);
    }
    for (size_t i = 0; i < e->count; i++) {
        if (e->at[i].equal) {
            e->at[kept++] = (struct candidate){.file = e->at[i].file};
        }
    }
    e->count = kept;
    return 0;
}

static int read_chunk(const struct equal *e, int fd, const struct lod_source *file, uint8_t *chunk,
                      uint64_t offset, size_t bytes)
{
    int error = lod_cancel_poll(e->probe->stop);

    return error ? error : lod_source_pread(fd, file, chunk, bytes, offset);
}

static size_t chunk_at(const struct lod_source *file, uint64_t offset)
{
    return file->bytes - offset < CHUNK_BYTES ? (size_t)(file->bytes - offset) : CHUNK_BYTES;
}

static int hash_file(const struct equal *e, const struct lod_source *file, uint64_t *ret_hash)
{
    uint8_t *chunk = malloc(chunk_at(file, 0) + 1); /* malloc(0) may be NULL */
    uint64_t hash = 0;
    int fd = -1;
    int error = chunk ? lod_source_open(e->probe->root_fd, file, e->probe->follow, &fd) : -ENOMEM;

    for (uint64_t offset = 0; !error && offset < file->bytes; offset += CHUNK_BYTES) {
        size_t bytes = chunk_at(file, offset);
        error = read_chunk(e, fd, file, chunk, offset, bytes);
        hash = error ? 0 : lod_hash64(chunk, bytes, hash);
    }
    if (!error) {
        *ret_hash = hash;
    }
    lod_file_close(fd);
    free(chunk);
    return error;
}

/* Compares two files. An error can come from reading `file` or `first`; `first` was readable
 * before. */
static int compare_files(const struct equal *e, const struct lod_source *file,
                         const struct lod_source *first, bool *ret_equal)
{
    const struct lod_probe *probe = e->probe;
    const size_t room = chunk_at(file, 0);
    uint8_t *chunks = malloc(2 * room + 1);
    int fd = -1, first_fd = -1;
    int error = chunks ? lod_source_open(probe->root_fd, file, probe->follow, &fd) : -ENOMEM;
    bool equal = true;

    if (!error) {
        error = lod_source_open(probe->root_fd, first, probe->follow, &first_fd);
    }
    for (uint64_t offset = 0; !error && equal && offset < file->bytes; offset += CHUNK_BYTES) {
        size_t bytes = chunk_at(file, offset);
        error = read_chunk(e, fd, file, chunks, offset, bytes);
        error = error ? error : read_chunk(e, first_fd, first, chunks + room, offset, bytes);
        equal = !error && memcmp(chunks, chunks + room, bytes) == 0;
    }
    if (!error) {
        error = lod_source_check(fd, file);
    }
    if (!error) {
        *ret_equal = equal;
    }
    lod_file_close(fd);
    lod_file_close(first_fd);
    free(chunks);
    return error;
}

static uint64_t rank_of(const struct equal *e, const struct lod_source *file)
{
    return (uint64_t)(file - e->probe->list->at);
}

static int hash_one(void *ctx, uint64_t index)
{
    const struct equal *e = ctx;
    struct candidate *c = &e->at[index];
    int error = hash_file(e, c->file, &c->hash);

    return error
               ? lod_first_error_source(e->probe->first_error, rank_of(e, c->file), c->file, error)
               : 0;
}

static int compare_one(void *ctx, uint64_t index)
{
    const struct equal *e = ctx;
    struct candidate *c = &e->at[index];

    if (c->first == c || c->file->role != LOD_SOURCE_FILE) {
        return 0;
    }
    int error = compare_files(e, c->file, c->first->file, &c->equal);
    return error
               ? lod_first_error_source(e->probe->first_error, rank_of(e, c->file), c->file, error)
               : 0;
}

/* Sets `first` of every candidate. Unreadable files are not equal to any. */
static void find_firsts(struct equal *e)
{
    struct candidate *first = NULL;

    qsort(e->at, e->count, sizeof(e->at[0]), by_hash);
    for (size_t i = 0; i < e->count; i++) {
        struct candidate *c = &e->at[i];
        bool usable = c->file->role == LOD_SOURCE_FILE;
        if (usable && (!first || by_look(first, c) != 0 || first->hash != c->hash)) {
            first = c;
        }
        c->first = usable ? first : c;
    }
}

static void join(const struct equal *e)
{
    struct lod_source *list = e->probe->list->at;

    for (size_t i = 0; i < e->count; i++) {
        struct candidate *c = &e->at[i];
        if (c->equal && c->file->role == LOD_SOURCE_FILE) {
            c->file->role = LOD_SOURCE_EQUAL;
            c->file->owner = (uint32_t)(c->first->file - list);
            c->first->file->names += c->file->names;
        }
    }
}

int lod_dedup_find(struct lod_probe *probe)
{
    struct equal e = {.probe = probe};
    int error = gather(&e);

    error = error ? error : lod_pool_each(probe->pool, e.count, hash_one, &e);
    if (!error) {
        find_firsts(&e);
        error = lod_pool_each(probe->pool, e.count, compare_one, &e);
    }
    if (!error) {
        join(&e);
    }
    free(e.at);
    return error;
}
