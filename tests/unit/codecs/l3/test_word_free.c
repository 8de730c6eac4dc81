/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and checksums without RecordIO's magic word. */
#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

#include "l3/container/png_stored.h"
#include "l3/container/word_free.h"

static void check_row(const char *before, const char *after, size_t bytes)
{
    uint8_t row[16];

    memcpy(row, before, bytes);
    lod_word_free_row(row, bytes);
    cr_expect_arr_eq(row, after, bytes);
}

Test(word_free, rows_hold_no_part_of_the_word_that_a_neighbour_could_complete)
{
    check_row("\x0a\x23\xd7\xce\x01", "\x0a\x23\xd7\xcf\x01", 5);
    check_row("\xce\xce\xd7\xce\xce", "\xcf\xce\xd7\xcf\xce", 5);
    check_row("\x01\x0a", "\x01\x0b", 2);
    check_row("\x0a\x23", "\x0a\x24", 2);
    check_row("\x23\xd7", "\x23\xd8", 2);
    check_row("\xd7\xce", "\xd7\xcf", 2);
    check_row("\xce", "\xcf", 1);
    check_row("\xd7", "\xd8", 1);
    check_row("\x0a\x23\xd7\x01", "\x0a\x23\xd7\x01", 4);
}

Test(word_free, words_are_found_at_multiples_of_four_of_the_file)
{
    static const uint8_t bytes[] = {0, 0, 0x0a, 0x23, 0xd7, 0xce, 0, 0};

    for (unsigned offset = 0; offset < 8; offset++) {
        cr_expect_eq(lod_word_in(bytes, sizeof(bytes), offset), offset % 4 == 2);
    }
}

/*
 * Gray rows of one stored block. The Adler-32 of the data is 0a23d7ce if the sum of its bytes is
 * d7ce - 1, and that of the sums after each byte, with the row's bytes, is 0a23 modulo 65,521.
 */
#define SUM_A 0xd7ceu
#define SUM_B 0x0a23u
#define MOD   65521u

/*
 * Moves ones from byte to byte until the Adler-32 is the word: sum a stays, sum b changes by the
 * distance.
 */
static void aim(uint8_t *data, size_t bytes)
{
    for (unsigned tries = 0; tries < 1u << 24; tries++) {
        const uint32_t adler = (uint32_t)adler32_z(1, data, bytes);
        const uint32_t off = (SUM_B + MOD - (adler >> 16)) % MOD;
        if (off == 0) {
            return;
        }
        /* Moving one from byte j to byte i < j makes b larger by j - i. */
        const size_t step = off < bytes - 3 ? off : bytes - 3;
        for (size_t i = 1; i + step < bytes; i++) {
            if (data[i] < 250 && data[i + step] > 5) {
                data[i]++;
                data[i + step]--;
                break;
            }
        }
    }
}

Test(word_free, checksums_that_are_the_word_are_not_written)
{
    const struct lod_png_header header = {.width = 500, .height = 1, .depth = 8};
    struct lod_l3_output out;
    uint8_t samples[500], data[501] = {0}, made[600] = {0};

    cr_assert_eq(lod_png_stored_init(&header, 7, &out), 0);
    memset(data + 1, (int)((SUM_A - 1) / 500), 500);
    data[1] = (uint8_t)(data[1] + (SUM_A - 1) % 500 % 100);
    for (unsigned left = (SUM_A - 1) % 500 - (SUM_A - 1) % 500 % 100, i = 2; left; left--, i++) {
        data[i]++;
    }
    aim(data, sizeof(data));
    cr_assert_eq(adler32_z(1, data, sizeof(data)), 0x0a23d7ceu);
    memcpy(samples, data + 1, sizeof(samples));
    for (uint64_t offset = 0; offset < 4; offset++) {
        lod_png_stored_band(&out, 0, samples, sizeof(samples), made);
        lod_png_stored_sum(&out, offset, made);
        const bool bad = (offset + out.bytes) % 4 == 0;
        cr_expect_not(lod_word_in(made + out.bytes, 8, offset + out.bytes));
        cr_expect_eq(made[out.bytes - 1], samples[499] + (bad ? 1 : 0));
        cr_expect_eq((uint32_t)adler32_z(1, made + 5, 501),
                     (uint32_t)made[out.bytes] << 24 | (uint32_t)made[out.bytes + 1] << 16 |
                         (uint32_t)made[out.bytes + 2] << 8 | made[out.bytes + 3]);
    }
}
