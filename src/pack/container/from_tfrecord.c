/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a TFRecord file of Examples (TensorFlow's record_writer.cc): a length, its checksum, that
 * many bytes, and theirs. The picture is a file; the Example without it is the file STEM.example
 * beside it. The checksum of an Example is checked when its members are packed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/format.h"
#include "castagnoli.h"
#include "pack/container/containers.h"
#include "pack/container/example.h"
#include "pack/container/payload_name.h"

#define LENGTH_BYTES 8u
#define CRC_BYTES    4u
#define FRAME_BYTES  (LENGTH_BYTES + 2 * CRC_BYTES)
#define FILE_MODE    0644
#define EXAMPLE      ".example"
#define NUMBER_BYTES 16u /* room for ten digits */

/* The path of a member, with room for an ending or a folder more than a legal path has. */
struct path {
    char text[2 * LOD_PATH_MAX];
    size_t bytes;
};

/* Undoes the mask of record_writer.cc. */
static uint32_t unmasked(uint32_t masked)
{
    const uint32_t crc = masked - 0xa282ead8u;

    return crc >> 17 | crc << 15;
}

/*
 * Appends a value of the Example. A value that is longer than a path is truncated here and refused
 * later.
 */
static int append_value(struct lod_container_walk *walk, const struct lod_example_value *value,
                        struct path *path)
{
    const size_t bytes = value->run.bytes < LOD_PATH_MAX ? (size_t)value->run.bytes : LOD_PATH_MAX;
    const uint8_t *at = NULL;
    int error = lod_container_take(walk, value->run.offset, bytes, &at);

    if (!error) {
        memcpy(path->text + path->bytes, at, bytes);
        path->bytes += bytes;
    }
    return error;
}

/*
 * Adds the class as a folder if the name has no folder. A slash in the class would make two
 * folders.
 */
static int append_class(struct lod_container_walk *walk, const struct lod_example *example,
                        struct path *path)
{
    int error = append_value(walk, &example->text, path);

    for (size_t i = 0; !error && i < path->bytes; i++) {
        path->text[i] = path->text[i] == '/' ? '_' : path->text[i];
    }
    path->text[path->bytes++] = '/';
    return error;
}

static int append_ending(struct lod_container_walk *walk, const struct lod_example *example,
                         struct path *path)
{
    const uint64_t all = example->picture.run.bytes;
    const size_t window = all < LOD_PAYLOAD_HEAD ? (size_t)all : LOD_PAYLOAD_HEAD;
    const uint8_t *at = NULL;
    int error = lod_container_take(walk, example->picture.run.offset, window, &at);

    if (!error) {
        const char *ending = lod_payload_ending(at, window);
        memcpy(path->text + path->bytes, ending, strlen(ending));
        path->bytes += strlen(ending);
    }
    return error;
}

/* Appends the name, or the number of the record if the name is missing or not unique. */
static int append_name(struct lod_container_walk *walk, const struct lod_example *example,
                       struct path *path)
{
    const struct lod_example_value *name = &example->filename;
    int error = name->run.bytes ? append_value(walk, name, path) : 0;

    if (!error && (name->run.bytes == 0 || walk->names == LOD_NAMES_BY_NUMBER)) {
        path->bytes = lod_payload_folder(path->text, path->bytes);
        path->bytes +=
            (size_t)snprintf(path->text + path->bytes, NUMBER_BYTES, "%010" PRIu32, walk->record);
    }
    return error;
}

/* *ret_ended: an ending was added, chosen by the content. */
static int make_path(struct lod_container_walk *walk, const struct lod_example *example,
                     struct path *path, bool *ret_ended)
{
    const struct lod_example_value *name = &example->filename;
    const uint8_t *at = NULL;
    bool folder = false;
    int error = 0;

    path->bytes = 0;
    if (name->run.bytes > LOD_PATH_MAX || example->text.run.bytes > LOD_NAME_MAX) {
        return lod_container_refuse(walk, walk->at,
                                    "its name is longer than the store's limits: a "
                                    "name has 255 bytes, a path 4,095");
    }
    if (name->run.bytes) {
        error = lod_container_take(walk, name->run.offset, (size_t)name->run.bytes, &at);
        folder = !error && memchr(at, '/', (size_t)name->run.bytes);
    }
    if (!error && !folder && example->text.run.bytes) {
        error = append_class(walk, example, path);
    }
    if (error) {
        return error;
    }
    error = append_name(walk, example, path);
    *ret_ended = !error && lod_payload_stem(path->text, path->bytes) == path->bytes;
    return *ret_ended ? append_ending(walk, example, path) : error;
}

/* Adds the picture, and the Example without it if that has more features. */
static int add_members(struct lod_container_walk *walk, const struct lod_example *example,
                       struct path *path, struct lod_member *member)
{
    const uint64_t at = member->sum_at, bytes = member->sum_bytes;
    struct lod_run runs[LOD_EXAMPLE_RUNS];
    uint8_t head[LOD_EXAMPLE_HEAD];
    int error = 0;

    member->path = path->text;
    member->path_bytes = path->bytes;
    if (example->picture.found) {
        member->runs = &example->picture.run;
        member->runs_count = 1;
        member->label = example->label;
        error = walk->add(walk->ctx, member);
        member->label = -1;
        member->ended = false;
    }
    if (error || !example->others) {
        return error;
    }
    const size_t stem = lod_payload_stem(path->text, path->bytes);
    memcpy(path->text + stem, EXAMPLE, sizeof(EXAMPLE));
    member->path_bytes = stem + sizeof(EXAMPLE) - 1;
    member->runs = runs;
    member->head = head;
    member->runs_count = lod_example_rest(example, at, bytes, head, &member->head_bytes, runs);
    return walk->add(walk->ctx, member);
}

/* Checks the sum of a record without members, which is not read again. */
static int check_empty(struct lod_container_walk *walk, const struct lod_member *member)
{
    uint32_t sum = 0;
    int error = 0;

    for (uint64_t done = 0; !error && done < member->sum_bytes; done += LOD_CONTAINER_WINDOW) {
        const uint64_t left = member->sum_bytes - done;
        const size_t bytes = left < LOD_CONTAINER_WINDOW ? (size_t)left : LOD_CONTAINER_WINDOW;
        const uint8_t *at = NULL;
        error = lod_container_take(walk, member->sum_at + done, bytes, &at);
        sum = error ? 0 : lod_crc32c(sum, at, bytes);
    }
    return error || sum == member->sum
               ? error
               : lod_container_refuse(walk, walk->at, "its checksum is wrong");
}

static int read_frame(struct lod_container_walk *walk, struct lod_member *member)
{
    const uint64_t left = walk->input->bytes - walk->at;
    const uint8_t *at = NULL;
    int error = lod_container_take(walk, walk->at, LENGTH_BYTES + CRC_BYTES, &at);

    if (error) {
        return error;
    }
    const uint64_t bytes = lod_get_le64(at);
    if (lod_crc32c(0, at, LENGTH_BYTES) != unmasked(lod_get_le32(at + LENGTH_BYTES))) {
        return lod_container_refuse(walk, walk->at, "the checksum of its length is wrong");
    }
    if (left < FRAME_BYTES || bytes > left - FRAME_BYTES) {
        return lod_container_refuse(walk, walk->at,
                                    "its %" PRIu64 " bytes extend past the end of the file", bytes);
    }
    *member = (struct lod_member){.kind = LOD_MEMBER_FILE,
                                  .label = -1,
                                  .mode = FILE_MODE,
                                  .mtime = walk->mtime,
                                  .sum_at = walk->at + LENGTH_BYTES + CRC_BYTES,
                                  .sum_bytes = bytes,
                                  .summed = true};
    error = lod_container_take(walk, member->sum_at + bytes, CRC_BYTES, &at);
    member->sum = error ? 0 : unmasked(lod_get_le32(at));
    return error;
}

static int next(struct lod_container_walk *walk)
{
    struct lod_example example;
    struct lod_member member;
    struct path path;

    if (walk->at == walk->input->bytes) {
        return -ENODATA;
    }
    int error = read_frame(walk, &member);
    error = error ? error : lod_example_read(walk, member.sum_at, member.sum_bytes, &example);
    if (!error && !example.others && !example.picture.found) {
        error = check_empty(walk, &member);
    } else if (!error) {
        error = make_path(walk, &example, &path, &member.ended);
        error = error ? error : add_members(walk, &example, &path, &member);
    }
    if (!error) {
        walk->at += FRAME_BYTES + member.sum_bytes;
        walk->record++;
    }
    return error;
}

static bool is_tfrecord(const uint8_t *head, size_t bytes)
{
    return bytes >= LENGTH_BYTES + CRC_BYTES &&
           lod_crc32c(0, head, LENGTH_BYTES) == unmasked(lod_get_le32(head + LENGTH_BYTES));
}

static const char *const companions[] = {".idx", ".index", ".json", ".txt", NULL};

const struct lod_container lod_container_tfrecord = {
    .name = "tfrecord",
    .what = "a TFRecord file",
    .companions = companions,
    .may_be_empty = true,
    .has_key = true,
    .beside = EXAMPLE,
    .ahead = 1024,
    .is = is_tfrecord,
    .next = next,
};
