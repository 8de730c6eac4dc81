/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of repair; see repair.h. The index is compared with the one that the records give, and
 * written beside the old one only if it differs. A sound index is kept when records cannot be read,
 * so that no names are lost.
 */
#include "repair/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "repair/salvage.h"
#include "backend/file_io.h"
#include "backend/format.h"
#include "index/manifest.h"
#include "record/record_write.h"
#include "verify/verify.h"

#define INDEX_TMP    "index.tmp"
#define INDEX_OLD    "index.old"
#define MANIFEST_OLD "manifest.old"

struct repair {
    const char *location;
    struct lod_interrupt interrupt;
    int dir_fd; /* locked */
    struct lod_store *store;
    struct lod_manifest old; /* pack is NULL if it cannot be read */
    struct lod_manifest made;
    cJSON *no_options; /* written to the new manifest if the options of pack are lost */
    struct lod_salvage salvage;
    struct lod_repair_report *report;
    bool sound; /* the old index and manifest are sound by themselves */
    bool same;  /* the old index is the one that the records give */
    struct lod_why *why;
};

/* ------------------------------------------------------------------------------ reading */

static int open_store(struct repair *r)
{
    const char *reason;

    r->dir_fd = open(r->location, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->dir_fd < 0) {
        return lod_refuse(r->why, errno == ENOTDIR ? -ENOENT : -errno, "%s",
                          strerrordesc_np(errno));
    }
    if (flock(r->dir_fd, LOCK_EX | LOCK_NB) < 0) {
        return errno == EWOULDBLOCK
                   ? lod_refuse(r->why, -errno, "pack is writing to it; repair it afterwards")
                   : -errno;
    }
    int error = lod_store_open(r->location, &r->store);
    if (error) {
        return error;
    }
    error = lod_manifest_read(r->store, &r->old, &reason);
    return error == -ENOMEM ? error : 0;
}

