/* SPDX-License-Identifier: Apache-2.0 */
/* See magic.h. */
#include "pack/record/magic.h"

#include <string.h>
#include <unistd.h>

#include "sample/magic_scan.h"

#define LABEL_ENDING ".label"
#define HEAD_BYTES   24u /* of a record of RecordIO, before its picture */
#define READ_BYTES   ((size_t)1 << LOD_FRAME_SHIFT_MAX)

void lod_magic_begin(struct lod_record_job *job)
{
    job->magics.bytes = 0;
    job->magic_words = 0;
}

/* Returns whether the picture is small enough for a record of recordio/ at every fidelity. */
static bool fits(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_plan plan;
    bool fits = true;

    for (unsigned f = LOD_Q1; fits && f <= LOD_FULL; f++) {
        fits = lod_codec_plan(codec, row, LOD_FORMAT_TREE, (enum lod_fidelity)f, &plan) == 0 &&
               plan.bytes < LOD_MAGIC_FILE_MAX - HEAD_BYTES;
    }
    return fits;
}

/* Appends a slot's list. If the record has no room for it,
 * appends that there are too many words. */
static int add(struct lod_record_job *job, uint32_t slot, const struct lod_buf *list)
{
    struct lod_source *source = &job->write->list->at[job->files[slot]];
    struct lod_cursor c = lod_cursor(list->data, list->bytes);
    struct lod_magics magics = {0};
    const size_t before = job->magics.bytes;

    source->recordio =
        lod_record_job_has_pictures(job) && !fits(job->record->codec, job->slots[slot].row)
            ? LOD_RECORDIO_LARGE
            : LOD_RECORDIO_HAS;
    int error = list->bytes ? lod_magics_take(&c, &magics) : 0;
    if (error || list->bytes == 0) {
        return error;
    }
    if (job->magic_words + magics.count > LOD_MAGICS_RECORD_MAX) {
        magics = (struct lod_magics){.too_many = true};
    }
    job->magic_words += magics.count;
    if (magics.too_many) {
        source->recordio = LOD_RECORDIO_WORDS;
    }
    error = magics.too_many ? lod_magic_list_too_many(&job->magics)
                            : lod_buf_append(&job->magics, list->data, list->bytes);
    job->slots[slot].row[0] |= LOD_ITEM_HAS_MAGIC;
    job->slots[slot].magics.bytes = job->magics.bytes - before;
    return error;
}

int lod_magic_of_encoded(struct lod_record_job *job, const struct lod_encoded *item)
{
    struct lod_span group[LOD_GROUPS_MAX];
    struct lod_buf list = {0};
    int error = 0;

    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        group[i] = lod_buf_span(&item->group[i]);
    }
    if (lod_record_job_has_pictures(job)) {
        error = lod_magic_scan(job->record->codec, item->row, group, &list);
    }
    error = error ? error : add(job, job->count - 1, &list);
    lod_buf_finish(&list);
    return error;
}

static int read_words(struct lod_record_job *job, const struct lod_source *source,
                      struct lod_magic_words *words)
{
    int fd = -1, error = lod_buf_reserve(&job->buffer, READ_BYTES);

    if (error || lod_source_open(job->write->root_fd, source, job->write->follow, &fd)) {
        return error;
    }
    for (uint64_t at = 0; !error && at < source->bytes; at += READ_BYTES) {
        const uint64_t left = source->bytes - at;
        const size_t bytes = left < READ_BYTES ? (size_t)left : READ_BYTES;
        if (lod_source_pread(fd, source, job->buffer.data, bytes, at)) {
            break;
        }
        error =
            lod_magic_words_add(words, (struct lod_span){.at = job->buffer.data, .bytes = bytes});
    }
    close(fd);
    return error;
}

int lod_magic_of_copied(struct lod_record_job *job)
{
    const struct lod_source *source = &job->write->list->at[job->files[job->count - 1]];
    const size_t bytes = strlen(source->path), ending = strlen(LABEL_ENDING);
    const bool label = bytes > ending && strcmp(source->path + bytes - ending, LABEL_ENDING) == 0;
    struct lod_magic_words words = {0};
    struct lod_buf list = {0};
    int error = 0;

    if (!source->added && (label || lod_record_job_has_pictures(job)) &&
        source->bytes < LOD_MAGIC_FILE_MAX) {
        error = read_words(job, source, &words);
    }
    error = error ? error : lod_magic_words_list(&words, &list);
    error = error ? error : add(job, job->count - 1, &list);
    lod_magic_words_finish(&words);
    lod_buf_finish(&list);
    return error;
}

int lod_magic_of_kept(struct lod_record_job *job, uint32_t slot,
                      const struct lod_metadata *metadata)
{
    struct lod_path_entry entry;
    struct lod_buf list = {0};
    int error = lod_metadata_path(metadata, slot, &entry);

    error = error ? error : lod_buf_append(&list, entry.magics.list.at, entry.magics.list.bytes);
    error = error ? error : add(job, slot, &list);
    lod_buf_finish(&list);
    return error;
}

void lod_magic_set_lists(struct lod_record_job *job)
{
    const uint8_t *at = job->magics.data;

    for (uint32_t slot = 0; slot < job->count; slot++) {
        if (job->slots[slot].magics.bytes) {
            job->slots[slot].magics.at = at;
            at += job->slots[slot].magics.bytes;
        }
    }
}
