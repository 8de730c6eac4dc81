/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed units under ThreadSanitizer. More threads than there are spare decoders decode frames
 * of their own texts. Two threads with one decoder get wrong bytes, or no bytes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "raw_row.h"
#include "raw_units_write.h"

#define THREADS 8u
#define ROUNDS  2000u
#define BYTES   ((size_t)3000)

/* Makes the compressed item of a text that belongs to this thread. */
static int encode(uint8_t text[BYTES], uint8_t row[LOD_ROW_BYTES], uint32_t seed,
                  struct lod_buf *into)
{
    struct lod_raw_units units;

    for (size_t i = 0; i < BYTES; i++) {
        seed = seed * 1664525 + 1013904223;
        text[i] = (uint8_t)("01 a"[seed >> 30]);
    }
    int error = lod_raw_units_begin(&units, BYTES, into);
    error =
        error ? error : lod_raw_units_add(&units, (struct lod_span){.at = text, .bytes = BYTES});
    error = error ? error : units.pays ? 0 : -1;
    if (!error) {
        lod_raw_units_row(&units, row);
    }
    lod_raw_units_finish(&units);
    return error;
}

static void *run(void *arg)
{
    uint8_t text[BYTES], into[BYTES], row[LOD_ROW_BYTES] = {0};
    struct lod_buf stored = {0};
    int error = encode(text, row, (uint32_t)(uintptr_t)arg, &stored);
    const struct lod_inputs inputs = {.count = 1,
                                      .input[0].data = {.at = stored.data, .bytes = stored.bytes}};

    for (unsigned i = 0; i < ROUNDS && !error; i++) {
        memset(into, 0, BYTES);
        error = lod_raw_maker.make(row, 0, 0, &inputs, into, BYTES);
        error = error ? error : memcmp(into, text, BYTES) != 0;
    }
    lod_buf_finish(&stored);
    return error ? arg : NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    unsigned started = 0, wrong = 0;

    while (started < THREADS &&
           pthread_create(&id[started], NULL, run, (void *)(uintptr_t)(started + 1)) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        void *failed = NULL;
        pthread_join(id[i], &failed);
        wrong += failed != NULL;
    }
    wrong += started < THREADS;
    printf("tests: %d passed, %u failed\n", !wrong, wrong);
    return wrong != 0;
}
