/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the l3 encoder, given any bytes, keeps the property of png_property.h. CRCs
 * are corrected first, as a fuzzer cannot guess them. The last byte chooses the mode.
 *   CC=clang meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
 *   ninja -C build-fuzz tests/fuzz/fuzz_png && build-fuzz/tests/fuzz/fuzz_png FOLDER_OF_PNGS
 */
#include <stdio.h>
#include <zlib.h>

#include "png_property.h"

#define SIGNATURE_BYTES 8u
#define MODES           3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static uint32_t get(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void mend(uint8_t *file, size_t bytes)
{
    for (size_t at = SIGNATURE_BYTES; bytes >= at + 12;) {
        const uint32_t contents = get(file + at);
        if (contents > bytes - at - 12) {
            return;
        }
        const uint32_t crc = (uint32_t)crc32_z(0, file + at + 4, 4 + (size_t)contents);
        for (unsigned i = 0; i < 4; i++) {
            file[at + 8 + contents + i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        at += 12 + (size_t)contents;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t *file = malloc(bytes + 1);
    const char *whole = NULL;

    memcpy(file, data, bytes);
    if (bytes > SIGNATURE_BYTES) {
        mend(file, bytes);
    }
    const char *broken = png_property((struct lod_span){.at = file, .bytes = bytes},
                                      bytes ? data[bytes - 1] % MODES : 0, &whole);
    if (broken) {
        fprintf(stderr, "%s\n", broken);
        abort();
    }
    free(file);
    return 0;
}
