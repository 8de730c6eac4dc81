/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/resource.h>

#include "pcr/pcr_row.h"
#include "pcr_samples.h"

/*
 * Compares each fidelity with libjpeg's own progressive file, cut after the last scan of each
 * group.
 */
static void expect_prefixes(struct lod_span source, const struct lod_encoded *item,
                            const struct lod_script *fitted)
{
    unsigned scans = 0;

    for (unsigned k = 1; k <= LOD_SCRIPT_GROUPS; k++) {
        while (scans < fitted->count && fitted->scans[scans].group <= k) {
            scans++;
        }
        struct lod_buf file = k == 1 ? open_q1(item) : file_at(item, (enum lod_fidelity)k);
        struct lod_buf expected = sample_transcode(source, fitted);
        sample_cut(&expected, scans);
        cr_assert(sample_same_pixels(lod_buf_span(&file), lod_buf_span(&expected)), "q%u", k);
        lod_buf_finish(&file);
        lod_buf_finish(&expected);
    }
}

/* Checks all properties of a source that is transcoded with one script. */
static struct lod_encoded check_with(const struct sample *s, const struct lod_script *script)
{
    struct lod_buf file = sample_jpeg(s);
    struct lod_span source = lod_buf_span(&file);
    struct lod_encoded item = encode_with(source, &script, 1);
    unsigned components = s->components ? s->components : 3;
    uint8_t blocks[4];
    struct lod_script fitted;

    cr_assert_null(item.whole, "%s", item.whole);
    cr_assert_eq(item.row[LOD_PCR_SHAPE], components);
    cr_assert_eq(lod_get_le16(item.row + LOD_PCR_WIDTH), s->width);
    cr_assert_eq(lod_get_le16(item.row + LOD_PCR_HEIGHT), s->height);
    for (unsigned c = 0; c < 4; c++) {
        blocks[c] = (uint8_t)((s->h[c] ? s->h[c] : 1) * (s->v[c] ? s->v[c] : 1));
    }
    lod_script_fit(script, components, blocks, &fitted);
    expect_prefixes(source, &item, &fitted);
    expect_full(source, &item);
    lod_buf_finish(&file);
    return item;
}

static void check(const struct sample *s)
{
    const struct lod_script *script;

    for (unsigned i = 0; (script = lod_script_builtin(i)); i++) {
        struct lod_encoded item = check_with(s, script);
        lod_encoded_finish(&item);
    }
}

