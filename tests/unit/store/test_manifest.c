/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "store_fixture.h"

static struct lod_manifest sample(void)
{
    struct lod_manifest manifest = {
        .store_id = {0xfedcba9876543210, 0x0123456789abcdef},
        .index_bytes = 266240,
        .index_hash = 0xffffffffffffffff,
        .records = 2,
        .items = 1000,
        .source_bytes = ((uint64_t)1 << 53) - 1,
        .pack = cJSON_CreateObject(),
    };
    cJSON_AddStringToObject(manifest.pack, "order", "shuffle");
    return manifest;
}

static void put(struct fixture *f, const char *text, size_t bytes)
{
    int fd = openat(f->dir_fd, "manifest.json", O_RDWR | O_CREAT | O_TRUNC, 0644);
    cr_assert_eq(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
}

static size_t get(struct fixture *f, char *text, size_t room)
{
    int fd = openat(f->dir_fd, "manifest.json", O_RDONLY);
    ssize_t got = read(fd, text, room - 1);
    close(fd);
    cr_assert_gt(got, 0);
    text[got] = '\0';
    return (size_t)got;
}

static int read_back(struct fixture *f, struct lod_manifest *ret_manifest)
{
    const char *why = NULL;
    int error = lod_manifest_read(f->store, ret_manifest, &why);
    cr_assert(error == 0 || (why && *why));
    return error;
}

Test(manifest, what_is_written_is_read_back)
{
    struct fixture f = fixture_create();
    struct lod_manifest in = sample(), out;

    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), 0);
    cr_assert_eq(read_back(&f, &out), 0);
    cr_assert_eq(out.store_id.low, in.store_id.low);
    cr_assert_eq(out.store_id.high, in.store_id.high);
    cr_assert_eq(out.index_bytes, in.index_bytes);
    cr_assert_eq(out.index_hash, in.index_hash);
    cr_assert_eq(out.records, in.records);
    cr_assert_eq(out.items, in.items);
    cr_assert_eq(out.source_bytes, in.source_bytes);
    cr_assert(cJSON_Compare(out.pack, in.pack, 1));
    cr_assert_null(out.scans);
    lod_manifest_finish(&out);

    in.scans = cJSON_CreateArray();
    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), 0);
    cr_assert_eq(read_back(&f, &out), 0);
    cr_assert(cJSON_IsArray(out.scans));
    cr_assert_eq(faccessat(f.dir_fd, "manifest.tmp", F_OK, 0), -1);
    lod_manifest_finish(&out);
    lod_manifest_finish(&in);
    fixture_destroy(&f);
}

Test(manifest, only_its_own_text_is_the_manifest)
{
    struct fixture f = fixture_create();
    struct lod_manifest in = sample();
    char *text = NULL;
    bool is = true;

    cr_assert_eq(lod_manifest_text(&in, &text), 0);
    cr_assert_eq(lod_manifest_is(f.store, text, &is), 0);
    cr_assert_not(is, "there is none");
    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), 0);
    cr_assert_eq(lod_manifest_is(f.store, text, &is), 0);
    cr_assert(is);
    text[strlen(text) - 2] = ' ';
    cr_assert_eq(lod_manifest_is(f.store, text, &is), 0);
    cr_assert_not(is, "one byte differs");
    text[strlen(text) - 1] = '\0';
    cr_assert_eq(lod_manifest_is(f.store, text, &is), 0);
    cr_assert_not(is, "a byte is missing");
    free(text);
    lod_manifest_finish(&in);
    fixture_destroy(&f);
}

Test(manifest, keys_have_the_order_of_the_format)
{
    static const char *const keys[] = {"\"format\"",   "\"major\"",       "\"minor\"",
                                       "\"store_id\"", "\"index_bytes\"", "\"index_hash\"",
                                       "\"records\"",  "\"items\"",       "\"source_bytes\"",
                                       "\"pack\"",     "\"scans\""};
    struct fixture f = fixture_create();
    struct lod_manifest in = sample();
    char text[4096], *at = text;

    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), 0);
    get(&f, text, sizeof(text));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        at = strstr(at, keys[i]);
        cr_assert_not_null(at, "%s", keys[i]);
    }
    cr_assert_not_null(strstr(text, "\"0123456789abcdeffedcba9876543210\""));
    cr_assert_not_null(strstr(text, "\"ffffffffffffffff\""));
    cr_assert_not_null(strstr(text, "9007199254740991"));
    lod_manifest_finish(&in);
    fixture_destroy(&f);
}

Test(manifest, a_store_without_a_manifest_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_manifest out;

    cr_assert_eq(read_back(&f, &out), -ENOENT);
    fixture_destroy(&f);
}

Test(manifest, truncated_anywhere_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_manifest in = sample(), out;
    char text[4096];

    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), 0);
    size_t bytes = get(&f, text, sizeof(text));
    for (size_t cut = 0; cut < bytes - 1; cut++) { /* without its newline it is still complete */
        put(&f, text, cut);
        cr_assert_eq(read_back(&f, &out), -EILSEQ, "cut at %zu", cut);
    }
    lod_manifest_finish(&in);
    fixture_destroy(&f);
}

