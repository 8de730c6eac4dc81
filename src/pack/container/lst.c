/* SPDX-License-Identifier: Apache-2.0 */
/* See lst.h. */
#include "pack/container/lst.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/format.h"
#include "list.h"
#include "pack/container/tar_header.h"
#include "pack/source/source.h"

static int by_id_and_place(const void *a, const void *b)
{
    const struct lod_lst_line *x = a, *y = b;

    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Blanks at the end are padding, as lodfs itself writes it. */
static size_t trimmed(const char *at, size_t bytes)
{
    while (bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\r')) {
        bytes--;
    }
    return bytes;
}

static int add_line(struct lod_lst *lst, size_t at, size_t bytes)
{
    const char *line = lst->text + at;
    const char *first = memchr(line, '\t', bytes), *last = memrchr(line, '\t', bytes);
    int64_t id = 0;

    bytes = trimmed(line, bytes);
    if (bytes == 0) {
        return 0;
    }
    if (!first || first == last || lod_tar_decimal(line, (size_t)(first - line), &id)) {
        return -EILSEQ;
    }
    const size_t path = (size_t)(last + 1 - line);
    if (path >= bytes) {
        return -EILSEQ;
    }
    return LOD_LIST_ADD(lst, (struct lod_lst_line){.id = (uint64_t)id,
                                                   .at = (uint32_t)(at + path),
                                                   .bytes = (uint32_t)(bytes - path)});
}

int lod_lst_read(struct lod_span text, struct lod_lst *lst, uint64_t *ret_line)
{
    int error = text.bytes > LOD_LST_BYTES_MAX ? -EILSEQ : 0;

    lst->text = (const char *)text.at;
    *ret_line = 0;
    for (size_t at = lod_text_mark(text.at, text.bytes); !error && at < text.bytes;) {
        const char *end = memchr(lst->text + at, '\n', text.bytes - at);
        const size_t bytes = end ? (size_t)(end - lst->text) - at : text.bytes - at;
        ++*ret_line;
        error = add_line(lst, at, bytes);
        at += bytes + 1;
    }
    if (!error && lst->count) {
        qsort(lst->at, lst->count, sizeof(lst->at[0]), by_id_and_place);
    }
    return error;
}

const char *lod_lst_find(const struct lod_lst *lst, uint64_t id, size_t *ret_bytes)
{
    size_t low = 0;

    LOD_SEARCH(low, lst->count, lst->at[middle].id <= id); /* the first line of a greater id */
    if (low == 0 || lst->at[low - 1].id != id) {
        return NULL;
    }
    *ret_bytes = lst->at[low - 1].bytes;
    return lst->text + lst->at[low - 1].at;
}

void lod_lst_finish(struct lod_lst *lst)
{
    free(lst->at);
    *lst = (struct lod_lst){0};
}

/* Opens x.lst beside x.rec. Returns -ENOENT if there is none. */
static int open_list(const struct lod_container_walk *walk, int *ret_fd)
{
    const char *dot = strrchr(walk->path, '.');
    const size_t stem = dot ? (size_t)(dot - walk->path) : strlen(walk->path);
    char name[LOD_PATH_MAX + 8];

    if (walk->folder_fd < 0 || stem > LOD_PATH_MAX) {
        return -ENOENT;
    }
    memcpy(name, walk->path, stem);
    memcpy(name + stem, ".lst", 5);
    return lod_source_open_path(walk->folder_fd, name, O_RDONLY, true, ret_fd);
}

static int read_list(struct lod_container_walk *walk, int fd, struct lod_buf *text,
                     struct lod_lst *lst)
{
    uint64_t line = 0;
    struct stat st;

    if (fstat(fd, &st)) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > LOD_LST_BYTES_MAX) {
        return lod_container_refuse(walk, 0, "the .lst beside it is no file of at most 4 GiB");
    }
    int error = lod_buf_reserve(text, (size_t)st.st_size + 1);
    error = error ? error : lod_member_place_pread_file(fd, text->data, (size_t)st.st_size, 0);
    text->bytes = error ? 0 : (size_t)st.st_size;
    error = error ? error : lod_lst_read(lod_buf_span(text), lst, &line);
    return error == -EILSEQ
               ? lod_container_refuse(walk, 0,
                                      "line %" PRIu64 " of the .lst beside it is malformed", line)
               : error;
}

int lod_lst_beside(struct lod_container_walk *walk, struct lod_buf *text, struct lod_lst *lst)
{
    int fd = -1;
    int error = open_list(walk, &fd);

    if (error) {
        return error == -ENOENT ? 0 : error;
    }
    error = read_list(walk, fd, text, lst);
    close(fd);
    return error;
}
