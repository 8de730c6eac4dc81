/* SPDX-License-Identifier: Apache-2.0 */
/* Runs photographs from LODFS_SAMPLE_DATA, if there are any, through the pcr codec and back. */

#include "pcr_samples.h"
#include "real_photographs.h"

Test(pcr_photographs, real_photographs_come_back, .timeout = 600)
{
    const struct lod_script *script = lod_script_named("default");
    glob_t found;

    find_photographs(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!share_has(i)) {
            continue;
        }
        struct lod_buf file = read_photograph(found.gl_pathv[i]);
        struct lod_encoded item = encode_with(lod_buf_span(&file), &script, 1);
        cr_assert_null(item.whole, "%s: %s", found.gl_pathv[i], item.whole);
        expect_full(lod_buf_span(&file), &item);
        lod_encoded_finish(&item);
        lod_buf_finish(&file);
    }
    globfree(&found);
}
