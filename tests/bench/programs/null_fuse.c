/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null_fuse LIST MOUNTPOINT [FILE]: the least that a FUSE server can do, as a bound for lodfs. It
 * shows a tree from a list; every file is zeros from memory. With FILE, which is at least 2 MiB,
 * files have bytes of it: each read copies them out of the page cache and hashes them once, as
 * lodfs has to. Its settings are those of lodfs: ro, default_permissions, long time-outs, ENOSYS on
 * open, opendir and xattr, readdirplus, 4 threads. Stays in the foreground until it is unmounted.
 *
 * LIST has one node a line, breadth first: PARENT SIZE NAME. PARENT is a line number from 0; SIZE
 * -1 is a folder. Line 0 is the root. The children of a folder are adjacent, sorted by bytes.
 */
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"

#define NODES_MAX   10000000u
#define READ_MAX    (1u << 20)
#define TIMEOUT_S   1e9
#define THREADS_MAX 4

struct node {
    char *name;
    size_t parent, first, count;
    long long bytes; /* -1: a folder */
    off_t start;     /* bytes of the files before it */
};

static struct {
    struct node *at;
    size_t count;
    char zeros[READ_MAX];
    int source; /* FILE, or -1 */
    off_t source_bytes;
} tree;

static _Thread_local char copied[READ_MAX] __attribute__((aligned(4096)));
static _Thread_local volatile uint64_t hashed;

static struct node *node_of(fuse_ino_t ino)
{
    return ino >= 1 && ino <= tree.count ? &tree.at[ino - 1] : NULL;
}

static struct stat attr_of(const struct node *node)
{
    struct stat st = {.st_ino = (ino_t)(node - tree.at) + 1, .st_nlink = 1, .st_blksize = 4096};
    if (node->bytes < 0) {
        st.st_mode = S_IFDIR | 0755;
    } else {
        st.st_mode = S_IFREG | 0644;
        st.st_size = node->bytes;
        st.st_blocks = (node->bytes + 511) / 512;
    }
    return st;
}

static struct fuse_entry_param entry_of(const struct node *node)
{
    return (struct fuse_entry_param){.ino = (fuse_ino_t)(node - tree.at) + 1,
                                     .attr = attr_of(node),
                                     .attr_timeout = TIMEOUT_S,
                                     .entry_timeout = TIMEOUT_S};
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
    (void)userdata;
    conn->want |= conn->capable & FUSE_CAP_READDIRPLUS;
    conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    const struct node *folder = node_of(parent);
    size_t low = folder->first, high = folder->first + folder->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(tree.at[middle].name, name);
        if (order == 0) {
            struct fuse_entry_param entry = entry_of(&tree.at[middle]);
            fuse_reply_entry(req, &entry);
            return;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct fuse_entry_param none = {.entry_timeout = TIMEOUT_S};
    fuse_reply_entry(req, &none);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)fi;
    struct stat st = attr_of(node_of(ino));
    fuse_reply_attr(req, &st, TIMEOUT_S);
}

static void op_nosys(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino, (void)fi;
    fuse_reply_err(req, ENOSYS);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
    (void)ino, (void)name, (void)size;
    fuse_reply_err(req, ENOSYS);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    (void)fi;
    const struct node *node = node_of(ino);
    size_t left = offset < node->bytes ? (size_t)(node->bytes - offset) : 0;
    size_t want = size < left ? size : left;
    want = want < READ_MAX ? want : READ_MAX;
    if (tree.source < 0) {
        fuse_reply_buf(req, tree.zeros, want);
        return;
    }
    const off_t at = (node->start + offset) % (tree.source_bytes - (off_t)READ_MAX);
    if (pread(tree.source, copied, want, at) != (ssize_t)want) {
        fuse_reply_err(req, EIO);
        return;
    }
    hashed = lod_hash64(copied, want, (uint64_t)at);
    fuse_reply_buf(req, copied, want);
}

