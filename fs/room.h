/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of bytes that several caches share. Never waits: who gets nothing makes room itself. */
#ifndef LOD_ROOM_H
#define LOD_ROOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct lod_room {
    size_t bytes_max;
    atomic_size_t bytes; /* taken; never above bytes_max */
};

/* Takes `bytes` if they are left. */
bool lod_room_take(struct lod_room *room, size_t bytes);
void lod_room_give(struct lod_room *room, size_t bytes);

#endif
