/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing list of elements of one type. The capacity doubles, so adding n costs O(n), and
 * elements move when it grows. An all-zero struct is an empty list; its owner frees `at`. After
 * -ENOMEM the list is as before. For bytes use lod_buf.
 */
#ifndef LOD_LIST_H
#define LOD_LIST_H

#include <errno.h>
#include <stddef.h>

#include "compiler.h"

/*
 * The type of a member. Without a member name: the members at, count and room of the enclosing
 * struct.
 */
#define LOD_LIST(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

/*
 * Makes room for one more element. Returns 0 or -ENOMEM, as LOD_LIST_ADD does. Both macros evaluate
 * `list` several times.
 */
#define LOD_LIST_RESERVE(list)                                                                     \
    ((list)->count < (list)->room                                                                  \
         ? 0                                                                                       \
         : lod_list_grow(&(list)->at, &(list)->room, sizeof(*(list)->at)))

/* Appends one element. */
#define LOD_LIST_ADD(list, ...)                                                                    \
    (LOD_LIST_RESERVE(list) ? -ENOMEM : ((list)->at[(list)->count++] = (__VA_ARGS__), 0))

/*
 * Binary search. Moves the number `low` up to the first number at which `before` is false, or to
 * `end`. `before` is an expression of the number `middle`, true up to some number and false from
 * there on, as in a sorted list.
 */
#define LOD_SEARCH(low, end, before)                                                               \
    do {                                                                                           \
        __typeof__(low) high = (end);                                                              \
        while ((low) < high) {                                                                     \
            const __typeof__(low) middle = (low) + (high - (low)) / 2;                             \
            if (before) {                                                                          \
                (low) = middle + 1;                                                                \
            } else {                                                                               \
                high = middle;                                                                     \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Grows the list, for the macros: `at` is the address of a pointer to elements of `bytes` bytes. */
LOD_MUST_CHECK int lod_list_grow(void *at, size_t *room, size_t bytes);

#endif
