/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that pack does not write, and malicious bytes. Files that it writes are in
 * test_scans_write.c.
 */
#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/exact/scans_read.h"
#include "jpeg_same.h"
#include "pcr_samples.h"

#define MEMORY (64ull << 20)

static int read_span(struct lod_span file)
{
    struct lod_jpeg *jpeg = NULL;
    int error = lod_scans_read(file, MEMORY, &jpeg);

    cr_assert_eq(jpeg != NULL, error == 0);
    lod_jpeg_destroy(jpeg);
    return error;
}

static const struct sample progressive = {
    .width = 67, .height = 45, .h = {2}, .v = {2}, .progressive = true};

/* Progressive files of libjpeg are read too, with the same result as libjpeg's. */
Test(scans_read, what_libjpeg_reads)
{
    struct lod_buf file = sample_jpeg(&progressive);
    struct lod_jpeg *ours = NULL, *theirs = NULL;
    const char *why;

    cr_assert_eq(lod_scans_read(lod_buf_span(&file), MEMORY, &ours), 0);
    cr_assert_eq(lod_jpeg_read(lod_buf_span(&file), MEMORY, &theirs, &why), 0);
    cr_assert_eq(jpeg_same(ours, theirs), 0);
    for (unsigned c = 0; c < 3; c++) { /* padding too: the tail of the rebuild data depends on it */
        const struct lod_jpeg_component *component = &ours->frame.component[c];
        size_t blocks =
            (size_t)ours->frame.mcus_wide * component->h * ours->frame.mcus_high * component->v;
        cr_assert_eq(memcmp(ours->plane[c], theirs->plane[c], blocks * sizeof(ours->plane[c][0])),
                     0);
    }
    lod_jpeg_destroy(ours);
    lod_jpeg_destroy(theirs);
    lod_buf_finish(&file);
}

Test(scans_read, other_files_are_refused)
{
    const struct sample others[] = {
        {.width = 67, .height = 45},
        {.width = 67, .height = 45, .progressive = true, .restart = 3},
        {.width = 67, .height = 45, .arithmetic = true},
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct lod_buf file = sample_jpeg(&others[i]);
        cr_assert_eq(read_span(lod_buf_span(&file)), -EILSEQ, "%zu", i);
        lod_buf_finish(&file);
    }
    cr_assert_eq(read_span((struct lod_span){.at = (const uint8_t *)"", .bytes = 0}), -EILSEQ);
}

Test(scans_read, scans_that_are_missing_or_cut_are_refused)
{
    struct lod_buf file = sample_jpeg(&progressive);
    uint8_t *kept = malloc(file.bytes);
    size_t bytes = file.bytes;
    struct lod_jpeg *jpeg = NULL;

    memcpy(kept, file.data, bytes);
    cr_assert_eq(lod_scans_read(lod_buf_span(&file), 1000, &jpeg), -EILSEQ, "a limit of memory");
    for (unsigned scans = 9; scans > 0; scans--) {
        sample_cut(&file, scans);
        cr_assert_eq(read_span(lod_buf_span(&file)), -EILSEQ, "%u scans", scans);
    }
    for (size_t i = 0; i < bytes; i++) {
        uint8_t *copy =
            malloc(i + 1); /* exactly as long, so that a sanitizer sees a step past the end */
        memcpy(copy, kept, i);
        cr_assert_eq(read_span((struct lod_span){.at = copy, .bytes = i}), -EILSEQ, "%zu", i);
        free(copy);
    }
    free(kept);
    lod_buf_finish(&file);
}

/* Changed files are refused or read, and never access memory outside the file or the planes. */
Test(scans_read, damaged_bytes_are_refused_or_harmless, .timeout = 300)
{
    struct lod_buf file = sample_jpeg(&progressive);
    uint64_t state = 9;
    unsigned read = 0, refused = 0;

    for (unsigned i = 0; i < 20000; i++) {
        uint8_t *copy = malloc(file.bytes);
        memcpy(copy, file.data, file.bytes);
        for (unsigned k = 1 + sample_random(&state) % 4; k > 0; k--) {
            copy[sample_random(&state) % file.bytes] = (uint8_t)sample_random(&state);
        }
        if (read_span((struct lod_span){.at = copy, .bytes = file.bytes})) {
            refused++;
        } else {
            read++;
        }
        free(copy);
    }
    cr_assert(read > 100 && refused > 100, "%u read, %u refused", read, refused);
    lod_buf_finish(&file);
}
