/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of one type that grow in number: doubles, so adding n costs O(n), and elements move when
 * it does. All zero is an empty list; who owns it frees `at`. After -ENOMEM it is as before.
 * Bytes are in a lod_buf instead.
 */
#ifndef LOD_LIST_H
#define LOD_LIST_H

#include <errno.h>
#include <stddef.h>

#include "compiler.h"

/* The type of a member, or, without a name, the members at, count and room of the struct around. */
#define LOD_LIST(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

/* Room for one more. 0 or -ENOMEM, as the next; both look at `list` several times. */
#define LOD_LIST_RESERVE(list)                                                                     \
    ((list)->count < (list)->room                                                                  \
         ? 0                                                                                       \
         : lod_list_grow(&(list)->at, &(list)->room, sizeof(*(list)->at)))

/* One more element behind the last. */
#define LOD_LIST_ADD(list, ...)                                                                    \
    (LOD_LIST_RESERVE(list) ? -ENOMEM : ((list)->at[(list)->count++] = (__VA_ARGS__), 0))

/* What the macros stand on: `at` is the address of a pointer to elements of `bytes` bytes. */
LOD_MUST_CHECK int lod_list_grow(void *at, size_t *room, size_t bytes);

#endif
