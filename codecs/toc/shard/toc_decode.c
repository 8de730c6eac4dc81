/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes rows of a shard to elements, doubles or floats. See toc.h. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard/batch_read.h"

/* The destination of the rows, and their type. */
struct output {
    enum lod_words_as as;
    unsigned bytes; /* of an element */
    uint8_t *at;    /* the next row */
};

/* `bytes` is constant at each call, so this compiles to one store. */
static inline void put(uint8_t *row, uint64_t column, uint64_t word, unsigned bytes)
{
    uint64_t little = htole64(word);
    memcpy(row + column * bytes, &little, bytes);
}

static inline void put_csr(const struct lod_toc_batch *batch, uint32_t row, unsigned bytes,
                           uint8_t *into)
{
    for (uint32_t i = batch->start[row]; i < batch->start[row + 1]; i++) {
        put(into, batch->column[i], batch->word[i], bytes);
    }
}

/*
 * A code's sequence in runs of four leaves, from its end. A shorter run repeats its first leaf, so
 * that four stores are always correct.
 */
#define RUN 2u
struct run {
    uint32_t column[RUN];
    uint64_t word[RUN];
    uint32_t count;
    uint32_t next; /* or NO_RUN */
};
#define NO_RUN UINT32_MAX

static void make_runs(const struct lod_toc_batch *batch, struct run *run)
{
    struct run *leaf = run + batch->nodes;

    for (uint32_t j = 0; j < batch->leaves; j++) {
        uint32_t column = batch->column[j];
        uint64_t word = batch->word[j];
        leaf[j] = (struct run){{column, column}, {word, word}, 1, NO_RUN};
    }
    for (uint32_t n = 0; n < batch->nodes; n++) {
        const struct run *parent = &run[batch->parent[n]], *key = &run[batch->key[n]];
        bool full = parent->count == RUN;
        run[n] = full ? *key : *parent;
        run[n].next = full ? batch->parent[n] : parent->next;
        if (!full) {
            run[n].column[parent->count] = key->column[0];
            run[n].word[parent->count] = key->word[0];
            run[n].count++;
        }
    }
}

static inline void put_tree(const struct lod_toc_batch *batch, const struct run *runs, uint32_t row,
                            unsigned bytes, uint8_t *into)
{
    for (uint32_t i = batch->start[row]; i < batch->start[row + 1]; i++) {
        for (uint32_t code = batch->code[i]; code != NO_RUN; code = runs[code].next) {
            const struct run *run = &runs[code];
            put(into, run->column[0], run->word[0], bytes);
            put(into, run->column[1], run->word[1], bytes);
        }
    }
}

static inline void put_rows(const struct lod_toc_shard *shard, const struct lod_toc_batch *batch,
                            const struct run *runs, uint32_t first, uint32_t rows, unsigned bytes,
                            uint8_t *into)
{
    uint64_t row_bytes = (uint64_t)shard->columns * bytes;

    for (uint32_t row = first; row < first + rows; row++, into += row_bytes) {
        memset(into, 0, row_bytes);
        if (shard->kind == LOD_TOC_CSR) {
            put_csr(batch, row, bytes, into);
        } else {
            put_tree(batch, runs, row, bytes, into);
        }
    }
}

static void put_batch(const struct lod_toc_shard *shard, const struct lod_toc_batch *batch,
                      const struct run *runs, uint32_t first, uint32_t rows,
                      const struct output *output)
{
    switch (output->bytes) {
    case 1:
        put_rows(shard, batch, runs, first, rows, 1, output->at);
        break;
    case 2:
        put_rows(shard, batch, runs, first, rows, 2, output->at);
        break;
    case 4:
        put_rows(shard, batch, runs, first, rows, 4, output->at);
        break;
    default:
        put_rows(shard, batch, runs, first, rows, 8, output->at);
    }
}

/* Decodes a RAW batch in steps, without memory for the batch. */
static int decode_raw(const struct lod_layer_read *layer, uint64_t body_offset, uint64_t bytes,
                      uint64_t first, uint64_t count, struct output *output)
{
    static const uint8_t plain[] = {0, LOD_DTYPE_U1, LOD_DTYPE_U2, 0, LOD_DTYPE_U4, 0, 0,
                                    0, LOD_DTYPE_U8};
    const struct lod_toc_shard *shard = layer->shard;
    const uint8_t *at = shard->body.at + body_offset, *end = at + bytes;
    uint64_t words[LOD_LAYER_STEP];

    if (output->as == LOD_AS_ELEMENTS && !shard->values && shard->value == LOD_TOC_VALUE_OWN &&
        !(shard->dtype & LOD_DTYPE_BIG_ENDIAN)) {
        memcpy(output->at, at + first * output->bytes, count * output->bytes);
        output->at += count * output->bytes;
        return 0;
    }
    for (uint64_t done = 0; done < count; done += LOD_LAYER_STEP) {
        uint64_t step = count - done < LOD_LAYER_STEP ? count - done : LOD_LAYER_STEP;
        int error = lod_layer_values(layer, at, end, first + done, step, words);
        if (error) {
            return error;
        }
        lod_dtype_elements(plain[output->bytes], words, step, output->at);
        output->at += step * output->bytes;
    }
    return 0;
}

