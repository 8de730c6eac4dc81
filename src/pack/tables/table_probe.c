/* SPDX-License-Identifier: Apache-2.0 */
/* See table_probe.h. */
#include "pack/tables/table_probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/file_io.h"
#include "toc/source/npy_read.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define WHY_TEXT    512

struct state {
    const struct lod_probe *probe;
    const struct lod_tables_options *options;
    struct lod_progress *progress;
    struct lod_table_found *found;
    struct lod_source *file;
    int fd;
};

/* Keeps why a file that the user named as a table is malformed. */
static int refuse(struct state *state, const char *why)
{
    state->found->malformed = strdup(why);
    return state->found->malformed ? -EILSEQ : -ENOMEM;
}

/* ---------------------------------------------------------------------------------- npy */

/*
 * Returns whether a .npy that --tables does not name is a table. Such a table is stored as shards
 * only.
 */
static bool is_default(const struct state *state, const struct lod_npy *npy)
{
    return state->file->bytes >= LOD_TABLE_BYTES_MIN && !npy->fortran_order && npy->rows;
}

static int take_npy(struct state *state, const struct lod_npy *npy)
{
    struct lod_data_table *table = &state->found->table;

    if (npy->data_bytes != state->file->bytes - npy->header_bytes) {
        return state->found->wanted ? refuse(state, "its size is not that of header and elements")
                                    : 0;
    }
    if (!state->found->wanted && !is_default(state, npy)) {
        return 0;
    }
    *table = (struct lod_data_table){.kind = LOD_TABLE_NPY,
                                     .stored = !npy->fortran_order,
                                     .by_column = npy->fortran_order,
                                     .dtype = npy->dtype,
                                     .rows = npy->rows,
                                     .columns = (uint32_t)npy->columns,
                                     .header_bytes = npy->header_bytes,
                                     .file_bytes = state->file->bytes};
    int error =
        npy->columns > UINT32_MAX ? -E2BIG : lod_table_cut(table, &state->options->text.cut);
    if (error && state->found->wanted) {
        state->file->why = npy->columns ? "its rows are too long for a shard" : "it has no columns";
    }
    state->found->is_table = !error;
    return 0;
}

static int parse_npy(struct state *state, struct lod_span header)
{
    struct lod_npy npy;
    const char *why = NULL;
    char text[WHY_TEXT];
    uint32_t byte = 0;

    int error = lod_npy_parse(header, &npy, &why, &byte);
    if (error && state->found->wanted) {
        if (error == -ENOTSUP) {
            state->file->why = why;
            return 0;
        }
        snprintf(text, sizeof(text), "%s (byte %" PRIu32 ")", why, byte);
        return refuse(state, text);
    }
    return error ? 0 : take_npy(state, &npy);
}

static int probe_npy(struct state *state)
{
    uint8_t prefix[LOD_NPY_PREFIX_BYTES];
    struct lod_buf header = {0};
    uint32_t bytes = 0;

    if (state->file->bytes < sizeof(prefix)) {
        return state->found->wanted ? refuse(state, "it is not a .npy file") : 0;
    }
    int error = lod_source_pread(state->fd, state->file, prefix, sizeof(prefix), 0);
    if (error) {
        return error;
    }
    int malformed = lod_npy_header_bytes((struct lod_span){prefix, sizeof(prefix)}, &bytes);
    if (!malformed && bytes > state->file->bytes) {
        malformed = -EILSEQ;
    }
    if (malformed) {
        return state->found->wanted
                   ? refuse(state, malformed == -E2BIG ? "its header has more than 64 KiB (byte 8)"
                                                       : "it is not a .npy file (byte 0)")
                   : 0;
    }
    error = lod_buf_reserve(&header, bytes);
    error = error ? error : lod_source_pread(state->fd, state->file, header.data, bytes, 0);
    header.bytes = bytes;
    error = error ? error : parse_npy(state, lod_buf_span(&header));
    lod_buf_finish(&header);
    return error;
}

/* --------------------------------------------------------------------------------- text */

static int feed(struct state *state, struct lod_buf *window, bool last)
{
    size_t taken = 0;
    int error = lod_text_scan_feed(state->found->scan, lod_buf_span(window), last, &taken);

    if (error == -EILSEQ || error == -E2BIG) {
        return refuse(state, lod_text_scan_why(state->found->scan));
    }
    if (!error && taken) {
        memmove(window->data, window->data + taken, window->bytes - taken);
        window->bytes -= taken;
    }
    return error;
}

/* Reads the file once. The start of an incomplete line stays in the window, 16 MiB at most. */
static int pass(struct state *state, struct lod_buf *window)
{
    const uint64_t all = state->file->bytes;
    int error = 0;

    window->bytes = 0;
    for (uint64_t at = 0; !error && at < all;) {
        size_t bytes = all - at < CHUNK_BYTES ? (size_t)(all - at) : CHUNK_BYTES;
        error = lod_cancel_poll(state->probe->stop);
        error = error ? error : lod_buf_reserve(window, bytes);
        error = error ? error
                      : lod_source_pread(state->fd, state->file, window->data + window->bytes,
                                         bytes, at);
        if (!error) {
            window->bytes += bytes;
            at += bytes;
            error = feed(state, window, at == all);
            lod_progress_add(state->progress, 0, bytes, 0);
        }
    }
    return error;
}

static int probe_text(struct state *state)
{
    struct lod_buf window = {0};
    bool again = true;
    int error =
        lod_text_scan_create(state->found->kind, &state->options->text, &state->found->scan);

    while (!error && again) {
        error = pass(state, &window);
        error = error ? error : lod_text_scan_end(state->found->scan, &again);
        if (error == -EILSEQ && !state->found->malformed) {
            error = refuse(state, lod_text_scan_why(state->found->scan));
        }
    }
    lod_buf_finish(&window);
    if (!error) {
        lod_text_scan_table(state->found->scan, &state->found->table);
        state->found->is_table = true;
        state->file->why = lod_text_scan_rounded(state->found->scan);
    }
    return error;
}

int lod_table_probe(const struct lod_probe *probe, const struct lod_tables_options *options,
                    struct lod_progress *progress, struct lod_table_found *found)
{
    struct lod_source *file = &probe->list->at[found->file];
    struct state state = {.probe = probe,
                          .options = options,
                          .progress = progress,
                          .found = found,
                          .file = file,
                          .fd = -1};

    int error = lod_source_open(probe->root_fd, file, probe->follow, &state.fd);
    if (!error) {
        error = found->kind == LOD_TABLE_NPY ? probe_npy(&state) : probe_text(&state);
        error = error ? error : lod_source_check(state.fd, file);
    }
    lod_file_close(state.fd);
    if (found->malformed) {
        lod_text_scan_destroy(found->scan);
        found->scan = NULL;
        return 0;
    }
    if (error) {
        found->is_table = false;
        error = lod_first_error_source(probe->first_error, found->file, file, error);
    }
    return error;
}
