/* SPDX-License-Identifier: Apache-2.0 */
/* See shard_read.h. A range is divided into samples, a sample into stretches. */
#include "shard/shard_read.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "castagnoli.h"
#include "shard/class_list.h"
#include "shard/shard_cache.h"
#include "shard/shard_directory.h"
#include "shard/shard_run.h"

#define SUM_BYTES (256u << 10) /* read at a time for a checksum */

struct lod_shard_reader {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct lod_shard_cache cache;
    struct lod_shard_streams streams;
};

/* The requested part of a file. */
struct range {
    struct lod_shard_reader *reader;
    const struct lod_shard *shard;
    uint64_t from, to; /* offsets in the file */
    uint8_t *into;     /* memory for the byte at `from` */
    uint64_t ahead;    /* samples are fetched up to this offset */
};

/* ------------------------------------------------------------------------------- pieces */

/* Returns how many of the bytes [at, at + bytes) of the file are in the range. */
static uint64_t overlap(const struct range *range, uint64_t at, uint64_t bytes, uint64_t *ret_skip,
                        uint8_t **ret_into)
{
    const uint64_t from = at > range->from ? at : range->from;
    const uint64_t to = at + bytes < range->to ? at + bytes : range->to;

    *ret_skip = from - at;
    *ret_into = range->into + (from - range->from);
    return from < to ? to - from : 0;
}

static void copy(const struct lod_read *read, uint8_t *into)
{
    for (unsigned i = 0; i < read->count; i++) {
        memcpy(into, read->iov[i].iov_base, read->iov[i].iov_len);
        into += read->iov[i].iov_len;
    }
}

/* Returns the item of a file and its plan. Fails if the plan's size is not file->bytes, the size in
 * the directory. */
static int plan_file(const struct range *range, const struct lod_framed_file *file,
                     struct lod_item *item, struct lod_plan *plan)
{
    struct lod_dataset *dataset = range->reader->dataset;

    int error = lod_dataset_item(dataset, file->item, item);
    if (error) {
        return error;
    }
    error = lod_codec_plan(item->codec, item->row, LOD_FORMAT_TREE, range->shard->fidelity, plan);
    return error || plan->bytes != file->bytes
               ? lod_dataset_item_failed(dataset, item, error ? error : -EILSEQ)
               : 0;
}

static int read_file(const struct range *range, const struct lod_framed_file *file, uint64_t offset,
                     uint64_t bytes, uint8_t *into)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;

    int error = plan_file(range, file, &item, &plan);
    error =
        error ? error : lod_reader_read(range->reader->reader, &item, &plan, offset, bytes, &read);
    if (!error) {
        copy(&read, into);
        lod_read_finish(&read);
    }
    return error;
}

/* Copies the part of `text` that is in the range. `text` is bytes [at, at + bytes) of the file. */
static void copy_text(const struct range *range, uint64_t at, const void *text, uint64_t bytes)
{
    uint64_t skip, count;
    uint8_t *into;

    count = overlap(range, at, bytes, &skip, &into);
    if (count) {
        memcpy(into, (const uint8_t *)text + skip, count);
    }
}

/* ----------------------------------------------------------------------------- stretches */

/* A stretch being read. */
struct piece {
    const struct lod_framed_sample *sample;
    unsigned number;
    struct lod_stretch stretch;
    uint64_t file_at, tail_at; /* in the framed file */
    const uint8_t *head;       /* points into the answer, or into memory outside it */
};

/* Returns where to write text for byte `at` of the file: into the answer, if that has `room` bytes
 * from there on, else into `text`, from which it is copied. */
static uint8_t *place_of(const struct range *range, uint64_t at, uint64_t room, uint8_t *text)
{
    return at >= range->from && range->to - at >= room ? range->into + (at - range->from) : text;
}

/* Computes the checksum of a file of which the range has only a part: reads all of it; its frames
 * are in the cache. */
static int sum_again(const struct range *range, const struct lod_framed_file *file, uint32_t *crc)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    int error = plan_file(range, file, &item, &plan);

    for (uint64_t at = 0; !error && at < file->bytes;) {
        error = lod_reader_read(range->reader->reader, &item, &plan, at, SUM_BYTES, &read);
        if (!error) {
            for (unsigned i = 0; i < read.count; i++) {
                *crc = lod_crc32c(*crc, read.iov[i].iov_base, read.iov[i].iov_len);
            }
            at += read.bytes;
            lod_read_finish(&read);
        }
    }
    return error;
}

