/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk. The depth needs no limit, as a path of LOD_PATH_MAX bytes has at most LOD_DEPTH_MAX
 * names. Folders are opened by their path relative to the source, so any depth needs one
 * descriptor.
 */
#include "pack/source/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/format.h"

_Static_assert(LOD_DEPTH_MAX == (LOD_PATH_MAX + 1) / 2, "depth is limited by the path");

#define TEXT_BYTES (4 * LOD_PATH_MAX + 1)

struct walk {
    const struct lod_walk *options;
    struct lod_source_list list;
    uint32_t folder; /* index of the folder that is being read */
    int folder_fd;
};

static uint64_t rank_of(const struct walk *w)
{
    return w->list.count; /* one thread walks, and its first error ends the walk */
}

static int refuse(struct walk *w, int error, const char *path, const char *sentence)
{
    return lod_first_error_set(w->options->first_error, rank_of(w), error, "'%pE' %s", path,
                               sentence);
}

/* Adds `found`, which cannot be read: as LEFT_OUT, or the error ends the walk. */
static int add_unreadable(struct walk *w, struct lod_source *found, int error)
{
    error = lod_first_error_source(w->options->first_error, rank_of(w), found, error);
    return error ? error : lod_source_list_add(&w->list, found);
}

static int add_link(struct walk *w, struct lod_source *found, const char *name)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(w->folder_fd, name, target, sizeof(target));

    if (bytes < 0) {
        return add_unreadable(w, found, -errno);
    }
    if (bytes > (ssize_t)LOD_TARGET_MAX) {
        return refuse(w, -ENAMETOOLONG, found->path,
                      "is a symbolic link with a target of over 3,825 bytes, the store's limit");
    }
    target[bytes] = '\0';
    found->role = LOD_SOURCE_SYMLINK;
    found->target = target;
    return lod_source_list_add(&w->list, found);
}

/* Returns whether the folder `found` contains itself, which is possible only by followed links. */
static bool is_cycle(const struct walk *w, const struct lod_source *found)
{
    const struct lod_source *above = &w->list.at[w->folder];

    while (above->dev != found->dev || above->ino != found->ino) {
        if (above->path[0] == '\0') {
            return false;
        }
        above = &w->list.at[above->owner];
    }
    return true;
}

static int add_folder(struct walk *w, struct lod_source *found)
{
    const struct lod_walk *options = w->options;

    if (options->store_exists && found->dev == options->store_dev &&
        found->ino == options->store_ino) {
        return refuse(w, -EINVAL, found->path,
                      "is the store to be written: a store cannot lie inside its own source");
    }
    if (options->follow && is_cycle(w, found)) {
        return refuse(w, -ELOOP, found->path,
                      "leads back to a folder it lies in: --symlinks=follow cannot pack a cycle");
    }
    found->role = LOD_SOURCE_FOLDER;
    return lod_source_list_add(&w->list, found);
}

static const char *kind_left_out(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFSOCK:
        return "a socket";
    case S_IFIFO:
        return "a fifo";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device";
    default:
        return "of an unknown kind";
    }
}

static int add_found(struct walk *w, const char *path, const char *name)
{
    struct lod_source found = {.path = path, .owner = w->folder, .names = 1};
    struct stat st;

    if (fstatat(w->folder_fd, name, &st, w->options->follow ? 0 : AT_SYMLINK_NOFOLLOW)) {
        return add_unreadable(w, &found, -errno);
    }
    lod_source_set_stat(&found, &st);
    found.why = lod_filter_why(w->options->filter, path, S_ISDIR(st.st_mode));
    if (found.why) {
        found.role = LOD_SOURCE_LEFT_OUT;
        found.special = true;
        return lod_source_list_add(&w->list, &found);
    }
    if (S_ISDIR(st.st_mode)) {
        return add_folder(w, &found);
    }
    if (S_ISLNK(st.st_mode)) {
        return add_link(w, &found, name);
    }
    found.role = LOD_SOURCE_FILE;
    if (!S_ISREG(st.st_mode)) {
        found.role = LOD_SOURCE_LEFT_OUT;
        found.why = kind_left_out(st.st_mode);
        found.special = true;
    }
    return lod_source_list_add(&w->list, &found);
}

static int add_name(struct walk *w, const char *name)
{
    const char *folder = w->list.at[w->folder].path;
    char path[LOD_PATH_MAX + LOD_NAME_MAX + 2];

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return 0;
    }
    int bytes = snprintf(path, sizeof(path), "%s%s%s", folder, folder[0] ? "/" : "", name);
    if (bytes > (int)LOD_PATH_MAX) {
        return refuse(
            w, -ENAMETOOLONG, path,
            "is longer than the store's limits: a path has at most 4,095 bytes and 2,048 folders");
    }
    return add_found(w, path, name);
}

