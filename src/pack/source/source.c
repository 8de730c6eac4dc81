/* SPDX-License-Identifier: Apache-2.0 */
/* The flat list of the source and the opening of its files; see source.h. */
#include "pack/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/format.h"
#include "backend/mtime.h"
#include "bytes.h"

#define STRINGS_BYTES ((size_t)1 << 20) /* far longer than any path or target */

struct lod_strings {
    struct lod_strings *before;
    size_t used, room;
    _Alignas(max_align_t) char text[];
};

int lod_source_list_keep(struct lod_source_list *list, const void *data, size_t bytes,
                         const void **ret_copy)
{
    const size_t room = bytes < STRINGS_BYTES ? STRINGS_BYTES : bytes;
    struct lod_strings *strings = list->strings;
    size_t at = strings ? (size_t)lod_round_up(strings->used, _Alignof(max_align_t)) : 0;

    if (!strings || at > strings->room || bytes > strings->room - at) {
        strings = malloc(sizeof(*strings) + room);
        if (!strings) {
            return -ENOMEM;
        }
        *strings = (struct lod_strings){.before = list->strings, .room = room};
        list->strings = strings;
        at = 0;
    }
    *ret_copy = memcpy(strings->text + at, data, bytes);
    strings->used = at + bytes;
    return 0;
}

static int copy_string(struct lod_source_list *list, const char *text, const char **ret_copy)
{
    const size_t bytes = strlen(text) + 1;
    struct lod_strings *strings = list->strings;

    if (!strings || bytes > strings->room - strings->used) {
        const void *copy = NULL;
        int error = lod_source_list_keep(list, text, bytes, &copy);
        *ret_copy = copy;
        return error;
    }
    *ret_copy = memcpy(strings->text + strings->used, text, bytes);
    strings->used += bytes;
    return 0;
}

static int reserve_one(struct lod_source_list *list)
{
    return list->count < LOD_NODES_MAX ? LOD_LIST_RESERVE(list) : -E2BIG;
}

int lod_source_list_add(struct lod_source_list *list, const struct lod_source *source)
{
    struct lod_source added = *source;
    int error = reserve_one(list);

    if (!error) {
        error = copy_string(list, source->path, &added.path);
    }
    if (!error && source->target) {
        error = copy_string(list, source->target, &added.target);
    }
    if (!error) {
        list->at[list->count++] = added;
    }
    return error;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct lod_source *)a)->path, ((const struct lod_source *)b)->path);
}

void lod_source_list_sort(struct lod_source_list *list)
{
    if (list->count) {
        qsort(list->at, list->count, sizeof(list->at[0]), by_path);
    }
}

/* Returns whether the field `owner` of this source holds the index of another source. */
static bool has_owner(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_EQUAL || source->role == LOD_SOURCE_HARD_LINK ||
           (source->role == LOD_SOURCE_FILE && source->added);
}

static int by_path_of(const void *a, const void *b)
{
    return by_path(*(struct lod_source *const *)a, *(struct lod_source *const *)b);
}

int lod_source_list_resort(struct lod_source_list *list)
{
    const size_t count = list->count;
    struct lod_source **sorted = malloc((count + 1) * sizeof(sorted[0]));
    struct lod_source *at = malloc((count + 1) * sizeof(at[0]));
    uint32_t *places = malloc((count + 1) * sizeof(places[0]));
    int error = sorted && at && places ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < count; i++) {
        sorted[i] = &list->at[i];
    }
    if (!error) {
        qsort(sorted, count, sizeof(sorted[0]), by_path_of);
    }
    for (size_t i = 0; !error && i < count; i++) {
        places[sorted[i] - list->at] = (uint32_t)i;
        at[i] = *sorted[i];
    }
    for (size_t i = 0; !error && i < count; i++) {
        at[i].owner = has_owner(&at[i]) ? places[at[i].owner] : at[i].owner;
    }
    if (!error) {
        free(list->at);
        list->at = at;
        list->room = count + 1;
        at = NULL;
    }
    free(sorted);
    free(at);
    free(places);
    return error;
}

struct lod_source *lod_source_list_find(const struct lod_source_list *list, const char *path)
{
    struct lod_source wanted = {.path = path};
    struct lod_source *found =
        list->count ? bsearch(&wanted, list->at, list->count, sizeof(wanted), by_path) : NULL;

    while (found && found > list->at && strcmp(found[-1].path, path) == 0) {
        found--;
    }
    return found;
}

/*
 * Marks the folders above `path`. It stops at a marked folder: those above it are marked already.
 */
static void mark_above(const struct lod_source_list *list, const char *path, bool *holds)
{
    char above[LOD_PATH_MAX + 1];
    size_t bytes = strlen(path);
    bool marked = false;

    memcpy(above, path, bytes + 1);
    while (!marked && bytes) {
        const char *slash = memrchr(above, '/', bytes);
        bytes = slash ? (size_t)(slash - above) : 0;
        above[bytes] = '\0';
        const struct lod_source *folder = lod_source_list_find(list, above);
        marked = !folder || holds[folder - list->at];
        if (folder) {
            holds[folder - list->at] = true;
        }
    }
}

