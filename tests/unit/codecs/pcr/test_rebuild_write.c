/* SPDX-License-Identifier: Apache-2.0 */

#include "rebuild_samples.h"
#include "real_photographs.h"
#include "pcr/entropy/entropy.h"
#include "pcr/exact/padding.h"

/*
 * Bytes of operations without tables: segments, DQT, SOF, DHT by kind, DRI, EOI; and of a scan's.
 */
#define PLAIN_BYTES 40
#define SCAN_BYTES  20

static void expect_sample(const struct sample *s, size_t scans)
{
    struct lod_buf file = sample_jpeg(s);

    expect_exact(lod_buf_span(&file), PLAIN_BYTES + scans * SCAN_BYTES,
                 s->trailing ? strlen(s->trailing) : 0);
    lod_buf_finish(&file);
}

static void expect_codings(struct sample s)
{
    expect_sample(&s, 1);
    s.optimized = true;
    expect_sample(&s, 1);
    s.restart = 3;
    expect_sample(&s, 1);
    s.scan_a_component = true;
    expect_sample(&s, 4);
    s.optimized = s.scan_a_component = false;
    expect_sample(&s, 1);
    s.progressive = true;
    expect_sample(&s, 16);
    s.restart = 0;
    expect_sample(&s, 16);
}

Test(rebuild_write, every_sampling_size_and_coding_comes_back, .timeout = 300)
{
    const uint8_t sampling[][6] = {
        {1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {2, 2, 1, 1, 1, 1}, {4, 1, 1, 1, 1, 1},
        {1, 2, 1, 1, 1, 1}, {2, 2, 1, 2, 1, 2}, {1, 1, 2, 2, 2, 1},
    };
    const uint8_t size[][2] = {{1, 1}, {17, 1}, {8, 8}, {9, 7}, {33, 66}, {200, 120}};

    for (size_t i = 0; i < sizeof(sampling) / sizeof(sampling[0]); i++) {
        for (size_t j = 0; j < sizeof(size) / sizeof(size[0]); j++) {
            const uint8_t *f = sampling[i];
            expect_codings((struct sample){.width = size[j][0],
                                           .height = size[j][1],
                                           .h = {f[0], f[2], f[4]},
                                           .v = {f[1], f[3], f[5]}});
        }
    }
}

Test(rebuild_write, other_components_and_qualities_come_back, .timeout = 300)
{
    for (unsigned components = 1; components <= 4; components++) {
        expect_codings((struct sample){.width = 61, .height = 43, .components = components});
        expect_codings((struct sample){
            .width = 61, .height = 43, .components = components, .h = {2}, .v = {2}});
    }
    expect_codings((struct sample){.width = 90, .height = 70, .quality = 100});
    expect_codings((struct sample){.width = 90, .height = 70, .quality = 5});
    expect_codings((struct sample){.width = 90, .height = 70, .space = JCS_RGB});
    expect_codings((struct sample){.width = 90, .height = 70, .components = 4, .space = JCS_YCCK});
}

Test(rebuild_write, other_segments_come_back)
{
    expect_codings((struct sample){.width = 40, .height = 30, .orientation = 6});
    expect_codings((struct sample){.width = 40, .height = 30, .icc_bytes = 70000});
    expect_codings((struct sample){
        .width = 40, .height = 30, .orientation = 3, .icc_bytes = 500, .comment_bytes = 600});
    expect_codings((struct sample){.width = 40, .height = 30, .bare = true});
    expect_codings((struct sample){.width = 40, .height = 30, .trailing = "behind the end"});
}

/* libjpeg's progressive files, with up to 10 scans in each script. */
Test(rebuild_write, progressive_files_of_every_script_come_back, .timeout = 300)
{
    struct sample s = {.width = 120, .height = 90, .h = {2}, .v = {2}};
    struct lod_buf file = sample_jpeg(&s);
    const struct lod_script *script;

    for (unsigned i = 0; (script = lod_script_builtin(i)); i++) {
        struct lod_buf progressive = sample_transcode(lod_buf_span(&file), script);
        expect_exact(lod_buf_span(&progressive), PLAIN_BYTES + script->count * SCAN_BYTES, 0);
        lod_buf_finish(&progressive);
    }
    lod_buf_finish(&file);
}

Test(rebuild_write, much_behind_the_end_is_no_reason_to_keep_the_file)
{
    char *trailing = malloc(100001);
    cr_assert_not_null(trailing);
    memset(trailing, 'x', 100000);
    trailing[100000] = 0;
    expect_sample(&(struct sample){.width = 40, .height = 30, .trailing = trailing}, 1);
    free(trailing);
}

Test(rebuild_write, tables_in_one_segment_and_fill_bytes_come_back)
{
    struct lod_buf file =
        sample_jpeg(&(struct sample){.width = 40, .height = 30, .optimized = true});
    const uint8_t fill[] = {0xff, 0xff, 0xff};

    for (unsigned i = 0; i < 3; i++) { /* moves the second DHT's tables into the first */
        size_t at = exact_marker(&file, 0xc4, 0), next = exact_marker(&file, 0xc4, 1);
        size_t bytes = (size_t)(file.data[at + 2] << 8) + file.data[at + 3] + file.data[next + 3];
        bytes += (size_t)(file.data[next + 2] << 8) - 2;
        file.data[at + 2] = (uint8_t)(bytes >> 8);
        file.data[at + 3] = (uint8_t)bytes;
        exact_splice(&file, next, 4, NULL, 0);
    }
    expect_exact(lod_buf_span(&file), PLAIN_BYTES + SCAN_BYTES, 0);
    exact_splice(&file, exact_marker(&file, 0xc4, 0), 0, fill, sizeof(fill));
    exact_splice(&file, file.bytes - 2, 0, fill, sizeof(fill));
    expect_exact(lod_buf_span(&file), PLAIN_BYTES + SCAN_BYTES + 10, 0);
    lod_buf_finish(&file);
}

/* Returns the sample with its scan encoded again by `scan`, with the padding blocks of `jpeg`. */
static struct lod_buf recode(const struct lod_buf *file, struct lod_jpeg *jpeg,
                             const struct lod_entropy_scan *scan)
{
    static struct lod_entropy_tables tables;
    size_t sos = exact_marker(file, 0xda, 0), room = file->bytes * 2 + 4096, bytes = 0;
    size_t start = sos + 2 + (size_t)(file->data[sos + 2] << 8 | file->data[sos + 3]);
    uint8_t *out = malloc(room);
    struct lod_buf made = {0};

    cr_assert_not_null(out);
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(
            lod_huffman_codes(&lod_huffman_standard[i / 2][i % 2], &tables.codes[i / 2][i % 2]), 0);
    }
    cr_assert_eq(lod_entropy_write(jpeg, scan, &tables, out, room, &bytes), 0);
    cr_assert_eq(lod_buf_append(&made, file->data, file->bytes), 0);
    exact_splice(&made, start, file->bytes - 2 - start, out, bytes);
    free(out);
    return made;
}