static int read_names(struct walk *w, DIR *dir)
{
    int error = 0;

    while (!error) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) {
            return errno ? lod_first_error_source(w->options->first_error, rank_of(w),
                                                  &w->list.at[w->folder], -errno)
                         : 0;
        }
        error = add_name(w, entry->d_name);
    }
    return error;
}

static int read_folder(struct walk *w)
{
    struct lod_source *folder = &w->list.at[w->folder];
    const size_t before = w->list.count;
    int error = lod_source_open_path(w->options->root_fd, folder->path, O_RDONLY | O_DIRECTORY,
                                     w->options->follow, &w->folder_fd);
    DIR *dir = error ? NULL : fdopendir(w->folder_fd);

    if (!dir) {
        return lod_first_error_source(w->options->first_error, rank_of(w), folder,
                                      error ? error : -errno);
    }
    error = read_names(w, dir);
    closedir(dir);
    if (w->list.at[w->folder].role == LOD_SOURCE_LEFT_OUT) {
        w->list.count = before; /* a folder that was read partly is left out with all its files */
    }
    return error;
}

static int add_root(struct walk *w)
{
    struct lod_source root = {.path = "", .role = LOD_SOURCE_FOLDER, .names = 1};
    struct stat st;

    if (fstat(w->options->root_fd, &st)) {
        return -errno;
    }
    lod_source_set_stat(&root, &st);
    return lod_source_list_add(&w->list, &root);
}

static int check_links(struct walk *w)
{
    for (size_t i = 0; i < w->list.count; i++) {
        const struct lod_source *link = &w->list.at[i];
        if (link->role == LOD_SOURCE_SYMLINK && !lod_link_is_inside(&w->list, link)) {
            return lod_first_error_set(w->options->first_error, rank_of(w), -EXDEV,
                                       "'%pE' is a symbolic link that leaves the source, to '%pE'; "
                                       "--symlinks=follow packs what it points to",
                                       link->path, link->target);
        }
    }
    return 0;
}

static int by_inode(const void *a, const void *b)
{
    const struct lod_source *x = *(struct lod_source *const *)a;
    const struct lod_source *y = *(struct lod_source *const *)b;

    if (x->dev != y->dev) {
        return x->dev < y->dev ? -1 : 1;
    }
    if (x->ino != y->ino) {
        return x->ino < y->ino ? -1 : 1;
    }
    return x < y ? -1 : x > y; /* both are in one array in path order */
}

/* Joins files of one inode. With followed links,
 * a file of link count 1 can have several names too. */
static int join_hard_links(struct walk *w)
{
    struct lod_source **files = malloc(w->list.count * sizeof(files[0]));
    size_t count = 0;

    if (!files) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < w->list.count; i++) {
        struct lod_source *file = &w->list.at[i];
        if (file->role == LOD_SOURCE_FILE && (file->shared || w->options->follow)) {
            files[count++] = file;
        }
    }
    qsort(files, count, sizeof(files[0]), by_inode);
    for (size_t i = 1, first = 0; i < count; i++) {
        if (files[i]->dev != files[first]->dev || files[i]->ino != files[first]->ino) {
            first = i;
            continue;
        }
        files[i]->role = LOD_SOURCE_HARD_LINK;
        files[i]->owner = (uint32_t)(files[first] - w->list.at);
        files[first]->names++;
    }
    free(files);
    return 0;
}

static int find_all(struct walk *w)
{
    int error = add_root(w);

    for (w->folder = 0; !error && w->folder < w->list.count; w->folder++) {
        if (w->list.at[w->folder].role == LOD_SOURCE_FOLDER) {
            error = lod_cancel_poll(w->options->stop);
            const size_t before = w->list.count;
            error = error ? error : read_folder(w);
            if (w->options->progress) {
                lod_progress_add(w->options->progress, w->list.count - before, 0, 0);
            }
        }
    }
    return error;
}

int lod_walk(const struct lod_walk *walk, struct lod_source_list *ret_list)
{
    struct walk w = {.options = walk, .folder_fd = -1};
    int error = find_all(&w);

    if (!error) {
        lod_source_list_sort(&w.list);
        error = walk->follow ? 0 : check_links(&w);
    }
    if (!error) {
        error = join_hard_links(&w);
    }
    if (error) {
        lod_source_list_finish(&w.list);
    } else {
        *ret_list = w.list;
    }
    return error;
}
