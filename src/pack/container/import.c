/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks all containers; see import.h. Whether a name is unique is known only after the walk. If
 * some are not, the walk is repeated with other names, which reads all headers once more.
 */
#include "pack/container/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "pack/container/members.h"

#define FOLDER_MODE 0755

/* Where the members of several containers lie. */
enum separate {
    TOGETHER,
    BELOW_STEMS, /* members are below a folder with the container's name up to its last dot */
    BELOW_NAMES, /* the folder has the whole name: shards of TFRecord files differ behind the dot */
};

struct import {
    const struct lod_import *options;
    int folder_fd;
    const struct lod_source_list *containers;
    enum lod_member_names *names; /* by container */
    enum separate separate;
    struct lod_members members;
    struct lod_container_input input;
};

/* The part of a container that was left out. */
struct losses {
    uint64_t places, bytes;
    char first[4 * LOD_CONTAINER_WHY_BYTES];
};

static int say(const struct import *m, const struct lod_container_walk *walk, int error)
{
    const char *hint = m->members.first_error->skip_unreadable ? ""
                       : walk->why[0] ? "; --skip-unreadable leaves out the unreadable part"
                                      : "";

    if (error == -ENOMEM || error == -EINTR || m->members.first_error->text[0]) {
        return error;
    }
    if (error == -EILSEQ) {
        return lod_first_error_set(m->members.first_error, 0, error,
                                   "%pE: record %" PRIu32 " at byte %" PRIu64 ": %s%s", walk->path,
                                   walk->record, walk->why_at, walk->why, hint);
    }
    return lod_first_error_set(
        m->members.first_error, 0, error, "cannot read '%pE': %s", walk->path,
        error == -ESTALE ? "it changed while the source was read" : strerrordesc_np(-error));
}

/* Reports a malformed record, and continues after it if the kind of container allows that. */
static int skip(struct import *m, struct lod_container_walk *walk, struct losses *losses)
{
    const uint64_t from = walk->at;

    if (losses->places++ == 0) {
        snprintf(losses->first, sizeof(losses->first), "record %" PRIu32 " at byte %" PRIu64 ": %s",
                 walk->record, walk->why_at, walk->why);
    }
    int error = m->options->kind->resync ? m->options->kind->resync(walk) : -ENODATA;
    losses->bytes += (error ? walk->input->bytes : walk->at) - from;
    return error;
}

static int walk_records(struct import *m, struct lod_container_walk *walk, struct losses *losses)
{
    const struct lod_container *kind = m->options->kind;
    int error = 0;

    while (!error) {
        const size_t before = m->members.list.count;
        error = lod_cancel_poll(m->options->stop);
        error = error ? error : kind->next(walk);
        if (error == -EILSEQ && m->members.first_error->skip_unreadable) {
            m->members.list.count = before;
            error = skip(m, walk, losses);
        }
        if (m->options->progress && !error) {
            lod_progress_add(m->options->progress, 1, 0, 0);
        }
    }
    return error == -ENODATA ? 0 : error;
}

static int note_losses(struct import *m, const char *path, const struct losses *losses)
{
    char why[sizeof(losses->first) + 128];

    if (losses->places == 0) {
        return 0;
    }
    snprintf(why, sizeof(why), "%s; %" PRIu64 " bytes %s%" PRIu64 "%s left out", losses->first,
             losses->bytes, losses->places > 1 ? "in " : "", losses->places,
             losses->places > 1 ? " places are" : " place are");
    return lod_members_leave_out(&m->members, path, why);
}

/* Returns the folder above the members of a container. */
static char *folder_of(const struct import *m, const char *path)
{
    const char *dot = strrchr(path, '.');
    const bool stem = m->separate == BELOW_STEMS && dot && dot > path;

    return m->separate == TOGETHER ? strdup("")
                                   : strndup(path, stem ? (size_t)(dot - path) : strlen(path));
}

static int walk_open(struct import *m, size_t number, const char *folder)
{
    const struct lod_source *container = &m->containers->at[number];
    const struct lod_container *kind = m->options->kind;
    struct losses losses = {0};
    struct lod_container_walk walk = {.input = &m->input,
                                      .key = m->options->key,
                                      .names = m->names[number],
                                      .folder_fd = m->folder_fd,
                                      .path = container->path,
                                      .mtime = container->mtime,
                                      .add = lod_members_add,
                                      .ctx = &m->members};

    m->members.container = container;
    m->members.folder = folder;
    m->members.walk = &walk;
    int error = kind->open ? kind->open(&walk) : 0;
    error = error ? error : walk_records(m, &walk, &losses);
    error = error ? error : lod_source_check(m->input.fd, container);
    error = error ? say(m, &walk, error) : note_losses(m, container->path, &losses);
    if (kind->close) {
        kind->close(&walk);
    }
    return error;
}

