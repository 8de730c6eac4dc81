/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a RecordIO file of images (dmlc-core's recordio.h, MXNet's image_recordio.h). A part is a
 * magic word, a word of flag and length, and that many bytes, up to a multiple of 4. A record is
 * one part, or several between which a magic word belongs to the data. Its data is an IRHeader of
 * flag, label and ids, further labels, and the picture.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "buf.h"
#include "pack/container/containers.h"
#include "pack/container/lst.h"
#include "pack/container/payload_name.h"

#define MAGIC        0xced7230au
#define HEAD_BYTES   8u
#define LENGTH_BITS  29u
#define IR_BYTES     24u
#define PARTS_MAX    (1u << 20) /* of a record; 8 MiB of headers */
#define FILE_MODE    0644
#define LABEL        ".label"
#define LABEL_MAX    2147483648.0f /* 2^31; labels are below it */
#define ENDING_BYTES 32u           /* bytes for an ending, and for a number */

enum { WHOLE, BEGIN, MIDDLE, END };

struct recordio {
    LOD_LIST(struct lod_run) runs; /* of the record: its data */
    LOD_LIST(struct lod_run) cut;  /* of a member */
    uint64_t bytes;                /* of the record's data */
    struct lod_buf text;           /* of the list beside the file */
    struct lod_lst lst;
};

struct image {
    uint32_t flag;
    float label;
    uint64_t id;
    uint64_t at; /* of the picture, in the record's data */
};

struct path {
    char text[LOD_PATH_MAX + ENDING_BYTES];
    size_t bytes;
};

/* ------------------------------------------------------------------------------------ parts */

/* Appends bytes of the container to the record's data; neighbours become one run. */
static int append(struct recordio *r, uint64_t offset, uint64_t bytes)
{
    struct lod_run *last = r->runs.count ? &r->runs.at[r->runs.count - 1] : NULL;

    r->bytes += bytes;
    if (last && last->offset + last->bytes == offset) {
        last->bytes += bytes;
        return 0;
    }
    return LOD_LIST_ADD(&r->runs, (struct lod_run){offset, bytes});
}

static int check_flag(struct lod_container_walk *walk, uint64_t at, unsigned flag, bool first)
{
    if (flag > END) {
        return lod_container_refuse(walk, at, "its part has the flag %u, and 3 is the highest",
                                    flag);
    }
    if (first && flag > BEGIN) {
        return lod_container_refuse(walk, at, "it continues a record whose beginning is missing");
    }
    return first || flag > BEGIN ? 0
                                 : lod_container_refuse(walk, at,
                                                        "the end of the record before "
                                                        "it is missing");
}

/* Reads the part at `at`, and moves behind it. *ret_more: more parts follow. */
static int read_part(struct lod_container_walk *walk, uint64_t *at, bool *ret_more)
{
    struct recordio *r = walk->state;
    const uint64_t left = walk->input->bytes - *at;
    const bool first = *at == walk->at;
    const uint8_t *head = NULL;

    if (left == 0) {
        return lod_container_refuse(walk, *at, "the file ends before the last part of its record");
    }
    int error = lod_container_take(walk, *at, HEAD_BYTES, &head);
    if (error) {
        return error;
    }
    const uint32_t word = lod_get_le32(head + 4), bytes = word & ((1u << LENGTH_BITS) - 1);
    const unsigned flag = word >> LENGTH_BITS;
    if (lod_get_le32(head) != MAGIC) {
        return lod_container_refuse(walk, *at, "its magic number is wrong");
    }
    error = check_flag(walk, *at, flag, first);
    if (error) {
        return error;
    }
    if (lod_round_up(bytes, 4) > left - HEAD_BYTES) {
        return lod_container_refuse(walk, *at,
                                    "its %" PRIu32 " bytes extend past the end of the file", bytes);
    }
    error = first ? 0 : append(r, *at, 4); /* the magic word between two parts */
    error = error ? error : append(r, *at + HEAD_BYTES, bytes);
    if (!error && r->runs.count > PARTS_MAX) {
        return lod_container_refuse(walk, walk->at, "it has over 1,048,576 parts");
    }
    *at += HEAD_BYTES + lod_round_up(bytes, 4);
    *ret_more = flag == BEGIN || flag == MIDDLE;
    return error;
}

static int read_parts(struct lod_container_walk *walk, uint64_t *ret_end)
{
    struct recordio *r = walk->state;
    uint64_t at = walk->at;
    bool more = true;
    int error = 0;

    r->runs.count = 0;
    r->bytes = 0;
    while (!error && more) {
        error = read_part(walk, &at, &more);
    }
    *ret_end = at;
    return error;
}