static void list(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, bool plus)
{
    const struct node *folder = node_of(ino);
    char *buffer = malloc(size);
    size_t used = 0;
    for (size_t i = (size_t)offset; buffer && i < folder->count; i++) {
        const struct node *child = &tree.at[folder->first + i];
        struct fuse_entry_param entry = entry_of(child);
        size_t left = size - used, wants = 0;
        if (plus) {
            wants =
                fuse_add_direntry_plus(req, buffer + used, left, child->name, &entry, (off_t)i + 1);
        } else {
            wants =
                fuse_add_direntry(req, buffer + used, left, child->name, &entry.attr, (off_t)i + 1);
        }
        if (wants > left) {
            break;
        }
        used += wants;
    }
    if (buffer) {
        fuse_reply_buf(req, buffer, used);
    } else {
        fuse_reply_err(req, ENOMEM);
    }
    free(buffer);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                       struct fuse_file_info *fi)
{
    (void)fi;
    list(req, ino, size, offset, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                           struct fuse_file_info *fi)
{
    (void)fi;
    list(req, ino, size, offset, true);
}

static const struct fuse_lowlevel_ops ops = {
    .init = op_init,
    .lookup = op_lookup,
    .getattr = op_getattr,
    .open = op_nosys,
    .opendir = op_nosys,
    .getxattr = op_getxattr,
    .read = op_read,
    .readdir = op_readdir,
    .readdirplus = op_readdirplus,
};

static int load(const char *path)
{
    FILE *file = fopen(path, "r");
    char name[4096];
    size_t parent;
    long long bytes, sum = 0;
    if (!file || !(tree.at = calloc(NODES_MAX, sizeof(*tree.at)))) {
        return -1;
    }
    while (tree.count < NODES_MAX &&
           fscanf(file, "%zu %lld %4095[^\n]", &parent, &bytes, name) == 3) {
        struct node *node = &tree.at[tree.count];
        *node = (struct node){.name = strdup(name), .parent = parent, .bytes = bytes, .start = sum};
        if (!node->name || parent > tree.count) {
            return -1;
        }
        struct node *folder = &tree.at[parent];
        if (tree.count > 0 && folder->count++ == 0) {
            folder->first = tree.count;
        }
        tree.count++;
        sum += bytes > 0 ? bytes : 0;
    }
    fclose(file);
    return tree.count > 0 ? 0 : -1;
}

/* Opens FILE, if there is one. */
static int open_source(const char *path)
{
    tree.source = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    tree.source_bytes = tree.source < 0 ? 0 : lseek(tree.source, 0, SEEK_END);
    return !path || tree.source_bytes >= 2 * (off_t)READ_MAX ? 0 : -1;
}

static int serve(struct fuse_session *session)
{
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_clone_fd(config, 0);
    fuse_loop_cfg_set_max_threads(config, THREADS_MAX);
    fuse_loop_cfg_set_idle_threads(config, THREADS_MAX);
    int rc = fuse_session_loop_mt(session, config);
    fuse_loop_cfg_destroy(config);
    return rc;
}

int main(int argc, char **argv)
{
    char options[] = "-oro,default_permissions,fsname=null_fuse,subtype=null_fuse";
    char *words[] = {argv[0], options, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(2, words);
    if (argc < 3 || argc > 4 || load(argv[1]) != 0 || open_source(argv[3]) != 0) {
        fprintf(stderr, "usage: null_fuse LIST MOUNTPOINT [FILE]\n");
        return 2;
    }
    memset(tree.zeros, 0, sizeof(tree.zeros)); /* pages of its own: the shared one is slow to pin */
    struct fuse_session *session = fuse_session_new(&args, &ops, sizeof(ops), NULL);
    if (!session || fuse_set_signal_handlers(session) != 0 ||
        fuse_session_mount(session, argv[2]) != 0) {
        return 1;
    }
    int rc = serve(session);
    fuse_session_unmount(session);
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
    return rc != 0;
}
