/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record, or a slice of one: can it be opened, does every frame have its hash, and can what is
 * in it be served? Why not, and what that costs. Without an index the record is held against itself
 * alone.
 */
#include "verify/check_record.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/record_header.h"

struct lod_finding lod_record_check_finding(const struct lod_record_check *c, const char *what,
                                            uint16_t fidelities)
{
    struct lod_finding finding = {.what = what, .item = LOD_NO_ITEM, .fidelities = fidelities};

    snprintf(finding.file, sizeof(finding.file), "%s/%s", LOD_RECORDS_NAME, c->recd.path);
    return finding;
}

static const char *cause(int error)
{
    switch (error) {
    case -EBADMSG:
        return "damaged: its hash differs";
    case -EILSEQ:
        return "malformed";
    case -ENOTSUP:
        return "it needs a newer lodfs";
    case -ENOENT:
        return "missing";
    default:
        return strerrordesc_np(-error);
    }
}

const char *lod_record_check_path(struct lod_record_check *c, uint32_t slot,
                                  char path[LOD_PATH_MAX + 1])
{
    struct lod_path_entry entry;

    if (!c->metadata.bytes && lod_metadata_read(c->verify->store, &c->recd, &c->metadata)) {
        return NULL;
    }
    if (c->recd.codec == LOD_CODEC_TREE || lod_metadata_path(&c->metadata, slot, &entry) ||
        entry.path_bytes > LOD_PATH_MAX) {
        return NULL;
    }
    memcpy(path, entry.path, entry.path_bytes);
    path[entry.path_bytes] = '\0';
    return path;
}

/* ------------------------------------------------------------------------ what is refused */

/* Which part of the record it was, so that the finding has an offset. */
static struct lod_finding explain(struct lod_record_check *c, int error)
{
    struct lod_finding finding = lod_record_check_finding(c, cause(error), LOD_FIDELITIES_ALL);
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(c->recd.path)];
    struct lod_object *object = NULL;
    struct lod_recd own;

    if (error != -EBADMSG && error != -EILSEQ) {
        return finding;
    }
    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, c->recd.path);
    if (lod_object_open(c->verify->store, name, &object) == 0) {
        uint64_t bytes = lod_object_bytes(object);
        lod_object_close(object);
        if (c->in_index && bytes != c->recd.file_bytes) {
            finding.what = bytes < c->recd.file_bytes ? "cut short" : "longer than it should be";
            finding.offset = bytes < c->recd.file_bytes ? bytes : c->recd.file_bytes;
            return finding;
        }
    }
    finding.bytes = LOD_RECORD_HEADER;
    if (lod_record_header_read(c->verify->store, c->recd.path, &own)) {
        finding.what = "its header is damaged";
    } else if (c->in_index && own.header_hash != c->recd.header_hash) {
        finding.what = "its header is not the one the index knows: another record's file";
    } else {
        finding.what = error == -EBADMSG ? "its metadata is damaged" : "its metadata is malformed";
        finding.offset = LOD_RECORD_HEADER;
        finding.bytes = c->recd.metadata_bytes;
    }
    return finding;
}

int lod_record_check_refuse(struct lod_record_check *c, int why)
{
    struct lod_finding finding = explain(c, why);
    struct lod_verify *v = c->verify;

    atomic_store(&v->records_missing, true);
    int error = lod_findings_add(&v->findings, &finding);
    finding.what = "its record cannot be opened";
    finding.bytes = 0;
    if (!c->in_index || c->recd.codec == LOD_CODEC_TREE) {
        return error; /* what a tree's list holds is in the index too */
    }
    for (uint32_t slot = 0; !error && slot < c->recd.items; slot++) {
        char path[LOD_PATH_MAX + 1];
        uint8_t row[LOD_ROW_BYTES];
        finding.item = c->recd.first_item + slot;
        finding.slot = slot;
        finding.path = NULL;
        finding.fidelities = LOD_FIDELITIES_ALL;
        if (lod_index_item(v->index, finding.item, row) == 0) {
            finding.path = lod_check_path(v, lod_row_own_node(row), path);
            finding.fidelities = lod_findings_costs(c->codec, row);
        }
        error = finding.fidelities ? lod_findings_add(&v->findings, &finding) : 0;
    }
    return error;
}

/* ------------------------------------------------------------------------------- frames */