static int walk_container(struct import *m, size_t number)
{
    const struct lod_source *container = &m->containers->at[number];
    char *folder = folder_of(m, container->path);
    struct lod_container_walk none = {.path = container->path};
    int fd = -1;
    int error = folder ? lod_source_open(m->folder_fd, container, true, &fd) : -ENOMEM;

    if (error) {
        error = say(m, &none, error);
    } else {
        m->input = (struct lod_container_input){
            .fd = fd, .bytes = container->bytes, .ahead = m->options->kind->ahead};
        error = walk_open(m, number, folder);
    }
    lod_file_close(fd);
    free(folder);
    return error;
}

static int walk_all(struct import *m)
{
    int error = 0;

    lod_source_list_finish(&m->members.list);
    for (size_t i = 0; !error && i < m->containers->count; i++) {
        error = walk_container(m, i);
    }
    return error;
}

static const char *kind_of(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FOLDER    ? "a folder"
           : source->role == LOD_SOURCE_SYMLINK ? "a symbolic link"
                                                : "a file";
}

static int refuse_twice(const struct import *m, const struct lod_members_twice *twice)
{
    const struct lod_member_place *first = twice->first->place, *second = twice->second->place;

    return lod_first_error_set(
        m->members.first_error, 0, -EEXIST,
        "'%pE' is there twice: %s in %pE, record %" PRIu32 " at byte %" PRIu64
        ", and %s in %pE, record %" PRIu32 " at byte %" PRIu64,
        twice->first->path, kind_of(twice->first), first->container->path, first->record, first->at,
        kind_of(twice->second), second->container->path, second->record, second->at);
}

/* Chooses other names where some are not unique. *ret_again: the containers are to be walked once
 * more. */
static int settle(struct import *m, const struct lod_members_twice *twice, bool *ret_again)
{
    *ret_again = true;
    if (!twice->first) {
        *ret_again = false;
        return 0;
    }
    if (twice->containers && m->separate < BELOW_NAMES) {
        m->separate++;
        return 0;
    }
    enum lod_member_names *names = &m->names[twice->first->place->container - m->containers->at];
    const enum lod_member_names next = twice->beside               ? LOD_NAMES_BY_NUMBER
                                       : m->options->kind->has_ids ? LOD_NAMES_WITHOUT_IDS
                                                                   : LOD_NAMES_OF_RECORDS;
    if (!twice->containers && *names < next) {
        *names = next;
        return 0;
    }
    return refuse_twice(m, twice);
}

/* Gives the root the attributes of the folder, or of the container if there is only one. */
static int describe_root(const struct import *m, bool alone, struct lod_source *root)
{
    struct stat st;

    *root = (struct lod_source){.path = "", .role = LOD_SOURCE_FOLDER, .names = 1};
    if (alone) {
        root->mode = FOLDER_MODE;
        root->mtime = m->containers->at[0].mtime;
        return 0;
    }
    if (fstat(m->folder_fd, &st)) {
        return -errno;
    }
    lod_source_set_stat(root, &st);
    return 0;
}

static int list_all(struct import *m, const struct lod_source *root)
{
    struct lod_members_twice twice;
    bool again = true;
    int error = 0;

    while (!error && again) {
        error = walk_all(m);
        error = error ? error : lod_members_make_tree(&m->members, root, &twice);
        error = error ? error : settle(m, &twice, &again);
    }
    return error;
}

int lod_import_list(const struct lod_import *import, int folder_fd, bool alone,
                    const struct lod_source_list *containers, struct lod_source_list *ret_list)
{
    struct lod_source root;
    struct import *m = malloc(sizeof(*m));

    if (!m) {
        return -ENOMEM;
    }
    *m = (struct import){.options = import,
                         .folder_fd = folder_fd,
                         .containers = containers,
                         .names = calloc(containers->count, sizeof(enum lod_member_names)),
                         .members = {.first_error = import->first_error,
                                     .filter = import->filter,
                                     .beside = import->kind->beside}};
    int error = m->names ? describe_root(m, alone, &root) : -ENOMEM;
    error = error ? error : list_all(m, &root);
    if (error) {
        lod_source_list_finish(&m->members.list);
    } else {
        *ret_list = m->members.list;
    }
    free(m->names);
    free(m);
    return error;
}
