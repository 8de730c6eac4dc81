/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, tables: shards opened one by one or as a folder, and the facts of a table.
 * lodfs_product.c multiplies.
 */
#include "api/lodfs_table.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs_error.h"
#include "api/lodfs_source.h"
#include "list.h"

static struct lod_table_core *unref(struct lod_table_core *core)
{
    if (core && atomic_fetch_sub(&core->refs, 1) == 1) {
        for (uint32_t i = 0; i < core->count; i++) {
            lod_toc_matrix_destroy(core->shards[i].matrix);
            lod_buf_finish(&core->shards[i].bytes);
        }
        free(core->shards);
        free(core);
    }
    return NULL;
}

void lodfs_table_close(struct lodfs_table *table)
{
    if (table) {
        unref(table->core);
        free(table);
    }
}

static int create(uint32_t shards, struct lodfs_table **ret_table)
{
    struct lodfs_table *table = calloc(1, sizeof(*table));
    struct lod_table_core *core = calloc(1, sizeof(*core));
    struct lod_table_shard *at = calloc((size_t)shards + 1, sizeof(*at));

    if (!table || !core || !at) {
        free(table);
        free(core);
        free(at);
        return -ENOMEM;
    }
    atomic_init(&core->refs, 1);
    core->shards = at;
    table->core = core;
    table->factor = 1;
    *ret_table = table;
    return 0;
}

/* Writes the type's name in NumPy. */
static void name_dtype(struct lod_table_core *core)
{
    static const char kinds[] = {'b', 'i', 'u', 'f'};
    const unsigned bytes = lod_dtype_bytes(core->dtype);

    core->dtype_name[0] = bytes == 1 ? '|' : core->dtype & LOD_DTYPE_BIG_ENDIAN ? '>' : '<';
    core->dtype_name[1] = kinds[LOD_DTYPE_CLASS(core->dtype) >> 2];
    core->dtype_name[2] = (char)('0' + bytes);
}

/* Limit of an expanded shard, which takes a few times its bytes. A damaged shard of a few bytes
 * could claim more. */
#define MEMORY_MAX(bytes) (((uint64_t)1 << 30) + 64 * (uint64_t)(bytes))

/* Appends a shard to the table. Takes ownership of `bytes`, also on failure. */
static int add_shard(struct lod_table_core *core, struct lod_buf *bytes)
{
    struct lod_table_shard *shard = &core->shards[core->count++];

    shard->bytes = *bytes;
    *bytes = (struct lod_buf){0};
    int error = lod_toc_open(lod_buf_span(&shard->bytes), &shard->shard);
    if (!error && core->count > 1 &&
        (shard->shard.dtype != core->dtype || shard->shard.columns != core->columns)) {
        error = -EILSEQ;
    }
    error = error ? error
                  : lod_toc_matrix_create(&shard->shard, MEMORY_MAX(shard->bytes.bytes),
                                          &shard->matrix);
    if (error) {
        return error;
    }
    shard->first_row = core->rows;
    shard->first_batch = core->batches;
    core->dtype = shard->shard.dtype;
    core->columns = shard->shard.columns;
    core->rows += shard->shard.rows;
    core->batches += shard->shard.batches;
    core->rows_max = core->rows_max > shard->shard.rows ? core->rows_max : shard->shard.rows;
    const uint64_t scratch = lod_toc_scratch_bytes(shard->matrix);
    core->scratch_bytes = core->scratch_bytes > scratch ? core->scratch_bytes : scratch;
    core->stored_bytes += shard->bytes.bytes;
    core->memory_bytes += shard->bytes.bytes + shard->matrix->bytes;
    name_dtype(core);
    return 0;
}

static int fail(struct lodfs_error *error, int result, const char *path, const char *name)
{
    const char *why = result == -EBADMSG  ? "its hash differs: it is damaged"
                      : result == -EILSEQ ? "it is malformed, or not a shard (for x.npy open x.toc)"
                      : result == -ENOTSUP   ? "it is of another version"
                      : result == -ETIMEDOUT ? lod_why(result)
                                             : strerrordesc_np(-result);

    char whole[PATH_MAX];

    snprintf(whole, sizeof(whole), "%s%s%s", path, name[0] ? "/" : "", name);
    return lod_say_named(error, result, "cannot open the table ", whole, why);
}

int lodfs_table_open_bytes(const void *bytes, size_t count, struct lodfs_table **ret_table,
                           struct lodfs_error *error)
{
    struct lodfs_table *table = NULL;
    struct lod_buf copy = {0};
    int result = create(1, &table);

    result = result ? result : lod_buf_append(&copy, bytes, count);
    result = result ? result : add_shard(table->core, &copy);
    if (result) {
        lod_buf_finish(&copy);
        lodfs_table_close(table);
        return fail(error, result, "(bytes)", "");
    }
    *ret_table = table;
    return 0;
}

