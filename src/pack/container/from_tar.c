/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a tar: POSIX.1-2001 with pax headers, and GNU's long names and numbers. Files and folders
 * are members, and so are hard and symbolic links; devices are left out and reported. Sparse files,
 * parts of archives on several volumes, and bytes behind the end are refused. man/decisions/701
 * says why there is a walker of our own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "backend/mtime.h"
#include "pack/container/containers.h"
#include "pack/container/tar_header.h"
#include "pack/plan/class_file.h"

#define EXTENDED_MAX ((uint64_t)1 << 20) /* bytes of a pax header */
#define KEYWORD_MAX  64u                 /* bytes of a pax record that are read to find its key */

struct path {
    bool given;
    size_t bytes;
    char at[LOD_PATH_MAX + 1];
};

struct time {
    bool given;
    struct timespec at;
};

/* Facts about a member from the headers before its own. */
struct extended {
    bool sized;
    uint64_t size;
    struct path name, target;
    struct time time, of_all; /* of_all: of a global header, for members that have none */
};

static int too_long(struct lod_container_walk *walk)
{
    return lod_container_refuse(walk, walk->at, "its name has over 4,095 bytes, the store's limit");
}

static int set_path(struct lod_container_walk *walk, struct path *path, uint64_t offset,
                    uint64_t bytes)
{
    const uint8_t *at = NULL;

    if (bytes > LOD_PATH_MAX) {
        return too_long(walk);
    }
    int error = lod_container_take(walk, offset, (size_t)bytes, &at);
    if (!error) {
        memcpy(path->at, at, (size_t)bytes);
        path->bytes = (size_t)bytes;
        path->given = true;
    }
    return error;
}

/* A name of GNU's types L and K ends with a 0. */
static int take_long_path(struct lod_container_walk *walk, struct path *path, uint64_t offset,
                          uint64_t bytes)
{
    const uint8_t *last = NULL;

    if (bytes > LOD_PATH_MAX + 1) {
        return too_long(walk);
    }
    int error = bytes ? lod_container_take(walk, offset + bytes - 1, 1, &last) : 0;
    error =
        error ? error : set_path(walk, path, offset, bytes && *last == '\0' ? bytes - 1 : bytes);
    if (!error) {
        path->bytes = strnlen(path->at, path->bytes);
    }
    return error;
}

/* ------------------------------------------------------------------------------ pax headers */

struct pax {
    char key[KEYWORD_MAX + 1];
    uint64_t value_at, value_bytes, end; /* bytes of the container */
};

/* Reads the record "LENGTH KEY=VALUE\n" at `at`. */
static int read_pax(struct lod_container_walk *walk, uint64_t at, uint64_t end, struct pax *ret)
{
    const size_t window = end - at < KEYWORD_MAX ? (size_t)(end - at) : KEYWORD_MAX;
    const uint8_t *bytes = NULL, *last = NULL;
    int64_t length = 0;
    int error = lod_container_take(walk, at, window, &bytes);

    if (error) {
        return error;
    }
    const uint8_t *blank = memchr(bytes, ' ', window);
    const size_t digits = blank ? (size_t)(blank - bytes) : window;
    const uint8_t *equals = blank ? memchr(blank, '=', window - digits) : NULL;
    if (!blank || lod_tar_decimal((const char *)bytes, digits, &length) ||
        (uint64_t)length > end - at || (uint64_t)length < digits + 3) {
        return lod_container_refuse(walk, walk->at, "its pax header is malformed");
    }
    *ret = (struct pax){.end = at + (uint64_t)length};
    const size_t value = equals ? (size_t)(equals + 1 - bytes) : 0;
    if (equals && value < (uint64_t)length) { /* no key that pack reads is longer */
        memcpy(ret->key, blank + 1, (size_t)(equals - blank - 1));
        ret->value_at = at + value;
        ret->value_bytes = (uint64_t)length - value - 1;
    }
    error = lod_container_take(walk, ret->end - 1, 1, &last);
    return error           ? error
           : *last == '\n' ? 0
                           : lod_container_refuse(walk, walk->at, "its pax header is malformed");
}

/* Sets the size or the time. Of a long number the first KEYWORD_MAX bytes count. */
static int apply_number(struct lod_container_walk *walk, const struct pax *pax, bool sized,
                        bool global)
{
    struct extended *extended = walk->state;
    const size_t bytes = pax->value_bytes < KEYWORD_MAX ? (size_t)pax->value_bytes : KEYWORD_MAX;
    const uint8_t *at = NULL;
    struct time time = {.given = true};
    int64_t size = 0;
    int error = lod_container_take(walk, pax->value_at, bytes, &at);

    if (error) {
        return error;
    }
    if (sized ? lod_tar_decimal((const char *)at, bytes, &size)
              : lod_tar_time((const char *)at, bytes, &time.at)) {
        return lod_container_refuse(walk, walk->at, "its pax header has a malformed '%s'",
                                    pax->key);
    }
    extended->size = sized ? (uint64_t)size : extended->size;
    extended->sized = extended->sized || sized;
    extended->time = sized ? extended->time : time;
    extended->of_all = global ? extended->time : extended->of_all;
    return 0;
}

