/* SPDX-License-Identifier: Apache-2.0 */
/* The sample, the choice of scripts, the table of measurements, and scripts of the user. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "codecs/pcr/jpeg_samples.h"
#include "pack/scans/sample_photos.h"
#include "pack/scans/scans.h"

static const struct lod_sample_limits limits = {.scripts = 5, .fidelities = 10};

static int offer(struct lod_sample *sample, const struct sample *s)
{
    struct lod_buf file = sample_jpeg(s);
    int error = lod_sample_offer(sample, &file);
    lod_buf_finish(&file);
    return error;
}

/* Makes `count` photographs of each quality, from coarse to fine. */
static struct lod_sample *make_sample(unsigned count, const int *qualities, unsigned kinds)
{
    struct lod_sample *sample = NULL;

    cr_assert_eq(lod_sample_create(&limits, &sample), 0);
    for (unsigned i = 0; i < count * kinds; i++) {
        struct sample s = {.width = 90 + i, .height = 80, .quality = qualities[i % kinds]};
        cr_assert_eq(offer(sample, &s), 0);
    }
    return sample;
}

static char *choose_text(const struct lod_sample *sample, const struct lod_script *fixed,
                         unsigned threads, struct lod_scans *scans)
{
    struct lod_pool *pool = NULL;

    cr_assert_eq(lod_pool_create(threads, &pool), 0);
    const struct lod_scans_options options = {.fixed = fixed};
    cr_assert_eq(lod_scans_choose(&(struct lod_measure_run){.pool = pool}, sample, &options, scans),
                 0);
    lod_pool_destroy(pool);
    return scans->table ? cJSON_Print(scans->table) : NULL;
}

Test(scans, jpeg_names_come_first_in_an_order_of_their_own)
{
    cr_expect_lt(lod_sample_key("z/photo.JPG"), lod_sample_key("a/notes.txt"));
    cr_expect_lt(lod_sample_key("photo.jpeg"), lod_sample_key("photo.png"));
    cr_expect_neq(lod_sample_key("a/1.jpg"), lod_sample_key("b/1.jpg"));
    cr_expect_eq(lod_sample_key("a/1.jpg"), lod_sample_key("a/1.jpg"));
    unsigned above = 0;
    for (char name[] = "a.jpg"; name[0] <= 'z'; name[0]++) {
        above += lod_sample_key(name) > lod_sample_key("m.jpg");
    }
    cr_expect(above > 3 && above < 22, "not the order of names: %u", above);
}

static unsigned choosing_of(const struct lod_sample *sample)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sample->count; i++) {
        count += sample->photos[i].choosing;
    }
    return count;
}

Test(scans, a_class_and_all_classes_have_their_limits)
{
    static const int qualities[] = {75, 97, 50, 20};
    struct lod_sample *sample = make_sample(LOD_SAMPLE_CLASS_MAX + 3, qualities, 1);

    cr_expect_eq(choosing_of(sample), LOD_SAMPLE_CLASS_MAX);
    cr_expect_eq(sample->drawn, LOD_SAMPLE_CLASS_MAX + 3, "small ones are soon measured");
    cr_expect_not(lod_sample_full(sample), "other classes have room");
    lod_sample_destroy(sample);
    sample = make_sample(LOD_SAMPLE_CLASS_MAX, qualities, 4);
    cr_expect_eq(choosing_of(sample), LOD_SAMPLE_CHOICE_MAX);
    lod_sample_destroy(sample);
}

/* A photograph of 3 megapixels takes a second: few of a small source,
 * a twentieth of a large one. */
Test(scans, what_measuring_takes_is_bounded)
{
    struct lod_sample_limits large = limits;
    struct sample s = {.width = 2000, .height = 1500, .quality = 30};
    struct lod_buf file = sample_jpeg(&s), copy = {0};

    large.jpeg_bytes = 5ull << 30;
    for (unsigned kind = 0; kind < 2; kind++) {
        struct lod_sample *sample = NULL;
        cr_assert_eq(lod_sample_create(kind ? &large : &limits, &sample), 0);
        for (unsigned i = 0; i < 60; i++) {
            cr_assert_eq(lod_buf_append(&copy, file.data, file.bytes), 0);
            cr_assert_eq(lod_sample_offer(sample, &copy), 0);
            lod_buf_finish(&copy);
        }
        cr_expect_eq(sample->looked_at, 60);
        cr_expect_eq(sample->seen[lod_quant_class((uint16_t[64]){0})] + 60, 60, "another class");
        if (kind) {
            cr_expect_gt(sample->drawn, 30);
        } else {
            cr_expect_leq(sample->drawn, 10);
            cr_expect_geq(sample->drawn, LOD_SAMPLE_CLASS_MIN);
            cr_expect_geq(choosing_of(sample), LOD_SAMPLE_CLASS_MIN);
        }
        lod_sample_destroy(sample);
    }
    lod_buf_finish(&file);
}

