/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, open files. Each keeps its store open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs.h"
#include "api/lodfs_error.h"
#include "api/lodfs_shown.h"

/* Immutable once it is open. */
struct lodfs_file {
    struct lodfs_store *store;
    struct lod_shown shown;
    char path[];
};

static int create(const char *path, struct lodfs_file **ret_file)
{
    const size_t bytes = strlen(path) + 1;
    struct lodfs_file *file = malloc(sizeof(*file) + bytes);

    if (!file) {
        return -ENOMEM;
    }
    memcpy(file->path, path, bytes);
    *ret_file = file;
    return 0;
}

static int open_file(struct lodfs_store *store, struct lod_top top, const char *path,
                     struct lodfs_file **ret_file, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lodfs_file *file = NULL;
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = create(path, &file);
    result = result ? result : lod_shown_find_file(opened, top, path, &file->shown);
    if (result) {
        free(file);
        return lod_say_path(error, result, path);
    }
    file->store = lod_opened_ref(store);
    *ret_file = file;
    return 0;
}

int lodfs_file_open(struct lodfs_store *store, const char *path, int fidelity,
                    struct lodfs_file **ret_file, struct lodfs_error *error)
{
    const struct lod_top top = {.fidelity = fidelity};

    return open_file(store, top, path, ret_file, error);
}

int lodfs_view_open(struct lodfs_store *store, const char *path, struct lodfs_file **ret_file,
                    struct lodfs_error *error)
{
    const struct lod_top top = {.mounted = true};

    return open_file(store, top, path, ret_file, error);
}

uint64_t lodfs_file_bytes(const struct lodfs_file *file)
{
    return file->shown.contents.bytes;
}

int lodfs_file_read(struct lodfs_file *file, uint64_t offset, void *into, size_t bytes,
                    size_t *ret_bytes, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    int result = lod_opened_get(file->store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_shown_read(opened, &file->shown, offset, into, bytes, ret_bytes);
    return result ? lod_say_path(error, result, file->path) : 0;
}

void lodfs_file_close(struct lodfs_file *file)
{
    if (file) {
        lodfs_store_close(file->store);
        free(file);
    }
}
