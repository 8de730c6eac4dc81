/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the containers of pack.plan; see plan_places.h. Labels of members are not here:
 * the plan has those that were decided. */
#include "pack/parts/plan_places.h"

#include <errno.h>
#include <string.h>

#include "backend/name.h"
#include "pack/parts/plan_format.h"

int lod_pack_plan_put_containers(struct lod_buf *file, const struct lod_source_list *containers)
{
    const char *before = "";
    int error = lod_buf_append_le(file, 4, containers->count);

    for (size_t i = 0; !error && i < containers->count; i++) {
        const struct lod_source *container = &containers->at[i];
        error = lod_framed_file_put_path(file, before, container->path);
        error = error ? error : lod_buf_append_le(file, 8, container->bytes);
        error = error ? error : lod_buf_append_le(file, 8, (uint64_t)container->mtime);
        before = container->path;
    }
    return error;
}

static int put_sum(struct lod_buf *file, const struct lod_member_place *place)
{
    int error = lod_buf_append_le(file, 1, place->summed);

    if (place->summed) {
        error = error ? error : lod_buf_append_le(file, 4, place->sum);
        error = error ? error : lod_buf_append_le(file, 8, place->sum_at);
        error = error ? error : lod_buf_append_le(file, 8, place->sum_bytes);
    }
    return error;
}

int lod_pack_plan_put_place(struct lod_buf *file, const struct lod_source_list *containers,
                            const struct lod_member_place *place)
{
    int error = lod_buf_append_le(file, 4, (uint64_t)(place->container - containers->at));

    error = error ? error : lod_buf_append_le(file, 4, place->record);
    error = error ? error : lod_buf_append_le(file, 8, place->at);
    error = error ? error : put_sum(file, place);
    error = error ? error : lod_buf_append_le(file, 1, place->head_bytes);
    error = error ? error : lod_buf_append(file, place->head, place->head_bytes);
    error = error ? error : lod_buf_append_le(file, 4, place->runs);
    for (uint32_t i = 0; !error && i < place->runs; i++) {
        error = lod_buf_append_le(file, 8, place->run[i].offset);
        error = error ? error : lod_buf_append_le(file, 8, place->run[i].bytes);
    }
    return error;
}

int lod_pack_plan_take_containers(struct lod_cursor *c, struct lod_source_list *containers)
{
    const uint32_t count = lod_take_le32(c);
    char path[LOD_PATH_MAX + 1] = "";
    size_t bytes;
    bool ascends;
    int error = count > c->left / LOD_PLAN_CONTAINER_BYTES ? -EBADMSG : 0;

    for (uint32_t i = 0; !error && i < count; i++) {
        struct lod_source file = {.path = path, .role = LOD_SOURCE_FILE, .names = 1};
        if (!lod_framed_file_take_path(c, path, &bytes, &ascends) || !ascends ||
            !lod_path_valid(path, bytes)) {
            return -EBADMSG;
        }
        file.bytes = lod_take_le64(c);
        file.mtime = (int64_t)lod_take_le64(c);
        error = c->short_of_bytes ? -EBADMSG : lod_source_list_add(containers, &file);
    }
    return error;
}

static bool lies_in(const struct lod_source *file, uint64_t at, uint64_t bytes)
{
    return bytes <= file->bytes && at <= file->bytes - bytes;
}

/* Takes the runs to the end of `into`. They and the head have `left` bytes. */
static int take_runs(struct lod_cursor *c, const struct lod_source *container, uint32_t count,
                     uint64_t left, struct lod_buf *into)
{
    int error = count > c->left / sizeof(struct lod_run) ? -EBADMSG : 0;

    for (uint32_t i = 0; !error && i < count; i++) {
        const uint64_t offset = lod_take_le64(c);
        const struct lod_run run = {.offset = offset, .bytes = lod_take_le64(c)};
        error = run.bytes > left || !lies_in(container, run.offset, run.bytes)
                    ? -EBADMSG
                    : lod_buf_append(into, &run, sizeof(run));
        left -= error ? 0 : run.bytes;
    }
    return error || left == 0 ? error : -EBADMSG;
}

static void take_sum(struct lod_cursor *c, struct lod_member_place *place)
{
    place->summed = true;
    place->sum = lod_take_le32(c);
    place->sum_at = lod_take_le64(c);
    place->sum_bytes = lod_take_le64(c);
}

int lod_pack_plan_take_place(struct lod_cursor *c, const struct lod_source_list *containers,
                             uint64_t bytes, struct lod_buf *place)
{
    const uint32_t number = lod_take_le32(c);
    struct lod_member_place head = {.label = -1, .record = lod_take_le32(c)};
    head.at = lod_take_le64(c);
    const uint8_t summed = lod_take_u8(c);

    if (summed == 1) {
        take_sum(c, &head);
    }
    head.head_bytes = lod_take_u8(c);
    const uint8_t *at = lod_take(c, head.head_bytes);
    head.runs = lod_take_le32(c);
    if (c->short_of_bytes || number >= containers->count || summed > 1 ||
        head.head_bytes > LOD_PLACE_HEAD_MAX || head.head_bytes > bytes ||
        !lies_in(&containers->at[number], head.sum_at, head.sum_bytes)) {
        return -EBADMSG;
    }
    memcpy(head.head, at, head.head_bytes);
    head.container = &containers->at[number];
    place->bytes = 0;
    int error = lod_buf_append(place, &head, sizeof(head));
    return error ? error : take_runs(c, head.container, head.runs, bytes - head.head_bytes, place);
}
