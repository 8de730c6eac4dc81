/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG as a container, writing: walks the chunks and lets libpng inflate the image data. FORMAT.md,
 * l3.
 */
#include "l3/container/container_write.h"

#include "l3/container/png_io.h"
#include "l3/container/png_stored.h"

static bool probe(struct lod_span head)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    return head.bytes >= sizeof(png) && memcmp(head.at, png, sizeof(png)) == 0;
}

static int take_head(struct lod_span file, struct lod_l3_parsed *parsed, const char **ret_why)
{
    return lod_png_read_header(file, &parsed->header, ret_why);
}

static int take_samples(struct lod_span file, struct lod_l3_parsed *parsed, uint8_t *samples,
                        const char **ret_why)
{
    struct lod_png_layout layout;
    int error = lod_png_scan(file, &layout, ret_why);

    if (error) {
        return error;
    }
    parsed->before = layout.before;
    parsed->after = layout.after;
    parsed->transparent = layout.transparent;
    parsed->own.transparent = layout.header.colour == LOD_PNG_PALETTE && layout.transparent;
    return lod_png_decode(file, &layout, samples, ret_why);
}

/* Adds the band to the checksums. The caller has already compared the pixels. */
static bool prove(struct lod_span file, struct lod_l3_row *r, uint32_t band, struct lod_span made)
{
    (void)file;
    r->sums = band == 0 ? lod_png_stored_sums_begin() : r->sums;
    lod_png_stored_sums_add(&r->sums, made);
    r->sums = band == r->out.bands - 1 ? lod_png_stored_sums_end(r->sums) : r->sums;
    return true;
}

const struct lod_l3_container_write lod_l3_container_png_write = {
    .container = &lod_l3_container_png,
    .probe = probe,
    .head = take_head,
    .samples = take_samples,
    .cost = lod_png_decode_cost,
    .prove = prove,
};