/* Decodes rows first .. first + rows - 1 of one batch. */
static int decode_batch(const struct lod_layer_read *layer, uint32_t number, uint64_t body_offset,
                        uint64_t bytes, uint32_t first, uint32_t rows, struct lod_arena arena,
                        struct output *output)
{
    const struct lod_toc_shard *shard = layer->shard;
    struct lod_toc_batch batch;

    if (shard->kind == LOD_TOC_RAW) {
        return decode_raw(layer, body_offset, bytes, (uint64_t)first * shard->columns,
                          (uint64_t)rows * shard->columns, output);
    }
    int error = lod_batch_read(layer, number, body_offset, &arena, &batch);
    if (!error) {
        struct run *runs = (struct run *)arena.at; /* aligned; its room is part of runs_bytes() */
        if (shard->kind == LOD_TOC_TREE) {
            make_runs(&batch, runs);
        }
        put_batch(shard, &batch, runs, first, rows, output);
        output->at += (uint64_t)rows * shard->columns * output->bytes;
    }
    return error;
}

static int decode_rows(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows,
                       struct lod_arena arena, struct output output)
{
    struct lod_layer_read layer;
    uint64_t body_offset = 0, next = 0;
    int error = lod_layer_read(shard, output.as, &arena, &layer);

    for (uint32_t batch = 0; rows > 0 && !error; batch++, body_offset = next) {
        uint32_t before = batch * shard->batch_rows, of_batch = lod_toc_batch_rows(shard, batch);
        (void)lod_batch_read_bytes(shard, batch, &next);
        if (first >= before + of_batch) {
            continue;
        }
        uint32_t skipped = first - before;
        uint32_t taken = of_batch - skipped < rows ? of_batch - skipped : rows;
        error = decode_batch(&layer, batch, body_offset, next - body_offset, skipped, taken, arena,
                             &output);
        first += taken;
        rows -= taken;
    }
    return error;
}

static int decode(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows,
                  struct output output)
{
    uint64_t bytes = lod_toc_work_bytes(shard);

    if (first > shard->rows || rows > shard->rows - first) {
        return -EINVAL;
    }
    void *memory = malloc(bytes);
    if (!memory) {
        return -ENOMEM;
    }
    struct lod_arena arena = {.at = memory, .left = bytes};
    int error = decode_rows(shard, first, rows, arena, output);
    free(memory);
    return error;
}

int lod_toc_decode(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows, void *into,
                   uint64_t into_bytes)
{
    if (into_bytes != lod_toc_source_bytes(shard, rows)) {
        return -EINVAL;
    }
    return decode(shard, first, rows,
                  (struct output){LOD_AS_ELEMENTS, lod_dtype_bytes(shard->dtype), into});
}

int lod_toc_decode_f8(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows,
                      double *into)
{
    return decode(shard, first, rows, (struct output){LOD_AS_NUMBERS, 8, (uint8_t *)into});
}

int lod_toc_decode_f4(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows, float *into)
{
    return decode(shard, first, rows, (struct output){LOD_AS_FLOATS, 4, (uint8_t *)into});
}

/* Returns an upper bound: a batch has at most as many leaves as codes. */
static uint64_t runs_bytes(const struct lod_toc_shard *shard)
{
    uint64_t leaves = shard->leaves < shard->codes_max ? shard->leaves : shard->codes_max;
    return shard->kind == LOD_TOC_TREE ? (leaves + shard->nodes_max) * sizeof(struct run) : 0;
}

uint64_t lod_toc_work_bytes(const struct lod_toc_shard *shard)
{
    uint64_t most = 0, offset = 0;

    for (uint32_t batch = 0; shard->kind != LOD_TOC_RAW && batch < shard->batches; batch++) {
        uint64_t bytes = lod_batch_read_bytes(shard, batch, &offset);
        most = bytes > most ? bytes : most;
    }
    return lod_layer_read_bytes(shard) + most + runs_bytes(shard) + 64;
}
