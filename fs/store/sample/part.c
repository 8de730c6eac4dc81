/* SPDX-License-Identifier: Apache-2.0 */
/* See part.h. */
#include "sample/part.h"

#include <assert.h>
#include <string.h>

#include "hash.h"
#include "sample/sample_name.h"

#define DIGITS_MAX 4u /* of LOD_PARTS_MAX */

uint64_t lod_name_key(const char *name, size_t bytes, uint64_t seed)
{
    return lod_hash64(name, lod_stem_last(name, bytes), seed);
}

uint32_t lod_part_of(uint64_t key, uint32_t count)
{
    assert(count >= 1 && count <= LOD_PARTS_MAX);
    return (uint32_t)((unsigned __int128)key * count >> 64);
}

bool lod_part_parse(const char *name, uint32_t end, uint16_t *ret_number)
{
    const size_t digits = strspn(name, "0123456789");
    uint32_t number = 0;

    if (digits == 0 || digits > DIGITS_MAX || name[digits] || (digits > 1 && name[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        number = number * 10 + (uint32_t)(name[i] - '0');
    }
    if (number >= end) {
        return false;
    }
    *ret_number = (uint16_t)number;
    return true;
}
