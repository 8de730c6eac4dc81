/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged PNG files. Most get correct CRCs, so that the damage reaches later checks. */
#include <sys/resource.h>

#include "mutants.h"
#include "png_samples.h"
#include "codecs/sanitized.h"

#define MUTATIONS     3000
#define GROWTH_KB_MAX 65536

static const struct png_sample samples[] = {
    {.width = 24, .height = 24, .depth = 8, .colour = 2, .noise = 9},
    {.width = 40, .height = 33, .depth = 8, .colour = 6, .interlaced = true, .noise = 5},
    {.width = 31, .height = 20, .depth = 4, .colour = 3, .transparent = true, .idat = 40},
    {.width = 50, .height = 50, .depth = 1, .colour = 0, .idat = 20},
    {.width = 9, .height = 150, .depth = 16, .colour = 4, .level = 6, .noise = 3},
    {.width = 33, .height = 33, .depth = 8, .colour = 3, .interlaced = true, .idat = 100},
    {.width = 64, .height = 10, .depth = 16, .colour = 2, .noise = 40},
    {.width = 20, .height = 20, .depth = 2, .colour = 0, .transparent = true, .idat = 9},
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

static uint32_t get(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Returns the offset of a random chunk, in a file that may be malformed. */
static size_t some_chunk(struct mutant *m)
{
    size_t at = 8, chosen = 8;

    for (unsigned seen = 1; m->file.bytes >= at + 12; seen++) {
        const uint32_t contents = get(m->file.data + at);
        if (contents > m->file.bytes - at - 12) {
            break;
        }
        chosen = below(m, seen) == 0 ? at : chosen;
        at += 12 + (size_t)contents;
    }
    return chosen;
}

static void mend_crcs(struct mutant *m)
{
    for (size_t at = 8; m->file.bytes >= at + 12;) {
        const uint32_t contents = get(m->file.data + at);
        if (contents > m->file.bytes - at - 12) {
            return;
        }
        png_put_be32(m->file.data + at + 8 + contents,
                     crc32_z(0, m->file.data + at + 4, 4 + (size_t)contents));
        at += 12 + (size_t)contents;
    }
}

/* Swaps the types of two chunks, or repeats a chunk, or shortens one. */
static void change_chunks(struct mutant *m)
{
    static const char types[][5] = {"IDAT", "IEND", "PLTE", "tRNS", "tEXt", "acTL", "IHDR", "prIV"};
    size_t at = some_chunk(m);

    if (m->file.bytes < at + 12) {
        return;
    }
    switch (below(m, 3)) {
    case 0:
        memcpy(m->file.data + at + 4, types[below(m, sizeof(types) / sizeof(types[0]))], 4);
        break;
    case 1:
        png_put_be32(m->file.data + at, get(m->file.data + at) - below(m, 5));
        break;
    default: {
        const size_t rest = m->file.bytes - at, bytes = 12 + get(m->file.data + at);
        if (bytes <= rest) {
            cr_assert_eq(lod_buf_reserve(&m->file, bytes), 0);
            memmove(m->file.data + at + bytes, m->file.data + at, rest);
            m->file.bytes += bytes;
        }
    }
    }
}

static void change_bytes(struct mutant *m)
{
    static const uint8_t extreme[] = {0, 1, 2, 3, 4, 8, 16, 0x7f, 0x80, 0xff};
    size_t at = below(m, 3) ? below(m, m->file.bytes) : 16 + below(m, 13);

    if (at < m->file.bytes) {
        m->file.data[at] = below(m, 2) ? extreme[below(m, sizeof(extreme))] : (uint8_t)draw(m);
    }
}

static void mutate(struct mutant *m)
{
    for (unsigned left = 1 + below(m, 4); left > 0; left--) {
        switch (below(m, 6)) {
        case 0:
            change_chunks(m);
            break;
        case 1:
            m->file.bytes -= below(m, 4) ? 0 : below(m, m->file.bytes);
            break;
        default:
            change_bytes(m);
        }
    }
    if (below(m, 8)) {
        mend_crcs(m);
    }
}

static struct lod_buf make(unsigned i)
{
    return sample_png(&samples[i % SAMPLES]);
}

Test(png_mutated, the_property_holds, .timeout = 600)
{
    const unsigned count = from_environment("LODFS_MUTATIONS", MUTATIONS);
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    unsigned taken = hold_property(count, make, mutate);
    getrusage(RUSAGE_SELF, &after);
    cr_assert_gt(taken, count / 100, "%u of %u became patches", taken, count);
    cr_assert_lt(taken, count);
    cr_assert(sample_sanitized() || after.ru_maxrss - before.ru_maxrss < GROWTH_KB_MAX);
}
