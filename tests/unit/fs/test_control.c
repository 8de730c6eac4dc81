/* SPDX-License-Identifier: Apache-2.0 */
/* The fidelity of `auto`, the counters and the files of .lodfs, without a mount. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <errno.h>

#include "mount/control_files.h"
#include "mount/control_metrics.h"
#include "mount/control_text.h"
#include "log.h"
#include "store/store_fixture.h"

static const struct fixture_file files[] = {{"a", "hello\n"}};
static const struct fixture_file list = {"", "a list"};

static struct fixture fixture;
static struct lod_dataset *dataset;
static struct lod_reader *reader;
static struct lod_control control;
static struct lod_control_files shown;
static char text[LOD_CONTROL_FILE_BYTES];

static void begin(const char *store)
{
    struct lod_control_facts facts = {
        .store = store, .mountpoint = "/mnt", .first = LOD_FULL, .mounter = 5};

    lod_control_init(&control, &facts, dataset, reader);
    lod_control_files_init(&shown, &control);
}

static void setup(void)
{
    struct lod_entry entries[] = {{.path = "", .mode = S_IFDIR | 0755},
                                  {.path = "a", .mode = S_IFREG | 0644, .item = 1}};
    struct lod_why why = {.text = ""};

    lod_log_setup(LOD_LOG_ERROR);
    fixture = fixture_create();
    fixture_commit(&fixture, files, 1, &list, entries, 2);
    cr_assert_eq(lod_dataset_open(fixture.folder, &(struct lod_open_options){.settings = NULL},
                                  &dataset, &why),
                 0, "%s", why.text);
    cr_assert_eq(lod_reader_create(dataset,
                                   &(struct lod_reader_options){.cache_bytes = 1 << 20,
                                                                .work_bytes = 1 << 20,
                                                                .threads = true},
                                   &reader),
                 0);
    begin("/a/store");
}

static void teardown(void)
{
    lod_control_files_finish(&shown);
    lod_reader_destroy(reader);
    lod_dataset_close(dataset);
    fixture_destroy(&fixture);
}

TestSuite(control, .init = setup, .fini = teardown);

Test(control, auto_has_only_fidelities_of_every_view)
{
    cr_assert_eq(lod_control_auto(&control), LOD_FULL);
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        cr_assert_eq(lod_control_switch(&control, f), 0);
        cr_assert_eq(lod_control_auto(&control), f);
        cr_assert_leq(strlen(lod_fidelity_name((enum lod_fidelity)f)), LOD_AUTO_BYTES);
    }
    cr_assert_eq(lod_control_switch(&control, 0), -EINVAL);
    cr_assert_eq(lod_control_switch(&control, LOD_ORIGINAL), -EINVAL);
    cr_assert_eq(lod_control_switch(&control, LOD_AUTO), -EINVAL);
    cr_assert_eq(lod_control_switch(&control, UINT32_MAX), -EINVAL);
    cr_assert_eq(lod_control_auto(&control), LOD_FULL);
}

static double number_at(const cJSON *document, const char *part, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(document, part), key);

    cr_assert(cJSON_IsNumber(value), "%s.%s", part, key);
    return value->valuedouble;
}

Test(control, statistics_and_metrics_show_the_counters)
{
    for (unsigned i = 0; i < 7; i++) {
        lod_control_count(&control, LOD_REQUEST_READLINK);
    }
    lod_control_count_read(&control, LOD_FORMAT_TAR, LOD_Q1, 1000);
    lod_control_count_read(&control, LOD_FORMAT_TREE, LOD_ORIGINAL, 1ull << 40);
    cr_assert_eq(lod_control_switch(&control, 3), 0);
    cr_assert_eq(lod_control_switch(&control, 3), 0);
    cr_assert_eq(lod_control_stats_text(&control, text, LOD_CONTROL_FILE_BYTES), 0);
    cJSON *document = cJSON_Parse(text);
    cr_assert_not_null(document);
    cr_assert_eq(number_at(document, "requests", "readlink"), 7);
    cr_assert_eq(number_at(document, "requests", "read"), 0);
    cr_assert_eq(number_at(document, "read_bytes", "q1"), 1000);
    cr_assert_eq(number_at(document, "read_bytes", "original"), (double)(1ull << 40));
    cr_assert_eq(number_at(document, "format_bytes", "tar"), 1000);
    cr_assert_eq(number_at(document, "format_reads", "tree"), 1);
    cr_assert_eq(number_at(document, "format_reads", "tfrecord"), 0);
    cr_assert_eq(number_at(document, "auto", "switches"), 1);
    cJSON_Delete(document);

    cr_assert_eq(lod_control_metrics_text(&control, LOD_METRICS_TEXT, text, sizeof(text)), 0);
    cr_assert_not_null(
        strstr(text, "\nlodfs_fuse_ops_total{op=\"readlink\"}                    7\n"));
    cr_assert_not_null(
        strstr(text, "\nlodfs_read_bytes_total{fidelity=\"original\"}        1099511627776\n"));
    cr_assert_not_null(
        strstr(text, "\nlodfs_format_read_bytes_total{format=\"tar\"}                 1000\n"));
    cr_assert_not_null(strstr(text, "\nlodfs_auto_info{fidelity=\"q3\"}   1\n"));
    cr_assert_not_null(strstr(text, "\n# TYPE lodfs_auto_switches_total counter\n"));
}

Test(control, durations_have_cumulative_buckets)
{
    static const char metric[] = "\nlodfs_fuse_op_duration_seconds";
    char line[200];

    lod_durations_add(&control.durations, LOD_REQUEST_READ, 700);
    lod_durations_add(&control.durations, LOD_REQUEST_READ, 40000);
    lod_durations_add(&control.durations, LOD_REQUEST_READ, 9000000000);
    cr_assert_eq(lod_control_metrics_text(&control, LOD_METRICS_TEXT, text, sizeof(text)), 0);
    cr_assert_not_null(strstr(text, "\n# TYPE lodfs_fuse_op_duration_seconds histogram\n"));
    static const struct {
        const char *bound;
        unsigned count;
    } wanted[] = {{"1e-06", 1}, {"1e-05", 1}, {"5e-05", 2}, {"5.0", 2}, {"+Inf", 3}};
    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        snprintf(line, sizeof(line), "%s_bucket{op=\"read\",le=\"%s\"} %20u\n", metric,
                 wanted[i].bound, wanted[i].count);
        cr_assert_not_null(strstr(text, line), "%s", line);
    }
    snprintf(line, sizeof(line), "%s_sum{op=\"read\"}          9.000040700\n", metric);
    cr_assert_not_null(strstr(text, line));
    snprintf(line, sizeof(line), "%s_count{op=\"read\"} %20u\n", metric, 3);
    cr_assert_not_null(strstr(text, line));
    snprintf(line, sizeof(line), "%s_count{op=\"lookup\"} %20u\n", metric, 0);
    cr_assert_not_null(strstr(text, line));

    cr_assert_eq(lod_control_stats_text(&control, text, LOD_CONTROL_FILE_BYTES), 0);
    cJSON *document = cJSON_Parse(text);
    cr_assert_float_eq(number_at(document, "request_seconds", "read"), 9.0000407, 1e-9);
    cr_assert_eq(number_at(document, "request_seconds_p50", "read"), 5e-5);
    cr_assert_eq(number_at(document, "request_seconds_p99", "read"), 5);
    cJSON_Delete(document);
}

Test(control, open_metrics_end_with_their_last_line)
{
    size_t bytes = sizeof(text);

    lod_control_file_read(&shown, LOD_INODE_OPENMETRICS, 0, text, &bytes);
    cr_assert_eq(bytes, lod_control_file_bytes(&shown, LOD_INODE_OPENMETRICS));
    cr_assert_eq(memcmp(text + bytes - 8, ".\n# EOF\n", 8), 0);
    text[bytes - 1] = '\0';
    cr_assert_not_null(strstr(text, "\n# TYPE lodfs_reads counter\n"));
    cr_assert_not_null(strstr(text, "\nlodfs_reads_total 0\n"));
    cr_assert_not_null(strstr(text, "\n# TYPE lodfs_auto info\n"));
    bytes = sizeof(text);
    lod_control_file_read(&shown, LOD_INODE_METRICS, 0, text, &bytes);
    text[bytes - 1] = '\0';
    cr_assert_null(strstr(text, "# EOF"));
    cr_assert_not_null(strstr(text, "\n# TYPE lodfs_reads_total counter\n"));
    cr_assert_not_null(
        strstr(text, "\nlodfs_backend_requests_total{code=\"ok\"}                    0\n"));
}

Test(control, texts_with_every_counter_full_have_room)
{
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        atomic_store(&control.requests[i], UINT64_MAX);
    }
    for (unsigned f = 0; f <= LOD_ORIGINAL; f++) {
        atomic_store(&control.read_bytes[f], UINT64_MAX);
    }
    for (unsigned f = 0; f < LOD_FORMATS; f++) {
        atomic_store(&control.format_bytes[f], UINT64_MAX);
        atomic_store(&control.format_reads[f], UINT64_MAX);
    }
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        atomic_store(&control.durations.slots[0].ns[i], UINT64_MAX);
        atomic_store(&control.durations.slots[0].counts[i][0], UINT64_MAX);
    }
    cr_assert_eq(lod_control_stats_text(&control, text, LOD_CONTROL_FILE_BYTES), 0);
    cr_assert_lt(strlen(text), 8192, "and for a few more counters");
    cr_assert_eq(lod_control_metrics_text(&control, LOD_METRICS_TEXT, text, sizeof(text)), 0);
    cr_assert_lt(strlen(text), sizeof(text) - 2048);
    cr_assert_eq(lod_control_metrics_text(&control, LOD_METRICS_OPEN, text, sizeof(text)), 0);
    cr_assert_lt(strlen(text), sizeof(text) - 2048);
    cr_assert_eq(lod_control_metrics_text(&control, LOD_METRICS_TEXT, text, 100), -E2BIG);
    cr_assert_eq(lod_control_stats_text(&control, text, 100), -E2BIG);
}

Test(control, files_keep_their_size_and_the_text_of_the_first_read)
{
    for (uint32_t n = LOD_INODE_STATS; n <= LOD_INODE_FIXED_LAST; n++) {
        static char whole[LOD_CONTROL_FILE_BYTES], part[LOD_CONTROL_FILE_BYTES];
        const size_t size = lod_control_file_bytes(&shown, n);
        size_t bytes = sizeof(whole);
        lod_control_file_read(&shown, n, 0, whole, &bytes);
        cr_assert_eq(bytes, size);
        cr_assert_eq(whole[bytes - 1], '\n');
        cr_assert_null(memchr(whole, '\0', bytes));
        lod_control_count(&control, LOD_REQUEST_READ);
        for (size_t at = 1; at < size + 500; at += 500) {
            size_t left = at < size ? size - at : 0;
            bytes = 500;
            lod_control_file_read(&shown, n, at, part, &bytes);
            cr_assert_eq(bytes, left < 500 ? left : 500);
            cr_assert_eq(memcmp(part, whole + at, bytes), 0);
        }
    }
    cr_assert_eq(lod_control_file_bytes(&shown, LOD_INODE_CONTROL), 0);
    size_t bytes = 10;
    lod_control_file_read(&shown, LOD_INODE_CONTROL, 0, text, &bytes);
    cr_assert_eq(bytes, 0);
}

/* Returns the bytes of the longest run of blanks in a file. */
static size_t blanks_of(uint32_t number)
{
    size_t bytes = sizeof(text) - 1, most = 0;

    lod_control_file_read(&shown, number, 0, text, &bytes);
    text[bytes] = '\0';
    for (const char *at = text; *at; at += *at != '\0') {
        size_t run = strspn(at, " ");
        most = run > most ? run : most;
        at += run;
    }
    return most;
}