static bool exists(struct repair *r, const char *name)
{
    struct stat st;

    return fstatat(r->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int read_records(struct repair *r)
{
    int error = lod_salvage(r->store, r->interrupt, &r->salvage, r->report);

    if (error == -ENOENT) {
        return lod_refuse(r->why, error, "it has no folder records/: not a lodfs store");
    }
    if (error == -ENOTSUP) {
        return lod_refuse(r->why, error, "its records are of another format version");
    }
    if (error) {
        return error;
    }
    if (r->salvage.records.count == 0) {
        return lod_refuse(r->why, -ENOENT, "none of its records can be read");
    }
    const bool indexed = r->salvage.tree_seen || exists(r, LOD_INDEX_NAME);
    if (!exists(r, LOD_MANIFEST_NAME) && (!indexed || exists(r, LOD_JOURNAL_NAME))) {
        return lod_refuse(r->why, -ENOENT, "pack did not finish here; run it again");
    }
    return 0;
}

/* Returns whether a number between those of the first and the last record has no file. */
static bool has_gap(const struct lod_salvage *s)
{
    for (size_t i = 1; i < s->records.count; i++) {
        const char *before = s->records.at[i - 1].recd.path, *at = s->records.at[i].recd.path;
        char *end_before, *end;
        unsigned long x = strtoul(before, &end_before, 10), y = strtoul(at, &end, 10);
        if (*end == '.' && *end_before == '.' && y > x + 1) {
            return true;
        }
    }
    return false;
}

/* Reports record files that are missing. If store_id is that of the old manifest, none is. */
static int miss_records(struct repair *r)
{
    const struct lod_salvage *s = &r->salvage;
    const uint64_t lost = s->records_lost;
    uint64_t missing = 0;

    if (r->old.pack && r->old.store_id.low == r->made.store_id.low &&
        r->old.store_id.high == r->made.store_id.high) {
        return 0;
    }
    if (r->sound && r->old.records > s->records.count + lost) {
        missing = r->old.records - s->records.count - lost;
    }
    return missing || (lost == 0 && has_gap(s))
               ? lod_repair_add_loss(r->report, NULL, "files of records are missing", missing)
               : 0;
}

/* ------------------------------------------------------------------------------- making */

/* Writes why a file cannot be written, and the remedy. */
static int cannot_write(struct repair *r, const char *file, int error)
{
    const bool denied = error == -EROFS || error == -EACCES || error == -EPERM;

    return lod_refuse(r->why, error, "cannot write %s: %s%s", file, strerrordesc_np(-error),
                      denied ? "; the store needs repair: make it writable, or repair a copy" : "");
}

static bool is_no_tree(int error)
{
    return error == -EEXIST || error == -ENOTDIR || error == -EINVAL;
}

/* Compares the index with the old one, or writes it beside that. Returns -ESTALE if it differs. */
static int make_index(struct repair *r, bool compare)
{
    struct lod_salvage *s = &r->salvage;
    struct lod_index_input input = {.entries = s->entries.at,
                                    .entries_count = s->entries.count,
                                    .records = s->records.at,
                                    .records_count = s->records.count,
                                    .store_id = r->made.store_id,
                                    .source_bytes = s->source_bytes,
                                    .file_name = compare ? LOD_INDEX_NAME : INDEX_TMP,
                                    .compare = compare,
                                    .seed = lod_manifest_seed(r->made.pack)};
    const char *bad = "";

    int error = lod_index_write(r->dir_fd, &input, &r->made.index_bytes, &r->made.index_hash, &bad);
    if (is_no_tree(error) && *bad) {
        return lod_refuse(r->why, error, "the records do not form one tree: %s: '%s'",
                          error == -EEXIST    ? "two files have one path"
                          : error == -ENOTDIR ? "the folder of a file is missing"
                                              : strerrordesc_np(-error),
                          bad);
    }
    return !error || error == -ESTALE ? error : compare ? error : cannot_write(r, INDEX_TMP, error);
}

static int compare_index(struct repair *r)
{
    int error = make_index(r, true);

    r->same = error == 0;
    return error == -ESTALE ? 0 : error;
}

static int make_manifest(struct repair *r)
{
    const struct lod_salvage *s = &r->salvage;

    r->made.records = s->records.count;
    r->made.items = s->items;
    r->made.source_bytes = s->source_bytes;
    r->made.pack = s->pack ? s->pack : r->old.pack;
    r->made.scans = s->pack ? s->scans : r->old.scans;
    if (!r->made.pack) {
        r->made.pack = r->no_options = cJSON_CreateObject();
    }
    return r->made.pack ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------------------------ writing */

/*
 * Keeps the old file under another name, since it can have names of files that the new one lacks.
 */
static void set_aside(struct repair *r, const char *name, const char *aside)
{
    unlinkat(r->dir_fd, aside, 0);
    (void)!linkat(r->dir_fd, name, r->dir_fd, aside, 0); /* it may not exist */
}

static int put_in_place(struct repair *r, bool index, bool manifest)
{
    if (r->report->losses_count && index) {
        set_aside(r, LOD_INDEX_NAME, INDEX_OLD);
        set_aside(r, LOD_MANIFEST_NAME, MANIFEST_OLD);
    }
    if (index && renameat(r->dir_fd, INDEX_TMP, r->dir_fd, LOD_INDEX_NAME) < 0) {
        return -errno;
    }
    r->report->index_written = index;
    int error = manifest ? lod_manifest_write(r->dir_fd, &r->made) : lod_file_sync(r->dir_fd);
    r->report->manifest_written = manifest && !error;
    return !error ? 0 : manifest ? cannot_write(r, LOD_MANIFEST_NAME, error) : error;
}

/* Renames a sound index instead of replacing it, because its names differ from those of the
 * records. */
static int keep_index(struct repair *r)
{
    if (r->report->losses_count == 0 && !exists(r, INDEX_OLD)) {
        return lod_refuse(
            r->why, -EEXIST,
            "the index is sound, but it does not match the files in records/: lodfs "
            "verify lists those that do not belong to the store; if all of them belong, "
            "remove index and manifest.json and repair again");
    }
    r->report->kept = r->report->losses_count != 0;
    return 0;
}

/* Writes index and manifest if they differ, once the manifest's fields are known. */
static int place(struct repair *r)
{
    char *text = NULL;

    int error = lod_manifest_text(&r->made, &text);
    if (error) {
        return error;
    }
    bool same_text = false;
    error = lod_manifest_is(r->store, text, &same_text);
    free(text);
    if (error) {
        return error;
    }
    const bool index = !r->same, manifest = !same_text;
    if (r->report->losses_count && !index && !manifest) {
        r->report->kept = true;
        return 0;
    }
    r->report->records = r->salvage.records.count;
    r->report->items = r->salvage.items;
    r->report->names = r->salvage.entries.count;
    error = lod_interrupted(r->interrupt); /* from here on it is not interrupted */
    return error || !(index || manifest) ? error : put_in_place(r, index, manifest);
}

static int decide(struct repair *r)
{
    int error = r->sound && !r->same ? keep_index(r) : 0;

    if (error || r->report->kept) {
        return error;
    }
    error = r->same ? 0 : make_index(r, false);
    error = error ? error : place(r);
    if (!r->same) {
        unlinkat(r->dir_fd, INDEX_TMP, 0);
    }
    return error;
}

static int repair(struct repair *r)
{
    int error = open_store(r);
    error = error ? error : read_records(r);
    if (error) {
        return error;
    }
    unlinkat(r->dir_fd, INDEX_TMP, 0); /* left by a repair that was killed */
    int index = lod_verify_index(r->location);
    if (index == -ENOMEM || index == -EMFILE || index == -ENFILE) {
        return index;
    }
    r->sound = index == 0;
    error = lod_store_id(r->salvage.records.at, r->salvage.records.count, &r->made.store_id);
    error = error ? error : miss_records(r);
    if (error) {
        return error;
    }
    error = make_manifest(r);
    error = error ? error : compare_index(r);
    return error ? error : decide(r);
}

int lod_repair(const char *location, struct lod_interrupt interrupt,
               struct lod_repair_report *ret_report, struct lod_why *why)
{
    struct repair r = {.location = location,
                       .interrupt = interrupt,
                       .dir_fd = -1,
                       .report = ret_report,
                       .why = why};

    *ret_report = (struct lod_repair_report){0};
    int error = repair(&r);
    lod_salvage_finish(&r.salvage);
    lod_manifest_finish(&r.old);
    cJSON_Delete(r.no_options);
    lod_store_close(r.store);
    lod_file_close(r.dir_fd);
    return error;
}
