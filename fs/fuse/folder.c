/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readdir and readdirplus. Position 0 is ".", 1 is "..", child i is i + 2. An entry's cookie is the
 * position after it, so a listing can continue anywhere without a lookup by name.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuse/subdir.h"

#define DOTS 2

/*
 * In a larger folder readdirplus returns names only. Attributes of a million names make the kernel
 * allocate a million inodes of about 1 KiB. They also need a million items from an index larger
 * than its cache, although `ls -f` needs names only. A program that opens an entry then causes one
 * lookup.
 */
#define PLUS_CHILDREN_MAX 65536u

/* A reply that is being filled. */
struct listing {
    fuse_req_t req;
    const struct lod_ops *ops;
    struct lod_found folder;
    uint64_t children;
    bool plus;
    char *buf;
    size_t used, room;
};

/* Adds an entry. Returns false if it does not fit. */
static bool add(struct listing *list, const char *name, const struct fuse_entry_param *entry,
                uint64_t position)
{
    char *at = list->buf + list->used;
    size_t left = list->room - list->used;
    off_t cookie = (off_t)(position + 1);
    size_t bytes = list->plus ? fuse_add_direntry_plus(list->req, at, left, name, entry, cookie)
                              : fuse_add_direntry(list->req, at, left, name, &entry->attr, cookie);

    if (bytes > left) {
        return false;
    }
    list->used += bytes;
    return true;
}

/* An entry with name and type only, for readdir, and for entries whose item cannot be read. The
 * number 0 tells the kernel that there are no attributes. */
static struct fuse_entry_param name_only(const struct lod_found *found)
{
    return (struct fuse_entry_param){
        .attr = {.st_ino = lod_inode_pack(found->inode), .st_mode = found->node.mode},
    };
}

static struct fuse_entry_param full_entry(const struct listing *list, const struct lod_found *found)
{
    struct fuse_entry_param entry;

    bool plus = list->plus && list->children <= PLUS_CHILDREN_MAX;
    return plus && lod_ops_entry(list->ops, found, &entry) == 0 ? entry : name_only(found);
}

/* Adds "." or "..", for which the kernel accepts no attributes. */
static int add_dot(struct listing *list, uint64_t position, bool *ret_more)
{
    struct lod_found up = list->folder;
    int error = position == 1 ? lod_subdir_up(list->ops, &list->folder, &up) : 0;

    if (!error) {
        struct fuse_entry_param entry = name_only(&up);
        *ret_more = add(list, position == 0 ? "." : "..", &entry, position);
    }
    return error;
}

static int add_child(struct listing *list, uint64_t position, bool *ret_more)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_found child;

    if (position - DOTS >= list->children) {
        *ret_more = false;
        return 0;
    }
    int error =
        lod_namespace_child(list->ops->dataset, &list->folder, position - DOTS, &child, name);
    if (!error) {
        struct fuse_entry_param entry = full_entry(list, &child);
        *ret_more = add(list, name, &entry, position);
    }
    return error == -ENOENT ? 0 : error; /* not shown in this view: skip it */
}

static int fill(struct listing *list, uint64_t position)
{
    bool more = true;
    int error = 0;

    for (; more && !error; position++) {
        error = position < DOTS ? add_dot(list, position, &more) : add_child(list, position, &more);
    }
    return error;
}

static void list_folder(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, bool plus)
{
    struct listing list = {.req = req, .ops = fuse_req_userdata(req), .plus = plus};
    int error = lod_subdir_resolve(list.ops, number, &list.folder);

    if (!error && !S_ISDIR(list.folder.node.mode)) {
        error = -ENOENT; /* the kernel never lists a file */
    }
    if (!error) {
        list.children = lod_namespace_count(&list.folder);
        list.room = size < LOD_READ_BYTES_MAX ? size : LOD_READ_BYTES_MAX;
        list.buf = malloc(list.room);
        error = list.buf ? fill(&list, offset < 0 ? 0 : (uint64_t)offset) : -ENOMEM;
    }
    /* Entries before a damaged row are returned; the next call begins at that row and fails. */
    if (error && list.used == 0) {
        lod_ops_fail(req, number, error);
    } else {
        fuse_reply_buf(req, list.buf, list.used);
    }
    free(list.buf);
}

void lod_op_readdir(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    (void)fi;
    list_folder(req, number, size, offset, false);
}

void lod_op_readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset,
                        struct fuse_file_info *fi)
{
    (void)fi;
    list_folder(req, number, size, offset, true);
}
