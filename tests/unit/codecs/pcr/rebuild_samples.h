/* SPDX-License-Identifier: Apache-2.0 */
/* Makes rebuild data for a source as pack does, and rebuilds from it. */
#ifndef LOD_REBUILD_SAMPLES_H
#define LOD_REBUILD_SAMPLES_H

#include <errno.h>

#include "pcr/exact/rebuild.h"
#include "pcr/exact/rebuild_write.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/jpeg_scan.h"
#include "pcr/exact/scans_read.h"
#include "pcr/entropy/scans_write.h"
#include "pcr_samples.h"

#define EXACT_GUARD 64 /* bytes after a rebuilt file that must not change */

struct exact_case {
    struct lod_buf full;
    struct lod_rebuild_made made;
    int error; /* of lod_rebuild_make */
    const char *why;
    bool whole; /* not transcoded, so no rebuild data was made */
};

static inline void exact_case_finish(struct exact_case *e)
{
    lod_buf_finish(&e->full);
    lod_rebuild_made_finish(&e->made);
}

/* Rebuilds. Returns 0 or an errno; on success *ret_same says whether it equals `source`. */
static inline int exact_rebuild(struct lod_span full, struct lod_span header, struct lod_span tail,
                                struct lod_span source, bool *ret_same)
{
    uint8_t *out = malloc(source.bytes + EXACT_GUARD);

    cr_assert_not_null(out);
    memset(out, 0xa5, source.bytes + EXACT_GUARD);
    int error = lod_rebuild_file(full, header, tail, out, source.bytes);
    for (unsigned i = 0; i < EXACT_GUARD; i++) {
        cr_assert_eq(out[source.bytes + i], 0xa5, "written past the end");
    }
    *ret_same = !error && memcmp(out, source.at, source.bytes) == 0;
    free(out);
    return error;
}

/* Transcodes a source, makes its rebuild data and, if that succeeds, rebuilds it. */
static inline struct exact_case exact_make(struct lod_span source)
{
    const struct lod_script *script = lod_script_named("default");
    struct lod_encoded item = encode_with(source, &script, 1);
    struct exact_case e = {.whole = item.whole != NULL};
    struct lod_jpeg *jpeg = NULL;
    bool same = false;

    if (!e.whole) {
        e.full = file_at(&item, LOD_FULL);
        cr_assert_eq(lod_jpeg_read(source, 1u << 30, &jpeg, &e.why), 0);
        cr_assert_eq(lod_scans_check(lod_buf_span(&e.full), jpeg, true), 0);
        e.error = lod_rebuild_make(source, jpeg, lod_buf_span(&e.full), &e.made, &e.why);
        cr_assert(e.error == 0 || e.error == -ENOTSUP, "%d", e.error);
        lod_jpeg_destroy(jpeg);
    }
    if (!e.whole && !e.error) {
        cr_assert_eq(exact_rebuild(lod_buf_span(&e.full), lod_buf_span(&e.made.header),
                                   lod_buf_span(&e.made.tail), source, &same),
                     0);
        cr_assert(same, "other bytes");
    }
    lod_encoded_finish(&item);
    return e;
}

/* Checks that a source is rebuilt exactly, with at most this much rebuild data. */
static inline void expect_exact(struct lod_span source, size_t header_max, size_t tail_max)
{
    struct exact_case e = exact_make(source);

    cr_assert(!e.whole && !e.error && !e.made.patched, "%s", e.why ? e.why : "whole or patched");
    cr_assert_leq(e.made.header.bytes, header_max);
    cr_assert_leq(e.made.tail.bytes, tail_max);
    exact_case_finish(&e);
}

/* Returns the offset of the 0xff of marker number `nth`, from 0, with this code. */
static inline size_t exact_marker(const struct lod_buf *file, uint8_t code, unsigned nth)
{
    size_t at = 2;

    while (file->data[at + 1] != code || nth--) {
        bool sos = file->data[at + 1] == 0xda;
        cr_assert_neq(file->data[at + 1], 0xd9, "no marker %02x", code);
        at += 2u + (unsigned)(file->data[at + 2] << 8 | file->data[at + 3]);
        at = sos ? lod_jpeg_entropy_end(lod_buf_span(file), at) : at;
    }
    return at;
}

/* Replaces `bytes` bytes at `at` with `put_bytes` others. */
static inline void exact_splice(struct lod_buf *file, size_t at, size_t bytes, const void *put,
                                size_t put_bytes)
{
    struct lod_buf made = {0};

    cr_assert_eq(lod_buf_append(&made, file->data, at), 0);
    cr_assert_eq(lod_buf_append(&made, put, put_bytes), 0);
    cr_assert_eq(lod_buf_append(&made, file->data + at + bytes, file->bytes - at - bytes), 0);
    lod_buf_finish(file);
    *file = made;
}

#endif
