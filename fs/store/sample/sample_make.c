/* SPDX-License-Identifier: Apache-2.0 */
/* See sample_make.h. */
#include "sample/sample_make.h"

#include <errno.h>
#include <string.h>

#include "sample/item_label.h"
#include "sample/sample_group.h"

#define LABEL_ENDING ".label"

void lod_sample_begin(struct lod_sample_maker *maker, enum lod_sample_form form, uint32_t lead_item,
                      int32_t label, size_t split_bytes)
{
    maker->sample.count = maker->sample.lead = 0;
    maker->sample.stem_bytes = 0;
    maker->sample.label = label;
    maker->sample.class_bytes = 0;
    maker->sample.class_name = maker->sample.kind = NULL;
    maker->sample.width = maker->sample.height = 0;
    maker->form = form;
    maker->split_bytes = split_bytes;
    maker->lead_item = lead_item;
    maker->text_bytes = 0;
    maker->magics_first[0] = 0;
    maker->sample.id = 0;
}

/* Facts of the lead that a framing may contain. */
static void describe_lead(struct lod_sample_maker *maker, const struct lod_sample_part *part,
                          const struct lod_framed_file *file, const char *kind)
{
    struct lod_framed_sample *sample = &maker->sample;

    sample->lead = sample->count;
    sample->kind = kind;
    if (!part->codec->sides || !part->codec->sides(part->row, &sample->width, &sample->height)) {
        sample->width = sample->height = 0;
    }
    if (sample->label >= 0 && !lod_row_has_label(part->row) &&
        file->path_bytes > maker->split_bytes) {
        const char *class_name = file->path + maker->split_bytes;
        const char *slash = memchr(class_name, '/', file->path_bytes - maker->split_bytes);
        sample->class_name = class_name;
        const size_t bytes = slash ? (size_t)(slash - class_name) : 0;
        sample->class_bytes = bytes <= LOD_NAME_MAX ? bytes : 0; /* no name is longer */
    }
}

/* Keeps the list of the last file, or notes that there are too many. */
static void add_magics(struct lod_sample_maker *maker, const struct lod_magics *magics)
{
    const unsigned file = maker->sample.count;
    uint32_t at = maker->magics_first[file];
    const bool fits = !magics->too_many && magics->count <= 2 * LOD_MAGICS_MAX - at;

    maker->sample.file[file].words_most = fits ? magics->count : UINT32_MAX;
    for (uint32_t i = 0; fits && i < magics->count; i++) {
        maker->magics[at++] = lod_magics_at(magics, i);
    }
    maker->magics_first[file + 1] = at;
}

int lod_sample_add(struct lod_sample_maker *maker, const struct lod_sample_part *part)
{
    const unsigned at = maker->sample.count;
    const char *kind = part->codec->file_ending ? part->codec->file_ending(part->row) : NULL;
    char *path = maker->text + maker->text_bytes, *name = path + part->path_bytes;
    size_t stem;

    if (at == LOD_FRAMED_FILES_MAX || part->path_bytes > LOD_PATH_MAX) {
        return -E2BIG;
    }
    memcpy(path, part->path, part->path_bytes);
    size_t bytes = lod_framed_name(maker->form, path, part->path_bytes, maker->lead_item,
                                   kind ? kind : ".bin", name, &stem);
    maker->sample.file[at] = (struct lod_framed_file){.name = name,
                                                      .name_bytes = bytes,
                                                      .path = path,
                                                      .path_bytes = part->path_bytes,
                                                      .item = part->item,
                                                      .mtime = part->mtime,
                                                      .mode = part->mode & 0777,
                                                      .plain = part->codec->id == LOD_CODEC_RAW};
    add_magics(maker, &part->magics);
    maker->codec[at] = part->codec;
    memcpy(maker->row[at], part->row, LOD_ROW_BYTES);
    if (part->lead) {
        describe_lead(maker, part, &maker->sample.file[at], kind);
        maker->sample.stem_bytes = stem;
    }
    maker->text_bytes += part->path_bytes + bytes;
    maker->sample.count++;
    return 0;
}

/* Returns whether the file is the vector of labels of a lead. Magic words of other members are not
 * counted. */
static bool is_label(const char *lead, const char *name, const struct lod_codec *codec)
{
    const size_t stem = lod_stem_last(lead, strlen(lead));

    return codec && codec->id == LOD_CODEC_RAW && strncmp(name, lead, stem) == 0 &&
           strcmp(name + stem, LABEL_ENDING) == 0;
}

