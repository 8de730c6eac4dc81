/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass of `pack --from`: finds the containers, walks their headers, and makes the list of
 * sources that a walk through a folder would make. The second pass reads each member where it lies,
 * as any source.
 */
#ifndef LOD_IMPORT_H
#define LOD_IMPORT_H

#include "compiler.h"
#include "pack/container/containers.h"
#include "pack/source/filter.h"
#include "pack/source/first_error.h"
#include "pack/source/source.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"

struct lod_import {
    const struct lod_container *kind;
    const char *key;    /* of the picture; NULL: the usual ones */
    const char *source; /* a container, or a folder of them, as the user named it */
    const struct lod_filter *filter;
    struct lod_cancel *stop; /* may be NULL, like the progress */
    struct lod_progress *progress;
    struct lod_first_error *first_error; /* gets the message of every error but -EINTR, -ENOMEM */
};

/* Opens the folder with the containers. *ret_alone: the source is a container itself. */
LOD_MUST_CHECK int lod_import_open(const struct lod_import *import, int *ret_folder_fd,
                                   bool *ret_alone);

/* Lists the containers in order of their names. */
LOD_MUST_CHECK int lod_import_find(const struct lod_import *import, int folder_fd, bool alone,
                                   struct lod_source_list *ret_containers);

/*
 * Lists the members of all containers, sorted by path. The containers must outlive the list. With
 * --skip-unreadable, damaged parts of containers become LEFT_OUT.
 */
LOD_MUST_CHECK int lod_import_list(const struct lod_import *import, int folder_fd, bool alone,
                                   const struct lod_source_list *containers,
                                   struct lod_source_list *ret_list);

#endif
