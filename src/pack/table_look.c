/* SPDX-License-Identifier: Apache-2.0 */
/* See table_look.h. */
#include "pack/table_look.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "store/format.h"
#include "toc/csv_read.h"
#include "toc/npy_read.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define WHY_TEXT    512

struct look {
    const struct lod_probe *probe;
    const struct lod_tables_options *options;
    struct lod_progress *progress;
    struct lod_table_found *found;
    struct lod_source *file;
    int fd;
    bool refused; /* what went wrong has its sentence */
};

/* What is wrong with the contents of a file that the user calls a table. */
static int refuse(struct look *look, int error, const char *why)
{
    char name[4 * LOD_PATH_MAX + 1], text[4 * WHY_TEXT + 1];

    lod_escape(look->file->path, strlen(look->file->path), name, sizeof(name));
    lod_escape(why, strlen(why), text, sizeof(text));
    look->refused = true;
    return lod_trouble_set(look->probe->trouble, look->found->file, error,
                           "cannot make shards of the table '%s': %s", name, text);
}

/* ---------------------------------------------------------------------------------- npy */

/* What a file that nobody named needs: it is then kept as shards alone. */
static bool is_default(const struct look *look, const struct lod_npy *npy)
{
    return look->file->bytes >= LOD_TABLE_BYTES_MIN && !npy->fortran_order && npy->rows;
}

static int take_npy(struct look *look, const struct lod_npy *npy)
{
    struct lod_data_table *table = &look->found->table;

    if (npy->data_bytes != look->file->bytes - npy->header_bytes) {
        return look->found->wanted
                   ? refuse(look, -EILSEQ, "its size is not that of header and elements")
                   : 0;
    }
    if (!look->found->wanted && !is_default(look, npy)) {
        return 0;
    }
    *table = (struct lod_data_table){.kind = LOD_TABLE_NPY,
                                     .stored = !npy->fortran_order,
                                     .by_column = npy->fortran_order,
                                     .dtype = npy->dtype,
                                     .rows = npy->rows,
                                     .columns = (uint32_t)npy->columns,
                                     .header_bytes = npy->header_bytes,
                                     .file_bytes = look->file->bytes};
    int error = npy->columns > UINT32_MAX ? -E2BIG : lod_table_cut(table, &look->options->text.cut);
    if (error && look->found->wanted) {
        look->file->why = npy->columns ? "its rows are too long for a shard" : "it has no columns";
    }
    look->found->is_table = !error;
    return 0;
}

static int parse_npy(struct look *look, struct lod_span header)
{
    struct lod_npy npy;
    const char *why = NULL;
    char text[WHY_TEXT];
    uint32_t byte = 0;

    int error = lod_npy_parse(header, &npy, &why, &byte);
    if (error && look->found->wanted) {
        if (error == -ENOTSUP) {
            look->file->why = why;
            return 0;
        }
        snprintf(text, sizeof(text), "%s (byte %" PRIu32 ")", why, byte);
        return refuse(look, error, text);
    }
    return error ? 0 : take_npy(look, &npy);
}

static int look_npy(struct look *look)
{
    uint8_t prefix[LOD_NPY_PREFIX_BYTES];
    struct lod_buf header = {0};
    uint32_t bytes = 0;

    if (look->file->bytes < sizeof(prefix)) {
        return look->found->wanted ? refuse(look, -EILSEQ, "it is no .npy file") : 0;
    }
    int error = lod_source_pread(look->fd, prefix, sizeof(prefix), 0);
    if (error) {
        return error;
    }
    int malformed = lod_npy_header_bytes((struct lod_span){prefix, sizeof(prefix)}, &bytes);
    if (!malformed && bytes > look->file->bytes) {
        malformed = -EILSEQ;
    }
    if (malformed) {
        return look->found->wanted
                   ? refuse(look, malformed,
                            malformed == -E2BIG ? "its header has more than 64 KiB (byte 8)"
                                                : "it is no .npy file (byte 0)")
                   : 0;
    }
    error = lod_buf_reserve(&header, bytes);
    error = error ? error : lod_source_pread(look->fd, header.data, bytes, 0);
    header.bytes = bytes;
    error = error ? error : parse_npy(look, lod_buf_span(&header));
    lod_buf_finish(&header);
    return error;
}

/* --------------------------------------------------------------------------------- text */

static int feed(struct look *look, struct lod_buf *window, bool last)
{
    size_t taken = 0;
    int error = lod_text_scan_feed(look->found->scan, lod_buf_span(window), last, &taken);

    if (error == -EILSEQ || error == -E2BIG) {
        return refuse(look, error, lod_text_scan_why(look->found->scan));
    }
    if (!error && taken) {
        memmove(window->data, window->data + taken, window->bytes - taken);
        window->bytes -= taken;
    }
    return error;
}

/* One pass. What is left of a line waits in the window, which has 16 MiB of it at most. */
static int pass(struct look *look, struct lod_buf *window)
{
    const uint64_t all = look->file->bytes;
    int error = 0;

    window->bytes = 0;
    for (uint64_t at = 0; !error && at < all;) {
        size_t bytes = all - at < CHUNK_BYTES ? (size_t)(all - at) : CHUNK_BYTES;
        error = lod_stop_poll(look->probe->stop);
        error = error ? error : lod_buf_reserve(window, bytes);
        error = error ? error : lod_source_pread(look->fd, window->data + window->bytes, bytes, at);
        if (!error) {
            window->bytes += bytes;
            at += bytes;
            error = feed(look, window, at == all);
            lod_progress_add(look->progress, 0, bytes, 0);
        }
    }
    return error;
}

static int look_text(struct look *look)
{
    struct lod_buf window = {0};
    bool again = true;
    int error = lod_text_scan_create(look->found->kind, &look->options->text, &look->found->scan);

    while (!error && again) {
        error = pass(look, &window);
        error = error ? error : lod_text_scan_end(look->found->scan, &again);
        if (error == -EILSEQ && !look->refused) {
            error = refuse(look, error, lod_text_scan_why(look->found->scan));
        }
    }
    lod_buf_finish(&window);
    if (!error) {
        lod_text_scan_table(look->found->scan, &look->found->table);
        look->found->is_table = true;
    }
    return error;
}

int lod_table_look(const struct lod_probe *probe, const struct lod_tables_options *options,
                   struct lod_progress *progress, struct lod_table_found *found)
{
    struct lod_source *file = &probe->list->at[found->file];
    struct look look = {.probe = probe,
                        .options = options,
                        .progress = progress,
                        .found = found,
                        .file = file,
                        .fd = -1};

    int error = lod_source_open(probe->root_fd, file, probe->follow, &look.fd);
    if (!error) {
        error = found->kind == LOD_TABLE_NPY ? look_npy(&look) : look_text(&look);
        error = error ? error : lod_source_check(look.fd, file);
    }
    if (error && !look.refused) {
        found->is_table = false;
        error = lod_trouble_source(probe->trouble, found->file, file, error);
    }
    if (look.fd >= 0) {
        close(look.fd);
    }
    return error;
}
