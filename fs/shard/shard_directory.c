/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory owns four lists: samples, files, words, names. They are made once, at their size, and
 * not copied: the pages of a large directory cost more than its contents. See shard_directory.h.
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
    uint32_t path_at; /* in the names */
    /* bytes from path_at to the name: the name ends the path, or stands after it */
    uint16_t name_skip;
    uint16_t name_bytes, path_bytes;
    uint16_t mode : 15, plain : 1;
    uint32_t words_at, words;
};

struct directory {
    struct lod_blob blob; /* first */
    LOD_LIST(struct dir_sample) samples;
    LOD_LIST(struct dir_file) files;
    LOD_LIST(uint32_t) words;
    struct lod_buf names;
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
    struct directory *made;
    uint32_t words_taken; /* see lod_sample_takes */
};

/* Adds the path, and the name if it is not the end of the path. */
static int add_names(struct lod_buf *names, const struct lod_framed_file *file,
                     struct dir_file *made)
{
    const size_t before = file->path_bytes - file->name_bytes;
    const bool ends = file->name_bytes <= file->path_bytes &&
                      memcmp(file->path + before, file->name, file->name_bytes) == 0;
    int error = names->bytes <= UINT32_MAX ? 0 : -E2BIG;

    made->path_at = (uint32_t)names->bytes;
    made->name_skip = (uint16_t)(ends ? before : file->path_bytes);
    error = error ? error : lod_buf_append(names, file->path, file->path_bytes);
    return error || ends ? error : lod_buf_append(names, file->name, file->name_bytes);
}

static int add_file(struct directory *directory, const struct lod_framed_file *file)
{
    struct dir_file made = {.bytes = file->bytes,
                            .mtime = file->mtime,
                            .item = file->item,
                            .name_bytes = (uint16_t)file->name_bytes,
                            .path_bytes = (uint16_t)file->path_bytes,
                            .mode = file->mode & 0777,
                            .plain = file->plain,
                            .words_at = (uint32_t)directory->words.count,
                            .words = file->words_count};
    int error = add_names(&directory->names, file, &made);

    error = error ? error : LOD_LIST_ADD(&directory->files, made);
    for (uint32_t i = 0; !error && i < file->words_count; i++) {
        error = LOD_LIST_ADD(&directory->words, file->words[i]);
    }
    return error || directory->words.count <= LOD_DIRECTORY_WORDS_MAX ? error : -E2BIG;
}

static int add_sample(struct making *m, const struct lod_framed_sample *sample)
{
    const char *path = sample->file[sample->lead].path;
    const struct dir_sample made = {
        .end = m->end + lod_framing_bytes(m->part->framing, sample),
        .first_file = (uint32_t)m->made->files.count,
        .lead = sample->lead,
        .stem_bytes = (uint32_t)sample->stem_bytes,
        .label = sample->label,
        .width = sample->width,
        .height = sample->height,
        .class_at = sample->class_bytes ? (uint32_t)(sample->class_name - path) : 0,
        .class_bytes = (uint32_t)sample->class_bytes,
        .kind = sample->kind};
    int error = LOD_LIST_ADD(&m->made->samples, made);

    for (unsigned i = 0; !error && i < sample->count; i++) {
        error = add_file(m->made, &sample->file[i]);
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
    bool takes = true;

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
                                         .lead = true,
                                         .mode = entry.mode,
                                         .mtime = entry.mtime,
                                         .codec = lod_codec_find(m->recd.codec),
                                         .row = m->metadata.bytes + (size_t)slot * LOD_ROW_BYTES,
                                         .magics = entry.magics};
    const size_t split = strlen(m->split) + (m->split[0] != '\0');
    lod_sample_begin(m->maker, row.form, item, row.label, split);
    error = add_files(m, &row, &lead);
    /* with `all` no sample is left out, so the check of eleven plans a file is skipped */
    if (!error && !m->part->all) {
        error = lod_sample_takes(m->maker, m->part->framing, &m->words_taken, &takes);
    }
    error = error ? error : lod_sample_set_fidelity(m->maker, m->part->fidelity);
    m->maker->sample.id = m->part->first_lead + m->made->samples.count;
    return error || !takes ? error : add_sample(m, &m->maker->sample);
}

static int read_metadata(void *ctx, const struct lod_record_desc *recd,
                         struct lod_metadata *ret_metadata)
{
    return lod_dataset_metadata(ctx, recd, ret_metadata);
}

static void destroy(struct lod_blob *blob)
{
    struct directory *directory = (struct directory *)blob;

    free(directory->samples.at);
    free(directory->files.at);
    free(directory->words.at);
    lod_buf_finish(&directory->names);
    free(directory);
}

