/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the entropy coder with libjpeg. Progressive files of libjpeg need no rebuild table and
 * no patch only if every run of blocks ends where libjpeg's encoder ends it. The common cases are
 * in test_rebuild_write.c.
 */
#include "rebuild_samples.h"
#include "pcr/entropy/entropy.h"
#include "pcr/entropy/entropy_block.h"

/* Writes a gray image with libjpeg and the script `default`; `fill` gives its coefficients. */
static struct lod_buf write_blocks(unsigned side, int16_t (*fill)(unsigned block, unsigned k))
{
    struct lod_buf file =
        sample_jpeg(&(struct sample){.width = side, .height = side, .components = 1});
    struct lod_script fitted;
    struct lod_jpeg *jpeg = NULL;
    struct lod_buf made = {0};
    const char *why;

    cr_assert_eq(lod_jpeg_read(lod_buf_span(&file), 1u << 30, &jpeg, &why), 0);
    for (uint32_t y = 0, block = 0; y < jpeg->frame.component[0].blocks_high; y++) {
        int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(jpeg, 0, y);
        for (uint32_t x = 0; x < jpeg->frame.component[0].blocks_wide; x++, block++) {
            for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
                row[x][k] = fill(block, k);
            }
        }
    }
    lod_script_fit(lod_script_named("default"), 1, (const uint8_t[]){1, 1, 1, 1}, &fitted);
    cr_assert_eq(lod_scans_write(jpeg, &fitted, &made), 0);
    lod_jpeg_destroy(jpeg);
    lod_buf_finish(&file);
    return made;
}

static void expect_blocks(unsigned side, int16_t (*fill)(unsigned block, unsigned k))
{
    struct lod_buf file = write_blocks(side, fill);
    expect_exact(lod_buf_span(&file), 150, 0);
    lod_buf_finish(&file);
}

static int16_t flat(unsigned block, unsigned k)
{
    return block > 33000 && k == 5 ? 9 : 0;
}

Test(entropy, runs_of_ended_blocks_end_where_libjpeg_ends_them)
{
    expect_blocks(1520, flat); /* 36,100 blocks; a run holds 32,767 */
}

static int16_t large(unsigned block, unsigned k)
{
    return k ? (int16_t)(4 + (block * 7 + k * k * 3) % 9) : 0;
}

static int16_t alternating(unsigned block, unsigned k)
{
    unsigned noise = (block * 2654435761u + k * 40503u) >> 7;
    return (int16_t)((int)(noise % 11) - 5 + (noise % 97 ? 0 : 200));
}

Test(entropy, correction_bits_are_held_as_long_as_libjpeg_holds_them)
{
    expect_blocks(400, large); /* every coefficient of every block is refined, none is new */
    expect_blocks(400, alternating);
}

/* Compares with the plain definition, at the edges of every scale. */
Test(entropy, coefficients_above_a_scale_are_found)
{
    const int16_t values[] = {0, 1, -1, 2, -2, 3, -3, 4, -4, 7, 8, -8, 8191, -8192, 32767, -32768};

    for (unsigned low = 0; low <= 14; low++) {
        int16_t block[LOD_JPEG_BLOCK];
        uint64_t expected = 0;
        for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
            block[k] = values[(k * 5 + low) % 16];
            int magnitude = block[k] < 0 ? -block[k] : block[k];
            expected |= (uint64_t)(magnitude >> low != 0) << k;
        }
        cr_assert_eq(lod_block_nonzero(block, low), expected, "%u", low);
    }
    cr_assert_eq(lod_block_band(1, 5), 0x3e);
    cr_assert_eq(lod_block_band(0, 63), UINT64_MAX);
    cr_assert_eq(lod_block_band(63, 63), 1ull << 63);
}

Test(entropy, nothing_is_written_past_the_room)
{
    struct lod_buf file = write_blocks(64, alternating);
    const struct lod_entropy_scan scan = {.count = 1, .run_max = 1};
    static struct lod_entropy_tables tables;
    struct lod_jpeg *jpeg = NULL;
    const char *why;
    size_t bytes = 0, same = 0;

    cr_assert_eq(lod_jpeg_read(lod_buf_span(&file), 1u << 30, &jpeg, &why), 0);
    uint8_t *out = calloc(1, 100000);
    cr_assert_not_null(out);
    cr_assert_eq(lod_entropy_write(jpeg, &scan, &tables, out, 100000, &bytes), -EILSEQ, "no codes");
    for (unsigned class = 0; class < 2; class ++) {
        cr_assert_eq(lod_huffman_codes(&lod_huffman_standard[class][0], &tables.codes[class][0]),
                     0);
    }
    cr_assert_eq(lod_entropy_write(jpeg, &scan, &tables, out, 100000, &bytes), 0);
    for (size_t room = 0; room < bytes; room += 1 + room / 9) {
        memset(out, 0xa5, 100000);
        cr_assert_eq(lod_entropy_write(jpeg, &scan, &tables, out, room, &same), -ENOSPC);
        cr_assert_eq(out[room], 0xa5);
    }
    cr_assert_eq(lod_entropy_write(jpeg, &scan, &tables, out, bytes, &same), 0);
    cr_assert_eq(same, bytes);
    free(out);
    lod_jpeg_destroy(jpeg);
    lod_buf_finish(&file);
}
