/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory is a single block of memory: counts, samples, files, names. It has no pointers, so a
 * cache can hold it as a blob. See shard_directory.h.
 */
#include "shard/shard_directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "index/index_samples.h"
#include "list.h"
#include "record/magics_reader.h"
#include "record/metadata.h"
#include "sample/sample_make.h"

struct counts {
    uint64_t samples, files, words;
};

struct dir_sample {
    uint64_t end; /* offset after its last byte */
    uint32_t first_file;
    uint32_t lead; /* index of the lead, from first_file on */
    uint32_t stem_bytes;
    int32_t label;
    uint32_t width, height;
    uint32_t class_at, class_bytes; /* in the lead's path */
    const char *kind;               /* a constant of the program */
};

struct dir_file {
    uint64_t bytes;
    int64_t mtime;
    uint32_t item;
    uint32_t name_at; /* the path follows the name */
    uint16_t name_bytes, path_bytes, mode, plain;
    uint32_t words_at, words;
};

/* The state while a directory is made. */
struct making {
    struct lod_dataset *dataset;
    const struct lod_shard_part *part;
    struct lod_record_desc recd;
    struct lod_metadata metadata;
    struct lod_sample_tree tree;
    struct lod_sample_maker *maker;
    char split[LOD_NAME_MAX + 1]; /* "": all paths belong to the split */
    uint64_t end;
    struct lod_magics_reader magics;
    LOD_LIST(struct dir_sample) samples;
    LOD_LIST(struct dir_file) files;
    LOD_LIST(uint32_t) words;
    uint32_t words_taken; /* see lod_sample_takes */
    struct lod_buf names;
};

static int add_file(struct making *m, const struct lod_framed_file *file)
{
    const struct dir_file made = {.bytes = file->bytes,
                                  .mtime = file->mtime,
                                  .item = file->item,
                                  .name_at = (uint32_t)m->names.bytes,
                                  .name_bytes = (uint16_t)file->name_bytes,
                                  .path_bytes = (uint16_t)file->path_bytes,
                                  .mode = file->mode,
                                  .plain = file->plain,
                                  .words_at = (uint32_t)m->words.count,
                                  .words = file->words_count};
    int error = LOD_LIST_ADD(&m->files, made);

    for (uint32_t i = 0; !error && i < file->words_count; i++) {
        error = LOD_LIST_ADD(&m->words, file->words[i]);
    }
    error = error ? error : lod_buf_append(&m->names, file->name, file->name_bytes);
    error = error ? error : lod_buf_append(&m->names, file->path, file->path_bytes);
    return error || m->names.bytes <= UINT32_MAX ? error : -E2BIG;
}

static int add_sample(struct making *m, const struct lod_framed_sample *sample)
{
    const char *path = sample->file[sample->lead].path;
    const struct dir_sample made = {
        .end = m->end + lod_framing_bytes(m->part->framing, sample),
        .first_file = (uint32_t)m->files.count,
        .lead = sample->lead,
        .stem_bytes = (uint32_t)sample->stem_bytes,
        .label = sample->label,
        .width = sample->width,
        .height = sample->height,
        .class_at = sample->class_bytes ? (uint32_t)(sample->class_name - path) : 0,
        .class_bytes = (uint32_t)sample->class_bytes,
        .kind = sample->kind};
    int error = LOD_LIST_ADD(&m->samples, made);

    for (unsigned i = 0; !error && i < sample->count; i++) {
        error = add_file(m, &sample->file[i]);
    }
    m->end = made.end;
    return error;
}

/* Adds the members before the lead, the lead, and the members after it, in order of names. */
static int add_files(struct making *m, const struct lod_sample_row *row,
                     const struct lod_sample_part *lead)
{
    uint8_t in_index[LOD_ROW_BYTES];
    uint32_t node = 0;
    int error = 0;

    if (row->before || row->after) {
        error = m->tree.item(m->tree.ctx, lead->item, in_index);
        node = error ? 0 : lod_row_own_node(in_index);
        error = error || node > row->before ? error : -EILSEQ;
    }
    error = error ? error
                  : lod_sample_add_members(m->maker, &m->tree, lead->path, lead->path_bytes,
                                           node - row->before, node);
    error = error ? error : lod_sample_add(m->maker, lead);
    return error ? error
                 : lod_sample_add_members(m->maker, &m->tree, lead->path, lead->path_bytes,
                                          node + 1, node + 1 + row->after);
}

