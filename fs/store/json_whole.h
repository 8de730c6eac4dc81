/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole numbers of JSON. cJSON keeps numbers as doubles. */
#ifndef LOD_JSON_WHOLE_H
#define LOD_JSON_WHOLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#define LOD_WHOLE_MAX ((uint64_t)1 << 53) /* a double holds every integer up to here */

/* Takes an integer of 0 .. `max`, which is at most LOD_WHOLE_MAX. Returns false for anything else,
 * NULL too. */
static inline bool lod_json_whole(const cJSON *value, uint64_t max, uint64_t *ret_number)
{
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= (double)max) ||
        value->valuedouble != (double)(uint64_t)value->valuedouble) {
        return false;
    }
    *ret_number = (uint64_t)value->valuedouble;
    return true;
}

#endif