static int sum(const struct range *range, const struct piece *part, uint32_t *ret_crc)
{
    const struct lod_stretch *stretch = &part->stretch;
    const struct lod_framed_file *file = stretch->file;
    uint32_t crc = 0;
    int error = stretch->sum_first ? sum_again(range, stretch->sum_first, &crc) : 0;

    if (error) {
        return error;
    }
    crc = lod_crc32c(crc, part->head + stretch->sum_from, stretch->head_bytes - stretch->sum_from);
    if (part->file_at >= range->from && part->tail_at <= range->to) {
        crc = lod_crc32c(crc, range->into + (part->file_at - range->from), file->bytes);
    } else {
        error = sum_again(range, file, &crc);
    }
    *ret_crc = crc;
    return error;
}

static int write_tail(const struct range *range, const struct piece *part)
{
    uint8_t text[LOD_TAIL_BYTES];
    uint32_t crc = 0;
    int error = part->stretch.summed ? sum(range, part, &crc) : 0;

    uint8_t *into = place_of(range, part->tail_at, sizeof(text), text);
    assert(part->stretch.tail_bytes <= sizeof(text));
    if (!error) {
        range->shard->framing->tail(part->sample, part->number, crc, into);
        if (into == text) {
            copy_text(range, part->tail_at, text, part->stretch.tail_bytes);
        }
    }
    return error;
}

static int read_stretch(const struct range *range, struct piece *part)
{
    const struct lod_framed_file *file = part->stretch.file;
    uint64_t skip, count;
    uint8_t *into;
    int error = 0;

    const bool tail = part->stretch.tail_bytes && range->to > part->tail_at;
    if (file) {
        count = overlap(range, part->file_at, part->stretch.bytes, &skip, &into);
        error = count ? read_file(range, file, part->stretch.from + skip, count, into) : 0;
    }
    return error || !tail ? error : write_tail(range, part);
}

/* ------------------------------------------------------------------------------- samples */

static int read_sample(const struct range *range, const struct lod_framed_sample *sample,
                       uint64_t at, uint64_t *ret_end)
{
    const struct lod_framing *framing = range->shard->framing;
    const unsigned count = framing->stretches(sample);
    struct piece part = {.sample = sample};
    uint8_t text[LOD_HEAD_BYTES];
    int error = 0;

    for (; !error && part.number < count && at < range->to; part.number++) {
        uint8_t *head = place_of(range, at, sizeof(text), text);
        framing->stretch(sample, part.number, &part.stretch, head);
        assert(part.stretch.head_bytes <= sizeof(text));
        part.head = head;
        part.file_at = at + part.stretch.head_bytes;
        part.tail_at = part.file_at + part.stretch.bytes;
        if (head == text) {
            copy_text(range, at, text, part.stretch.head_bytes);
        }
        at += lod_stretch_bytes(&part.stretch);
        error = at > range->from ? read_stretch(range, &part) : 0;
    }
    *ret_end = at;
    return error;
}

/* --------------------------------------------------------------------------------- lines */

static void write_line(const struct range *range, const struct lod_shard_part *part,
                       const struct lod_blob *directory, uint64_t number, char *into)
{
    const struct lod_shard *shard = range->shard;
    const uint64_t start = lod_shard_directory_start(directory, number);
    struct lod_framed_sample sample;

    lod_shard_directory_sample(directory, number, &sample);
    const struct lod_framed_file *lead = &sample.file[sample.lead];
    const struct lod_framed_line line = {.id = part->first_lead + number,
                                         .offset = part->start + start - shard->start,
                                         .bytes = lod_shard_directory_start(directory, number + 1) -
                                                  start,
                                         .label = sample.label,
                                         .path = lead->path,
                                         .path_bytes = lead->path_bytes,
                                         .path_room = shard->path_room};
    shard->framing->lines[shard->kind]->write(&line, into);
}

/* Writes the lines of the samples of one record. Begins with lead *number of the file. */
static void read_part_lines(const struct range *range, const struct lod_shard_part *part,
                            const struct lod_blob *directory, uint64_t *number)
{
    const struct lod_shard *shard = range->shard;
    const uint64_t bytes = lod_line_bytes(shard->framing->lines[shard->kind], shard->path_room);
    const uint64_t end = (uint64_t)part->first_lead + part->leads - shard->first_lead;
    char text[LOD_LINE_BYTES];

    assert(bytes <= sizeof(text));
    for (; *number < end && *number < shard->leads && *number * bytes < range->to; ++*number) {
        write_line(range, part, directory, shard->first_lead + *number - part->first_lead, text);
        copy_text(range, *number * bytes, text, bytes);
    }
}