static bool is_of_split(const struct making *m, const struct lod_path_entry *entry)
{
    const size_t bytes = strlen(m->split);

    return bytes == 0 || (entry->path_bytes > bytes && entry->path[bytes] == '/' &&
                          memcmp(entry->path, m->split, bytes) == 0);
}

/* Adds the sample of a slot if it leads one of this split. */
static int add_slot(struct making *m, uint32_t slot)
{
    const uint32_t item = m->recd.first_item + slot;
    struct lod_path_entry entry;
    struct lod_sample_row row;
    bool takes = false;

    int error = lod_index_sample(lod_dataset_index(m->dataset), item, &row);
    if (error || row.form == LOD_SAMPLE_NONE) {
        return error;
    }
    error = lod_metadata_path(&m->metadata, slot, &entry);
    if (!error && (entry.path_bytes == 0 || entry.path_bytes > LOD_PATH_MAX)) {
        error = -EILSEQ;
    }
    if (error || !is_of_split(m, &entry)) {
        return error;
    }
    const struct lod_sample_part lead = {.path = entry.path,
                                         .path_bytes = entry.path_bytes,
                                         .item = item,
                                         .mode = entry.mode,
                                         .mtime = entry.mtime,
                                         .codec = lod_codec_find(m->recd.codec),
                                         .row = m->metadata.bytes + (size_t)slot * LOD_ROW_BYTES,
                                         .magics = entry.magics};
    const size_t split = strlen(m->split) + (m->split[0] != '\0');
    lod_sample_begin(m->maker, row.form, item, row.label, split);
    error = add_files(m, &row, &lead);
    error = error ? error : lod_sample_takes(m->maker, m->part->framing, &m->words_taken, &takes);
    error = error ? error : lod_sample_set_fidelity(m->maker, m->part->fidelity);
    m->maker->sample.id = m->part->first_lead + m->samples.count;
    return error || !takes ? error : add_sample(m, &m->maker->sample);
}

static int read_metadata(void *ctx, const struct lod_record_desc *recd,
                         struct lod_metadata *ret_metadata)
{
    return lod_dataset_metadata(ctx, recd, ret_metadata);
}

static int begin(struct making *m)
{
    struct lod_index *index = lod_dataset_index(m->dataset);
    struct lod_node split;

    int error = lod_index_record(index, m->part->record, &m->recd);
    if (!error && m->part->split) {
        error = lod_index_node(index, m->part->split, &split);
        error = error ? error : lod_index_name(index, &split, m->split);
    }
    error = error ? error : lod_dataset_metadata(m->dataset, &m->recd, &m->metadata);
    m->tree = lod_index_sample_tree(index);
    if (m->part->framing->escapes) {
        m->magics =
            (struct lod_magics_reader){.index = index, .ctx = m->dataset, .read = read_metadata};
        m->tree.metadata_ctx = &m->magics;
        m->tree.magics = lod_magics_reader_get;
    }
    m->maker = error ? NULL : malloc(sizeof(*m->maker));
    return error || m->maker ? error : -ENOMEM;
}

static int make(struct making *m)
{
    int error = begin(m);

    for (uint32_t slot = 0; !error && slot < m->recd.items; slot++) {
        error = add_slot(m, slot);
    }
    /* If the sums differed, the file would not have the size that stat(2) shows. */
    if (!error && (m->samples.count != m->part->leads || m->end != m->part->bytes)) {
        error = -EILSEQ;
    }
    return error ? lod_dataset_sums_failed(m->dataset, m->part->row, error) : 0;
}