Test(pcr_write, every_sampling_and_size_comes_back, .timeout = 300)
{
    const uint8_t sampling[][6] = {
        {1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {2, 2, 1, 1, 1, 1}, {4, 1, 1, 1, 1, 1},
        {1, 2, 1, 1, 1, 1}, {4, 2, 1, 1, 1, 1}, {1, 4, 1, 1, 1, 1}, {2, 2, 1, 2, 1, 2},
        {1, 1, 2, 2, 2, 1}, {2, 2, 2, 1, 1, 1},
    };
    const uint8_t size[][2] = {{1, 1}, {1, 17}, {17, 1}, {8, 8}, {9, 7}, {33, 66}};

    for (size_t i = 0; i < sizeof(sampling) / sizeof(sampling[0]); i++) {
        for (size_t k = 0; k < sizeof(size) / sizeof(size[0]); k++) {
            const uint8_t *f = sampling[i];
            struct sample s = {.width = size[k][0],
                               .height = size[k][1],
                               .h = {f[0], f[2], f[4]},
                               .v = {f[1], f[3], f[5]},
                               .restart = (i + k) % 3 == 1 ? 2 : 0,
                               .progressive = (i + k) % 3 == 2};
            check(&s);
        }
    }
}

Test(pcr_write, every_colour_space_comes_back, .timeout = 300)
{
    const struct sample samples[] = {
        {.components = 1},
        {.components = 1, .h = {2}, .v = {2}, .bare = true},
        {.components = 2},
        {.components = 2, .h = {2}, .progressive = true},
        {.bare = true},
        {.space = JCS_RGB},
        {.space = JCS_RGB, .bare = true},
        {.components = 4},
        {.components = 4, .bare = true},
        {.components = 4, .space = JCS_YCCK, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}},
        {.components = 4, .h = {2, 1, 2, 2}, .v = {2, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct sample s = samples[i];
        s.width = 37;
        s.height = 29;
        check(&s);
    }
}

Test(pcr_write, unusual_files_come_back, .timeout = 300)
{
    const struct sample samples[] = {
        {.scan_a_component = true, .h = {2}, .v = {2}},
        {.scan_a_component = true, .h = {2, 2, 2}, .v = {2, 2, 2}}, /* 12 blocks an MCU */
        {.quality = 1},
        {.quality = 100, .h = {2}, .v = {2}},
        {.trailing = "bytes behind the end"},
        {.restart = 1},
        {.restart = 3, .progressive = true},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct sample s = samples[i];
        s.width = 61;
        s.height = 43;
        check(&s);
    }
}

static const struct lod_script *plain(void)
{
    return lod_script_named("default");
}

Test(pcr_write, the_head_keeps_what_decoders_act_on_and_full_keeps_all)
{
    struct sample s = {
        .width = 50, .height = 40, .orientation = 8, .icc_bytes = 100000, .comment_bytes = 3000};
    struct lod_buf source = sample_jpeg(&s);
    struct lod_encoded item = check_with(&s, plain());
    struct lod_buf q1 = open_q1(&item), full = file_at(&item, LOD_FULL);

    size_t dqt = 0; /* the source's segments: JFIF, EXIF, ICC, ICC, COM, APP13 */
    while (source.data[dqt + 1] != 0xdb) {
        dqt += dqt ? 2u + (unsigned)(source.data[dqt + 2] << 8 | source.data[dqt + 3]) : 2;
    }
    cr_assert_eq(item.row[0], LOD_ITEM_NO_ORIGINAL | LOD_ITEM_ORIENT);
    cr_assert_eq(item.row[LOD_PCR_APP_SPLIT], 20);
    cr_assert_eq(memcmp(q1.data + 20,
                        "\xff\xe1\x00\x22"
                        "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01"
                        "\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0",
                        36),
                 0);
    cr_assert_eq(memcmp(q1.data, source.data, 20), 0);
    cr_assert_eq(memcmp(q1.data + 56, source.data + 20 + 36, 100000 + 2 * 18), 0, "ICC");
    cr_assert_eq(memcmp(full.data, source.data, 20 + 36), 0, "SOI, JFIF, EXIF");
    cr_assert_eq(item.group[10].bytes, 36 + 3000 + 1500 + 8);
    cr_assert_eq(full.bytes - q1.bytes, item.group[10].bytes - 36 + item.group[1].bytes +
                                            item.group[2].bytes + item.group[3].bytes +
                                            item.group[4].bytes + item.group[5].bytes +
                                            item.group[6].bytes + item.group[7].bytes +
                                            item.group[8].bytes + item.group[9].bytes);
    cr_assert(!contains(lod_buf_span(&q1), source.data + dqt - 3000, 100), "COM in q1");
    cr_assert(contains(lod_buf_span(&full), source.data + dqt - 4508, 4508), "COM and APP13");
    lod_buf_finish(&source);
    lod_buf_finish(&q1);
    lod_buf_finish(&full);
    lod_encoded_finish(&item);
}

Test(pcr_write, orientation_is_in_the_head_only_where_it_turns)
{
    for (unsigned orientation = 0; orientation <= 8; orientation++) {
        struct sample s = {.width = 20, .height = 10, .orientation = orientation, .bare = true};
        struct lod_encoded item = check_with(&s, plain());
        struct lod_buf q1 = file_at(&item, LOD_Q1);
        bool turns = orientation >= 2;
        cr_assert_eq((item.row[0] & LOD_ITEM_ORIENT) != 0, turns);
        cr_assert_eq(item.row[LOD_PCR_APP_SPLIT], 2);
        cr_assert_eq(contains(lod_buf_span(&q1), "Exif", 4), turns);
        lod_buf_finish(&q1);
        lod_encoded_finish(&item);
    }
}

Test(pcr_write, a_thumbnail_stays_out_of_the_prefixes)
{
    struct sample s = {.width = 20, .height = 10};
    struct lod_buf file = sample_jpeg(&s);
    const struct lod_script *script = plain();

    cr_assert_eq(lod_buf_reserve(&file, 12), 0);
    memmove(file.data + 32, file.data + 20, file.bytes - 20);
    file.bytes += 12;
    memcpy(file.data + 18, "\x02\x02thumbnailrgb", 14);
    file.data[5] = 28;
    struct lod_encoded item = encode_with(lod_buf_span(&file), &script, 1);
    struct lod_buf q1 = file_at(&item, LOD_Q1), full = file_at(&item, LOD_FULL);
    cr_assert_eq(memcmp(q1.data + 4, "\0\x10JFIF\0", 7), 0);
    cr_assert_eq(memcmp(q1.data + 18, "\0\0\xff", 3), 0);
    cr_assert(!contains(lod_buf_span(&q1), "thumb", 5));
    cr_assert(contains(lod_buf_span(&full), "\0\x1cJFIF\0", 7));
    cr_assert(contains(lod_buf_span(&full), "thumbnailrgb", 12));
    expect_full(lod_buf_span(&file), &item);
    lod_buf_finish(&q1);
    lod_buf_finish(&full);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}

/*
 * Returns a script with one scan for each coefficient. Its many tables make a small file grow by
 * more than is accepted.
 */
static struct lod_script greedy_script(unsigned bands)
{
    char text[LOD_SCRIPT_TEXT_MAX] = "0,1,2: 0-0, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0\n";
    struct lod_script script;
    const char *why = "";
    unsigned line = 0, at = (unsigned)strlen(text);

    for (unsigned k = 1; k <= bands; k++) {
        at += (unsigned)sprintf(text + at, "0: %u-%u, 0, 0;", k, k == bands ? 63 : k);
    }
    struct lod_span span = {.at = (const uint8_t *)text, .bytes = at};
    cr_assert_eq(lod_script_parse("greedy", span, &script, &line, &why), 0, "%s", why);
    return script;
}

static uint64_t full_bytes(const struct lod_encoded *item)
{
    struct lod_plan plan;
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE, LOD_FULL, &plan), 0);
    return plan.bytes;
}

