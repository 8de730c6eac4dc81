/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the walkers of containers; FUZZ_WHAT is tar, tfrecord, recordio, or lst. Any
 * bytes give an error with a reason and a place, or members whose bytes lie inside. Checksums of
 * headers are corrected first, as few random inputs would have right ones.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "castagnoli.h"
#include "pack/container/containers.h"
#include "pack/container/lst.h"
#include "pack/container/member_path.h"
#include "pack/container/tar_header.h"

#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what
#define RECORDS_MAX    100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* Sets the checksum of every block that looks like a header. */
static void seal_tar(uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at + LOD_TAR_BLOCK <= bytes; at += LOD_TAR_BLOCK) {
        uint8_t *block = data + at;
        unsigned sum = 0;
        if (memcmp(block + 257, "ustar", 5) == 0) {
            memset(block + 148, ' ', 8);
            for (unsigned i = 0; i < LOD_TAR_BLOCK; i++) {
                sum += block[i];
            }
            snprintf((char *)block + 148, 8, "%06o", sum);
        }
    }
}

/* Sets the checksum of every length, for as many records as the lengths lead to. */
static void seal_tfrecord(uint8_t *data, size_t bytes)
{
    for (size_t at = 0; bytes - at >= 16;) {
        const uint32_t crc = lod_crc32c(0, data + at, 8);
        const uint64_t length = lod_get_le64(data + at);
        lod_put_le32(data + at + 8, (crc >> 15 | crc << 17) + 0xa282ead8u);
        if (length > bytes - at - 16) {
            break;
        }
        at += 16 + (size_t)length;
    }
}

static int add(void *ctx, const struct lod_member *member)
{
    const struct lod_container_walk *walk = ctx;
    const uint64_t all = walk->input->bytes;
    char path[LOD_PATH_MAX + 1];
    const char *why = NULL;

    for (uint32_t i = 0; i < member->runs_count; i++) {
        const struct lod_run *run = &member->runs[i];
        require(run->offset <= all && run->bytes <= all - run->offset, "a run lies outside");
    }
    require(!member->summed || (member->sum_at <= all && member->sum_bytes <= all - member->sum_at),
            "the bytes of a sum lie outside");
    require(member->head_bytes <= LOD_PLACE_HEAD_MAX, "the head is too long");
    require((member->kind == LOD_MEMBER_OTHER) == (member->why != NULL), "no reason");
    require((member->kind != LOD_MEMBER_LINK && member->kind != LOD_MEMBER_SYMLINK) ||
                strnlen(member->target, member->target_bytes) <= LOD_PATH_MAX,
            "the path of a link's file is too long");
    if (lod_member_path("", member->path, member->path_bytes, path, &why)) {
        require(why != NULL, "a path is refused without a reason");
    } else {
        require(path[0] != '/' && !strstr(path, "//") && strlen(path) <= LOD_PATH_MAX,
                "a path is not clean");
    }
    return 0;
}

static void walk_all(const struct lod_container *kind, struct lod_span file)
{
    struct lod_container_input *input = malloc(sizeof(*input));
    struct lod_container_walk walk = {
        .input = input, .folder_fd = -1, .path = "x", .add = add, .ctx = &walk};
    uint64_t before = 0;
    int error = 0;

    require(input != NULL, "no memory");
    *input = (struct lod_container_input){.fd = -1, .memory = file, .bytes = file.bytes};
    error = kind->open ? kind->open(&walk) : 0;
    for (unsigned i = 0; !error && i < RECORDS_MAX; i++) {
        error = kind->next(&walk);
        if (error == -EILSEQ) {
            require(walk.why[0] && walk.why_at <= file.bytes, "an error has no reason or place");
            error = kind->resync ? kind->resync(&walk) : -ENODATA;
        }
        require(error || (walk.at > before && walk.at <= file.bytes), "the walk does not move on");
        before = walk.at;
    }
    require(!error || error == -ENODATA || error == -ENOMEM, "an unknown error");
    if (kind->close) {
        kind->close(&walk);
    }
    free(input);
}

static void try_lst(struct lod_span text)
{
    struct lod_lst lst = {0};
    uint64_t line = 0;
    size_t bytes = 0;
    int error = lod_lst_read(text, &lst, &line);

    require(!error || (error == -EILSEQ && line), "a list is refused without a line");
    for (size_t i = 0; !error && i < lst.count; i++) {
        const char *path = lod_lst_find(&lst, lst.at[i].id, &bytes);
        require(path && bytes && path >= lst.text && path + bytes <= lst.text + text.bytes,
                "a path lies outside of the list");
    }
    lod_lst_finish(&lst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *what = TEXT_OF(FUZZ_WHAT);
    uint8_t *copy = malloc(bytes + 1); /* of the exact size, so that sanitizers see its end */

    require(copy != NULL, "no memory");
    memcpy(copy, data, bytes);
    const struct lod_span file = {copy, bytes};
    if (strcmp(what, "lst") == 0) {
        try_lst(file);
    } else if (strcmp(what, "tar") == 0) {
        seal_tar(copy, bytes);
        walk_all(&lod_container_tar, file);
    } else if (strcmp(what, "tfrecord") == 0) {
        seal_tfrecord(copy, bytes);
        walk_all(&lod_container_tfrecord, file);
    } else {
        walk_all(&lod_container_recordio, file);
    }
    free(copy);
    return 0;
}
