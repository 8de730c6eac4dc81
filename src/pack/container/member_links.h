/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links in containers. Hard links are members without bytes that name a file of the same container,
 * and become further names of that file, as those of a folder do. Symbolic links stay links.
 */
#ifndef LOD_MEMBER_LINKS_H
#define LOD_MEMBER_LINKS_H

#include "backend/format.h"
#include "compiler.h"
#include "pack/container/members.h"

/* Writes the path of a LINK's file as sources have it; "" if no member can have that path. */
void lod_member_link_target(const struct lod_members *members, const struct lod_member *link,
                            char into[LOD_PATH_MAX + 1]);

/*
 * Joins the links of the finished list, which is sorted, with their files. The first name of a file
 * is the FILE, the others become HARD_LINK. A file that is left out by its name keeps other names.
 * A link to no file is an error with a message, or LEFT_OUT with --skip-unreadable. -ENOMEM.
 */
LOD_MUST_CHECK int lod_member_links_join(struct lod_members *members);

/*
 * Checks the symbolic links of the same list. A link that leads out of the source is an error with
 * a message, or LEFT_OUT with --skip-unreadable.
 */
LOD_MUST_CHECK int lod_member_links_check(struct lod_members *members);

#endif