/* ------------------------------------------------------------------------------------ images */

/* Sets r->cut to the places in the file of a range of the record's data. */
static int cut(struct recordio *r, uint64_t from, uint64_t bytes)
{
    int error = 0;

    r->cut.count = 0;
    for (size_t i = 0; !error && i < r->runs.count && bytes; i++) {
        const struct lod_run *run = &r->runs.at[i];
        if (from >= run->bytes) {
            from -= run->bytes;
            continue;
        }
        const uint64_t part = run->bytes - from < bytes ? run->bytes - from : bytes;
        error = LOD_LIST_ADD(&r->cut, (struct lod_run){run->offset + from, part});
        bytes -= part;
        from = 0;
    }
    return error;
}

/* Reads a few bytes of the record's data, which may be in several parts. */
static int take(struct lod_container_walk *walk, uint64_t from, size_t bytes, uint8_t *into)
{
    struct recordio *r = walk->state;
    const uint8_t *at = NULL;
    int error = cut(r, from, bytes);

    for (size_t i = 0; !error && i < r->cut.count; i++) {
        const struct lod_run *run = &r->cut.at[i];
        error = lod_container_take(walk, run->offset, (size_t)run->bytes, &at);
        if (!error) {
            memcpy(into, at, (size_t)run->bytes);
            into += run->bytes;
        }
    }
    return error;
}

static int read_image(struct lod_container_walk *walk, struct image *image)
{
    const struct recordio *r = walk->state;
    uint8_t header[IR_BYTES];
    uint32_t label;

    if (r->bytes < IR_BYTES) {
        return lod_container_refuse(walk, walk->at,
                                    "it has %" PRIu64 " bytes, and the header of an image has 24",
                                    r->bytes);
    }
    int error = take(walk, 0, IR_BYTES, header);
    if (error) {
        return error;
    }
    label = lod_get_le32(header + 4);
    image->flag = lod_get_le32(header);
    memcpy(&image->label, &label, sizeof(image->label));
    image->id = lod_get_le64(header + 8);
    image->at = IR_BYTES + 4 * (uint64_t)image->flag;
    return image->at <= r->bytes
               ? 0
               : lod_container_refuse(walk, walk->at,
                                      "its label has %" PRIu32 " numbers, more than its bytes",
                                      image->flag);
}

/* Returns whether the label is the number of a class. */
static bool has_class(const struct image *image)
{
    return image->flag == 0 && image->label >= 0 && image->label < LABEL_MAX &&
           image->label == floorf(image->label) && !(image->label == 0 && signbit(image->label));
}

static int append_ending(struct lod_container_walk *walk, const struct image *image,
                         struct path *path)
{
    const struct recordio *r = walk->state;
    const uint64_t left = r->bytes - image->at;
    const size_t window = left < LOD_PAYLOAD_HEAD ? (size_t)left : LOD_PAYLOAD_HEAD;
    uint8_t head[LOD_PAYLOAD_HEAD];
    int error = take(walk, image->at, window, head);

    if (!error) {
        path->bytes += (size_t)snprintf(path->text + path->bytes, ENDING_BYTES, "%s",
                                        lod_payload_ending(head, window));
    }
    return error;
}

static void append_number(const struct lod_container_walk *walk, const struct image *image,
                          struct path *path)
{
    const uint64_t number = walk->names == LOD_NAMES_OF_RECORDS ? image->id : walk->record;

    path->bytes += (size_t)snprintf(path->text + path->bytes, ENDING_BYTES, "%010" PRIu64, number);
}

static int name_by_number(struct lod_container_walk *walk, const struct image *image,
                          struct path *path)
{
    path->bytes = 0;
    if (has_class(image)) {
        path->bytes =
            (size_t)snprintf(path->text, ENDING_BYTES, "%05" PRIu32 "/", (uint32_t)image->label);
    }
    append_number(walk, image, path);
    return append_ending(walk, image, path);
}

/* A name without an ending gets one if a file of labels stands beside it: a mount finds that by
 * the name up to its last dot. */
static int make_path(struct lod_container_walk *walk, const struct image *image, struct path *path)
{
    const struct recordio *r = walk->state;
    const char *listed = lod_lst_find(&r->lst, image->id, &path->bytes);

    if (!listed) {
        return name_by_number(walk, image, path);
    }
    if (path->bytes > LOD_PATH_MAX) {
        return lod_container_refuse(walk, walk->at,
                                    "its name in the .lst has over 4,095 bytes, "
                                    "the store's limit");
    }
    memcpy(path->text, listed, path->bytes);
    if (walk->names == LOD_NAMES_BY_NUMBER) {
        path->bytes = lod_payload_folder(path->text, path->bytes);
        append_number(walk, image, path);
    }
    const bool ended = lod_payload_stem(path->text, path->bytes) < path->bytes;
    return ended || has_class(image) ? 0 : append_ending(walk, image, path);
}