/* Opens a folder: exactly the shards that its schema counts. */
static int open_folder(const struct lod_table_source *source, struct lodfs_table **ret_table,
                       char name[LOD_SOURCE_NAME_ROOM])
{
    struct lod_table_outline outline = {0};
    struct lodfs_table *table = NULL;
    struct lod_buf bytes = {0};
    int error = lod_table_source_outline(source, &outline, name);

    error = error ? error : create(outline.shards, &table);
    if (!error) {
        table->core->columns = outline.columns;
        table->core->dtype = outline.dtype;
        name_dtype(table->core);
    }
    for (uint32_t i = 0; !error && i < outline.shards; i++) {
        snprintf(name, LOD_SOURCE_NAME_ROOM, "shard-%05" PRIu32 ".toc", i);
        error = lod_table_source_read(source, name, &bytes);
        error = error ? error : add_shard(table->core, &bytes);
        lod_buf_finish(&bytes);
    }
    if (!error && (table->core->rows != outline.rows || table->core->columns != outline.columns)) {
        name[0] = '\0';
        error = -EILSEQ;
    }
    if (error) {
        lodfs_table_close(table);
        return error;
    }
    *ret_table = table;
    return 0;
}

static int open_file(const struct lod_table_source *source, struct lodfs_table **ret_table)
{
    struct lodfs_table *table = NULL;
    struct lod_buf bytes = {0};
    int error = lod_table_source_read(source, "", &bytes);

    error = error ? error : create(1, &table);
    error = error ? error : add_shard(table->core, &bytes);
    lod_buf_finish(&bytes);
    if (error) {
        lodfs_table_close(table);
        return error;
    }
    *ret_table = table;
    return 0;
}

static int open_table(const struct lod_table_source *source, struct lodfs_table **ret_table,
                      struct lodfs_error *error)
{
    char name[LOD_SOURCE_NAME_ROOM] = "";
    bool folder = false;
    int result = lod_table_source_stat(source, &folder);

    if (!result) {
        result = folder ? open_folder(source, ret_table, name) : open_file(source, ret_table);
    }
    return result ? fail(error, result, source->path, name) : 0;
}

int lodfs_table_open(const char *path, struct lodfs_table **ret_table, struct lodfs_error *error)
{
    const struct lod_table_source source = {.path = path};

    return open_table(&source, ret_table, error);
}

int lodfs_table_open_store(struct lodfs_store *store, const char *path,
                           struct lodfs_table **ret_table, struct lodfs_error *error)
{
    const struct lod_table_source source = {.path = path, .store = store};

    return open_table(&source, ret_table, error);
}

int lodfs_table_scale(const struct lodfs_table *table, double c, struct lodfs_table **ret_table,
                      struct lodfs_error *error)
{
    struct lodfs_table *scaled = malloc(sizeof(*scaled));

    if (!scaled) {
        return lod_say(error, -ENOMEM, "out of memory");
    }
    *scaled = *table;
    scaled->factor *= c;
    atomic_fetch_add(&scaled->core->refs, 1);
    *ret_table = scaled;
    return 0;
}

/* ------------------------------------------------------------------------------- facts */

uint32_t lodfs_table_element_bytes(const struct lodfs_table *table)
{
    return lod_dtype_bytes(table->core->dtype);
}

uint64_t lodfs_table_rows(const struct lodfs_table *table)
{
    return table->core->rows;
}

uint64_t lodfs_table_columns(const struct lodfs_table *table)
{
    return table->core->columns;
}

uint32_t lodfs_table_shards(const struct lodfs_table *table)
{
    return table->core->count;
}

const char *lodfs_table_dtype(const struct lodfs_table *table)
{
    return table->core->dtype_name;
}

uint64_t lodfs_table_memory_bytes(const struct lodfs_table *table)
{
    return table->core->memory_bytes;
}

uint64_t lodfs_table_stored_bytes(const struct lodfs_table *table)
{
    return table->core->stored_bytes;
}

uint64_t lodfs_table_batches(const struct lodfs_table *table)
{
    return table->core->batches;
}

const struct lod_table_shard *lod_table_shard_of_batch(const struct lod_table_core *core,
                                                       uint64_t batch)
{
    uint32_t next = 1;

    LOD_SEARCH(next, core->count, core->shards[middle].first_batch <= batch);
    return &core->shards[next - 1];
}

uint64_t lodfs_table_batch_start(const struct lodfs_table *table, uint64_t batch)
{
    if (batch >= table->core->batches) {
        return table->core->rows;
    }
    const struct lod_table_shard *shard = lod_table_shard_of_batch(table->core, batch);
    return shard->first_row + (batch - shard->first_batch) * shard->shard.batch_rows;
}

uint64_t lodfs_table_batch_rows(const struct lodfs_table *table, uint64_t first, uint64_t count)
{
    if (first > table->core->batches || count > table->core->batches - first) {
        return 0;
    }
    return lodfs_table_batch_start(table, first + count) - lodfs_table_batch_start(table, first);
}
