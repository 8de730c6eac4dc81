/* SPDX-License-Identifier: Apache-2.0 */
/* Index and manifest are written again, with the same bytes. Losses are reported. */
#include <errno.h>
#include <sys/file.h>

#include "../../hostile/damage/share.h"
#include "repair/repair.h"
#include "shown.h"

/* The two files, as pack wrote them. */
struct original {
    uint8_t *index, *manifest;
    size_t index_bytes, manifest_bytes;
};

static struct fixture make(struct original *ret_original)
{
    struct fixture f = fixture_create();

    lod_log_setup(LOD_LOG_NONE);
    whole_store_write(&f);
    ret_original->index = whole_read(&f, "index", &ret_original->index_bytes);
    ret_original->manifest = whole_read(&f, "manifest.json", &ret_original->manifest_bytes);
    return f;
}

static void finish(struct fixture *f, struct original *original)
{
    free(original->index);
    free(original->manifest);
    fixture_destroy(f);
}

static bool same(struct fixture *f, const char *name, const uint8_t *bytes, size_t count)
{
    size_t now;
    uint8_t *read = whole_read(f, name, &now);
    bool equal = now == count && memcmp(read, bytes, count) == 0;

    free(read);
    return equal;
}

static void assert_restored(struct fixture *f, const struct original *o, const char *what)
{
    struct stat st;

    cr_assert(same(f, "index", o->index, o->index_bytes), "%s: the index differs", what);
    cr_assert(same(f, "manifest.json", o->manifest, o->manifest_bytes), "%s: the manifest differs",
              what);
    cr_assert_neq(fstatat(f->dir_fd, "index.tmp", &st, 0), 0);
    cr_assert_neq(fstatat(f->dir_fd, "index.old", &st, 0), 0);
}

static struct lod_repair_report repair(struct fixture *f, int expected)
{
    struct lod_repair_report report;
    struct lod_why why = {.text = ""};

    int error = lod_repair(f->folder, (struct lod_interrupt){0}, &report, &why);
    cr_assert_eq(error, expected, "%d: %s", error, why.text);
    cr_assert(error == 0 || why.text[0]);
    return report;
}

Test(repair, nothing_to_repair)
{
    struct original o;
    struct fixture f = make(&o);
    struct stat before, after;

    cr_assert_eq(fstatat(f.dir_fd, "index", &before, 0), 0);
    struct lod_repair_report report = repair(&f, 0);
    cr_assert(!report.index_written && !report.manifest_written && !report.kept);
    cr_assert_eq(report.losses_count, 0);
    cr_assert_eq(fstatat(f.dir_fd, "index", &after, 0), 0);
    cr_assert_eq(before.st_ino, after.st_ino);
    assert_restored(&f, &o, "untouched");
    lod_repair_report_finish(&report);
    finish(&f, &o);
}

Test(repair, any_damage_of_the_index_is_repaired)
{
    struct original o;
    struct fixture f = make(&o);

    for (unsigned at = 0; at < o.index_bytes; at += 1031) {
        if (!share_has(at / 1031)) {
            continue;
        }
        fixture_flip(f.dir_fd, "index", at, at % 8);
        struct lod_repair_report report = repair(&f, 0);
        cr_assert(report.index_written && !report.manifest_written, "byte %u", at);
        cr_assert_eq(report.losses_count, 0);
        assert_restored(&f, &o, "index");
        lod_repair_report_finish(&report);
    }
    finish(&f, &o);
}

Test(repair, any_damage_of_the_manifest_is_repaired)
{
    struct original o;
    struct fixture f = make(&o);

    for (unsigned at = 0; at < o.manifest_bytes; at += 3) {
        if (!share_has(at / 3)) {
            continue;
        }
        fixture_flip(f.dir_fd, "manifest.json", at, at % 7);
        struct lod_repair_report report = repair(&f, 0);
        cr_assert(!report.index_written && report.manifest_written, "byte %u", at);
        assert_restored(&f, &o, "manifest");
        lod_repair_report_finish(&report);
    }
    finish(&f, &o);
}

Test(repair, a_missing_or_foreign_index_and_manifest_are_replaced)
{
    struct original o;
    struct fixture f = make(&o);

    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(unlinkat(f.dir_fd, "index", 0), 0);
        if (i % 2) {
            cr_assert_eq(unlinkat(f.dir_fd, "manifest.json", 0), 0);
        }
        if (i / 2) {
            cr_assert_eq(symlinkat("/dev/zero", f.dir_fd, "index"), 0);
            whole_write(&f, "index.tmp", (const uint8_t *)"left over", 9);
        }
        struct lod_repair_report report = repair(&f, 0);
        cr_assert(report.index_written && report.manifest_written == (i % 2));
        cr_assert_eq(report.records, 3);
        cr_assert_eq(report.items, WHOLE_FILES);
        cr_assert_eq(report.names, PATHS);
        assert_restored(&f, &o, "gone");
        lod_repair_report_finish(&report);
    }
    finish(&f, &o);
}

Test(repair, damaged_records_leave_a_sound_index_unchanged)
{
    struct original o;
    struct fixture f = make(&o);

    fixture_flip(f.dir_fd, "records/000002.pcr", LOD_RECORD_HEADER + 9, 1);
    struct lod_repair_report report = repair(&f, 0);
    cr_assert(report.kept && !report.index_written && !report.manifest_written);
    cr_assert_eq(report.losses_count, 2, "the record, and an alias");
    cr_assert_str_eq(report.losses.at[0].name, "000002.pcr");
    cr_assert_eq(report.losses.at[0].items, 3);
    cr_assert_str_eq(report.losses.at[1].name, "d/hard.jpg");
    assert_restored(&f, &o, "kept");
    lod_repair_report_finish(&report);
    finish(&f, &o);
}