Test(scans, the_number_of_files_read_has_a_limit)
{
    struct lod_sample *sample = NULL;
    unsigned offered = 0;

    cr_assert_eq(lod_sample_create(&limits, &sample), 0);
    for (; !lod_sample_full(sample) && offered <= LOD_SAMPLE_FILES_MAX; offered++) {
        uint8_t noise[200] = {0xff, 0xd8, 0xff, (uint8_t)offered};
        struct lod_buf file = {0};
        cr_assert_eq(lod_buf_append(&file, noise, sizeof(noise)), 0);
        cr_assert_eq(lod_sample_offer(sample, &file), 0);
        cr_assert_eq(file.bytes, sizeof(noise), "left with the caller");
        lod_buf_finish(&file);
    }
    cr_expect_eq(offered, LOD_SAMPLE_FILES_MAX);
    cr_expect_eq(sample->count, 0);
    lod_sample_destroy(sample);
    cr_expect_null(lod_sample_destroy(NULL));
}

Test(scans, files_too_large_or_too_small_are_not_read)
{
    struct lod_sample *sample = NULL;

    cr_assert_eq(lod_sample_create(&limits, &sample), 0);
    cr_expect(lod_sample_wants(sample, 20000));
    cr_expect(lod_sample_wants(sample, LOD_SAMPLE_FILE_BYTES_MAX));
    cr_expect_not(lod_sample_wants(sample, LOD_SAMPLE_FILE_BYTES_MAX + 1));
    cr_expect_not(lod_sample_wants(sample, 0));
    sample->bytes = LOD_SAMPLE_BYTES_MAX - 10000;
    cr_expect_not(lod_sample_wants(sample, 20000), "the memory is spent");
    cr_expect(lod_sample_wants(sample, 10000));
    lod_sample_destroy(sample);
}

Test(scans, threads_do_not_change_a_byte)
{
    static const int qualities[] = {90, 60};
    struct lod_sample *sample = make_sample(4, qualities, 2);
    struct lod_scans one, many;
    char *a = choose_text(sample, NULL, 1, &one), *b = choose_text(sample, NULL, 4, &many);

    cr_assert(a && b);
    cr_expect_str_eq(a, b);
    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        cr_expect_eq(one.choice.classes[class].count, many.choice.classes[class].count);
        cr_expect_eq(memcmp(one.choice.classes[class].scripts, many.choice.classes[class].scripts,
                            one.choice.classes[class].count * sizeof(struct lod_script *)),
                     0);
    }
    free(a);
    free(b);
    lod_scans_finish(&one);
    lod_scans_finish(&many);
    lod_sample_destroy(sample);
}

static double table_number(const cJSON *object, const char *key, int at)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(object, key), at)->valuedouble;
}

Test(scans, the_table_has_the_choices_and_measurements)
{
    static const int qualities[] = {90};
    struct lod_sample *sample = make_sample(5, qualities, 1);
    struct lod_scans scans;
    char *text = choose_text(sample, NULL, 2, &scans);
    const cJSON *classes = cJSON_GetObjectItem(scans.table, "classes"), *class;
    unsigned samples = 0, index = 0;

    cr_assert_eq(cJSON_GetArraySize(classes), LOD_QUANT_CLASSES);
    cJSON_ArrayForEach(class, classes)
    {
        const char *name = cJSON_GetObjectItem(class, "script")->valuestring;
        int own = cJSON_GetObjectItem(class, "samples")->valueint;
        cr_expect_str_eq(scans.choice.classes[index].scripts[0]->name, name);
        cr_expect_eq(scans.choice.classes[index].count,
                     lod_scans_compared(&(struct lod_scans_options){.top = 0}));
        cr_expect_str_eq(cJSON_GetObjectItem(class, "measured")->valuestring,
                         own ? "class" : "all");
        cr_expect_not_null(cJSON_GetObjectItem(cJSON_GetObjectItem(scans.table, "scripts"), name));
        cr_expect_eq(table_number(class, "mssim", 9), 1.0);
        cr_expect_lt(table_number(class, "mssim", 0), 1.0);
        cr_expect_lt(table_number(class, "bytes", 0), table_number(class, "bytes", 9));
        cr_expect_eq(table_number(cJSON_GetObjectItem(class, "default"), "mssim", 9), 1.0);
        samples += (unsigned)own;
        index++;
    }
    cr_expect_eq(samples, 5);
    free(text);
    lod_scans_finish(&scans);
    cr_expect_null(scans.table);
    lod_sample_destroy(sample);
}

static struct lod_likeness_sums sums_of(const struct lod_likeness *likeness, uint64_t photos)
{
    struct lod_likeness_sums sums = {.photos = photos};

    for (unsigned f = 0; f < LOD_PHOTO_FEATURES; f++) {
        sums.features[f] = likeness->features[f] * (double)photos;
    }
    return sums;
}

