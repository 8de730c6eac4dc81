/* SPDX-License-Identifier: Apache-2.0 */
/* Containers in a plan, and the places of their members; the bytes are in plan_format.h. */
#ifndef LOD_PLAN_PLACES_H
#define LOD_PLAN_PLACES_H

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "pack/source/source.h"

/* Appends the list of containers. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_pack_plan_put_containers(struct lod_buf *file,
                                                const struct lod_source_list *containers);

/* Appends a place, whose container is of the list. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_pack_plan_put_place(struct lod_buf *file,
                                           const struct lod_source_list *containers,
                                           const struct lod_member_place *place);

/* Reads the list of containers. They have no inodes, as sources of a plan. The caller finishes the
 * list, also after an error: -EBADMSG or -ENOMEM. */
LOD_MUST_CHECK int lod_pack_plan_take_containers(struct lod_cursor *c,
                                                 struct lod_source_list *containers);

/* Reads the place of a member of `bytes` bytes into `place`, a struct lod_member_place that borrows
 * its container. Returns -EBADMSG or -ENOMEM. */
LOD_MUST_CHECK int lod_pack_plan_take_place(struct lod_cursor *c,
                                            const struct lod_source_list *containers,
                                            uint64_t bytes, struct lod_buf *place);

#endif
