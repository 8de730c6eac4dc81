/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged PGM, PPM and BMP files. Most damage is in the headers, the only part that states sizes.
 */
#include "mutants.h"
#include "raster_samples.h"

#define MUTATIONS    4000
#define HEADER_BYTES 60

static const struct plain_sample samples[] = {
    {.width = 64, .height = 90, .channels = 3, .maxval = 255},
    {.width = 99, .height = 80, .channels = 1, .maxval = 1000, .tail = 5},
    {.width = 70, .height = 150, .channels = 1, .maxval = 9, .comment = "#c\n"},
    {.width = 65, .height = 130, .channels = 3, .header = 40},
    {.width = 50, .height = 131, .channels = 4, .header = 124, .downward = true, .gap = 3},
    {.width = 83, .height = 200, .channels = 1, .header = 40, .palette = COLOUR_PALETTE},
    {.width = 86, .height = 140, .channels = 1, .header = 12, .palette = GRAY_PALETTE},
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

static void mutate(struct mutant *m)
{
    static const uint8_t extreme[] = {0, 1, 2, ' ', '#', '\n', '0', '9', 0x7f, 0x80, 0xff};

    for (unsigned left = 1 + below(m, 3); left > 0; left--) {
        const size_t range = below(m, 4) ? HEADER_BYTES : m->file.bytes;
        const size_t at = below(m, range);
        if (at < m->file.bytes) {
            m->file.data[at] =
                below(m, 2) ? extreme[below(m, sizeof(extreme))] : (uint8_t)below(m, 256);
        }
    }
    m->file.bytes -= below(m, 6) ? 0 : below(m, m->file.bytes);
}

static struct lod_buf make(unsigned i)
{
    return sample_plain(&samples[i % SAMPLES]);
}

Test(raster_mutated, the_property_holds, .timeout = 600)
{
    const unsigned count = from_environment("LODFS_MUTATIONS", MUTATIONS);
    unsigned taken = hold_property(count, make, mutate);

    cr_assert_gt(taken, count / 10, "%u of %u became patches", taken, count);
    cr_assert_lt(taken, count);
}