static int add_cut(struct lod_container_walk *walk, const struct path *path, int32_t label,
                   uint64_t from, uint64_t bytes)
{
    struct recordio *r = walk->state;
    int error = cut(r, from, bytes);
    const struct lod_member member = {.kind = LOD_MEMBER_FILE,
                                      .path = path->text,
                                      .path_bytes = path->bytes,
                                      .label = label,
                                      .mode = FILE_MODE,
                                      .mtime = walk->mtime,
                                      .runs = r->cut.at,
                                      .runs_count = (uint32_t)r->cut.count};

    return error ? error : walk->add(walk->ctx, &member);
}

/* Adds the picture. If its label is not a class number, adds it as a file of floats too. */
static int add_members(struct lod_container_walk *walk, const struct image *image,
                       struct path *path)
{
    const struct recordio *r = walk->state;
    const bool class = has_class(image);
    int error =
        add_cut(walk, path, class ? (int32_t)image->label : -1, image->at, r->bytes - image->at);

    if (error || class) {
        return error;
    }
    path->bytes = lod_payload_stem(path->text, path->bytes);
    memcpy(path->text + path->bytes, LABEL, sizeof(LABEL));
    path->bytes += sizeof(LABEL) - 1;
    return image->flag ? add_cut(walk, path, -1, IR_BYTES, image->at - IR_BYTES)
                       : add_cut(walk, path, -1, 4, 4);
}

static int next(struct lod_container_walk *walk)
{
    struct image image;
    struct path path;
    uint64_t end = 0;

    if (walk->at == walk->input->bytes) {
        return -ENODATA;
    }
    int error = read_parts(walk, &end);
    error = error ? error : read_image(walk, &image);
    error = error ? error : make_path(walk, &image, &path);
    error = error ? error : add_members(walk, &image, &path);
    if (!error) {
        walk->at = end;
        walk->record++;
    }
    return error;
}

/* Data never contains the magic word at a multiple of 4, so the next magic word there begins a
 * part. */
static int resync(struct lod_container_walk *walk)
{
    const uint64_t all = walk->input->bytes;
    const uint8_t *at = NULL;
    int error = 0;

    for (uint64_t from = walk->at / 4 * 4 + 4; !error && from < all && all - from >= HEAD_BYTES;) {
        const uint64_t left = (all - from) / 4 * 4;
        const size_t bytes = left < LOD_CONTAINER_WINDOW ? (size_t)left : LOD_CONTAINER_WINDOW;
        error = lod_container_take(walk, from, bytes, &at);
        for (size_t i = 0; !error && i + HEAD_BYTES <= bytes; i += 4) {
            const unsigned flag = lod_get_le32(at + i + 4) >> LENGTH_BITS;
            if (lod_get_le32(at + i) == MAGIC && flag <= BEGIN) {
                walk->at = from + i;
                walk->record++;
                return 0;
            }
        }
        from += bytes - 4; /* the word after this one was not read yet */
    }
    return error ? error : -ENODATA;
}

static int open_recordio(struct lod_container_walk *walk)
{
    struct recordio *r = calloc(1, sizeof(*r));

    walk->state = r;
    return r ? lod_lst_beside(walk, &r->text, &r->lst) : -ENOMEM;
}

static void close_recordio(struct lod_container_walk *walk)
{
    struct recordio *r = walk->state;

    if (r) {
        free(r->runs.at);
        free(r->cut.at);
        lod_lst_finish(&r->lst);
        lod_buf_finish(&r->text);
        free(r);
    }
    walk->state = NULL;
}

static bool is_recordio(const uint8_t *head, size_t bytes)
{
    return bytes >= HEAD_BYTES && lod_get_le32(head) == MAGIC;
}

static const char *const companions[] = {".idx", ".lst", ".json", ".txt", NULL};

const struct lod_container lod_container_recordio = {
    .name = "recordio",
    .what = "a RecordIO file",
    .companions = companions,
    .may_be_empty = true,
    .has_ids = true,
    .beside = LABEL,
    .ahead = 64,
    .is = is_recordio,
    .open = open_recordio,
    .close = close_recordio,
    .next = next,
    .resync = resync,
};
