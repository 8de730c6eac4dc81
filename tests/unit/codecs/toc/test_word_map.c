/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "toc/shard/bits.h"
#include "toc/encode/radix.h"
#include "toc/encode/word_map.h"

Test(word_map, words_are_numbered_as_they_appear_while_the_map_grows)
{
    struct lod_word_map map;

    cr_assert_eq(lod_word_map_init(&map, 1), 0);
    for (uint64_t i = 0; i < 5000; i++) {
        cr_assert_eq(lod_word_map_put(&map, i * 0x100000001), i);
        cr_assert_eq(lod_word_map_put(&map, i / 2 * 0x100000001), i / 2);
        cr_assert(!lod_word_map_full(&map) || lod_word_map_grow(&map) == 0);
    }
    cr_assert_eq(lod_word_map_put(&map, UINT64_MAX), 5000, "the word that marks free slots");
    cr_assert_eq(lod_word_map_put(&map, UINT64_MAX), 5000);
    cr_assert_eq(lod_word_map_put(&map, 7), 5001);
    lod_word_map_clear(&map, 3);
    cr_assert_eq(lod_word_map_put(&map, 7), 0);
    cr_assert_eq(lod_word_map_put(&map, UINT64_MAX), 1);
    lod_word_map_finish(&map);
}

Test(word_map, sorting_is_by_key_and_stable)
{
    enum { COUNT = 3000 };
    struct lod_keyed *keyed = malloc(2 * COUNT * sizeof(*keyed));

    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t key = i * UINT64_C(0x9e3779b97f4a7c15);
        keyed[i] = (struct lod_keyed){.key = i % 3 ? key : key % 5, .number = i};
    }
    lod_radix_sort(keyed, COUNT, keyed + COUNT);
    for (uint32_t i = 1; i < COUNT; i++) {
        cr_assert(keyed[i - 1].key < keyed[i].key ||
                  (keyed[i - 1].key == keyed[i].key && keyed[i - 1].number < keyed[i].number));
    }
    free(keyed);
}

Test(word_map, numbers_of_any_width_are_packed_and_unpacked)
{
    enum { COUNT = 77 };
    uint32_t numbers[COUNT], back[COUNT];
    uint8_t bytes[COUNT * 4 + 1];

    for (unsigned bits = 0; bits <= LOD_BITS_MAX; bits++) {
        for (unsigned i = 0; i < COUNT; i++) {
            uint64_t any = i * UINT64_C(0x9e3779b97f4a7c15) >> 32;
            numbers[i] = (uint32_t)(any & ((UINT64_C(1) << bits) - 1));
        }
        size_t size = lod_bits_bytes(COUNT, bits);
        bytes[size] = 0xaa;
        lod_bits_pack(numbers, COUNT, bits, bytes);
        cr_assert_eq(bytes[size], 0xaa);
        for (unsigned first = 0; first < COUNT; first += 19) {
            lod_bits_unpack(bytes, bytes + size, first, COUNT - first, bits, back);
            cr_assert_arr_eq(back, numbers + first, (COUNT - first) * sizeof(*back));
        }
    }
    cr_assert_eq(lod_bits_of(0), 0);
    cr_assert_eq(lod_bits_of(1), 1);
    cr_assert_eq(lod_bits_of(UINT32_MAX), 32);
}
