/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares our scan writer with libjpeg's byte for byte: samplings, sizes, colours, scripts,
 * contents.
 */
#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/exact/scans_read.h"
#include "pcr/entropy/scans_write.h"
#include "jpeg_same.h"
#include "pcr_samples.h"
#include "real_photographs.h"

#define MEMORY (64ull << 20)

/* Removes the APPn segments that libjpeg writes after SOI. */
static void drop_apps(struct lod_buf *file)
{
    while (file->data[2] == 0xff && file->data[3] >= 0xe0 && file->data[3] <= 0xef) {
        size_t bytes = 2u + (unsigned)(file->data[4] << 8 | file->data[5]);
        memmove(file->data + 2, file->data + 2 + bytes, file->bytes - 2 - bytes);
        file->bytes -= bytes;
    }
}

/* Writes with both, then reads back with both. */
static void compare(struct lod_span source, const struct lod_script *script, const char *what)
{
    struct lod_jpeg *jpeg = NULL, *ours = NULL, *theirs = NULL;
    uint8_t blocks[LOD_SCRIPT_COMPONENTS];
    struct lod_script fitted;
    struct lod_buf made = {0};
    const char *why = "";

    cr_assert_eq(lod_jpeg_read(source, MEMORY, &jpeg, &why), 0, "%s: %s", what, why);
    for (unsigned c = 0; c < LOD_SCRIPT_COMPONENTS; c++) {
        blocks[c] = (uint8_t)(jpeg->frame.component[c].h * jpeg->frame.component[c].v);
    }
    lod_script_fit(script, jpeg->frame.components, blocks, &fitted);
    cr_assert_eq(lod_scans_write(jpeg, &fitted, &made), 0, "%s", what);
    struct lod_buf expected = sample_transcode(source, &fitted);
    drop_apps(&expected);
    cr_assert(same_bytes(lod_buf_span(&made), lod_buf_span(&expected)), "%s: other bytes", what);
    cr_assert_eq(lod_scans_read(lod_buf_span(&made), MEMORY, &ours), 0, "%s", what);
    cr_assert_eq(lod_jpeg_read(lod_buf_span(&made), MEMORY, &theirs, &why), 0, "%s", what);
    cr_assert_eq(jpeg_same(jpeg, ours), 0, "%s", what);
    cr_assert_eq(jpeg_same(ours, theirs), 0, "%s", what);
    lod_jpeg_destroy(jpeg);
    lod_jpeg_destroy(ours);
    lod_jpeg_destroy(theirs);
    lod_buf_finish(&made);
    lod_buf_finish(&expected);
}

/* Returns a random legal script: bands and depths for each component, refined in any order. */
static struct lod_script random_script(uint64_t *state)
{
    struct lod_script script = {.name = "random"};
    unsigned deepest = sample_random(state) % 4, cut = 1 + sample_random(state) % 62;
    unsigned low[LOD_SCRIPT_COMPONENTS][2];

    script.scans[script.count++] =
        (struct lod_scan){.group = 1, .count = 3, .component = {0, 1, 2}, .low = (uint8_t)deepest};
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned band = 0; band < 2; band++) {
            low[c][band] = sample_random(state) % 4;
            script.scans[script.count++] = (struct lod_scan){.group = 2,
                                                             .count = 1,
                                                             .component = {(uint8_t)c},
                                                             .first = (uint8_t)(band ? cut + 1 : 1),
                                                             .last = (uint8_t)(band ? 63 : cut),
                                                             .low = (uint8_t)low[c][band]};
        }
    }
    for (unsigned bit = 4; bit-- > 0;) {
        for (unsigned i = 0; i < 6; i++) {
            unsigned c = i % 3, band = i / 3;
            if (low[c][band] > bit) {
                script.scans[script.count] = script.scans[1 + 2 * c + band];
                script.scans[script.count].high = (uint8_t)(bit + 1);
                script.scans[script.count].low = (uint8_t)bit;
                script.scans[script.count++].group = 3;
            }
        }
        if (deepest > bit) {
            script.scans[script.count] = script.scans[0];
            script.scans[script.count].high = (uint8_t)(bit + 1);
            script.scans[script.count].low = (uint8_t)bit;
            script.scans[script.count++].group = 3;
        }
    }
    return script;
}