static int apply_pax(struct lod_container_walk *walk, const struct pax *pax, bool global)
{
    struct extended *extended = walk->state;

    if (strncmp(pax->key, "GNU.sparse.", 11) == 0) {
        return lod_container_refuse(walk, walk->at,
                                    "it is a sparse file: unpack the tar, and pack the folder");
    }
    if (pax->value_bytes == 0) { /* the value is that of the member's own header */
        extended->time.given = extended->time.given && strcmp(pax->key, "mtime") != 0;
        return 0;
    }
    const bool named = strcmp(pax->key, "path") == 0, sized = strcmp(pax->key, "size") == 0;
    const bool linked = strcmp(pax->key, "linkpath") == 0;
    if (global && (named || linked || sized)) {
        return lod_container_refuse(walk, walk->at, "a global pax header has a '%s'", pax->key);
    }
    if (named || linked) {
        return set_path(walk, named ? &extended->name : &extended->target, pax->value_at,
                        pax->value_bytes);
    }
    return sized || strcmp(pax->key, "mtime") == 0 ? apply_number(walk, pax, sized, global) : 0;
}

static int take_pax(struct lod_container_walk *walk, uint64_t at, uint64_t bytes, bool global)
{
    const uint64_t end = at + bytes;
    struct pax pax = {0};
    int error = 0;

    if (bytes > EXTENDED_MAX) {
        return lod_container_refuse(walk, walk->at, "its pax header has over 1 MiB");
    }
    while (!error && at < end) {
        error = read_pax(walk, at, end, &pax);
        error = error ? error : apply_pax(walk, &pax, global);
        at = pax.end;
    }
    return error;
}

/* ---------------------------------------------------------------------------------- members */

/* By type, from '0' to '6'. A kind that a store cannot have has a reason. */
static const struct {
    enum lod_member_kind kind;
    const char *why;
} kinds[] = {
    {LOD_MEMBER_FILE, NULL},
    {LOD_MEMBER_LINK, NULL},
    {LOD_MEMBER_SYMLINK, NULL},
    {LOD_MEMBER_OTHER, "a character device"},
    {LOD_MEMBER_OTHER, "a block device"},
    {LOD_MEMBER_FOLDER, NULL},
    {LOD_MEMBER_OTHER, "a fifo"},
};

static int read_class(struct lod_container_walk *walk, const struct lod_run *run,
                      int32_t *ret_label)
{
    const uint8_t *at = NULL;
    int error = lod_container_take(walk, run->offset, (size_t)run->bytes, &at);

    if (!error) {
        *ret_label = lod_class_file_number((const char *)at, (size_t)run->bytes);
    }
    return error;
}

/* Adds a member, whose bytes begin at `data`. */
static int add_member(struct lod_container_walk *walk, const struct lod_tar_header *header,
                      uint64_t data)
{
    const struct extended *extended = walk->state;
    const struct lod_run run = {.offset = data, .bytes = header->size};
    const struct timespec whole = {.tv_sec = header->seconds};
    const struct path *name = &extended->name, *target = &extended->target;
    const bool file = header->type == '0';
    struct lod_member member = {
        .kind = kinds[header->type - '0'].kind,
        .path = name->given ? name->at : header->name,
        .path_bytes = name->given ? name->bytes : header->name_bytes,
        .target = target->given ? target->at : header->target,
        .target_bytes = target->given ? target->bytes : header->target_bytes,
        .why = kinds[header->type - '0'].why,
        .mtime = lod_mtime_of(extended->time.given ? extended->time.at : whole),
        .label = -1,
        .mode = header->mode,
        .runs = &run,
        .runs_count = file};

    const bool class = file && run.bytes <= LOD_CLASS_FILE_MAX &&
                       lod_class_file_is(member.path, member.path_bytes);
    int error = class ? read_class(walk, &run, &member.label) : 0;
    return error ? error : walk->add(walk->ctx, &member);
}

/* The blocks after the end are zeros, or another tar that was appended with cat. */
static int check_end(struct lod_container_walk *walk)
{
    const uint64_t bytes = walk->input->bytes;
    const uint8_t *block = NULL;
    uint64_t at = walk->at;
    int error = 0;

    for (; !error && bytes - at >= LOD_TAR_BLOCK; at += LOD_TAR_BLOCK) {
        error = lod_container_take(walk, at, LOD_TAR_BLOCK, &block);
        if (!error && !lod_tar_is_zero(block)) {
            return lod_container_refuse(walk, at,
                                        at == walk->at + LOD_TAR_BLOCK
                                            ? "a single block of zeros stands before it, where "
                                              "a tar has two at its end"
                                            : "bytes follow the end of the tar: archives that "
                                              "were joined have to be packed one by one");
        }
    }
    if (!error && at < walk->at + 2 * LOD_TAR_BLOCK) {
        return lod_container_refuse(walk, walk->at,
                                    "the two blocks of zeros that end a tar are "
                                    "missing: the file is cut");
    }
    return error ? error : -ENODATA;
}

