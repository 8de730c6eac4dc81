/* SPDX-License-Identifier: Apache-2.0 */
/* One counter and its limit; see room.h. */
#include "room.h"

#include <assert.h>

bool lod_room_take(struct lod_room *room, size_t bytes)
{
    size_t taken = atomic_load(&room->bytes);

    do {
        if (bytes > room->bytes_max || taken > room->bytes_max - bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&room->bytes, &taken, taken + bytes));
    return true;
}

void lod_room_give(struct lod_room *room, size_t bytes)
{
    size_t taken = atomic_fetch_sub(&room->bytes, bytes);

    assert(bytes <= taken);
    (void)taken;
}
