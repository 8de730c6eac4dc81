/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closing scans end the file at q1. A decoder smooths blocks while one of the first nine AC
 * coefficients of a component is not known to its last bit (jdcoefct.c), which takes longer than
 * decoding the source. Closing scans send all AC as 0, in long runs of ended blocks. They are first
 * scans, so no other first scan of the same coefficients may follow (T.81 G.1.1.1.1): q2 and above
 * leave them out. FORMAT.md, pcr.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "pcr/entropy/entropy_bits.h"
#include "pcr/entropy/entropy_check.h"
#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_write.h"

#define CLOSING_MAX 255u /* the length is a u8; 3 million blocks take fewer bytes */

/* If they are a larger part of q1 than this, the file is small and decodes quickly anyway. */
#define CLOSING_DIVISOR 16

/* A bit position above every coefficient's highest bit. Shifted down to it, all are 0. */
#define ABOVE_ALL 13

/* The scans written so far; never more than CLOSING_MAX bytes. */
struct closing {
    const struct lod_jpeg *jpeg;
    struct lod_huffman_table table;
    struct lod_entropy_tables codes;
    struct lod_entropy_decoders decoders;
    struct lod_bits out;
    uint8_t bytes[CLOSING_MAX];
};

static uint64_t blocks_of(const struct lod_jpeg *jpeg, unsigned c)
{
    return (uint64_t)jpeg->frame.component[c].blocks_wide * jpeg->frame.component[c].blocks_high;
}

static uint32_t next_run(uint64_t left)
{
    return left < LOD_ENTROPY_RUN_MAX ? (uint32_t)left : LOD_ENTROPY_RUN_MAX;
}

/* Returns log2 of a run, rounded down: the number of bits after its symbol. */
static unsigned run_bits(uint32_t run)
{
    return 31 - (unsigned)__builtin_clz(run);
}

/* Makes the table, which serves all components. */
static int make_table(struct closing *c)
{
    uint32_t counts[256] = {0};

    for (unsigned i = 0; i < c->jpeg->frame.components; i++) {
        for (uint64_t left = blocks_of(c->jpeg, i), run; left; left -= run) {
            run = next_run(left);
            counts[run_bits((uint32_t)run) << 4]++;
        }
    }
    lod_huffman_optimal(counts, &c->table);
    int error = lod_huffman_codes(&c->table, &c->codes.codes[LOD_HUFFMAN_AC][0]);
    return error ? error : lod_entropy_decoder_make(&c->table, &c->decoders.of[LOD_HUFFMAN_AC][0]);
}

static void put(struct closing *c, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        lod_bits_byte(&c->out, ((const uint8_t *)data)[i]);
    }
}

static void put_table(struct closing *c)
{
    const uint8_t head[] = {0xff, LOD_MARKER_DHT, 0, (uint8_t)(19 + c->table.values_count),
                            LOD_HUFFMAN_AC << 4};

    put(c, head, sizeof(head));
    put(c, c->table.counts, sizeof(c->table.counts));
    put(c, c->table.values, c->table.values_count);
}

static void put_runs(struct closing *c, unsigned component)
{
    for (uint64_t left = blocks_of(c->jpeg, component), run; left; left -= run) {
        run = next_run(left);
        unsigned bits = run_bits((uint32_t)run);
        uint32_t code = c->codes.codes[LOD_HUFFMAN_AC][0].entry[bits << 4];
        lod_bits_put(&c->out, code >> 8, code & 0xff);
        lod_bits_put(&c->out, (uint32_t)run & ((1u << bits) - 1), bits);
    }
    lod_bits_align(&c->out, false);
}

/* Checks that a decoder reads the bytes from `at` on as the right number of blocks without AC. */
static int prove_runs(struct closing *c, unsigned component, const uint8_t *at)
{
    const struct lod_entropy_scan scan = {.count = 1,
                                          .part = {{.component = (uint8_t)component}},
                                          .progressive = true,
                                          .first = 1,
                                          .last = LOD_JPEG_BLOCK - 1,
                                          .low = ABOVE_ALL};
    const struct lod_span coded = {.at = at, .bytes = (size_t)(c->out.at - at)};

    return lod_entropy_check(c->jpeg, &scan, &c->decoders, coded);
}

static int put_scan(struct closing *c, unsigned component)
{
    const uint8_t id = c->jpeg->frame.component[component].id;
    const uint8_t sos[] = {0xff, LOD_MARKER_SOS, 0, 8, 1, id, 0, 1, LOD_JPEG_BLOCK - 1, 0};

    put(c, sos, sizeof(sos));
    const uint8_t *at = c->out.at;
    put_runs(c, component);
    return c->out.full ? 0 : prove_runs(c, component, at);
}

/* Returns whether group 1 has the DC of all components, and nothing else. */
static bool is_dc_alone(const struct lod_script *script)
{
    bool alone = true;

    for (unsigned i = 0; i < script->count && script->scans[i].group == 1; i++) {
        alone &= script->scans[i].first == 0;
    }
    return alone;
}

/* Returns whether the scans are a small part of q1, and q1 stays smaller than q2. */
static bool is_worth(const struct lod_pcr_job *job, const struct lod_encoded *item, size_t bytes)
{
    return bytes <= item->group[0].bytes / CLOSING_DIVISOR &&
           (job->top == LOD_Q1 || bytes < item->group[1].bytes);
}

/* Writes the scans, and adds them to group 1 if they are worth their bytes. */
static int write_scans(struct closing *c, const struct lod_pcr_job *job, struct lod_encoded *item)
{
    c->jpeg = job->jpeg;
    c->out = (struct lod_bits){.at = c->bytes, .end = c->bytes + sizeof(c->bytes)};
    int error = make_table(c);
    put_table(c);
    for (unsigned i = 0; i < job->jpeg->frame.components && !error; i++) {
        error = put_scan(c, i);
    }
    const size_t bytes = (size_t)(c->out.at - c->bytes);
    if (error || c->out.full || !is_worth(job, item, bytes)) {
        return error == -ENOMEM ? error : 0; /* decoders then smooth q1 */
    }
    item->row[LOD_PCR_CLOSING] = (uint8_t)bytes;
    return lod_buf_append(&item->group[0], c->bytes, bytes);
}

int lod_pcr_closing_write(const struct lod_pcr_job *job, struct lod_encoded *item)
{
    if (!is_dc_alone(&job->script)) {
        return 0;
    }
    struct closing *c = calloc(1, sizeof(*c)); /* too large for a small stack */
    const int error = c ? write_scans(c, job, item) : -ENOMEM;
    free(c);
    return error;
}
