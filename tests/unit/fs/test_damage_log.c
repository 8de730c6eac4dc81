/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that are logged, with which words and how often. Lines of a real store are in
 * test_dataset.c. */
#include "dataset/damage_log.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>

#include "dataset/dataset.h"
#include "index/blocks.h"

static struct lod_damage_log damage;

static void setup(void)
{
    cr_redirect_stderr();
    lod_damage_log_init(&damage, NULL, "/a\nb", NULL);
}

TestSuite(damage_log, .init = setup);

Test(damage_log, errors_of_other_causes_are_not_logged)
{
    static const int passing[] = {0, -ENOMEM, -EINTR, -ETIME};

    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(lod_damage_log_row(&damage, "item", 3, passing[i]), passing[i]);
        cr_assert_eq(lod_damage_log_frame(&damage, &(struct lod_damage_place){0}, passing[i]),
                     passing[i]);
    }
    lod_damage_log_finish(&damage);
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

Test(damage_log, a_process_without_descriptors_is_logged_but_no_damage)
{
    const struct lod_codec codec = {.id = LOD_CODEC_TREE};
    const struct lod_item item = {.number = 5, .codec = &codec, .recd.path = "000001.raw"};

    for (unsigned i = 0; i < 2; i++) {
        const struct lod_damage_place place = {.item = &item};
        cr_assert_eq(lod_damage_log_frame(&damage, &place, -EMFILE), -EMFILE);
    }
    lod_damage_log_finish(&damage);
    fflush(stderr);
    cr_assert_stderr_eq_str(
        "lodfs: error: store /a\\x0ab: record 000001.raw item 5 (slot 5): this process has no free "
        "file descriptor; raise its limit (ulimit -n): (the tree list)\n"
        "lodfs: error: store /a\\x0ab: 1 more lines were left out\n");
}

Test(damage_log, a_row_is_logged_once_and_the_path_is_escaped)
{
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(lod_damage_log_row(&damage, "item", 7, -EILSEQ), -EIO);
    }
    lod_damage_log_finish(&damage);
    fflush(stderr);
    cr_assert_stderr_eq_str("lodfs: error: store /a\\x0ab: index: item 7: malformed\n"
                            "lodfs: error: store /a\\x0ab: 999 more lines were left out\n");
}

Test(damage_log, a_damaged_block_is_logged_with_place_and_remedy)
{
    const struct lod_block_failure damaged = {.block = 16, .error = -EBADMSG};
    const struct lod_block_failure failed = {.block = 2, .error = -EIO};
    char text[LOD_DAMAGE_TEXT];

    cr_assert_str_eq(lod_damage_of_block(&damaged, text),
                     "the index is damaged: block 16 at offset 65536: its hash differs; lodfs "
                     "repair makes it again from the records, for a URL in a copy of the store");
    cr_assert_str_eq(lod_damage_of_block(&failed, text),
                     "the index cannot be read: block 2 at offset 8192: Input/output error");
}