Test(scans, the_table_says_how_like_the_whole_store_is)
{
    static const int qualities[] = {90, 70};
    struct lod_sample *sample = make_sample(20, qualities, 2);
    struct lod_scans scans;
    free(choose_text(sample, NULL, 2, &scans));

    cr_assert_eq(scans.likeness.photos, 40);
    struct lod_likeness_sums sums = sums_of(&scans.likeness, 1000);
    cr_assert_eq(lod_scans_add_store(&scans, &sums), 0);
    const cJSON *store = cJSON_GetObjectItem(scans.table, "store");
    cr_assert_not_null(store);
    cr_expect_eq(cJSON_GetObjectItem(store, "photographs")->valueint, 40);
    for (int k = 0; k < 10; k++) {
        cr_expect_float_eq(table_number(store, "mssim", k), scans.likeness.mssim[k], 1e-4);
        cr_expect_geq(table_number(store, "mssim", k), k ? table_number(store, "mssim", k - 1) : 0);
    }
    cr_expect_gt(table_number(store, "within", 0), 0);
    cr_expect_eq(table_number(store, "within", 9), 0);
    lod_scans_finish(&scans);
    lod_sample_destroy(sample);
}

Test(scans, a_class_with_too_few_photographs_takes_the_choice_of_all)
{
    static const int qualities[] = {97, 40};
    struct lod_sample *sample = make_sample(2, qualities, 2);
    struct lod_scans scans;
    const cJSON *class;
    const double *of_all = NULL;
    unsigned met = 0;

    for (unsigned i = 0; i < 3; i++) {
        struct sample more = {.width = 100 + i, .height = 99, .quality = 97};
        cr_assert_eq(offer(sample, &more), 0);
    }
    free(choose_text(sample, NULL, 2, &scans));
    cJSON_ArrayForEach(class, cJSON_GetObjectItem(scans.table, "classes"))
    {
        int own = cJSON_GetObjectItem(class, "samples")->valueint;
        const cJSON *q1 = cJSON_GetArrayItem(cJSON_GetObjectItem(class, "bytes"), 0);
        bool by_all = strcmp(cJSON_GetObjectItem(class, "measured")->valuestring, "all") == 0;
        cr_expect_eq(by_all, own < 3, "%d photographs", own);
        met += (unsigned)own;
        if (by_all) {
            of_all = of_all ? of_all : &q1->valuedouble;
            cr_expect_eq(q1->valuedouble, *of_all);
        }
    }
    cr_expect_eq(met, 7);
    cr_expect_not_null(of_all);
    lod_scans_finish(&scans);
    lod_sample_destroy(sample);
}

Test(scans, a_script_of_the_user_is_used_for_every_class)
{
    static const int qualities[] = {90, 40};
    struct lod_sample *sample = make_sample(3, qualities, 2);
    struct lod_script given = *lod_script_named("default");
    struct lod_scans scans;

    strcpy(given.name, "file");
    char *text = choose_text(sample, &given, 2, &scans);
    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        cr_expect_eq(scans.choice.classes[class].scripts[0], &scans.fixed);
        cr_expect_eq(scans.choice.classes[class].count, 2);
        cr_expect_str_eq(scans.choice.classes[class].scripts[1]->name, "default");
    }
    cr_expect(strstr(text, "\"file\""));
    free(text);
    lod_scans_finish(&scans);
    lod_sample_destroy(sample);
}

Test(scans, without_photographs_there_is_a_choice_and_no_table)
{
    struct lod_sample *sample = NULL;
    struct lod_scans scans;

    cr_assert_eq(lod_sample_create(&limits, &sample), 0);
    cr_assert_eq(offer(sample, &(struct sample){.width = 9, .height = 9, .comment_bytes = 90}), 0);
    cr_expect_null(choose_text(sample, NULL, 1, &scans));
    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        cr_expect_str_eq(scans.choice.classes[class].scripts[0]->name, "default");
    }
    lod_scans_finish(&scans);
    lod_sample_destroy(sample);
}

static int load_text(const char *text, size_t bytes, struct lod_script *script, struct lod_why *why)
{
    char path[] = P_tmpdir "/lodfs-test-scans-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    int error = lod_scans_load(path, script, why);
    unlink(path);
    return error;
}

Test(scans, a_script_is_a_name_or_a_file)
{
    static char text[LOD_SCRIPT_TEXT_MAX + 100];
    struct lod_script script;
    struct lod_why why = {.text = ""};

    cr_assert_eq(lod_scans_load("default", &script, &why), 0);
    cr_expect_str_eq(script.name, "default");
    size_t bytes = lod_script_print(&script, text, sizeof(text));
    cr_assert_eq(load_text(text, bytes, &script, &why), 0, "%s", why.text);
    cr_expect_str_eq(script.name, "file");
    cr_expect_eq(script.count, lod_script_named("default")->count);

    cr_expect_eq(lod_scans_load("/nowhere/at/all", &script, &why), -ENOENT);
    cr_expect(strstr(why.text, "neither"));
    cr_expect_eq(load_text("0,1,2: 0-0, 0, 0\nnonsense", 25, &script, &why), -EILSEQ);
    cr_expect(strstr(why.text, "line 2"), "%s", why.text);
    memset(text, '#', sizeof(text));
    cr_expect_eq(load_text(text, sizeof(text), &script, &why), -E2BIG);
    cr_expect_lt(lod_scans_load("/", &script, &why), 0);
}
