/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the pcr encoder, given any bytes, keeps the property of jpeg_property.h.
 *   CC=clang meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
 *   ninja -C build-fuzz tests/fuzz/fuzz_jpeg && build-fuzz/tests/fuzz/fuzz_jpeg FOLDER_OF_JPEGS
 */
#include <stdio.h>

#include "jpeg_property.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *whole = NULL;
    const char *broken = jpeg_property((struct lod_span){.at = data, .bytes = bytes}, &whole);

    if (broken) {
        fprintf(stderr, "%s\n", broken);
        abort();
    }
    return 0;
}