Test(control, files_have_no_long_runs_of_blanks)
{
    cr_assert_leq(blanks_of(LOD_INODE_STATS), 128);
    cr_assert_leq(blanks_of(LOD_INODE_CONFIG), 2);
    cr_assert_leq(blanks_of(LOD_INODE_METRICS), 20);
}

Test(control, documents_of_different_moments_have_one_layout)
{
    char before[LOD_CONTROL_FILE_BYTES];

    cr_assert_eq(lod_control_stats_text(&control, before, sizeof(before)), 0);
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        atomic_store(&control.requests[i], UINT64_MAX);
        lod_durations_add(&control.durations, i, 123456789012);
    }
    cr_assert_eq(lod_control_switch(&control, LOD_Q1 + 2), 0);
    cr_assert_eq(lod_control_stats_text(&control, text, LOD_CONTROL_FILE_BYTES), 0);
    cr_assert_eq(strlen(text), strlen(before));
    cr_assert_eq(strlen(text), lod_control_file_bytes(&shown, LOD_INODE_STATS));
    for (size_t i = 0; before[i]; i++) {
        cr_assert_eq(before[i] == ':', text[i] == ':', "at %zu", i);
    }
}

Test(control, a_first_read_from_the_middle_returns_text)
{
    size_t bytes = 100;

    lod_control_file_read(&shown, LOD_INODE_STATS, 10, text, &bytes);
    cr_assert_not_null(memchr(text, '"', bytes));
}

Test(control, a_path_that_does_not_fit_gives_an_empty_document)
{
    static char path[LOD_PATH_MAX + 1];
    size_t bytes = sizeof(text);

    memset(path, '\x01', sizeof(path) - 1);
    lod_control_files_finish(&shown);
    begin(path);
    lod_control_file_read(&shown, LOD_INODE_CONFIG, 0, text, &bytes);
    cr_assert_eq(bytes, lod_control_file_bytes(&shown, LOD_INODE_CONFIG));
    text[bytes - 1] = '\0';
    cJSON *document = cJSON_Parse(text);
    cr_assert_not_null(document);
    cJSON_Delete(document);
}
