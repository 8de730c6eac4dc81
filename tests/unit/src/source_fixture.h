/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a source folder for a test by one-line calls, and the list of a walk through it. */
#ifndef LOD_SOURCE_FIXTURE_H
#define LOD_SOURCE_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack/source/probe.h"
#include "pack/source/first_error.h"
#include "pack/source/walk.h"

struct source_fixture {
    char folder[64];
    int fd;
    struct lod_first_error first_error;
    struct lod_filter filter;
    struct lod_walk walk;
    struct lod_source_list list;
};

static inline void source_create(struct source_fixture *f)
{
    *f = (struct source_fixture){.folder = P_tmpdir "/lodfs-source-XXXXXX"};
    cr_assert_not_null(mkdtemp(f->folder));
    f->fd = open(f->folder, O_RDONLY | O_DIRECTORY);
    cr_assert(f->fd >= 0);
    lod_first_error_init(&f->first_error, false);
    f->walk =
        (struct lod_walk){.root_fd = f->fd, .filter = &f->filter, .first_error = &f->first_error};
}

static inline void source_destroy(struct source_fixture *f)
{
    char command[96];

    lod_source_list_finish(&f->list);
    lod_first_error_finish(&f->first_error);
    close(f->fd);
    snprintf(command, sizeof(command), "rm -rf '%s'", f->folder); /* deeper than nftw can go */
    cr_assert_eq(system(command), 0);
}

static inline void source_file(struct source_fixture *f, const char *path, const void *bytes,
                               size_t count)
{
    int fd = openat(f->fd, path, O_CREAT | O_WRONLY | O_TRUNC, 0644);

    cr_assert(fd >= 0, "%s", path);
    cr_assert_eq(write(fd, bytes, count), (ssize_t)count);
    close(fd);
}

static inline void source_text(struct source_fixture *f, const char *path, const char *text)
{
    source_file(f, path, text, strlen(text));
}

static inline void source_folder(struct source_fixture *f, const char *path)
{
    cr_assert_eq(mkdirat(f->fd, path, 0755), 0, "%s", path);
}

static inline void source_link(struct source_fixture *f, const char *path, const char *target)
{
    cr_assert_eq(symlinkat(target, f->fd, path), 0, "%s", path);
}

static inline int source_walk(struct source_fixture *f)
{
    lod_source_list_finish(&f->list);
    f->first_error.rank = UINT64_MAX;
    f->first_error.text[0] = '\0';
    return lod_walk(&f->walk, &f->list);
}

static inline const struct lod_source *source_at(const struct source_fixture *f, const char *path)
{
    const struct lod_source *source = lod_source_list_find(&f->list, path);

    cr_assert_not_null(source, "%s is not in the list", path);
    return source;
}

#endif