static int frame_found(struct lod_record_check *c, uint32_t slot, unsigned group, uint64_t frame,
                       int error)
{
    const uint8_t shift = c->recd.frame_shift;
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = lod_record_check_finding(c, cause(error), 0);

    finding.path = lod_record_check_path(c, slot, path);
    finding.offset = lod_record_segment_offset(c->record, slot, group) + (frame << shift);
    finding.bytes = lod_record_frame_bytes(c->record, slot, group, frame);
    finding.frame = frame;
    finding.item = c->in_index ? c->recd.first_item + slot : LOD_NO_ITEM;
    finding.slot = slot;
    finding.group = (uint16_t)group;
    if (c->recd.codec != LOD_CODEC_TREE) {
        finding.fidelities = lod_findings_fidelities(c->codec, lod_record_row(c->record, slot),
                                                     group, frame << shift, finding.bytes);
    }
    return lod_findings_add(&c->verify->findings, &finding);
}

/* The frames of a segment that begin in [low, high) of the file. */
static int check_segment(struct lod_record_check *c, uint32_t slot, unsigned group, uint64_t low,
                         uint64_t high)
{
    const uint8_t shift = c->recd.frame_shift;
    const uint64_t start = lod_record_segment_offset(c->record, slot, group);
    const uint64_t bytes = lod_record_segment_bytes(c->record, slot, group);
    int result = 0;

    if (bytes == 0 || start >= high || start + bytes <= low) {
        return 0;
    }
    uint64_t frame = start < low ? (low - start + (1ull << shift) - 1) >> shift : 0;
    for (; !result && (frame << shift) < bytes && start + (frame << shift) < high; frame++) {
        int error = lod_record_read_frame(c->record, slot, group, frame, c->frame);
        if (error) {
            result = error == -ENOMEM ? error : frame_found(c, slot, group, frame, error);
        }
    }
    return result;
}

static int check_frames(struct lod_record_check *c, uint32_t slice)
{
    const uint64_t low = slice * LOD_STEP_BYTES, high = low + LOD_STEP_BYTES;
    int error = 0;

    c->frame = malloc((size_t)1 << c->recd.frame_shift);
    if (!c->frame) {
        return -ENOMEM;
    }
    for (unsigned group = 1; !error && group <= c->recd.groups; group++) {
        for (uint32_t slot = 0; !error && slot < c->recd.items; slot++) {
            error = check_segment(c, slot, group, low, high);
        }
    }
    return error || c->verify->hashes_only ? error : lod_record_check_forms(c, low, high);
}

/* -------------------------------------------------------------------------------- steps */

/* The record of a slice; *ret_error if there is none to check. */
static bool find_record(struct lod_record_check *c, const struct lod_slice *slice, int *ret_error)
{
    struct lod_verify *v = c->verify;

    c->in_index = !slice->by_name;
    if (c->in_index) {
        *ret_error = lod_index_record(v->index, slice->record, &c->recd);
        return *ret_error == 0;
    }
    const char *name = lod_names_at(v, slice->record);
    assert(name);
    int error = lod_record_header_read(v->store, name, &c->recd);
    if (error) {
        snprintf(c->recd.path, sizeof(c->recd.path), "%s", name);
        atomic_store(&v->records_missing, true);
        struct lod_finding finding =
            lod_record_check_finding(c, "its header is damaged", LOD_FIDELITIES_ALL);
        finding.bytes = LOD_RECORD_HEADER;
        *ret_error = error == -ENOMEM ? error : lod_findings_add(&v->findings, &finding);
    }
    return error == 0;
}

static uint64_t slice_bytes(const struct lod_record_check *c, uint32_t slice)
{
    uint64_t left = c->recd.file_bytes - slice * LOD_STEP_BYTES;

    return left < LOD_STEP_BYTES ? left : LOD_STEP_BYTES;
}

int lod_check_slice(struct lod_verify *v, const struct lod_slice *slice, uint64_t *ret_bytes,
                    uint64_t *ret_files)
{
    struct lod_record_check c = {.verify = v};
    int error = 0;

    if (!find_record(&c, slice, &error)) {
        return error == -ENOMEM ? error : 0;
    }
    c.codec = lod_codec_find(c.recd.codec); /* known: the recd was checked for it */
    *ret_bytes = slice_bytes(&c, slice->slice);
    *ret_files = slice->slice ? 0 : c.recd.items;
    error = lod_record_open(v->store, &c.recd, &c.record);
    if (error && error != -ENOMEM) {
        /* Once for all slices. */
        error = slice->slice ? 0 : lod_record_check_refuse(&c, error);
    } else if (!error) {
        error = slice->slice ? 0 : lod_record_check_metadata(&c);
        error = error ? error : check_frames(&c, slice->slice);
    }
    lod_record_close(c.record);
    lod_metadata_finish(&c.metadata);
    free(c.frame);
    return error;
}