/* Adds a member. Its path is that of the lead with another name. */
static int add_member(struct lod_sample_maker *maker, const struct lod_sample_tree *tree,
                      const struct lod_sample_node *node, char *path, size_t folder,
                      const char *lead, const char *name)
{
    struct lod_sample_part part = {.path = path,
                                   .path_bytes = folder + strlen(name),
                                   .item = node->item,
                                   .mode = node->mode,
                                   .mtime = node->mtime};
    struct lod_sample_record record;
    uint8_t row[LOD_ROW_BYTES];

    int error = tree->item(tree->ctx, node->item, row);
    error = error ? error : tree->record_of(tree->ctx, node->item, &record);
    if (error || part.path_bytes > LOD_PATH_MAX) {
        return error ? error : -E2BIG;
    }
    memcpy(path + folder, name, strlen(name));
    part.codec = lod_codec_find(record.codec);
    part.row = row;
    if (tree->magics && lod_row_flags(row) & LOD_ITEM_HAS_MAGIC &&
        is_label(lead, name, part.codec)) {
        error = tree->magics(tree->metadata_ctx, node->item, &part.magics);
    }
    if (error) {
        return error;
    }
    return part.codec && lod_sample_fits(part.codec, row) ? lod_sample_add(maker, &part) : 0;
}

int lod_sample_add_members(struct lod_sample_maker *maker, const struct lod_sample_tree *tree,
                           const char *lead, size_t lead_bytes, uint32_t first, uint32_t end)
{
    const char *slash = memrchr(lead, '/', lead_bytes);
    const size_t folder = slash ? (size_t)(slash - lead) + 1 : 0;
    char path[LOD_PATH_MAX + 1], name[LOD_NAME_MAX + 1], lead_name[LOD_NAME_MAX + 1] = "";
    struct lod_sample_node node;
    int error = lead_bytes > LOD_PATH_MAX || lead_bytes - folder > LOD_NAME_MAX ? -EILSEQ : 0;

    if (!error) {
        memcpy(lead_name, lead + folder, lead_bytes - folder);
        memcpy(path, lead, folder);
    }
    for (; !error && first < end; first++) {
        error = tree->node(tree->ctx, first, &node);
        error = error ? error : tree->name(tree->ctx, first, name);
        if (!error && lod_sample_group_has(maker->form, lead_name, name, &node)) {
            error = add_member(maker, tree, &node, path, folder, lead_name, name);
        }
    }
    return error;
}

/* Lists the magic words that a file has at a fidelity, in order. */
static void set_words(struct lod_sample_maker *maker, unsigned file, enum lod_fidelity fidelity)
{
    struct lod_framed_file *of = &maker->sample.file[file];

    of->words = &maker->words[maker->magics_first[file]];
    of->words_count = 0;
    for (uint32_t i = maker->magics_first[file]; i < maker->magics_first[file + 1]; i++) {
        if (maker->magics[i].fidelities >> (fidelity - 1) & 1) {
            maker->words[maker->magics_first[file] + of->words_count++] = maker->magics[i].word;
        }
    }
}

int lod_sample_set_fidelity(struct lod_sample_maker *maker, enum lod_fidelity fidelity)
{
    struct lod_plan plan;

    for (unsigned i = 0; i < maker->sample.count; i++) {
        int error =
            lod_codec_plan(maker->codec[i], maker->row[i], LOD_FORMAT_TREE, fidelity, &plan);
        if (error) {
            return error;
        }
        maker->sample.file[i].bytes = plan.bytes;
        set_words(maker, i, fidelity);
    }
    return 0;
}

int lod_sample_takes(struct lod_sample_maker *maker, const struct lod_framing *framing,
                     uint32_t *words, bool *ret_takes)
{
    const uint32_t count = maker->magics_first[maker->sample.count];
    int error = 0;

    *ret_takes = !framing->escapes || count <= LOD_DIRECTORY_WORDS_MAX - *words;
    for (unsigned f = LOD_Q1; !error && *ret_takes && framing->takes && f <= LOD_FULL; f++) {
        error = lod_sample_set_fidelity(maker, (enum lod_fidelity)f);
        *ret_takes = !error && framing->takes(&maker->sample);
    }
    *words += framing->escapes && *ret_takes ? count : 0;
    return error;
}

bool lod_sample_fits(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_plan plan;
    bool fits = true;

    for (unsigned fidelity = LOD_Q1; fits && fidelity <= LOD_FULL; fidelity++) {
        fits =
            lod_codec_plan(codec, row, LOD_FORMAT_TREE, (enum lod_fidelity)fidelity, &plan) == 0 &&
            plan.bytes < LOD_FRAMED_BYTES_MAX;
    }
    return fits;
}
