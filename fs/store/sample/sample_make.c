/* SPDX-License-Identifier: Apache-2.0 */
/* See sample_make.h. */
#include "sample/sample_make.h"

#include <errno.h>
#include <string.h>

#include "sample/sample_group.h"

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
}

/* Facts of the lead that a framing may tell. */
static void describe_lead(struct lod_sample_maker *maker, const struct lod_sample_part *part,
                          const struct lod_framed_file *file, const char *kind)
{
    struct lod_framed_sample *sample = &maker->sample;

    sample->lead = sample->count;
    sample->kind = kind;
    if (!part->codec->sides || !part->codec->sides(part->row, &sample->width, &sample->height)) {
        sample->width = sample->height = 0;
    }
    if (sample->label >= 0 && file->path_bytes > maker->split_bytes) {
        const char *class_name = file->path + maker->split_bytes;
        const char *slash = memchr(class_name, '/', file->path_bytes - maker->split_bytes);
        sample->class_name = class_name;
        const size_t bytes = slash ? (size_t)(slash - class_name) : 0;
        sample->class_bytes = bytes <= LOD_NAME_MAX ? bytes : 0; /* no name is longer */
    }
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
                                                      .mode = part->mode & 0777};
    maker->codec[at] = part->codec;
    memcpy(maker->row[at], part->row, LOD_ROW_BYTES);
    if (part->item == maker->lead_item) {
        describe_lead(maker, part, &maker->sample.file[at], kind);
        maker->sample.stem_bytes = stem;
    }
    maker->text_bytes += part->path_bytes + bytes;
    maker->sample.count++;
    return 0;
}

/* Adds a member. Its path is that of the lead with another name. */
static int add_member(struct lod_sample_maker *maker, const struct lod_sample_tree *tree,
                      const struct lod_sample_node *node, char *path, size_t folder,
                      const char *name)
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
            error = add_member(maker, tree, &node, path, folder, name);
        }
    }
    return error;
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
    }
    return 0;
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
