/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a record's metadata against the index: every row against its row there, every path entry
 * against its node, and the id against rows and paths.
 */
#include "verify/check_record.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The fault of a slot and the index row that has it; section 0: the record's own row. */
struct verdict {
    const char *what; /* NULL: nothing */
    unsigned section;
    uint32_t number;
    int error; /* -ENOMEM */
};

static int slot_found(struct lod_record_check *c, uint32_t slot, const struct verdict *verdict)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = lod_record_check_finding(c, verdict->what, LOD_FIDELITIES_ALL);

    finding.path = lod_record_check_path(c, slot, path);
    finding.offset = LOD_RECORD_HEADER + (uint64_t)slot * LOD_ROW_BYTES;
    finding.bytes = LOD_ROW_BYTES;
    /* A missing name affects that name only, not the aliases of the item. */
    finding.item = c->in_index && verdict->section != LOD_SECTION_NODE ? c->recd.first_item + slot
                                                                       : LOD_NO_ITEM;
    finding.slot = slot;
    return verdict->section
               ? lod_check_row_found(c->verify, verdict->section, verdict->number, finding)
               : lod_findings_add(&c->verify->findings, &finding);
}

/* The node at the path in the record must be the item's own node. */
static const char *judge_node(struct lod_record_check *c, uint32_t slot, uint32_t number,
                              int *ret_error)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_path_entry entry;
    struct lod_node node;

    if (lod_metadata_path(&c->metadata, slot, &entry) || !lod_record_check_path(c, slot, path)) {
        return "its path entry is malformed";
    }
    int error = lod_index_walk(c->verify->index, path, &node);
    if (lod_check_stops(error)) {
        *ret_error = error;
        return NULL;
    }
    if (error) {
        return error == -ENOENT || error == -ENOTDIR ? "it is missing from the index"
                                                     : "its name cannot be read from the index";
    }
    if (!S_ISREG(node.mode) || node.number != number || node.ref != c->recd.first_item + slot) {
        return "the index has another file in its place";
    }
    return (node.mode & 0777) == entry.mode && node.mtime == entry.mtime &&
                   ((node.flags ^ entry.node_flags) & ~LOD_NODE_APPEND) == 0
               ? NULL
               : "the index has another mode, time or flags for it";
}

static bool is_planned(const struct lod_codec *codec, const uint8_t *row, enum lod_format format)
{
    struct lod_plan plan;

    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        int error = lod_codec_plan(codec, row, format, (enum lod_fidelity)f, &plan);
        if (error && error != -ENOENT) {
            return false;
        }
    }
    return true;
}

static const char *judge_plans(const struct lod_codec *codec, const uint8_t *row)
{
    bool planned = is_planned(codec, row, LOD_FORMAT_TREE);

    if (planned && lod_codec_decoded_ending(codec, row)) {
        planned = is_planned(codec, row, LOD_FORMAT_DECODED);
    }
    if (planned && lod_codec_native_ending(codec, row)) {
        planned = is_planned(codec, row, LOD_FORMAT_NATIVE);
    }
    return planned ? NULL : "its row is malformed";
}

/*
 * The index lacks this record's row. Returns the fault of a file whose index row nevertheless
 * belongs to this record.
 */
static const char *judge_unnamed(struct lod_record_check *c, uint32_t slot, int *ret_error)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;

    if (!lod_record_check_path(c, slot, path)) {
        return NULL;
    }
    int error = lod_index_walk(c->verify->index, path, &node);
    if (lod_check_stops(error)) {
        *ret_error = error;
    }
    if (error == -ENOENT || error == -ENOTDIR || lod_check_stops(error)) {
        return NULL; /* a file of another record */
    }
    return error ? "its name cannot be read from the index" : "its record is not in the index";
}

/* Compares the rows of index and record: all but the own node must be equal. */
static struct verdict judge_row(struct lod_record_check *c, uint32_t slot, const uint8_t *own)
{
    struct verdict verdict = {.section = LOD_SECTION_ITEM, .number = c->recd.first_item + slot};
    uint8_t row[LOD_ROW_BYTES];
    struct lod_record_desc recd;

    int found = lod_index_record_of(c->verify->index, verdict.number, &recd);
    int error = lod_index_item(c->verify->index, verdict.number, row);
    if (error) {
        verdict.error = lod_check_stops(error) ? error : 0;
        verdict.what = "its row in the index cannot be read";
    } else if (found || recd.number != c->recd.number) {
        verdict.error = lod_check_stops(found) ? found : 0;
        verdict.what = "its record cannot be found in the index";
    } else if (memcmp(row, own, 4) != 0 || memcmp(row + 8, own + 8, LOD_ROW_BYTES - 8) != 0) {
        verdict.what = "its row in the index differs";
    } else if (c->recd.codec == LOD_CODEC_TREE) {
        verdict.what = lod_row_own_node(row) ? "the tree list has a node in the index" : NULL;
    } else {
        verdict.section = LOD_SECTION_NODE;
        verdict.number = lod_row_own_node(row);
        verdict.what = judge_node(c, slot, verdict.number, &verdict.error);
    }
    return verdict;
}

static struct verdict judge_slot(struct lod_record_check *c, uint32_t slot)
{
    const uint8_t *own = lod_record_row(c->record, slot);
    struct verdict verdict = {0};

    if (c->in_index) {
        verdict = judge_row(c, slot, own);
    } else if (c->verify->index) {
        verdict.what = judge_unnamed(c, slot, &verdict.error);
    }
    if (!verdict.what && !verdict.error) {
        verdict = (struct verdict){.what = judge_plans(c->codec, own)};
    }
    return verdict;
}

static int check_slots(struct lod_record_check *c)
{
    for (uint32_t slot = 0; slot < c->recd.items; slot++) {
        struct verdict verdict = judge_slot(c, slot);
        int error = verdict.error;
        if (!error && verdict.what) {
            error = slot_found(c, slot, &verdict);
        }
        if (error) {
            return error;
        }
    }
    return 0;
}

int lod_record_check_metadata(struct lod_record_check *c)
{
    struct lod_id id;

    int error = lod_metadata_read(c->verify->store, &c->recd, &c->metadata);
    error = error ? error : lod_metadata_identify(&c->metadata, c->recd.path, &id);
    if (lod_check_stops(error)) {
        return error;
    }
    if (error) {
        return lod_record_check_refuse(c, error);
    }
    if (id.low != c->recd.id.low || id.high != c->recd.id.high) {
        struct lod_finding finding = lod_record_check_finding(
            c, "its id does not match its name and contents", LOD_FIDELITIES_ALL);
        finding.bytes = LOD_RECORD_HEADER;
        error = lod_findings_add(&c->verify->findings, &finding);
    }
    error = error ? error : check_slots(c);
    if (!error && c->recd.codec == LOD_CODEC_TREE) {
        error = lod_check_tree(c->verify, c->record);
    }
    return error;
}
