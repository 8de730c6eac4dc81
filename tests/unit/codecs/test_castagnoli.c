/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C by the values of RFC 3720, B.4, and the two ways of computing it. */
#include <criterion/criterion.h>
#include <string.h>

#include "castagnoli.h"

Test(crc32c, values_of_the_rfc)
{
    uint8_t data[32] = {0};

    cr_assert_eq(lod_crc32c(0, data, 32), 0x8a9136aau);
    memset(data, 0xff, sizeof(data));
    cr_assert_eq(lod_crc32c(0, data, 32), 0x62a8ab43u);
    for (uint8_t i = 0; i < 32; i++) {
        data[i] = i;
    }
    cr_assert_eq(lod_crc32c(0, data, 32), 0x46dd794eu);
    cr_assert_eq(lod_crc32c(0, "123456789", 9), 0xe3069283u);
    cr_assert_eq(lod_crc32c(7, data, 0), 7);
}

Test(crc32c, the_table_agrees_at_every_length_and_cut)
{
    uint8_t data[100];

    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 89 + 13);
    }
    for (size_t bytes = 0; bytes <= sizeof(data); bytes++) {
        const uint32_t crc = lod_crc32c_table(0, data, bytes);
        cr_assert_eq(lod_crc32c(0, data, bytes), crc);
        for (size_t cut = 0; cut <= bytes; cut += 7) {
            cr_assert_eq(lod_crc32c(lod_crc32c(0, data, cut), data + cut, bytes - cut), crc);
        }
    }
}

Test(crc32c, the_table_agrees_on_long_data)
{
    static uint8_t data[40000];

    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    }
    for (size_t bytes = 700; bytes <= sizeof(data); bytes += 61) {
        cr_assert_eq(lod_crc32c(5, data, bytes), lod_crc32c_table(5, data, bytes), "%zu", bytes);
    }
}