int lod_source_list_drop_folders(struct lod_source_list *list)
{
    bool *holds = calloc(list->count + 1, sizeof(holds[0]));

    if (!holds) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role != LOD_SOURCE_FOLDER && list->at[i].role != LOD_SOURCE_LEFT_OUT) {
            mark_above(list, list->at[i].path, holds);
        }
    }
    for (size_t i = 1; i < list->count; i++) { /* the root is the first */
        if (list->at[i].role == LOD_SOURCE_FOLDER && !holds[i]) {
            list->at[i].role = LOD_SOURCE_LEFT_OUT;
            list->at[i].why = "it contains no included file";
            list->at[i].special = list->at[i].folder = true;
        }
    }
    free(holds);
    return 0;
}

const struct lod_source *lod_source_owner(const struct lod_source_list *list,
                                          const struct lod_source *source)
{
    while (source->role == LOD_SOURCE_EQUAL || source->role == LOD_SOURCE_HARD_LINK) {
        source = &list->at[source->owner];
    }
    return source;
}

void lod_source_list_finish(struct lod_source_list *list)
{
    while (list->strings) {
        struct lod_strings *before = list->strings->before;
        free(list->strings);
        list->strings = before;
    }
    free(list->at);
    *list = (struct lod_source_list){0};
}

void lod_source_set_stat(struct lod_source *source, const struct stat *st)
{
    source->mode = (uint16_t)(st->st_mode & 0777);
    source->folder = S_ISDIR(st->st_mode);
    source->bytes = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
    source->dev = (uint32_t)st->st_dev;
    source->ino = st->st_ino;
    source->mtime = lod_mtime_of(st->st_mtim);
    source->shared = st->st_nlink > 1;
}

int lod_source_open_path(int root_fd, const char *path, int flags, bool follow, int *ret_fd)
{
    const char *at = path[0] ? path : ".";
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK)),
        .resolve = follow ? 0u : RESOLVE_NO_SYMLINKS,
    };
    int fd = (int)syscall(SYS_openat2, root_fd, at, &how, sizeof(how));

    if (fd < 0 &&
        (errno == ENOSYS ||
         errno == EPERM)) { /* openat2 does not exist in old kernels, and sandboxes forbid it */
        fd = openat(root_fd, at, (int)how.flags | (follow ? 0 : O_NOFOLLOW));
    }
    if (fd < 0) {
        return -errno;
    }
    *ret_fd = fd;
    return 0;
}

/* Returns the file to be opened for a source: its own, or its container. */
static const struct lod_source *file_of(const struct lod_source *source)
{
    return source->place ? source->place->container : source;
}

int lod_source_check(int fd, const struct lod_source *source)
{
    const struct lod_source *file = file_of(source);
    struct lod_source now = {0};
    struct stat st;

    if (fstat(fd, &st)) {
        return -errno;
    }
    lod_source_set_stat(&now, &st);
    return S_ISREG(st.st_mode) && now.bytes == file->bytes && now.mtime == file->mtime &&
                   (file->ino == 0 || (now.dev == file->dev && now.ino == file->ino))
               ? 0
               : -ESTALE;
}

int lod_source_check_sum(int fd, const struct lod_source *source)
{
    int error = source->place ? lod_member_place_check_sum(fd, source->place) : 0;
    int changed = lod_source_check(fd, source); /* a sum may be wrong because the file changed */

    return changed ? changed : error;
}

/* Users name containers themselves, so symbolic links to containers are followed. */
static int open_as(int root_fd, const struct lod_source *source, int flags, bool follow,
                   int *ret_fd)
{
    int fd = -1;
    int error =
        lod_source_open_path(root_fd, file_of(source)->path, flags, follow || source->place, &fd);

    if (error == -ELOOP || error == -ENOENT || error == -ENOTDIR) {
        return -ESTALE;
    }
    if (!error) {
        error = lod_source_check(fd, source);
    }
    if (error && fd >= 0) {
        close(fd);
    } else if (!error) {
        *ret_fd = fd;
    }
    return error;
}

int lod_source_open(int root_fd, const struct lod_source *source, bool follow, int *ret_fd)
{
    return open_as(root_fd, source, O_RDONLY, follow, ret_fd);
}

int lod_source_unchanged(int root_fd, const struct lod_source *source, bool follow)
{
    int fd = -1;
    int error = open_as(root_fd, source, O_PATH, follow, &fd);

    if (!error) {
        close(fd);
    }
    return error;
}

int lod_source_pread(int fd, const struct lod_source *source, void *into, size_t bytes,
                     uint64_t offset)
{
    return source->place ? lod_member_place_pread(fd, source->place, into, bytes, offset)
                         : lod_member_place_pread_file(fd, into, bytes, offset);
}

int lod_source_read(int root_fd, const struct lod_source *source, bool follow, struct lod_buf *into)
{
    int fd = -1;

    into->bytes = 0;
    int error = lod_source_open(root_fd, source, follow, &fd);
    if (error) {
        return error;
    }
    error = lod_buf_reserve(into, (size_t)source->bytes +
                                      1); /* so that an empty file has a non-NULL address too */
    if (!error) {
        error = lod_source_pread(fd, source, into->data, (size_t)source->bytes, 0);
    }
    if (!error) {
        error = lod_source_check_sum(fd, source);
    }
    if (!error) {
        into->bytes = (size_t)source->bytes;
    }
    close(fd);
    return error;
}
