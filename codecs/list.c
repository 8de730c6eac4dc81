/* SPDX-License-Identifier: Apache-2.0 */
/* The growing list; see list.h. */
#include "list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 32u

int lod_list_grow(void *at, size_t *room, size_t bytes)
{
    size_t more = *room ? 2 * *room : FIRST;
    void *elements;

    if (more > SIZE_MAX / bytes) {
        return -ENOMEM;
    }
    memcpy(&elements, at, sizeof(elements)); /* a pointer of any type */
    elements = realloc(elements, more * bytes);
    if (!elements) {
        return -ENOMEM;
    }
    memcpy(at, &elements, sizeof(elements));
    *room = more;
    return 0;
}
