/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks verify: a store is damaged in thousands of ways, and everything in it is read like a mount
 * does. The findings must name exactly the files and fidelities that are refused or differ. Every
 * changed bit of any file is damage, served or not.
 */
#include <errno.h>

#define WHOLE_FLAGS (LOD_ITEM_NO_ORIGINAL | LOD_ITEM_NO_DECODED)

#include "../../hostile/damage/share.h"
#include "shown.h"
#include "verify/verify.h"

struct seen {
    int error;
    uint64_t damages, notes;
    uint16_t fidelities[PATHS]; /* for each path: the fidelities that any finding names */
};

static struct lod_verify *run(const char *folder, const struct lod_findings **ret_findings,
                              int *ret_error)
{
    struct lod_verify *verify = NULL;
    uint64_t bytes = 0, files = 0, total = 0;
    struct lod_why why = {.text = ""};

    *ret_error = lod_verify_create(folder, NULL, &verify, &why);
    if (*ret_error) {
        return NULL;
    }
    for (uint64_t i = lod_verify_steps(verify); i-- > 0; total += bytes) {
        cr_assert_eq(lod_verify_step(verify, i, &bytes, &files), 0);
    }
    cr_assert_leq(total, lod_verify_bytes(verify));
    cr_assert_eq(lod_verify_conclude(verify, ret_findings), 0);
    return verify;
}

static struct seen verify(struct fixture *f)
{
    const struct lod_findings *findings;
    struct seen seen = {0};
    struct lod_verify *v = run(f->folder, &findings, &seen.error);

    if (!v) {
        return seen;
    }
    seen.damages = findings->damages;
    seen.notes = findings->notes;
    for (size_t k = 0; k < findings->count; k++) {
        const struct lod_finding *finding = &findings->at[k];
        cr_assert(finding->file[0] && finding->what);
        for (size_t i = 0; finding->path && i < PATHS; i++) {
            if (strcmp(path_of(i), finding->path) == 0) {
                seen.fidelities[i] |= finding->fidelities;
            }
        }
    }
    lod_verify_destroy(v);
    return seen;
}

