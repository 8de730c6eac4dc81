/* SPDX-License-Identifier: Apache-2.0 */
/* See atomic_file.h. */
#include "report/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0666 /* less the umask */

/* Returns whether a file of this name may be created. */
static int check_name(const char *path, bool replaces)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    return !replaces ? -EEXIST : S_ISREG(st.st_mode) ? 0 : -ENOTSUP;
}

static int create(struct lod_atomic_file *file)
{
    if (asprintf(&file->unfinished, "%s.%d.tmp", file->path, (int)getpid()) < 0) {
        file->unfinished = NULL;
        return -ENOMEM;
    }
    int fd = open(file->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    int error = fd < 0 ? -errno : 0;
    file->out = error ? NULL : fdopen(fd, "w");
    if (!error && !file->out) {
        error = -errno;
        close(fd);
        unlink(file->unfinished);
    }
    return error;
}

int lod_atomic_file_open(const char *path, bool replaces, struct lod_atomic_file *ret_file)
{
    struct lod_atomic_file file = {.out = stdout, .path = path, .replaces = replaces};
    int error = 0;

    if (strcmp(path, "-") != 0) {
        error = check_name(path, replaces);
        error = error ? error : create(&file);
    }
    if (error) {
        free(file.unfinished);
    } else {
        *ret_file = file;
    }
    return error;
}

static int flush(struct lod_atomic_file *file)
{
    errno = 0;
    if (fflush(file->out) || ferror(file->out)) {
        return errno ? -errno : -EIO;
    }
    return file->unfinished && fsync(fileno(file->out)) < 0 ? -errno : 0;
}

/* Some file systems do not know RENAME_NOREPLACE; there link(2) refuses an existing name. */
static int give_name(const struct lod_atomic_file *file)
{
    if (file->replaces) {
        return rename(file->unfinished, file->path) < 0 ? -errno : 0;
    }
    if (renameat2(AT_FDCWD, file->unfinished, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL || link(file->unfinished, file->path) < 0) {
        return -errno;
    }
    return unlink(file->unfinished) < 0 ? -errno : 0;
}

int lod_atomic_file_commit(struct lod_atomic_file *file)
{
    int error = flush(file);

    if (!file->unfinished) {
        return error;
    }
    if (fclose(file->out) && !error) {
        error = -errno;
    }
    file->out = NULL;
    error = error ? error : give_name(file);
    if (error) {
        unlink(file->unfinished);
    }
    free(file->unfinished);
    return error;
}

void lod_atomic_file_abandon(struct lod_atomic_file *file)
{
    if (file->unfinished) {
        fclose(file->out);
        unlink(file->unfinished);
        free(file->unfinished);
    }
}
