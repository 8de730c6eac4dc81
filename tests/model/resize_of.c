/* SPDX-License-Identifier: Apache-2.0 */
/* resize_of WIDTH HEIGHT CHANNELS TO_WIDTH TO_HEIGHT: resizes raw samples from stdin to stdout. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "likeness/resize.h"

int main(int argc, char **argv)
{
    uint32_t number[5];

    for (int i = 0; i < 5; i++) {
        number[i] = argc == 6 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : 0;
    }
    const size_t bytes = (size_t)number[0] * number[1] * number[2];
    const size_t to_bytes = (size_t)number[3] * number[4] * number[2];
    uint8_t *from = malloc(bytes), *into = malloc(to_bytes);
    struct lod_resize_image image = {from, number[0], number[1], number[2],
                                     (size_t)number[0] * number[2]};

    bool done = from && into && fread(from, 1, bytes, stdin) == bytes &&
                lod_resize(&image, number[3], number[4], into) == 0 &&
                fwrite(into, 1, to_bytes, stdout) == to_bytes;
    free(from);
    free(into);
    return done ? 0 : 1;
}
