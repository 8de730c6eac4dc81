/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the units of a raw item. A unit is one frame of Zstandard (RFC 8878), or bytes as they
 * are if a frame would be no shorter. The frame must state the exact length of the unit, and is
 * decoded into a buffer of that length, so a forged one costs no more than a sound one.
 */
#include "raw_row.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <zstd.h>

#define GROUP 1

/* The decoder's own memory, 160 KiB with libzstd 1.5, twice. */
#define DECODER_BYTES ((uint64_t)320 << 10)

enum input { ENDS, FRAME }; /* the inputs of a file of several units, in this order */

static uint16_t groups(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return 1u << (GROUP - 1);
}

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return LOD_RAW_UNIT_BYTES;
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return DECODER_BYTES + 2 * LOD_RAW_UNIT_BYTES;
}

static int ask(struct lod_inputs *inputs, uint64_t offset, uint64_t bytes)
{
    struct lod_input *input = &inputs->input[inputs->count++];

    input->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&input->plan, GROUP, offset, bytes);
}

/* Asks for the end of the unit before, which is where this one begins, and for its own end. */
static int ask_ends(uint64_t unit, struct lod_inputs *inputs)
{
    const uint64_t first = unit ? unit - 1 : 0;

    return ask(inputs, first * LOD_RAW_END_BYTES, (unit + 1 - first) * LOD_RAW_END_BYTES);
}

static int ask_frame(const struct lod_raw_row *r, uint64_t unit, struct lod_inputs *inputs)
{
    const struct lod_span ends = inputs->input[ENDS].data;
    const uint64_t table = lod_raw_table_bytes(r->bytes);
    const uint64_t begin = unit ? lod_get_le32(ends.at) : table;
    const uint64_t end = lod_get_le32(ends.at + ends.bytes - LOD_RAW_END_BYTES);
    const bool last = (unit + 1) * LOD_RAW_UNIT_BYTES >= r->bytes;

    if (begin < table || end <= begin || end > r->stored || (last && end != r->stored)) {
        return -EILSEQ;
    }
    return end - begin > LOD_RAW_UNIT_BYTES ? -EILSEQ : ask(inputs, begin, end - begin);
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    struct lod_raw_row r;
    int error = lod_raw_row_read(row, &r);

    if (error || form != 0 || !r.units || unit * LOD_RAW_UNIT_BYTES >= r.bytes) {
        return -EILSEQ;
    }
    if (lod_raw_table_bytes(r.bytes) == 0) {
        return inputs->count == 0 ? ask(inputs, 0, r.stored) : 0;
    }
    return inputs->count == ENDS    ? ask_ends(unit, inputs)
           : inputs->count == FRAME ? ask_frame(&r, unit, inputs)
                                    : 0;
}

/*
 * Idle decoders, kept for the next frame. Creating a decoder executes CPUID twice, and in a virtual
 * machine each CPUID costs more than decoding the frame of a small file. Between two frames a
 * decoder has no state that matters.
 */
#define SPARE_DECODERS 4
static _Atomic(ZSTD_DCtx *) spare_decoders[SPARE_DECODERS];

static ZSTD_DCtx *take_decoder(void)
{
    ZSTD_DCtx *decoder = NULL;

    for (unsigned i = 0; i < SPARE_DECODERS && !decoder; i++) {
        decoder = atomic_exchange(&spare_decoders[i], NULL);
    }
    return decoder ? decoder : ZSTD_createDCtx();
}

static void give_decoder(ZSTD_DCtx *decoder)
{
    for (unsigned i = 0; i < SPARE_DECODERS; i++) {
        ZSTD_DCtx *none = NULL;
        if (atomic_compare_exchange_strong(&spare_decoders[i], &none, decoder)) {
            return;
        }
    }
    ZSTD_freeDCtx(decoder);
}

static int run_decoder(struct lod_span frame, uint8_t *into, size_t bytes)
{
    ZSTD_DCtx *decoder = take_decoder();

    if (!decoder) {
        return -ENOMEM;
    }
    const size_t made = ZSTD_decompressDCtx(decoder, into, bytes, frame.at, frame.bytes);
    give_decoder(decoder);
    return made == bytes ? 0 : -EILSEQ; /* an error is larger than any size */
}

/* ZSTD_decompressDCtx takes several frames in turn, frames that hold no data, and the formats of
 * old versions, so they are excluded before it is called. */
static int decode(struct lod_span frame, uint8_t *into, size_t bytes)
{
    if (frame.bytes < sizeof(uint32_t) || lod_get_le32(frame.at) != ZSTD_MAGICNUMBER ||
        ZSTD_getFrameContentSize(frame.at, frame.bytes) != bytes ||
        ZSTD_getDictID_fromFrame(frame.at, frame.bytes) != 0 ||
        ZSTD_findFrameCompressedSize(frame.at, frame.bytes) != frame.bytes) {
        return -EILSEQ;
    }
    return run_decoder(frame, into, bytes);
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    const struct lod_span frame = inputs->input[inputs->count - 1].data;

    (void)row;
    (void)form;
    (void)unit;
    if (frame.bytes == bytes) {
        memcpy(into, frame.at, bytes);
        return 0;
    }
    return frame.bytes > bytes ? -EILSEQ : decode(frame, into, bytes);
}

const struct lod_maker lod_raw_maker = {
    .groups = groups,
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
};