Test(scans_write, samples_of_every_make_under_every_script, .timeout = 300)
{
    const struct sample samples[] = {
        {.width = 67, .height = 45, .h = {2}, .v = {2}},
        {.width = 64, .height = 64},
        {.width = 1, .height = 1, .h = {2}, .v = {2}},
        {.width = 33, .height = 17, .h = {4}, .v = {2}, .restart = 3},
        {.width = 50, .height = 70, .h = {1, 2, 2}, .v = {1, 2, 1}},
        {.width = 61, .height = 47, .h = {2, 2, 1}, .v = {2, 1, 2}, .progressive = true},
        {.width = 77, .height = 31, .h = {3}, .v = {1}, .quality = 5},
        {.width = 70, .height = 30, .components = 1, .h = {2}, .v = {2}},
        {.width = 41, .height = 30, .components = 1},
        {.width = 41, .height = 30, .space = JCS_RGB},
        {.width = 41, .height = 30, .components = 4},
        {.width = 41, .height = 30, .components = 4, .space = JCS_YCCK, .h = {2, 1, 1, 2}},
        {.width = 41, .height = 30, .components = 2, .space = JCS_UNKNOWN},
        {.width = 300, .height = 200, .h = {2}, .v = {2}, .quality = 100},
        {.width = 41, .height = 30, .quality = 1, .bare = true},
    };
    uint64_t state = 11;
    char what[100];

    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct lod_buf file = sample_jpeg(&samples[i]);
        for (unsigned k = 0; lod_script_builtin(k); k++) {
            snprintf(what, sizeof(what), "sample %zu, script %u", i, k);
            compare(lod_buf_span(&file), lod_script_builtin(k), what);
        }
        for (unsigned k = 0; k < 20; k++) {
            struct lod_script script = random_script(&state);
            snprintf(what, sizeof(what), "sample %zu, random script %u", i, k);
            compare(lod_buf_span(&file), &script, what);
        }
        lod_buf_finish(&file);
    }
}

Test(scans_write, images_of_any_size_and_kind, .timeout = 300)
{
    uint64_t state = 5;
    char what[100];

    for (unsigned i = 0; i < 300; i++) {
        struct sample s = {.width = 1 + sample_random(&state) % 120,
                           .height = 1 + sample_random(&state) % 120,
                           .components = 1 + sample_random(&state) % 4,
                           .quality = 1 + (int)(sample_random(&state) % 100)};
        unsigned blocks = 0;
        for (unsigned c = 0; c < 4; c++) {
            s.h[c] = 1 + sample_random(&state) % 2;
            s.v[c] = 1 + sample_random(&state) % 2;
            blocks += c < s.components ? s.h[c] * s.v[c] : 0;
        }
        if (s.components == 2) {
            s.space = JCS_UNKNOWN;
        }
        s.scan_a_component = blocks > 10;
        struct lod_buf file = sample_jpeg(&s);
        struct lod_script script = random_script(&state);
        snprintf(what, sizeof(what), "image %u", i);
        compare(lod_buf_span(&file), &script, what);
        lod_buf_finish(&file);
    }
}

Test(scans_write, photographs, .timeout = 600)
{
    uint64_t state = 3;
    glob_t found;

    find_photographs(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!share_has(i)) {
            continue;
        }
        struct lod_buf file = read_photograph(found.gl_pathv[i]);
        struct lod_script random = random_script(&state);
        compare(lod_buf_span(&file), lod_script_builtin((unsigned)i / 4 % 4), found.gl_pathv[i]);
        compare(lod_buf_span(&file), &random, found.gl_pathv[i]);
        lod_buf_finish(&file);
    }
    globfree(&found);
}
