/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the l3 encoder with PGM, PPM and BMP files. Each file that becomes patches is
 * restored byte for byte (png_property.h). The last byte chooses the mode.
 *   CC=clang meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
 *   ninja -C build-fuzz tests/fuzz/fuzz_plain && build-fuzz/tests/fuzz/fuzz_plain FOLDER_OF_IMAGES
 */
#include <stdio.h>

#include "png_property.h"

#define MODES 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *whole = NULL;
    const char *broken = png_property((struct lod_span){.at = data, .bytes = bytes},
                                      bytes ? data[bytes - 1] % MODES : 0, &whole);

    if (broken) {
        fprintf(stderr, "%s\n", broken);
        abort();
    }
    return 0;
}
