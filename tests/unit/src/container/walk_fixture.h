/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a container in memory, and keeps its members as lines of text. */
#ifndef LOD_WALK_FIXTURE_H
#define LOD_WALK_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "pack/container/containers.h"

struct walk_fixture {
    struct lod_buf file;
    struct lod_buf members;  /* "KIND PATH BYTES\n", as text */
    struct lod_buf contents; /* of all files, joined */
    struct lod_container_input input;
    struct lod_container_walk walk;
};

static inline int walk_add(void *ctx, const struct lod_member *member)
{
    static const char *const kinds[] = {"file", "folder", "link", "symlink", "other"};
    struct walk_fixture *f = ctx;
    uint64_t bytes = member->head_bytes;
    char line[64];

    cr_assert_eq(lod_buf_append(&f->contents, member->head, member->head_bytes), 0);
    for (uint32_t i = 0; i < member->runs_count; i++) {
        const struct lod_run *run = &member->runs[i];
        cr_assert(run->offset <= f->input.bytes && run->bytes <= f->input.bytes - run->offset,
                  "a run is outside of the container");
        cr_assert_eq(
            lod_buf_append(&f->contents, f->input.memory.at + run->offset, (size_t)run->bytes), 0);
        bytes += run->bytes;
    }
    snprintf(line, sizeof(line), "%s ", kinds[member->kind]);
    cr_assert_eq(lod_buf_append(&f->members, line, strlen(line)), 0);
    cr_assert_eq(lod_buf_append(&f->members, member->path, member->path_bytes), 0);
    if (member->kind == LOD_MEMBER_LINK || member->kind == LOD_MEMBER_SYMLINK) {
        cr_assert_eq(lod_buf_append(&f->members, " -> ", 4), 0);
        cr_assert_eq(lod_buf_append(&f->members, member->target, member->target_bytes), 0);
    }
    snprintf(line, sizeof(line), " %" PRIu64 "\n", bytes);
    cr_assert_eq(lod_buf_append(&f->members, line, strlen(line)), 0);
    return 0;
}

/* Walks the first `bytes` bytes of the file. Returns 0 at a sound end, or the error. */
static inline int walk_bytes(struct walk_fixture *f, const struct lod_container *kind, size_t bytes)
{
    f->members.bytes = f->contents.bytes = 0;
    f->input = (struct lod_container_input){
        .fd = -1, .memory = {f->file.data, bytes}, .bytes = bytes, .ahead = kind->ahead};
    f->walk = (struct lod_container_walk){.input = &f->input,
                                          .key = f->walk.key,
                                          .names = f->walk.names,
                                          .folder_fd = -1,
                                          .path = "x",
                                          .add = walk_add,
                                          .ctx = f};
    int error = kind->open ? kind->open(&f->walk) : 0;
    while (!error) {
        error = kind->next(&f->walk);
    }
    if (kind->close) {
        kind->close(&f->walk);
    }
    cr_assert_eq(lod_buf_append(&f->members, "", 1), 0);
    cr_assert(error != -EILSEQ || f->walk.why[0], "a refusal has no reason");
    return error == -ENODATA ? 0 : error;
}

static inline int walk_file(struct walk_fixture *f, const struct lod_container *kind)
{
    return walk_bytes(f, kind, f->file.bytes);
}

static inline void walk_finish(struct walk_fixture *f)
{
    lod_buf_finish(&f->file);
    lod_buf_finish(&f->members);
    lod_buf_finish(&f->contents);
    *f = (struct walk_fixture){0};
}

/* Fails unless the members are these lines. */
static inline void walk_expect(const struct walk_fixture *f, const char *lines)
{
    cr_assert_str_eq((const char *)f->members.data, lines);
}

static inline void walk_append(struct walk_fixture *f, const void *data, size_t bytes)
{
    cr_assert_eq(lod_buf_append(&f->file, data, bytes), 0);
}

/* Fails unless the walk was refused for a reason with these words. */
static inline void walk_refused(struct walk_fixture *f, const struct lod_container *kind,
                                const char *words)
{
    cr_assert_eq(walk_file(f, kind), -EILSEQ, "not refused: %s", words);
    cr_assert_not_null(strstr(f->walk.why, words), "'%s' lacks '%s'", f->walk.why, words);
}

#endif
