/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containers of `pack --from`; see import.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "pack/container/import.h"

static int refuse(const struct lod_import *import, int error, const char *path,
                  const char *sentence)
{
    return lod_first_error_set(import->first_error, 0, error, "'%pE' %s", path, sentence);
}

static int cannot_read(const struct lod_import *import, const char *path, int error)
{
    if (error == -ENOMEM) {
        return error;
    }
    return lod_first_error_set(import->first_error, 0, error, "cannot read '%pE': %s", path,
                               strerrordesc_np(-error));
}

static bool has_ending(const char *name, const char *const *endings)
{
    const size_t bytes = strlen(name);

    for (; *endings; endings++) {
        const size_t length = strlen(*endings);
        if (bytes > length && strcmp(name + bytes - length, *endings) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Reports why a file is not a container of this kind. A file that the user did not name is skipped:
 * it may be there for other reasons.
 */
static int refuse_content(const struct lod_import *import, const char *path, bool named,
                          const uint8_t *head, size_t bytes)
{
    const char *command = lod_container_unpacker(head, bytes);

    if (command) {
        return lod_first_error_set(import->first_error, 0, -EINVAL,
                                   "'%pE' is compressed: pack reads members in place; unpack it "
                                   "first, as with `%s FILE > UNPACKED`",
                                   path, command);
    }
    return lod_first_error_set(import->first_error, 0, -EINVAL, "'%pE' is %s %s%s%s", path,
                               bytes ? "not" : "empty, and not", import->kind->what,
                               bytes ? ": its first bytes say otherwise" : "",
                               named ? "" : "; move other files out of the folder");
}

static int check_content(const struct lod_import *import, const struct lod_source *file, int fd,
                         bool named)
{
    uint8_t head[LOD_CONTAINER_HEAD_BYTES];
    const size_t bytes = file->bytes < sizeof(head) ? (size_t)file->bytes : sizeof(head);
    int error = lod_member_place_pread_file(fd, head, bytes, 0);

    if (error) {
        return cannot_read(import, file->path, error);
    }
    return (bytes == 0 && import->kind->may_be_empty) || import->kind->is(head, bytes)
               ? 0
               : refuse_content(import, file->path, named, head, bytes);
}

/* Adds the file `name`, unless it lies only beside containers. A file that the user named is a
 * container in any case. */
static int add_file(const struct lod_import *import, int folder_fd, const char *name, bool named,
                    struct lod_source_list *containers)
{
    struct lod_source file = {.path = name, .role = LOD_SOURCE_FILE, .names = 1};
    struct stat st;
    int fd = -1;
    int error = lod_source_open_path(folder_fd, name, O_RDONLY, true, &fd);

    if (error || fstat(fd, &st)) {
        error = cannot_read(import, name, error ? error : -errno);
    } else if (S_ISDIR(st.st_mode)) {
        error = refuse(import, -EISDIR, name,
                       "is a folder: --from packs the containers of one folder; pack each folder "
                       "alone, or put the containers side by side");
    } else if (!S_ISREG(st.st_mode)) {
        error =
            refuse(import, -ESPIPE, name,
                   "is not a regular file: pack reads a container twice, so it cannot be a pipe");
    } else {
        lod_source_set_stat(&file, &st);
        if (!named && has_ending(name, import->kind->companions)) {
            error = 0;
        } else {
            error = check_content(import, &file, fd, named);
            error = error ? error : lod_source_list_add(containers, &file);
        }
    }
    lod_file_close(fd);
    return error;
}

static int add_folder(const struct lod_import *import, int folder_fd,
                      struct lod_source_list *containers)
{
    DIR *dir = lod_file_names(folder_fd);
    int error = dir ? 0 : cannot_read(import, import->source, -errno);

    while (!error) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) {
            error = errno ? cannot_read(import, import->source, -errno) : 0;
            break;
        }
        if (entry->d_name[0] != '.') { /* hidden files are not taken for containers */
            error = add_file(import, folder_fd, entry->d_name, false, containers);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (!error && containers->count == 0) {
        return lod_first_error_set(import->first_error, 0, -ENOENT,
                                   "the folder '%pE' holds no file that is %s", import->source,
                                   import->kind->what);
    }
    lod_source_list_sort(containers);
    return error;
}

/* Opens the folder of the file `path`. */
static int open_parent(const struct lod_import *import, const char *path, int *ret_fd)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

    if (!parent) {
        return -ENOMEM;
    }
    *ret_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = *ret_fd < 0 ? cannot_read(import, parent, -errno) : 0;
    free(parent);
    return error;
}

int lod_import_open(const struct lod_import *import, int *ret_folder_fd, bool *ret_alone)
{
    int fd = open(import->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    *ret_alone = fd < 0;
    if (fd >= 0) {
        *ret_folder_fd = fd;
        return 0;
    }
    return errno == ENOTDIR ? open_parent(import, import->source, ret_folder_fd)
                            : cannot_read(import, import->source, -errno);
}

int lod_import_find(const struct lod_import *import, int folder_fd, bool alone,
                    struct lod_source_list *ret_containers)
{
    const char *slash = strrchr(import->source, '/');

    return alone ? add_file(import, folder_fd, slash ? slash + 1 : import->source, true,
                            ret_containers)
                 : add_folder(import, folder_fd, ret_containers);
}
