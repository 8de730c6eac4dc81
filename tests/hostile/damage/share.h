/* SPDX-License-Identifier: Apache-2.0 */
/* A run's share of many like cases: LODFS_SHARE=K/N, K from 1; see tests/hostile/long.py. */
#ifndef LOD_SHARE_H
#define LOD_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct share {
    unsigned number, of;
};

/* All cases without LODFS_SHARE. Ends the program if it is not K/N. */
static inline struct share share(void)
{
    const char *text = getenv("LODFS_SHARE");
    struct share found = {1, 1};
    char end;

    if (text && (sscanf(text, "%u/%u%c", &found.number, &found.of, &end) != 2 ||
                 found.number == 0 || found.number > found.of)) {
        fprintf(stderr, "LODFS_SHARE=%s is not K/N\n", text);
        exit(2);
    }
    return found;
}

/* Whether this run tries case `number`, from 0. */
static inline bool share_has(uint64_t number)
{
    const struct share mine = share();

    return number % mine.of == mine.number - 1;
}

#endif