static uint64_t data_bytes(const struct lod_tar_header *header, const struct extended *extended)
{
    const bool without = header->type >= '1' && header->type <= '6'; /* links, devices, folders */

    return without ? 0 : extended->sized ? extended->size : header->size;
}

static int take_header(struct lod_container_walk *walk, struct lod_tar_header *header, uint64_t at,
                       bool *ret_more)
{
    struct extended *extended = walk->state;

    *ret_more = false;
    if (header->type >= '0' && header->type <= '6') {
        return add_member(walk, header, at);
    }
    *ret_more = true;
    switch (header->type) {
    case 'L':
        return take_long_path(walk, &extended->name, at, header->size);
    case 'K': /* the target of a link */
        return take_long_path(walk, &extended->target, at, header->size);
    case 'x':
    case 'X': /* Solaris */
        return take_pax(walk, at, header->size, false);
    case 'g':
        return take_pax(walk, at, header->size, true);
    case 'V': /* the name of a volume */
        return 0;
    case 'D': /* a folder of GNU's --incremental, whose data is a list of its names */
        header->type = '5';
        *ret_more = false;
        return add_member(walk, header, at);
    case 'S':
        return lod_container_refuse(walk, walk->at,
                                    "it is a sparse file: unpack the tar, and pack the folder");
    default:
        return lod_container_refuse(walk, walk->at,
                                    "its type has the number %u, which lodfs does not know",
                                    (unsigned char)header->type);
    }
}

/* Reads the header at `*at` and moves `*at` past its data. *ret_more: it extends the header that
 * follows. */
static int read_one(struct lod_container_walk *walk, uint64_t *at, bool *ret_more)
{
    const struct extended *extended = walk->state;
    const uint64_t left = walk->input->bytes - *at;
    struct lod_tar_header header;
    const uint8_t *block = NULL;
    const char *field = NULL;

    if (left < LOD_TAR_BLOCK) {
        return lod_container_refuse(walk, *at,
                                    left ? "the file ends inside of a header: it is cut"
                                         : "the two blocks of zeros that end a tar are "
                                           "missing: the file is cut");
    }
    int error = lod_container_take(walk, *at, LOD_TAR_BLOCK, &block);
    if (error) {
        return error;
    }
    if (lod_tar_is_zero(block)) {
        return *at == walk->at ? check_end(walk)
                               : lod_container_refuse(walk, *at,
                                                      "the member after its extended "
                                                      "header is missing");
    }
    if (lod_tar_header_read(block, &header, &field)) {
        return lod_container_refuse(walk, *at, "its header has a wrong %s", field);
    }
    const bool member = header.type >= '0' && header.type <= '7';
    header.size = member ? data_bytes(&header, extended) : header.size;
    if (header.size > left - LOD_TAR_BLOCK) {
        return lod_container_refuse(
            walk, *at, "its %" PRIu64 " bytes extend past the end of the file", header.size);
    }
    error = take_header(walk, &header, *at + LOD_TAR_BLOCK, ret_more);
    const uint64_t all = LOD_TAR_BLOCK + lod_round_up(header.size, LOD_TAR_BLOCK);
    *at += all < left ? all : left;
    return error;
}

static int next(struct lod_container_walk *walk)
{
    struct extended *extended = walk->state;
    uint64_t at = walk->at;
    bool more = true;
    int error = 0;

    extended->name.given = extended->target.given = extended->sized = false;
    extended->time = extended->of_all;
    while (!error && more) {
        error = read_one(walk, &at, &more);
    }
    if (!error) {
        walk->at = at;
        walk->record++;
    }
    return error;
}

static int open_tar(struct lod_container_walk *walk)
{
    walk->state = calloc(1, sizeof(struct extended));
    return walk->state ? 0 : -ENOMEM;
}

static void close_tar(struct lod_container_walk *walk)
{
    free(walk->state);
    walk->state = NULL;
}

static bool is_tar(const uint8_t *head, size_t bytes)
{
    return bytes >= LOD_TAR_BLOCK && (lod_tar_is_header(head) || lod_tar_is_zero(head));
}

static const char *const companions[] = {".idx", ".json", ".txt", NULL};

const struct lod_container lod_container_tar = {
    .name = "tar",
    .what = "a tar",
    .companions = companions,
    .ahead = LOD_TAR_BLOCK,
    .is = is_tar,
    .open = open_tar,
    .close = close_tar,
    .next = next,
};