/* Compares findings and reads, path by path. `exact`: there is also no finding for sound files. */
static void compare(struct fixture *f, const struct shown *good, bool exact, const char *what)
{
    struct seen seen = verify(f);
    struct shown shown;

    show(f, &shown);
    cr_assert(seen.error == 0 || seen.error == -ENOENT || seen.error == -ENOTSUP);
    cr_assert(seen.error || seen.damages, "%s: not found", what);
    if (!shown.open || seen.error) {
        cr_assert(!shown.open, "%s: mounted, but not verified", what);
        return;
    }
    for (size_t i = 0; i < PATHS; i++) {
        for (unsigned q = 0; q <= LOD_FULL; q++) {
            bool same = shown.hash[i][q] == good->hash[i][q];
            bool found = q ? (seen.fidelities[i] >> q & 1) != 0 : seen.fidelities[i] != 0;
            cr_assert(same || found, "%s: '%s' at %u is not among the findings", what, path_of(i),
                      q);
            cr_assert(!exact || q == 0 || good->hash[i][q] == 0 || !same || !found,
                      "%s: '%s' at %u is all right", what, path_of(i), q);
        }
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static struct fixture make(struct shown *ret_good)
{
    struct fixture f = fixture_create();

    /* Drops the reader's lines: thousands of damages are expected. */
    lod_log_setup(LOD_LOG_NONE);
    whole_store_write(&f);
    show(&f, ret_good);
    cr_assert(ret_good->open);
    return f;
}

Test(verify, a_sound_store_has_no_findings)
{
    struct shown good;
    struct fixture f = make(&good);
    struct seen seen = verify(&f);

    cr_assert_eq(seen.error, 0);
    cr_assert_eq(seen.damages, 0);
    cr_assert_eq(seen.notes, 0);
    for (size_t i = 0; i < PATHS; i++) {
        cr_assert_neq(good.hash[i][0], 0, "%s", path_of(i));
        cr_assert(i < 5 || good.hash[i][LOD_FULL], "%s", path_of(i));
    }
    cr_assert_eq(lod_verify_index(f.folder), 0);
    fixture_destroy(&f);
}

static void flip_many(const char *name, unsigned flips, uint64_t seed)
{
    struct shown good;
    struct fixture f = make(&good);
    char what[120];
    size_t bytes;

    free(whole_read(&f, name, &bytes));
    seed += share().number << 8; /* each share flips other bits */
    for (unsigned i = share().number - 1; i < flips; i += share().of) {
        uint64_t at = flips >= bytes ? i % bytes : next_random(&seed) % bytes;
        unsigned bit = (unsigned)(next_random(&seed) % 8);
        snprintf(what, sizeof(what), "%s: bit %u of byte %llu", name, bit, (unsigned long long)at);
        fixture_flip(f.dir_fd, name, at, bit);
        compare(&f, &good, true, what);
        fixture_flip(f.dir_fd, name, at, bit);
    }
    cr_assert_eq(verify(&f).damages, 0);
    fixture_destroy(&f);
}

Test(verify, flipped_bits_of_the_manifest)
{
    flip_many("manifest.json", 700, 1);
}

Test(verify, flipped_bits_of_the_index)
{
    flip_many("index", 500, 2);
}

Test(verify, flipped_bits_of_the_tree_record)
{
    flip_many("records/000000.tree", 300, 3);
}

Test(verify, flipped_bits_of_a_raw_record)
{
    flip_many("records/000001.raw", 300, 4);
}

Test(verify, flipped_bits_of_a_pcr_record)
{
    flip_many("records/000002.pcr", 500, 5);
}

/* The index has few rows here: all their bytes, and some of each block's rest. */
Test(verify, flipped_bits_of_the_first_rows)
{
    struct shown good;
    struct fixture f = make(&good);
    char what[80];

    for (unsigned section = 0; section <= 4; section++) {
        for (unsigned at = 0; at < 4096; at += at < 448 ? 5 : 397) {
            uint64_t offset = (uint64_t)section * LOD_SECTION_ALIGN + at;
            snprintf(what, sizeof(what), "index, byte %llu", (unsigned long long)offset);
            fixture_flip(f.dir_fd, "index", offset, at % 8);
            compare(&f, &good, true, what);
            if (section) {
                cr_assert_eq(lod_verify_index(f.folder), -EBADMSG, "%s", what);
            }
            fixture_flip(f.dir_fd, "index", offset, at % 8);
        }
    }
    fixture_destroy(&f);
}

Test(verify, truncated_files)
{
    for (size_t k = 0; k < WHOLE_STORE_FILES; k++) {
        struct shown good;
        struct fixture f = make(&good);
        uint64_t seed = k;
        char what[80];
        size_t bytes;
        uint8_t *whole = whole_read(&f, whole_store_files[k], &bytes);

        for (unsigned i = 0; i < 40; i++) {
            size_t cut = i < 10 ? bytes - 1 - i : (size_t)next_random(&seed) % bytes;
            snprintf(what, sizeof(what), "%s cut to %zu", whole_store_files[k], cut);
            whole_write(&f, whole_store_files[k], whole, cut);
            compare(&f, &good, true, what);
        }
        uint8_t *longer = calloc(bytes + 1, 1);
        memcpy(longer, whole, bytes);
        whole_write(&f, whole_store_files[k], longer, bytes + 1);
        compare(&f, &good, true, "one byte more");
        free(longer);
        free(whole);
        fixture_destroy(&f);
    }
}

Test(verify, missing_swapped_and_foreign_files)
{
    for (size_t k = 0; k < WHOLE_STORE_FILES; k++) {
        struct shown good;
        struct fixture f = make(&good);
        cr_assert_eq(unlinkat(f.dir_fd, whole_store_files[k], 0), 0);
        compare(&f, &good, true, whole_store_files[k]);
        cr_assert_eq(mkdirat(f.dir_fd, whole_store_files[k], 0755), 0);
        compare(&f, &good, true, whole_store_files[k]);
        cr_assert_eq(unlinkat(f.dir_fd, whole_store_files[k], AT_REMOVEDIR), 0);
        cr_assert_eq(symlinkat("/dev/zero", f.dir_fd, whole_store_files[k]), 0);
        compare(&f, &good, true, whole_store_files[k]);
        fixture_destroy(&f);
    }
}

Test(verify, blocks_zeroed_and_misplaced)
{
    uint64_t seed = 77;

    for (size_t k = 1; k < WHOLE_STORE_FILES; k++) {
        struct shown good;
        struct fixture f = make(&good);
        char what[120];
        size_t bytes;
        uint8_t *whole = whole_read(&f, whole_store_files[k], &bytes);
        uint8_t *damaged = malloc(bytes);

        for (unsigned i = 0; i < 60; i++) {
            size_t at = (size_t)next_random(&seed) % bytes,
                   from = (size_t)next_random(&seed) % bytes;
            size_t most = bytes - (at > from ? at : from);
            size_t count = most < 4096 ? most : 4096;
            memcpy(damaged, whole, bytes);
            if (i % 2) {
                memmove(damaged + at, whole + from, count);
            } else {
                memset(damaged + at, 0, count);
            }
            if (memcmp(damaged, whole, bytes) != 0) {
                snprintf(what, sizeof(what), "%s at %zu from %zu", whole_store_files[k], at, from);
                whole_write(&f, whole_store_files[k], damaged, bytes);
                compare(&f, &good, true, what);
            }
        }
        free(damaged);
        free(whole);
        fixture_destroy(&f);
    }
}

/* Rows changed with right hashes, as by a wrong program: index, records and tree list disagree.
 * verify finds it, whether or not a mount serves the files. Bytes after a block's rows do not
 * count. */
static void change_rows(unsigned section, size_t bytes)
{
    struct shown good;
    struct fixture f = make(&good);
    size_t index_bytes;
    uint8_t *index = whole_read(&f, "index", &index_bytes);
    char what[80];

    for (size_t at = 0; at < bytes; at++) {
        uint8_t byte = index[section * LOD_SECTION_ALIGN + at];
        for (unsigned k = 0; k < 3 && share_has(at); k++) {
            uint8_t changed = (uint8_t)(byte ^ (k == 0 ? 1 : k == 1 ? 0x80 : 0xff));
            snprintf(what, sizeof(what), "section %u byte %zu: %u for %u", section, at, changed,
                     byte);
            whole_patch(&f, section, at, &changed, 1);
            compare(&f, &good, false, what);
        }
        whole_patch(&f, section, at, &byte, 1);
    }
    cr_assert_eq(verify(&f).damages, 0);
    free(index);
    fixture_destroy(&f);
}

Test(verify, changed_nodes)
{
    change_rows(LOD_SECTION_NODE, PATHS * LOD_NODE_ROW_BYTES);
}

Test(verify, changed_items)
{
    change_rows(LOD_SECTION_ITEM, WHOLE_FILES * LOD_ITEM_ROW_BYTES);
}

Test(verify, changed_records)
{
    change_rows(LOD_SECTION_RECD, 3 * LOD_RECORD_DESC_ROW_BYTES);
}

Test(verify, changed_names)
{
    size_t bytes = strlen("000000.tree") + strlen("000001.raw") + strlen("000002.pcr");

    for (size_t i = 1; i < PATHS; i++) {
        const char *path = path_of(i), *slash = strrchr(path, '/');
        bytes += strlen(slash ? slash + 1 : path);
        bytes += i == 4 ? strlen(whole_list[i].target) : 0;
    }
    change_rows(LOD_SECTION_NAME, bytes);
}

/* Rows of samples are no part of the trees. verify finds each change all the same. */
Test(verify, changed_samples)
{
    struct shown good;
    struct fixture f = make(&good);
    uint8_t *index = whole_read(&f, "index", &(size_t){0});

    for (size_t at = 0; at < 2 * LOD_SUMS_ROW_BYTES + WHOLE_FILES * LOD_SAMPLE_ROW_BYTES; at++) {
        unsigned section = at < 2 * LOD_SUMS_ROW_BYTES ? LOD_SECTION_SUMS : LOD_SECTION_SAMP;
        size_t byte_at = at - (section == LOD_SECTION_SAMP ? 2 * LOD_SUMS_ROW_BYTES : 0);
        uint8_t byte = index[section * LOD_SECTION_ALIGN + byte_at];
        whole_patch(&f, section, byte_at, byte ? "" : "x", 1);
        cr_expect_geq(verify(&f).damages, 1, "section %u byte %zu", section, byte_at);
        whole_patch(&f, section, byte_at, &byte, 1);
    }
    free(index);
    fixture_destroy(&f);
}

/* A finding names its place: file, offset, group, and the affected fidelities. */
Test(verify, a_finding_names_its_place)
{
    struct shown good;
    struct fixture f = make(&good);
    const struct lod_findings *findings;
    struct lod_record *record = NULL;
    struct lod_record_desc recd;
    int error;

    cr_assert_eq(lod_record_header_read(f.store, "000002.pcr", &recd), 0);
    cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
    uint64_t offset = lod_record_segment_offset(record, 0, 4);
    lod_record_close(record);
    fixture_flip(f.dir_fd, "records/000002.pcr", offset + 100, 0);
    struct lod_verify *v = run(f.folder, &findings, &error);
    cr_assert_eq(findings->count, 2, "d/p.jpg and its hard link");
    for (unsigned i = 0; i < 2; i++) {
        const struct lod_finding *at = &findings->at[i];
        cr_assert_str_eq(at->file, "records/000002.pcr");
        cr_assert_str_eq(at->path, i ? "d/p.jpg" : "d/hard.jpg");
        cr_assert_eq(at->offset, offset);
        cr_assert_eq(at->bytes, WHOLE_GROUP(4, 4));
        cr_assert_eq(at->item, 4);
        cr_assert_eq(at->slot, 0);
        cr_assert_eq(at->group, 4);
        cr_assert_eq(at->frame, 0);
        cr_assert_eq(at->fidelities, 0xff0, "q4 .. q10 and full: %x", at->fidelities);
    }
    lod_verify_destroy(v);
    fixture_destroy(&f);
}

Test(verify, foreign_files_among_the_records_are_noted)
{
    struct shown good;
    struct fixture f = make(&good);

    whole_write(&f, "records/000009.raw", (const uint8_t *)"x", 1);
    whole_write(&f, "records/.hidden", (const uint8_t *)"x", 1);
    cr_assert_eq(mkdirat(f.records_fd, "sub", 0755), 0);
    whole_write(&f, "records/sub/README", (const uint8_t *)"x", 1);
    struct seen seen = verify(&f);
    cr_assert_eq(seen.damages, 0);
    cr_assert_eq(seen.notes, 3);
    fixture_destroy(&f);
}

Test(verify, a_missing_store_is_an_error_not_damage)
{
    struct fixture f = fixture_create();
    struct lod_verify *v = NULL;
    struct lod_why why = {.text = ""};

    cr_assert_eq(lod_verify_create(f.folder, NULL, &v, &why), -ENOENT);
    cr_assert_eq(lod_verify_create("/no/such/folder", NULL, &v, &why), -ENOENT);
    cr_assert_eq(lod_verify_create("/dev/null", NULL, &v, &why), -ENOENT);
    fixture_destroy(&f);
}