static const struct lod_entropy_scan interleaved = {
    .count = 3, .part = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}}, .run_max = 1};

static struct lod_jpeg *read_again(const struct lod_buf *file)
{
    struct lod_jpeg *jpeg = NULL;
    const char *why;

    cr_assert_eq(lod_jpeg_read(lod_buf_span(file), 1u << 30, &jpeg, &why), 0);
    return jpeg;
}

/* As encoders that transform their padding write it: any coefficients at the edges. */
Test(rebuild_write, padding_blocks_of_any_contents_come_back)
{
    struct lod_buf file =
        sample_jpeg(&(struct sample){.width = 200, .height = 150, .h = {4}, .v = {2}});
    struct lod_jpeg *jpeg = read_again(&file);
    struct lod_padding padding = lod_padding(jpeg);
    unsigned blocks = 0;
    uint64_t state = 3;
    int16_t *block, dc;

    while ((block = lod_padding_next(&padding, &dc))) {
        memset(block, 0, LOD_JPEG_BLOCK * sizeof(*block));
        block[0] = (int16_t)(dc + (blocks % 3 ? (int)(sample_random(&state) % 40) - 20 : 0));
        for (unsigned i = 0; i < blocks % 5; i++) {
            block[1 + sample_random(&state) % 63] = (int16_t)(sample_random(&state) % 60) - 30;
        }
        blocks++;
    }
    cr_assert_gt(blocks, 20);
    struct lod_buf source = recode(&file, jpeg, &interleaved);
    expect_exact(lod_buf_span(&source), PLAIN_BYTES + SCAN_BYTES, blocks * 20);
    lod_buf_finish(&source);
    lod_jpeg_destroy(jpeg);
    lod_buf_finish(&file);
}

