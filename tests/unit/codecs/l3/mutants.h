/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged image files by the thousand, the same at every run, and the property that each must keep:
 * it is refused or packed, in little time. LODFS_MUTATIONS=n makes n of them; LODFS_MUTATION_SEED
 * selects others.
 */
#ifndef LOD_MUTANTS_H
#define LOD_MUTANTS_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "../../../fuzz/png_property.h"

#define SECONDS_MAX 1.0

struct mutant {
    struct lod_buf file;
    uint64_t state;
};

static inline uint32_t draw(struct mutant *m)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->state >> 33);
}

static inline uint32_t below(struct mutant *m, size_t bound)
{
    return bound ? draw(m) % (uint32_t)bound : 0;
}

static inline unsigned from_environment(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/*
 * Tests mutants 0 .. count - 1 of a seed, each made from the file that `make` returns. Returns how
 * many became patches.
 */
static inline unsigned hold_property(unsigned count, struct lod_buf (*make)(unsigned i),
                                     void (*mutate)(struct mutant *m))
{
    const unsigned seed = from_environment("LODFS_MUTATION_SEED", 1);
    unsigned taken = 0;

    for (unsigned i = 0; i < count; i++) {
        struct mutant m = {.file = make(i), .state = seed * 1000003u + i};
        const char *whole = NULL;
        mutate(&m);
        clock_t began = clock();
        const char *broken = png_property(lod_buf_span(&m.file), (uint8_t)(i % 3), &whole);
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        cr_assert_null(broken, "mutation %u of seed %u: %s", i, seed, broken);
        cr_assert_lt(seconds, SECONDS_MAX, "mutation %u: %.2f s", i, seconds);
        taken += whole == NULL;
        lod_buf_finish(&m.file);
    }
    return taken;
}

#endif
