/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.journal; see journal.h. It is private to pack, so it is not in FORMAT.md. The options line
 * has the version, so another version's journal does not match. Little endian:
 *
 *   "LODFSPJ1" | u64 XXH3-64 of all that follows | u64 choice | u16 bytes of options | options
 *   then a name each, in path order: u16 bytes shared with the path before | u16 further bytes |
 *   those bytes | u64 hash of the source's attributes
 *
 * Neighbours share most of their paths, so a name takes some 25 bytes: 32 MB for 1.28 million
 * files.
 */
#include "pack/target/journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "pack/target/framed_file.h"
#include "text.h"

#define STATE_BYTES 20u
#define NO_CODEC    0xffu

static const struct lod_framed_file_kind kind = {.name = LOD_JOURNAL_NAME,
                                                 .tmp = LOD_JOURNAL_TMP,
                                                 .magic = "LODFSPJ1",
                                                 .bytes_max = LOD_JOURNAL_BYTES_MAX};

/* -------------------------------------------------------------------------------- writing */

/* Hashes the place of a source, and the container that it is in. */
static uint64_t hash_place(const struct lod_source *source)
{
    const struct lod_member_place *place = source->place;
    uint8_t state[24];

    if (!place) {
        return 0;
    }
    lod_put_le64(state, place->at);
    lod_put_le64(state + 8, place->container->bytes);
    lod_put_le64(state + 16, (uint64_t)place->container->mtime);
    return lod_hash64(place->container->path, strlen(place->container->path),
                      lod_hash64(state, sizeof(state), 0));
}

/*
 * Hashes the attributes of a source. Folders, and files that are left out, are in no record, so
 * only their paths count. Inode numbers do not count, as a source may have been copied or
 * remounted.
 */
static uint64_t hash_source(const struct lod_source_list *list, const struct lod_source *source)
{
    const bool alias = source->role == LOD_SOURCE_EQUAL || source->role == LOD_SOURCE_HARD_LINK;
    const char *target = alias ? list->at[source->owner].path : lod_source_target(source);
    const char *text = target ? target : "";
    uint8_t state[STATE_BYTES] = {source->role, NO_CODEC};

    if (source->role != LOD_SOURCE_FOLDER && source->role != LOD_SOURCE_LEFT_OUT) {
        state[1] = source->encoder ? source->encoder->codec->id : NO_CODEC;
        lod_put_le16(state + 2, source->mode);
        lod_put_le64(state + 4, source->bytes);
        lod_put_le64(state + 12, (uint64_t)source->mtime);
    }
    return lod_hash64(text, strlen(text), lod_hash64(state, sizeof(state), hash_place(source)));
}

static int add_names(const struct lod_source_list *list, struct lod_buf *into)
{
    const char *before = "";
    int error = 0;

    for (size_t i = 0; !error && i < list->count; i++) {
        const char *path = list->at[i].path;
        error = lod_framed_file_put_path(into, before, path);
        error = error ? error : lod_buf_append_le(into, 8, hash_source(list, &list->at[i]));
        before = path;
    }
    return error;
}

static int make(const struct lod_journal_plan *plan, struct lod_buf *file)
{
    const size_t bytes = strlen(plan->options);

    if (bytes > LOD_JOURNAL_OPTIONS_MAX) {
        return -E2BIG;
    }
    int error = lod_framed_file_begin(&kind, file);
    error = error ? error : lod_buf_append_le(file, 8, plan->choice);
    error = error ? error : lod_buf_append_le(file, 2, bytes);
    error = error ? error : lod_buf_append(file, plan->options, bytes);
    return error ? error : add_names(plan->list, file);
}

int lod_journal_write(int dir_fd, const struct lod_journal_plan *plan)
{
    struct lod_buf file = {0};
    int error = make(plan, &file);

    error = error ? error : lod_framed_file_write(dir_fd, &kind, &file);
    lod_buf_finish(&file);
    return error;
}

/* -------------------------------------------------------------------------------- reading */

int lod_journal_read(int dir_fd, struct lod_journal *ret_journal)
{
    return lod_framed_file_read(dir_fd, &kind, &ret_journal->file);
}