Test(rebuild_write, other_padding_bits_come_back)
{
    struct lod_buf file = sample_jpeg(&(struct sample){.width = 200, .height = 150, .restart = 7});
    struct lod_jpeg *jpeg = read_again(&file);
    struct lod_entropy_scan scan = interleaved;

    scan.restart_mcus = 7;
    struct lod_buf ones = recode(&file, jpeg, &scan);
    cr_assert(same_bytes(lod_buf_span(&ones), lod_buf_span(&file)), "not as libjpeg writes it");
    scan.pad_zeros = true;
    struct lod_buf zeros = recode(&file, jpeg, &scan);
    cr_assert_not(same_bytes(lod_buf_span(&zeros), lod_buf_span(&file)));
    expect_exact(lod_buf_span(&zeros), PLAIN_BYTES + SCAN_BYTES, 0);
    lod_jpeg_destroy(jpeg);
    lod_buf_finish(&ones);
    lod_buf_finish(&zeros);
    lod_buf_finish(&file);
}

static void expect_patched(struct lod_span source, size_t tail_max)
{
    struct exact_case e = exact_make(source);

    cr_assert(!e.whole && !e.error && e.made.patched, "%s", e.why);
    cr_assert_leq(e.made.tail.bytes, tail_max);
    exact_case_finish(&e);
}

Test(rebuild_write, a_few_other_bytes_become_a_patch)
{
    struct lod_buf file = sample_jpeg(&(struct sample){.width = 200, .height = 150, .restart = 7});
    unsigned changed = 0;

    for (size_t at = exact_marker(&file, 0xda, 0) + 20; at + 2 < file.bytes && changed < 5; at++) {
        bool last = file.data[at + 1] == 0xff && (file.data[at + 2] & 0xf8) == 0xd0;
        if (last && (file.data[at] & 3) == 3 && file.data[at] != 0xff) {
            file.data[at] &= 0xfe; /* the last of the bits that pad the byte */
            changed++;
        }
    }
    cr_assert_eq(changed, 5);
    expect_patched(lod_buf_span(&file), 60);
    exact_splice(&file, file.bytes - 2, 0, "behind the data", 15);
    expect_patched(lod_buf_span(&file), 80);
    lod_buf_finish(&file);
}

static void append(struct lod_buf *file, const void *data, size_t bytes)
{
    cr_assert_eq(lod_buf_append(file, data, bytes), 0);
}

/* Appends a SOS segment for one component, and 8 restart intervals of one byte. */
static void append_intervals(struct lod_buf *file, uint8_t first, uint8_t last, uint8_t interval)
{
    const uint8_t sos[] = {0xff, 0xda, 0, 8, 1, 1, 0, first, last, 0};

    append(file, sos, sizeof(sos));
    for (uint8_t i = 0; i < 8; i++) {
        const uint8_t coded[] = {interval, 0xff, (uint8_t)(0xd0 + i)};
        append(file, coded, i < 7 ? sizeof(coded) : 1);
    }
}

/*
 * Returns a gray JPEG of 64 blocks without AC. Its last scan ends the 8 blocks of a restart
 * interval by two runs of 4, which take 6 bits. One run of 8 takes 19, as the table has a code of
 * 16 bits for it.
 */
static struct lod_buf short_runs(void)
{
    const uint8_t dqt[] = {0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}, one = 1;
    const uint8_t sof[] = {0xff, 0xc2, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0};
    const uint8_t dht[] = {0xff, 0xc4, 0, 39, 0, 1, 0, 0, 0,    0, 0, 0,    0,   0,
                           0,    0,    0, 0,  0, 0, 0, 0, 0x10, 1, 0, 0,    0,   0,
                           0,    0,    0, 0,  0, 0, 0, 0, 0,    0, 1, 0x20, 0x30};
    const uint8_t dri[] = {0xff, 0xdd, 0, 4, 0, 8}, eoi[] = {0xff, 0xd9};
    struct lod_buf file = {0};

