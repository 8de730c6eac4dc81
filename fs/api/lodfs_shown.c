/* SPDX-License-Identifier: Apache-2.0 */
/* See lodfs_shown.h: calls namespace and readers. */
#include "api/lodfs_shown.h"

#include <errno.h>
#include <sys/stat.h>

/* Logs an error of reading rows and returns -EIO. Passes on 0 and -ENOENT. */
static int check_rows(const struct lod_opened *opened, uint32_t node, int error)
{
    return !error || error == -ENOENT ? error
                                      : lod_dataset_node_failed(opened->dataset, node, error);
}

static int fill(const struct lod_opened *opened, struct lod_shown *shown)
{
    int error =
        lod_namespace_is_live(&shown->found)
            ? -ENOENT
            : lod_shown_contents(opened->dataset, opened->shards, &shown->found, &shown->contents);

    return check_rows(opened, shown->found.node.number, error);
}

static int find_number(const struct lod_opened *opened, uint32_t node, int fidelity,
                       struct lod_found *ret_found)
{
    const struct lod_inode inode = {.node = node, .fidelity = (enum lod_fidelity)fidelity};

    if (!lod_fidelity_name(inode.fidelity)) {
        return -EINVAL;
    }
    return check_rows(opened, node,
                      lod_namespace_find(opened->dataset, lod_inode_pack(inode), ret_found));
}

int lod_shown_find(const struct lod_opened *opened, struct lod_top top, const char *path,
                   struct lod_shown *ret_shown)
{
    struct lod_found from;
    int error = top.mounted ? lod_namespace_find(opened->dataset, LOD_INODE_ROOT, &from)
                            : find_number(opened, 0, top.fidelity, &from);

    error = error ? error : lod_namespace_walk(opened->dataset, &from, path, &ret_shown->found);
    return error ? error : fill(opened, ret_shown);
}

int lod_shown_find_file(const struct lod_opened *opened, struct lod_top top, const char *path,
                        struct lod_shown *ret_shown)
{
    int error = lod_shown_find(opened, top, path, ret_shown);
    const uint16_t mode = error ? 0 : ret_shown->found.node.mode;

    if (!error && !S_ISREG(mode)) {
        error = S_ISDIR(mode) ? -EISDIR : -ELOOP; /* a store has files, folders and links */
    }
    return error;
}

int lod_shown_find_node(const struct lod_opened *opened, uint32_t node, int fidelity,
                        struct lod_shown *ret_shown)
{
    int error = find_number(opened, node, fidelity, &ret_shown->found);

    return error ? error : fill(opened, ret_shown);
}

int lod_shown_child(const struct lod_opened *opened, const struct lod_shown *folder,
                    uint64_t position, struct lod_shown *ret_child, char name[LOD_NAME_MAX + 1])
{
    int error =
        lod_namespace_child(opened->dataset, &folder->found, position, &ret_child->found, name);

    error = check_rows(opened, folder->found.node.number, error);
    return error ? error : fill(opened, ret_child);
}

/* Reads exactly `bytes` bytes of a framed file, which has them. */
static int read_framed(const struct lod_opened *opened, const struct lod_shard *shard,
                       uint64_t offset, uint8_t *into, size_t bytes)
{
    size_t done = 0, got = 0;
    int error = 0;

    for (; !error && done < bytes; done += got) {
        const size_t left = bytes - done;
        error = lod_shard_read(opened->shards, shard, offset + done,
                               left < LOD_READ_BYTES_MAX ? left : LOD_READ_BYTES_MAX, into + done,
                               &got);
        error = error || got ? error : -EIO;
    }
    return error;
}

int lod_shown_read(const struct lod_opened *opened, const struct lod_shown *shown, uint64_t offset,
                   uint8_t *into, size_t bytes, size_t *ret_bytes)
{
    const struct lod_contents *file = &shown->contents;
    const uint64_t left = offset < file->bytes ? file->bytes - offset : 0;
    const size_t wanted = bytes < left ? bytes : (size_t)left;
    int error = 0;

    if (wanted && lod_found_is_shard(&shown->found)) {
        error = read_framed(opened, &shown->found.shard, offset, into, wanted);
    } else if (wanted) {
        error =
            lod_reader_read_into(opened->reader, &file->item, &file->plan, offset, into, wanted);
    }
    if (!error) {
        *ret_bytes = wanted;
    }
    return error;
}
