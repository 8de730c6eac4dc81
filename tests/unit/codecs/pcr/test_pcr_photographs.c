/* SPDX-License-Identifier: Apache-2.0 */
/* Runs photographs from LODFS_SAMPLE_DATA, if there are any, through the pcr codec and back. */
#include <glob.h>

#include "pcr_samples.h"

static struct lod_buf read_file(const char *path)
{
    static uint8_t chunk[65536];
    struct lod_buf file = {0};
    FILE *in = fopen(path, "rb");

    cr_assert_not_null(in);
    for (size_t bytes; (bytes = fread(chunk, 1, sizeof(chunk), in));) {
        cr_assert_eq(lod_buf_append(&file, chunk, bytes), 0);
    }
    fclose(in);
    return file;
}

Test(pcr_photographs, real_photographs_come_back, .timeout = 600)
{
    const char *folder = getenv("LODFS_SAMPLE_DATA");
    const struct lod_script *script = lod_script_named("default");
    char pattern[4096];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/clothing/*/*/*.jpg", folder ? folder : "../shared/data");
    if (glob(pattern, 0, NULL, &found) != 0) {
        cr_skip("no photographs match %s", pattern);
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct lod_buf file = read_file(found.gl_pathv[i]);
        struct lod_encoded item = encode_with(lod_buf_span(&file), &script, 1);
        cr_assert_null(item.whole, "%s: %s", found.gl_pathv[i], item.whole);
        expect_full(lod_buf_span(&file), &item);
        lod_encoded_finish(&item);
        lod_buf_finish(&file);
    }
    globfree(&found);
}