    append(&file, dqt, sizeof(dqt));
    for (unsigned i = 0; i < 64; i++) {
        append(&file, &one, 1);
    }
    append(&file, sof, sizeof(sof));
    append(&file, dht, sizeof(dht));
    append(&file, dri, sizeof(dri));
    append_intervals(&file, 0, 0, 0x00);
    append_intervals(&file, 1, 63, 0x03);
    append(&file, eoi, sizeof(eoi));
    return file;
}

/* A mount has memory for the source's bytes alone: the scan must not need more before its patch. */
Test(rebuild_write, a_scan_that_needs_more_room_than_the_source_has_is_kept)
{
    struct lod_buf file = short_runs();
    struct exact_case e = exact_make(lod_buf_span(&file));

    cr_assert(!e.whole && e.error == -ENOTSUP);
    cr_assert_str_eq(e.why, "a scan takes more bytes than the file before it is patched");
    exact_case_finish(&e);
    append(&file, "as much behind the end", 22);
    expect_patched(lod_buf_span(&file), 80);
    lod_buf_finish(&file);
}

Test(rebuild_write, what_is_hardly_a_jpeg_is_kept)
{
    struct lod_buf file = sample_jpeg(&(struct sample){.width = 40, .height = 30});
    size_t bytes = file.bytes / 5 + 2048;
    uint8_t *garbage = calloc(1, bytes);

    cr_assert_not_null(garbage);
    exact_splice(&file, exact_marker(&file, 0xc4, 0), 0, garbage, bytes);
    struct exact_case e = exact_make(lod_buf_span(&file));
    cr_assert(!e.whole && e.error == -ENOTSUP);
    cr_assert_str_eq(e.why, "too many of its bytes differ from those of usual encoders");
    exact_case_finish(&e);
    free(garbage);
    lod_buf_finish(&file);
}

Test(rebuild_write, one_encoder_and_setting_make_one_header)
{
    struct lod_buf a = sample_jpeg(&(struct sample){.width = 40, .height = 30});
    struct lod_buf b = sample_jpeg(&(struct sample){.width = 333, .height = 60, .quality = 50});
    struct exact_case ea = exact_make(lod_buf_span(&a)), eb = exact_make(lod_buf_span(&b));

    cr_assert(same_bytes(lod_buf_span(&ea.made.header), lod_buf_span(&eb.made.header)));
    exact_case_finish(&ea);
    exact_case_finish(&eb);
    lod_buf_finish(&a);
    lod_buf_finish(&b);
}

/* Sources with a few bytes changed: rebuilt exactly, kept or stored whole, and never wrong. */
Test(rebuild_write, damaged_sources_come_back_or_are_kept, .timeout = 600)
{
    const struct sample samples[] = {
        {.width = 40, .height = 30, .h = {2}, .v = {2}, .comment_bytes = 30},
        {.width = 40, .height = 30, .restart = 2, .optimized = true},
        {.width = 40, .height = 30, .progressive = true, .trailing = "end"},
    };
    unsigned count[3] = {0}; /* whole, kept, rebuilt */
    uint64_t state = 11;

    for (unsigned i = 0; i < 3000; i++) {
        struct lod_buf file = sample_jpeg(&samples[i % 3]);
        for (unsigned n = 1 + sample_random(&state) % 3; n; n--) {
            file.data[2 + sample_random(&state) % (file.bytes - 2)] =
                (uint8_t)sample_random(&state);
        }
        struct exact_case e = exact_make(lod_buf_span(&file));
        count[e.whole ? 0 : e.error ? 1 : 2]++;
        exact_case_finish(&e);
        lod_buf_finish(&file);
    }
    cr_assert(count[0] > 100 && count[2] > 100, "%u whole, %u kept, %u back", count[0], count[1],
              count[2]);
}

Test(rebuild_write, real_photographs_come_back_for_a_few_bytes_each, .timeout = 600)
{
    glob_t found;

    find_photographs(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!share_has(i)) {
            continue;
        }
        struct lod_buf file = read_photograph(found.gl_pathv[i]);
        expect_exact(lod_buf_span(&file), PLAIN_BYTES, 0);
        lod_buf_finish(&file);
    }
    globfree(&found);
}