Test(pcr_write, growth_is_met_with_the_next_script_never_with_the_whole_file)
{
    struct sample s = {.width = 64, .height = 40, .quality = 60};
    struct lod_buf file = sample_jpeg(&s);
    struct lod_script worst = greedy_script(29), bad = greedy_script(27);
    const struct lod_script *first_fits[] = {&worst, plain(), &bad},
                            *none[] = {&worst, &bad, &worst};

    struct lod_encoded item = encode_with(lod_buf_span(&file), first_fits, 3);
    cr_assert_null(item.whole);
    cr_assert_neq(item.group[9].bytes, 0, "the default script has ten groups, the others two");
    cr_assert_lt(full_bytes(&item), file.bytes * 103 / 100 + 512);
    lod_encoded_finish(&item);

    item = encode_with(lod_buf_span(&file), none, 3);
    struct lod_encoded smallest = encode_with(lod_buf_span(&file), none + 1, 1);
    cr_assert_null(item.whole);
    cr_assert_gt(full_bytes(&item), file.bytes * 103 / 100 + 512);
    cr_assert(same_bytes(lod_buf_span(&item.group[1]), lod_buf_span(&smallest.group[1])));
    expect_full(lod_buf_span(&file), &item);
    lod_encoded_finish(&item);
    lod_encoded_finish(&smallest);
    lod_buf_finish(&file);
}

static uint64_t peak_bytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)used.ru_maxrss * 1024;
}

Test(pcr_write, memory_is_told_beforehand, .timeout = 300)
{
    struct sample s = {.width = 2400, .height = 1800, .quality = 30};
    struct lod_buf file = sample_jpeg(&s);
    struct lod_span source = lod_buf_span(&file);
    const struct lod_script *script = plain();
    uint64_t before = peak_bytes(), told = lod_encoder_pcr.memory_bytes(source);

    struct lod_encoded item = encode_with(source, &script, 1);
    uint64_t taken = peak_bytes() - before;
    cr_assert(sample_sanitized() || told >= taken, "%lu bytes were taken, %lu told", taken, told);
    cr_assert_leq(told, 3 * taken, "%lu bytes were taken, %lu told", taken, told);
    lod_encoded_finish(&item);
    file.bytes -= 2; /* whole: a copy */
    cr_assert_eq(lod_encoder_pcr.memory_bytes(lod_buf_span(&file)), file.bytes);
    lod_buf_finish(&file);
}

Test(pcr_write, the_table_sends_jpegs_here_by_their_content)
{
    const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0}, png[] = {0x89, 'P', 'N', 'G'};
    struct lod_span head = {.at = jpeg, .bytes = 4};

    cr_assert_eq(lod_encoder_probe(head, 1000), &lod_encoder_pcr);
    cr_assert_eq(lod_encoder_probe(head, 256ull << 20), &lod_encoder_pcr);
    cr_assert_eq(lod_encoder_probe(head, (256ull << 20) + 1), &lod_encoder_raw);
    head.bytes = 2;
    cr_assert_eq(lod_encoder_probe(head, 2), &lod_encoder_raw);
    head = (struct lod_span){.at = png, .bytes = 4};
    cr_assert_eq(lod_encoder_probe(head, 1000), &lod_encoder_raw);
}
