/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readdir and readdirplus. Position 0 is ".", 1 "..", child i is i + 2; an entry's cookie is the
 * position after it, so a listing goes on by arithmetic wherever it stopped. Nothing is looked up
 * by name.
 */
#include "fuse/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DOTS 2

/*
 * In a larger folder readdirplus lists names alone. Attributes of a million names would make the
 * kernel build a million inodes, about 1 KiB each, and read the item of each from an index larger
 * than its cache, when `ls -f` wanted the names; who wants an entry then pays one lookup.
 */
#define PLUS_CHILDREN_MAX 65536u

/* One reply being filled. */
struct listing {
    fuse_req_t req;
    const struct lod_ops *ops;
    struct lod_found folder;
    uint64_t children;
    bool plus;
    char *buf;
    size_t used, room;
};

/* False: it does not fit any more. */
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

/* The name and type alone: all that readdir wants, and what is shown of an entry whose item cannot
 * be read (a number of 0 tells the kernel that there are no attributes). */
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

/* "." and ".."; the kernel takes no attributes of these. */
static int add_dot(struct listing *list, uint64_t position, bool *ret_more)
{
    struct lod_found up = list->folder;
    int error = position == 1 ? lod_grammar_up(list->ops->dataset, &list->folder, &up) : 0;

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
    int error = lod_grammar_child(list->ops->dataset, &list->folder, position - DOTS, &child, name);
    if (!error) {
        struct fuse_entry_param entry = full_entry(list, &child);
        *ret_more = add(list, name, &entry, position);
    }
    return error == -ENOENT ? 0 : error; /* not shown here: go on behind it */
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
    enum lod_request request = plus ? LOD_REQUEST_READDIRPLUS : LOD_REQUEST_READDIR;
    struct listing list = {.req = req, .ops = lod_ops_begin(req, request), .plus = plus};
    int error = lod_grammar_find(list.ops->dataset, number, &list.folder);

    if (!error && !S_ISDIR(list.folder.node.mode)) {
        error = -ENOENT; /* the kernel never asks this of a file */
    }
    if (!error) {
        list.children = lod_grammar_count(&list.folder);
        list.room = size < LOD_READ_BYTES_MAX ? size : LOD_READ_BYTES_MAX;
        list.buf = malloc(list.room);
        error = list.buf ? fill(&list, offset < 0 ? 0 : (uint64_t)offset) : -ENOMEM;
    }
    /* What was listed before a damaged row is handed out; the next call starts at that row. */
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