/* Creates a directory with room for the samples of a record, most of which have one file whose name
 * is the end of its path. */
static int create(const struct making *m, struct directory **ret_directory)
{
    const size_t samples = m->recd.items < m->part->leads ? m->recd.items : m->part->leads;
    const size_t entries = m->metadata.bytes_count - m->metadata.paths_at;
    const size_t around = (size_t)m->metadata.items * LOD_PATH_ENTRY_BYTES;
    struct directory *made = calloc(1, sizeof(*made));

    if (!made) {
        return -ENOMEM;
    }
    made->blob.destroy = destroy;
    atomic_init(&made->blob.refs, 1);
    made->samples.at = malloc(samples * sizeof(made->samples.at[0]) + 1);
    made->files.at = malloc(samples * sizeof(made->files.at[0]) + 1);
    made->samples.room = made->samples.at ? samples : 0;
    made->files.room = made->files.at ? samples : 0;
    *ret_directory = made;
    return lod_buf_reserve(&made->names, entries > around ? entries - around : 0);
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
    error = error || m->maker ? error : -ENOMEM;
    return error ? error : create(m, &m->made);
}

static int make(struct making *m)
{
    int error = begin(m);

    for (uint32_t slot = 0; !error && slot < m->recd.items; slot++) {
        error = add_slot(m, slot);
    }
    /* With other sums the file would not have the size that stat(2) shows. */
    if (!error && (m->made->samples.count != m->part->leads || m->end != m->part->bytes)) {
        error = -EILSEQ;
    }
    return error ? lod_dataset_sums_failed(m->dataset, m->part->row, error) : 0;
}

static size_t bytes_of(const struct directory *directory)
{
    return sizeof(*directory) + directory->samples.room * sizeof(directory->samples.at[0]) +
           directory->files.room * sizeof(directory->files.at[0]) +
           directory->words.room * sizeof(directory->words.at[0]) + directory->names.room;
}

int lod_shard_directory_make(struct lod_dataset *dataset, const struct lod_shard_part *part,
                             struct lod_blob **ret_blob)
{
    struct making m = {.dataset = dataset, .part = part};
    int error = make(&m);

    lod_metadata_finish(&m.metadata);
    lod_metadata_finish(&m.magics.metadata);
    free(m.maker);
    if (error) {
        lod_blob_unref(m.made ? &m.made->blob : NULL);
        return error;
    }
    m.made->blob.bytes = bytes_of(m.made);
    *ret_blob = &m.made->blob;
    return 0;
}

/* ----------------------------------------------------------------------------- looking up */

static const struct directory *directory_of(const struct lod_blob *blob)
{
    return (const struct directory *)blob;
}

uint64_t lod_shard_directory_bytes(const struct lod_blob *directory)
{
    return lod_shard_directory_start(directory, lod_shard_directory_count(directory));
}

uint64_t lod_shard_directory_count(const struct lod_blob *directory)
{
    return directory_of(directory)->samples.count;
}

uint64_t lod_shard_directory_start(const struct lod_blob *directory, uint64_t number)
{
    return number ? directory_of(directory)->samples.at[number - 1].end : 0;
}

uint64_t lod_shard_directory_find(const struct lod_blob *directory, uint64_t offset)
{
    const struct dir_sample *samples = directory_of(directory)->samples.at;
    uint64_t low = 0;

    LOD_SEARCH(low, lod_shard_directory_count(directory) - 1, samples[middle].end <= offset);
    return low;
}

static struct lod_framed_file file_of(const struct directory *directory, uint64_t number)
{
    const struct dir_file *file = &directory->files.at[number];
    const char *path = (const char *)directory->names.data + file->path_at;

    return (struct lod_framed_file){.name = path + file->name_skip,
                                    .name_bytes = file->name_bytes,
                                    .path = path,
                                    .path_bytes = file->path_bytes,
                                    .item = file->item,
                                    .bytes = file->bytes,
                                    .mtime = file->mtime,
                                    .mode = file->mode,
                                    .plain = file->plain,
                                    .words =
                                        file->words ? &directory->words.at[file->words_at] : NULL,
                                    .words_count = file->words};
}

void lod_shard_directory_sample(const struct lod_blob *blob, uint64_t number,
                                struct lod_framed_sample *ret_sample)
{
    const struct directory *directory = directory_of(blob);
    const struct dir_sample *at = &directory->samples.at[number];
    const uint64_t end =
        number + 1 < directory->samples.count ? at[1].first_file : directory->files.count;

    ret_sample->count = (unsigned)(end - at->first_file);
    for (unsigned i = 0; i < ret_sample->count; i++) {
        ret_sample->file[i] = file_of(directory, at->first_file + i);
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