/* Checks each path after the repair: unchanged, or lost. */
static void compare(struct fixture *f, const struct shown *good, const char *lost[], size_t count)
{
    struct shown *now = malloc(sizeof(*now));

    show(f, now);
    cr_assert(now->open);
    for (size_t i = 0; i < PATHS; i++) {
        bool gone = false;
        for (size_t k = 0; k < count; k++) {
            gone |= strcmp(path_of(i), lost[k]) == 0;
        }
        for (unsigned q = 0; q <= LOD_FULL; q++) {
            uint64_t expected = gone ? 0 : good->hash[i][q];
            bool folder = i < 4 && q == 0; /* mode and time may be defaults */
            cr_assert(now->hash[i][q] == expected || (folder && !gone && now->hash[i][q]),
                      "'%s' at %u", path_of(i), q);
        }
    }
    free(now);
}

Test(repair, a_lost_record_loses_only_its_files)
{
    static const char *lost[] = {"d/big.bin", "a.txt", "nothing", "copy.txt", "d/hard.copy"};
    struct original o;
    struct fixture f = make(&o);
    struct shown good;
    struct stat st;

    show(&f, &good);
    fixture_flip(f.dir_fd, "records/000001.raw", 20, 1);
    fixture_flip(f.dir_fd, "index", LOD_SECTION_ALIGN + 20, 1);
    struct lod_repair_report report = repair(&f, 0);
    cr_assert(report.index_written && report.manifest_written && !report.kept);
    cr_assert_eq(report.losses_count, 3);
    cr_assert_str_eq(report.losses.at[0].name, "000001.raw");
    cr_assert_str_eq(report.losses.at[1].name, "copy.txt");
    cr_assert_str_eq(report.losses.at[2].name, "d/hard.copy");
    cr_assert_eq(fstatat(f.dir_fd, "index.old", &st, 0), 0);
    compare(&f, &good, lost, 5);
    lod_repair_report_finish(&report);
    report = repair(&f, 0);
    cr_assert(report.kept, "the new index is sound");
    lod_repair_report_finish(&report);
    finish(&f, &o);
}

Test(repair, a_lost_tree_record_loses_links_and_empty_folders)
{
    static const char *lost[] = {"empty", "d/link", "copy.txt", "d/hard.copy", "d/hard.jpg"};

    for (unsigned header = 0; header < 2; header++) {
        struct original o;
        struct fixture f = make(&o);
        struct shown good;
        size_t bytes;
        free(whole_read(&f, "records/000000.tree", &bytes));
        show(&f, &good);
        /* Damages the header, or the beginning of the list while the metadata stays right. */
        fixture_flip(f.dir_fd, "records/000000.tree", header ? 20 : bytes - 100, 1);
        cr_assert_eq(unlinkat(f.dir_fd, "index", 0), 0);
        struct lod_repair_report report = repair(&f, 0);
        cr_assert(report.index_written && report.manifest_written);
        cr_assert_eq(report.losses_count, 1 + header);
        compare(&f, &good, lost, 5);
        lod_repair_report_finish(&report);
        finish(&f, &o);
    }
}

Test(repair, a_missing_record_file_is_reported)
{
    struct original o;
    struct fixture f = make(&o);

    cr_assert_eq(unlinkat(f.dir_fd, "records/000001.raw", 0), 0);
    struct lod_repair_report report = repair(&f, 0);
    cr_assert(report.kept && report.losses_count);
    lod_repair_report_finish(&report);
    cr_assert_eq(unlinkat(f.dir_fd, "index", 0), 0);
    report = repair(&f, 0);
    cr_assert(report.index_written && report.losses_count == 3,
              "the gap, copy.txt and its hard link");
    lod_repair_report_finish(&report);
    finish(&f, &o);
}

static void refuse(struct fixture *f, int expected)
{
    struct lod_repair_report report = repair(f, expected);
    lod_repair_report_finish(&report);
}

Test(repair, stores_that_cannot_be_repaired_are_refused)
{
    struct original o;
    struct fixture f = make(&o), empty = fixture_create();
    size_t bytes;
    uint8_t *raw = whole_read(&f, "records/000001.raw", &bytes);

    refuse(&empty, -ENOENT);
    /* Records without tree, index and manifest: pack was killed. */
    whole_write(&empty, "records/000001.raw", raw, bytes);
    refuse(&empty, -ENOENT);
    /* A record of another store beside a sound index. */
    whole_record(&f, "000009.raw", 1, 1, NULL, raw);
    refuse(&f, -EEXIST);
    assert_restored(&f, &o, "a stranger");
    cr_assert_eq(unlinkat(f.dir_fd, "index", 0), 0);
    refuse(&f, -EEXIST);
    cr_assert_eq(unlinkat(f.dir_fd, "records/000009.raw", 0), 0);
    int fd = open(f.folder, O_RDONLY | O_DIRECTORY);
    cr_assert_eq(flock(fd, LOCK_EX), 0);
    refuse(&f, -EWOULDBLOCK);
    close(fd);
    struct lod_repair_report report = repair(&f, 0);
    assert_restored(&f, &o, "at last");
    lod_repair_report_finish(&report);
    free(raw);
    fixture_destroy(&empty);
    finish(&f, &o);
}