int lod_journal_peek(int dir_fd, uint64_t *ret_hash)
{
    return lod_framed_file_peek(dir_fd, &kind, ret_hash);
}

void lod_journal_finish(struct lod_journal *journal)
{
    lod_buf_finish(&journal->file);
}

/* Moves the cursor behind the options, to the first name. */
static int open_body(const struct lod_journal *journal, struct lod_cursor *c, uint64_t *ret_choice,
                     struct lod_span *ret_options)
{
    *c = lod_cursor(journal->file.data, journal->file.bytes);
    lod_take(c, LOD_FRAMED_FILE_HEAD);
    *ret_choice = lod_take_le64(c);
    size_t bytes = lod_take_le16(c);
    const uint8_t *at = lod_take(c, bytes);
    if (!at || bytes > LOD_JOURNAL_OPTIONS_MAX) {
        return -EBADMSG;
    }
    *ret_options = (struct lod_span){.at = at, .bytes = bytes};
    return 0;
}

/* ------------------------------------------------------------------------------ comparing */

static int line_bytes(const char *at)
{
    return (int)strcspn(at, "\n");
}

int lod_journal_compare_text(struct lod_span then_text, const char *now, char *why, size_t room)
{
    char text[LOD_JOURNAL_OPTIONS_MAX + 1];

    if (then_text.bytes > LOD_JOURNAL_OPTIONS_MAX) {
        return -EBADMSG;
    }
    memcpy(text, then_text.at, then_text.bytes);
    text[then_text.bytes] = '\0';
    for (const char *then = text; *then || *now;) {
        int bytes = line_bytes(then), bytes_now = line_bytes(now);
        if (bytes != bytes_now || memcmp(then, now, (size_t)bytes) != 0) {
            text[then - text + bytes] = '\0';
            lod_format(why, room, "it was begun with %pE, not %.*s", then, bytes_now, now);
            return -EEXIST;
        }
        then += bytes + (then[bytes] == '\n');
        now += bytes_now + (now[bytes_now] == '\n');
    }
    return 0;
}

int lod_journal_compare_options(const struct lod_journal *journal, const char *options, char *why,
                                size_t room)
{
    struct lod_cursor c;
    struct lod_span span;
    uint64_t choice;
    int error = open_body(journal, &c, &choice, &span);

    return error ? error : lod_journal_compare_text(span, options, why, room);
}

/* Reads the next name of a journal. Returns -ENOENT at the end, or -EBADMSG. */
static int take_name(struct lod_cursor *c, char path[LOD_PATH_MAX + 1], uint64_t *ret_hash)
{
    if (c->left == 0) {
        return -ENOENT;
    }
    size_t bytes;
    bool ascends;
    if (!lod_framed_file_take_path(c, path, &bytes, &ascends)) {
        return -EBADMSG;
    }
    *ret_hash = lod_take_le64(c);
    return c->short_of_bytes ? -EBADMSG : 0;
}

static int differs(const char *path, const char *how, char *why, size_t room)
{
    lod_format(why, room, "the source has changed: '%pE' %s", path, how);
    return -EEXIST;
}

int lod_journal_compare_source(const struct lod_journal *journal,
                               const struct lod_journal_plan *plan, char *why, size_t room)
{
    const struct lod_source_list *list = plan->list;
    char path[LOD_PATH_MAX + 1] = "";
    struct lod_cursor c;
    struct lod_span options;
    uint64_t choice, hash = 0;
    size_t i = 0;

    int error = open_body(journal, &c, &choice, &options);
    while (!error && (error = take_name(&c, path, &hash)) == 0) {
        int order = i < list->count ? strcmp(path, list->at[i].path) : -1;
        if (order < 0) {
            return differs(path, "is gone", why, room);
        }
        if (order > 0 || hash != hash_source(list, &list->at[i])) {
            return differs(list->at[i].path, order ? "is new" : "has changed", why, room);
        }
        i++;
    }
    if (error != -ENOENT) {
        return error;
    }
    if (i < list->count) {
        return differs(list->at[i].path, "is new", why, room);
    }
    if (choice != plan->choice && !plan->unmeasured) {
        snprintf(why, room, "photographs of the source have changed, though not in size or time");
        return -EEXIST;
    }
    return 0;
}
