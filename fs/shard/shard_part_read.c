/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Framed files in parts of the store: their intervals, one after the other, each read as a file of
 * its own. A file outside of parts is a single interval. See shard_read.h.
 */
#include <errno.h>
#include <string.h>

#include "shard/shard_layout.h"
#include "shard/shard_read.h"

/* A file being read: positions in it. */
struct reading {
    struct lod_shard_reader *reader;
    const struct lod_shard *shard;
    uint64_t from, to; /* the wanted range */
    uint8_t *into;     /* memory for the byte at `from` */
    uint64_t at;       /* the beginning of the present interval */
    uint64_t data_at;  /* the same in the file of samples; differs in a file of lines */
};

/* Returns whether the file's contents differ from part to part: it has samples, or a line for each
 * sample. */
static bool is_divided(const struct lod_shard *shard)
{
    return shard->part.count &&
           (shard->kind == LOD_FRAMED_DATA || shard->framing->lines[shard->kind]);
}

static uint64_t line_bytes(const struct lod_shard *shard)
{
    return lod_line_bytes(shard->framing->lines[shard->kind], shard->path_room);
}

static uint64_t bytes_in_file(const struct lod_shard *shard, uint64_t samples, uint64_t leads)
{
    return shard->kind == LOD_FRAMED_DATA ? samples : leads * line_bytes(shard);
}

static uint64_t file_bytes(const struct lod_shard *shard, const struct lod_blob *layout)
{
    size_t count;
    const struct lod_shard_interval *intervals = lod_shard_layout_intervals(layout, &count);
    uint64_t bytes = shard->kind == LOD_FRAMED_DATA ? shard->framing->trailer_bytes : 0;

    for (size_t i = 0; i < count; i++) {
        bytes += bytes_in_file(shard, intervals[i].bytes, intervals[i].leads);
    }
    return bytes;
}

/* Returns an interval as a framed file of its own. Lines contain offsets in the file of the part,
 * so its start is moved by the bytes of the intervals before it. */
static struct lod_shard file_of(const struct reading *reading,
                                const struct lod_shard_interval *interval)
{
    struct lod_shard file = *reading->shard;

    file.part = (struct lod_store_part){0};
    file.first_lead = interval->first_lead;
    file.leads = interval->leads;
    file.start =
        file.kind == LOD_FRAMED_DATA ? interval->start : interval->start - reading->data_at;
    file.sample_bytes = interval->bytes;
    file.bytes = bytes_in_file(&file, interval->bytes, interval->leads);
    return file;
}

static int read_interval(struct reading *reading, const struct lod_shard_interval *interval)
{
    const struct lod_shard file = file_of(reading, interval);
    const uint64_t from = reading->from > reading->at ? reading->from : reading->at;
    const uint64_t end = reading->at + file.bytes;
    const uint64_t to = reading->to < end ? reading->to : end;
    size_t bytes = 0;
    int error = 0;

    if (from < to) {
        error = lod_shard_read_stretch(reading->reader, &file, from - reading->at, to - from,
                                       reading->into + (from - reading->from), &bytes);
        error = error || bytes == to - from ? error : -EIO;
    }
    reading->at = end;
    reading->data_at += interval->bytes;
    return error;
}

static int read_intervals(struct reading *reading, const struct lod_blob *layout)
{
    size_t count;
    const struct lod_shard_interval *intervals = lod_shard_layout_intervals(layout, &count);
    int error = 0;

    for (size_t i = 0; !error && i < count && reading->at < reading->to; i++) {
        error = read_interval(reading, &intervals[i]);
    }
    if (!error && reading->at < reading->to) { /* the zeros that end the file */
        const uint64_t from = reading->from > reading->at ? reading->from : reading->at;
        memset(reading->into + (from - reading->from), 0, reading->to - from);
    }
    return error;
}

int lod_shard_bytes(struct lod_shard_reader *reader, const struct lod_shard *shard,
                    uint64_t *ret_bytes)
{
    struct lod_blob *layout = NULL;

    if (!is_divided(shard)) {
        *ret_bytes = shard->bytes;
        return 0;
    }
    int error = lod_shard_layout(lod_shard_reader_cache(reader), shard, &layout);
    if (!error) {
        *ret_bytes = file_bytes(shard, layout);
    }
    lod_blob_unref(layout);
    return error;
}

int lod_shard_read(struct lod_shard_reader *reader, const struct lod_shard *shard, uint64_t offset,
                   size_t bytes, uint8_t *into, size_t *ret_bytes)
{
    struct reading reading = {.reader = reader, .shard = shard, .from = offset, .into = into};
    struct lod_blob *layout = NULL;

    if (!is_divided(shard)) {
        return lod_shard_read_stretch(reader, shard, offset, bytes, into, ret_bytes);
    }
    int error = lod_shard_layout(lod_shard_reader_cache(reader), shard, &layout);
    if (error) {
        return error;
    }
    const uint64_t size = file_bytes(shard, layout), left = offset < size ? size - offset : 0;
    reading.to = offset + (bytes < left ? bytes : left);
    error = reading.from < reading.to ? read_intervals(&reading, layout) : 0;
    lod_blob_unref(layout);
    if (!error) {
        *ret_bytes = (size_t)(reading.to - reading.from);
    }
    return error;
}