static int join(const struct making *m, struct lod_blob **ret_blob)
{
    const struct counts counts = {m->samples.count, m->files.count, m->words.count};
    const size_t samples = m->samples.count * sizeof(m->samples.at[0]);
    const size_t files = m->files.count * sizeof(m->files.at[0]);
    const size_t words = m->words.count * sizeof(m->words.at[0]);
    struct lod_blob *blob = NULL;

    int error = lod_blob_create(sizeof(counts) + samples + files + words + m->names.bytes, &blob);
    if (error) {
        return error;
    }
    memcpy(blob->data, &counts, sizeof(counts));
    memcpy(blob->data + sizeof(counts), m->samples.at, samples);
    memcpy(blob->data + sizeof(counts) + samples, m->files.at, files);
    if (words) {
        memcpy(blob->data + sizeof(counts) + samples + files, m->words.at, words);
    }
    memcpy(blob->data + sizeof(counts) + samples + files + words, m->names.data, m->names.bytes);
    *ret_blob = blob;
    return 0;
}

int lod_shard_directory_make(struct lod_dataset *dataset, const struct lod_shard_part *part,
                             struct lod_blob **ret_blob)
{
    struct making m = {.dataset = dataset, .part = part};
    int error = make(&m);

    error = error ? error : join(&m, ret_blob);
    lod_metadata_finish(&m.metadata);
    free(m.maker);
    free(m.samples.at);
    free(m.files.at);
    free(m.words.at);
    lod_metadata_finish(&m.magics.metadata);
    lod_buf_finish(&m.names);
    return error;
}

/* ----------------------------------------------------------------------------- looking up */

static const struct dir_sample *samples_of(const struct lod_blob *directory, uint64_t *ret_count)
{
    const struct counts *counts = (const struct counts *)(const void *)directory->data;

    *ret_count = counts->samples;
    return (const struct dir_sample *)(const void *)(counts + 1);
}

uint64_t lod_shard_directory_bytes(const struct lod_blob *directory)
{
    uint64_t count;
    const struct dir_sample *samples = samples_of(directory, &count);

    return count ? samples[count - 1].end : 0;
}

uint64_t lod_shard_directory_count(const struct lod_blob *directory)
{
    uint64_t count;

    samples_of(directory, &count);
    return count;
}

uint64_t lod_shard_directory_start(const struct lod_blob *directory, uint64_t number)
{
    uint64_t count;
    const struct dir_sample *samples = samples_of(directory, &count);

    return number ? samples[number - 1].end : 0;
}

uint64_t lod_shard_directory_find(const struct lod_blob *directory, uint64_t offset)
{
    uint64_t count;
    const struct dir_sample *samples = samples_of(directory, &count);
    uint64_t low = 0, high = count - 1;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (samples[middle].end <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct lod_framed_file file_of(const struct dir_file *file, const uint32_t *words,
                                      const char *names)
{
    return (struct lod_framed_file){.name = names + file->name_at,
                                    .name_bytes = file->name_bytes,
                                    .path = names + file->name_at + file->name_bytes,
                                    .path_bytes = file->path_bytes,
                                    .item = file->item,
                                    .bytes = file->bytes,
                                    .mtime = file->mtime,
                                    .mode = file->mode,
                                    .plain = file->plain,
                                    .words = words + file->words_at,
                                    .words_count = file->words};
}

void lod_shard_directory_sample(const struct lod_blob *directory, uint64_t number,
                                struct lod_framed_sample *ret_sample)
{
    const struct counts *counts = (const struct counts *)(const void *)directory->data;
    uint64_t count;
    const struct dir_sample *samples = samples_of(directory, &count);
    const struct dir_file *files = (const struct dir_file *)(const void *)(samples + count);
    const uint32_t *words = (const uint32_t *)(const void *)(files + counts->files);
    const char *names = (const char *)(words + counts->words);
    const struct dir_sample *at = &samples[number];
    const uint64_t end = number + 1 < count ? at[1].first_file : counts->files;

    ret_sample->count = (unsigned)(end - at->first_file);
    for (unsigned i = 0; i < ret_sample->count; i++) {
        ret_sample->file[i] = file_of(&files[at->first_file + i], words, names);
    }
    ret_sample->lead = at->lead;
    ret_sample->stem_bytes = at->stem_bytes;
    ret_sample->label = at->label;
    ret_sample->class_name = ret_sample->file[at->lead].path + at->class_at;
    ret_sample->class_bytes = at->class_bytes;
    ret_sample->kind = at->kind;
    ret_sample->width = at->width;
    ret_sample->height = at->height;
}
