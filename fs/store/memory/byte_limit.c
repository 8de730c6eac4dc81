/* SPDX-License-Identifier: Apache-2.0 */
/* One counter and its limit; see byte_limit.h. */
#include "memory/byte_limit.h"

#include <assert.h>

bool lod_byte_limit_take(struct lod_byte_limit *limit, size_t bytes)
{
    size_t taken = atomic_load(&limit->bytes);

    do {
        const size_t most = atomic_load_explicit(&limit->bytes_max, memory_order_relaxed);
        if (bytes > most || taken > most - bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&limit->bytes, &taken, taken + bytes));
    return true;
}

void lod_byte_limit_release(struct lod_byte_limit *limit, size_t bytes)
{
    size_t taken = atomic_fetch_sub(&limit->bytes, bytes);

    assert(bytes <= taken);
    (void)taken;
}
