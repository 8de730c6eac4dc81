/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the members of containers as sources (source.h), and makes the tree of them: folders
 * above each member, and no name twice.
 */
#ifndef LOD_MEMBERS_H
#define LOD_MEMBERS_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/container/containers.h"
#include "pack/source/filter.h"
#include "pack/source/first_error.h"
#include "pack/source/source.h"

/* The list that is made, and what the members of one container share. */
struct lod_members {
    struct lod_source_list list;
    struct lod_first_error *first_error;
    const struct lod_filter *filter;
    const struct lod_source *container;
    const char *folder; /* above all members of the container; "": none */
    const char *beside; /* ending of files that containers make beside pictures; NULL: none */
    const struct lod_container_walk *walk;
};

/* Adds a member of the record that `walk` is at; a lod_container_walk.add. An error has its message
 * in first_error. */
LOD_MUST_CHECK int lod_members_add(void *ctx, const struct lod_member *member);

/* Adds a file that is left out, such as the rest of a container. The reason is copied. */
LOD_MUST_CHECK int lod_members_leave_out(struct lod_members *members, const char *path,
                                         const char *why);

/* A conflict: two members have the same name. */
struct lod_members_twice {
    const struct lod_source *first, *second; /* NULL: there is none */
    bool containers;                         /* the members are in different containers */
    /* the conflict comes from a name that pack made: the container's own names differ */
    bool beside;
};

/*
 * Sorts the list by path, and adds the root and all folders above members. Stops if two members
 * have the same name; a conflict within one container is reported before one between two. The list
 * is then not usable.
 */
LOD_MUST_CHECK int lod_members_make_tree(struct lod_members *members, const struct lod_source *root,
                                         struct lod_members_twice *ret_twice);

#endif