/* Replaces `was` by `is` in a good manifest. */
static int altered(struct fixture *f, const char *was, const char *is)
{
    struct lod_manifest in = sample(), out;
    char text[4096], other[8192];

    cr_assert_eq(lod_manifest_write(f->dir_fd, &in), 0);
    get(f, text, sizeof(text));
    char *at = strstr(text, was);
    cr_assert_not_null(at, "%s", was);
    snprintf(other, sizeof(other), "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
    put(f, other, strlen(other));
    int error = read_back(f, &out);
    if (!error) {
        lod_manifest_finish(&out);
    }
    lod_manifest_finish(&in);
    return error;
}

Test(manifest, versions_types_and_ranges_are_checked)
{
    static const struct {
        const char *was, *is;
        int error;
    } cases[] = {
        {"266240", "266240", 0},
        {"\"lodfs\"", "\"other\"", -ENOTSUP},
        {"\"major\":\t1", "\"major\":\t2", -ENOTSUP},
        {"\"minor\":\t1", "\"minor\":\t0", -ENOTSUP},
        {"\"minor\":\t1", "\"minor\":\t\"1\"", -EILSEQ},
        {"266240", "-1", -EILSEQ},
        {"266240", "1.5", -EILSEQ},
        {"266240", "1e300", -EILSEQ},
        {"266240", "9007199254740994", -EILSEQ},
        {"266240", "\"266240\"", -EILSEQ},
        {"266240", "null", -EILSEQ},
        {"\"items\":\t1000", "\"items\":\t4294967296", -EILSEQ},
        {"\"ffffffffffffffff\"", "\"fffffffffffffff\"", -EILSEQ},
        {"\"ffffffffffffffff\"", "\"fffffffffffffffg\"", -EILSEQ},
        {"\"ffffffffffffffff\"", "\"FFFFFFFFFFFFFFFF\"", -EILSEQ},
        {"\"ffffffffffffffff\"", "1", -EILSEQ},
        {"0123456789abcdeffedcba9876543210", "0123456789abcdef", -EILSEQ},
        {"\"scans\"", "\"scanz\"", -EILSEQ},
        {"\"pack\"", "\"pac\"", -EILSEQ},
        {"null\n}", "null\n}}", -EILSEQ},
        {"null", "[1, 2, {\"a\": null}]", 0},
    };
    struct fixture f = fixture_create();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(altered(&f, cases[i].was, cases[i].is), cases[i].error, "%s -> %s",
                     cases[i].was, cases[i].is);
    }
    fixture_destroy(&f);
}

/* Small text that would be large in memory, or deep on the stack. */
Test(manifest, texts_that_are_huge_in_memory_are_refused)
{
    struct fixture f = fixture_create();
    struct lod_manifest out;
    size_t bytes = LOD_MANIFEST_BYTES_MAX;
    char *text = malloc(bytes + 1);

    memset(text, '[', bytes);
    put(&f, text, bytes);
    cr_assert_eq(read_back(&f, &out), -EILSEQ);
    put(&f, text, LOD_MANIFEST_VALUES_MAX - 1);
    cr_assert_eq(read_back(&f, &out), -EILSEQ);
    for (size_t i = 1; i < bytes; i++) {
        text[i] = i % 2 ? '0' : ',';
    }
    put(&f, text, bytes);
    cr_assert_eq(read_back(&f, &out), -EILSEQ);
    memset(text, ' ', bytes + 1);
    put(&f, text, bytes + 1);
    cr_assert_eq(read_back(&f, &out), -EILSEQ);
    memset(text, 0, bytes);
    put(&f, text, 100);
    cr_assert_eq(read_back(&f, &out), -EILSEQ);
    free(text);
    fixture_destroy(&f);
}

/* Only the number of values is refused; all else is right. */
Test(manifest, more_values_than_the_limit_are_refused)
{
    static const char head[] = "{\"format\":\"lodfs\",\"major\":1,\"minor\":1,\"store_id\":"
                               "\"00000000000000000000000000000000\",\"index_bytes\":4096,"
                               "\"index_hash\":\"0000000000000000\",\"records\":0,\"items\":0,"
                               "\"source_bytes\":0,\"pack\":{},\"scans\":[0";
    struct fixture f = fixture_create();
    struct lod_manifest out;
    char *text = malloc(sizeof(head) + (size_t)4 * LOD_MANIFEST_VALUES_MAX);

    for (unsigned over = 0; over < 2; over++) {
        size_t values = 0, bytes = sizeof(head) - 1;
        memcpy(text, head, bytes);
        for (size_t i = 0; i < bytes; i++) {
            values += strchr("[{,:", text[i]) != NULL;
        }
        for (; values < LOD_MANIFEST_VALUES_MAX + over; values++) {
            text[bytes++] = ',';
            text[bytes++] = '1';
        }
        memcpy(text + bytes, "]}", 2);
        put(&f, text, bytes + 2);
        cr_assert_eq(read_back(&f, &out), over ? -EILSEQ : 0);
        if (!over) {
            lod_manifest_finish(&out);
        }
    }
    free(text);
    fixture_destroy(&f);
}

Test(manifest, a_failed_commit_leaves_no_manifest)
{
    struct fixture f = fixture_create();
    struct lod_manifest in = sample(), out;

    cr_assert_eq(mkdirat(f.dir_fd, "manifest.tmp", 0755), 0);
    cr_assert_eq(lod_manifest_write(f.dir_fd, &in), -EISDIR);
    cr_assert_eq(read_back(&f, &out), -ENOENT);
    lod_manifest_finish(&in);
    fixture_destroy(&f);
}
