/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See decode_cost.h. The model's numbers were fitted to the decoding of 58 photographs at every
 * fidelity of five scripts (libjpeg-turbo 2.1.5, AVX2). The mean over photographs deviates by at
 * most a tenth of the source's time, and the scripts are in the right order.
 */
#include "pcr/measure/decode_cost.h"

#include <string.h>

#define BLOCK    64
#define SMOOTHED 10 /* libjpeg examines DC and nine AC coefficients of each block */

/* Nanoseconds. A sample is a value of one component; a pixel has all components. */
#define PIXEL_NS           0.80
#define SAMPLE_NS          0.21
#define FIRST_VISIT_NS     9.4  /* of a block, by a scan that sends its coefficients first */
#define REFINING_VISIT_NS  40.0 /* or refines them */
#define BYTE_NS            13.5
#define SMOOTHED_SAMPLE_NS 0.58
#define SOURCE_PIXEL_NS    1.03
#define SOURCE_SAMPLE_NS   0.56
#define SOURCE_BYTE_NS     6.2

/* The lowest bit sent of each coefficient; -1: none. */
struct sent {
    int8_t bit[LOD_SCRIPT_COMPONENTS][BLOCK];
};

/* Samples of a component. */
static double samples_of(const struct lod_jpeg_layout *layout, unsigned c)
{
    unsigned h = 1, v = 1;

    for (unsigned i = 0; i < layout->components; i++) {
        h = layout->h[i] > h ? layout->h[i] : h;
        v = layout->v[i] > v ? layout->v[i] : v;
    }
    return (double)layout->width * layout->h[c] / h * layout->height * layout->v[c] / v;
}

/* Adds a scan to `sent`. Returns the time for examining its blocks. */
static double visit_scan(const struct lod_jpeg_layout *layout, const struct lod_scan *scan,
                         struct sent *sent)
{
    double blocks = 0;

    for (unsigned i = 0; i < scan->count; i++) {
        unsigned c = scan->component[i];
        blocks += samples_of(layout, c) / BLOCK;
        memset(sent->bit[c] + scan->first, scan->low, scan->last - scan->first + 1u);
    }
    return blocks * (scan->high ? REFINING_VISIT_NS : FIRST_VISIT_NS);
}

static bool is_smoothed(const struct sent *sent, unsigned components)
{
    bool smoothed = false;

    for (unsigned c = 0; c < components; c++) {
        for (unsigned k = 1; k < SMOOTHED; k++) {
            smoothed |= sent->bit[c][k] != 0;
        }
    }
    return smoothed;
}

double lod_decode_cost(const struct lod_jpeg_layout *layout, const struct lod_script *script,
                       unsigned last, uint64_t bytes, bool closed, uint64_t source_bytes)
{
    const double pixels = (double)layout->width * layout->height;
    double samples = 0, ns = PIXEL_NS * pixels + BYTE_NS * (double)bytes;
    struct sent sent;

    memset(&sent, -1, sizeof(sent));
    for (unsigned i = 0; i < script->count && script->scans[i].group <= last; i++) {
        ns += visit_scan(layout, &script->scans[i], &sent);
    }
    for (unsigned c = 0; c < layout->components; c++) {
        samples += samples_of(layout, c);
    }
    ns += SAMPLE_NS * samples;
    if (!closed && is_smoothed(&sent, layout->components)) {
        ns += SMOOTHED_SAMPLE_NS * samples;
    }
    return ns / (SOURCE_PIXEL_NS * pixels + SOURCE_SAMPLE_NS * samples +
                 SOURCE_BYTE_NS * (double)source_bytes);
}
