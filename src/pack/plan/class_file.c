/* SPDX-License-Identifier: Apache-2.0 */
/* See class_file.h. */
#include "pack/plan/class_file.h"

#include <string.h>

#define ENDING ".cls"

bool lod_class_file_is(const char *path, size_t bytes)
{
    const char *slash = memrchr(path, '/', bytes);
    const size_t name = slash ? (size_t)(slash + 1 - path) : 0, ending = strlen(ENDING);
    const char *dot = memchr(path + name, '.', bytes - name);

    return dot && bytes - (size_t)(dot - path) == ending && memcmp(dot, ENDING, ending) == 0;
}

int32_t lod_class_file_number(const char *text, size_t bytes)
{
    int64_t number = 0;

    while (bytes && memchr(" \r\n", text[bytes - 1], 3)) {
        bytes--;
    }
    for (size_t i = 0; i < bytes; i++) {
        number = 10 * number + (text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || number > INT32_MAX) {
            return -1;
        }
    }
    return bytes ? (int32_t)number : -1;
}

/* The list is sorted, so files with the same stem are adjacent. */
void lod_class_file_spread(const struct lod_source_list *list, size_t class, const bool *pictures,
                           int32_t *labels)
{
    const struct lod_source *const at = list->at;
    const char *const path = at[class].path;
    const size_t stem = strlen(path) - strlen(ENDING) + 1; /* with its dot */
    size_t first = class;

    while (first > 0 && strncmp(at[first - 1].path, path, stem) == 0) {
        first--;
    }
    for (size_t i = first; i < list->count && strncmp(at[i].path, path, stem) == 0; i++) {
        if (pictures[i] && !strchr(at[i].path + stem, '/')) {
            labels[i] = labels[class];
        }
    }
}
