/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks one record, or a slice of one: that it can be opened, that every frame has its hash, and
 * that its files can be served. check_refuse.c names the causes and the affected files. Without an
 * index the record is only checked against itself.
 */
#include "verify/check_record.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/record_header.h"

static int frame_found(struct lod_record_check *c, uint32_t slot, unsigned group, uint64_t frame,
                       int error)
{
    const uint8_t shift = c->recd.frame_shift;
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = lod_record_check_finding(c, lod_record_check_cause(error), 0);

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

/* Checks the frames of a segment that begin in [low, high) of the file. */
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
            result = lod_check_stops(error) ? error : frame_found(c, slot, group, frame, error);
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

/* Opens the record of a slice; returns false and *ret_error if there is none to check. */
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
        struct lod_finding finding =
            lod_record_check_finding(c, "its header is damaged", LOD_FIDELITIES_ALL);
        finding.bytes = LOD_RECORD_HEADER;
        *ret_error = lod_check_stops(error) ? error : lod_findings_add(&v->findings, &finding);
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
        return lod_check_stops(error) ? error : 0;
    }
    c.codec = lod_codec_find(c.recd.codec); /* known: the row was checked */
    *ret_bytes = slice_bytes(&c, slice->slice);
    *ret_files = slice->slice ? 0 : lod_check_files(&c.recd);
    error = lod_record_open(v->store, &c.recd, &c.record);
    if (error && !lod_check_stops(error) && !lod_check_is_closed(v, error)) {
        /* Reported once for all slices. */
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