/* All lines have one length, so the first wanted one is found by division. */
static int read_lines(const struct range *range)
{
    const struct lod_shard *shard = range->shard;
    const uint64_t bytes = lod_line_bytes(shard->framing->lines[shard->kind], shard->path_room);
    uint64_t number = range->from / bytes;
    struct lod_shard_part part;
    int error = 0;

    while (!error && number * bytes < range->to) {
        struct lod_blob *directory = NULL;
        error = lod_shard_cache_part(&range->reader->cache, shard, LOD_SHARD_LEAD,
                                     shard->first_lead + number, &part, &directory);
        if (!error) {
            read_part_lines(range, &part, directory, &number);
        }
        lod_blob_unref(directory);
    }
    return error;
}

/* -------------------------------------------------------------------------------- ranges */

/* Reads the samples of a part from the byte *at of the file on. */
static int read_part(const struct range *range, const struct lod_shard_part *part,
                     const struct lod_blob *directory, uint64_t *at)
{
    /* Where the part begins in the file; a file that begins inside of a part wraps around. */
    const uint64_t begin = part->start - range->shard->start;
    const uint64_t count = lod_shard_directory_count(directory);
    uint64_t number = lod_shard_directory_find(directory, *at - begin);
    struct lod_shard_run run =
        lod_shard_run_begin(range->reader->dataset, range->reader->reader, range->shard->fidelity,
                            directory, range->ahead - begin);
    struct lod_framed_sample sample;
    int error = 0;

    for (; !error && number < count && *at < range->to; number++) {
        lod_shard_directory_sample(directory, number, &sample);
        sample.id = part->first_lead + number;
        lod_shard_run(&run, number, &sample);
        error =
            read_sample(range, &sample, begin + lod_shard_directory_start(directory, number), at);
    }
    return error;
}

static int read_range(const struct range *range)
{
    const struct lod_shard *shard = range->shard;
    struct lod_shard_part part;
    uint64_t at = range->from, skip;
    uint8_t *into;
    int error = 0;

    while (!error && at < range->to && at < shard->sample_bytes) {
        struct lod_blob *directory = NULL;
        error = lod_shard_cache_part(&range->reader->cache, shard, LOD_SHARD_BYTE,
                                     shard->start + at, &part, &directory);
        error = error ? error : read_part(range, &part, directory, &at);
        lod_blob_unref(directory);
    }
    const uint64_t zeros =
        overlap(range, shard->sample_bytes, shard->framing->trailer_bytes, &skip, &into);
    if (!error && zeros) {
        memset(into, 0, zeros);
    }
    return error;
}

int lod_shard_read_stretch(struct lod_shard_reader *reader, const struct lod_shard *shard,
                           uint64_t offset, size_t bytes, uint8_t *into, size_t *ret_bytes)
{
    const uint64_t left = offset < shard->bytes ? shard->bytes - offset : 0;
    struct range range = {.reader = reader,
                          .shard = shard,
                          .from = offset,
                          .to = offset + (bytes < left ? bytes : left),
                          .into = into};

    assert(bytes <= LOD_READ_BYTES_MAX);
    if (range.from >= range.to) {
        *ret_bytes = 0;
        return 0;
    }
    range.ahead = range.to + lod_shard_streams_note(&reader->streams, shard, offset, bytes);
    int error = shard->kind == LOD_FRAMED_DATA ? read_range(&range)
                : shard->kind == LOD_FRAMED_CLASSES
                    ? lod_class_list_read(reader->cache.dataset, shard, range.from, range.to, into)
                    : read_lines(&range);
    if (!error) {
        *ret_bytes = (size_t)(range.to - range.from);
    }
    return error;
}

int lod_shard_reader_create(struct lod_dataset *dataset, struct lod_reader *reader,
                            struct lod_shard_reader **ret_reader)
{
    struct lod_shard_reader *made = calloc(1, sizeof(*made));

    if (!made) {
        return -ENOMEM;
    }
    made->dataset = dataset;
    made->reader = reader;
    made->cache.dataset = dataset;
    int error = lod_cache_create(LOD_SHARD_CACHE_BYTES, &made->cache.blobs);
    if (error) {
        free(made);
        return error;
    }
    *ret_reader = made;
    return 0;
}

struct lod_shard_cache *lod_shard_reader_cache(struct lod_shard_reader *reader)
{
    return &reader->cache;
}

struct lod_shard_reader *lod_shard_reader_destroy(struct lod_shard_reader *reader)
{
    if (reader) {
        lod_cache_destroy(reader->cache.blobs);
        free(reader);
    }
    return NULL;
}
