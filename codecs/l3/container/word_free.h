/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pixels that never contain RecordIO's magic word, 0a 23 d7 ce, at any position in a file. The
 * pixels of a level depend on the libjpeg that decodes them, and sizes in recordio/ depend on where
 * files have the word. So no file of a level has it in its pixels: FORMAT.md, Levels.
 */
#ifndef LOD_WORD_FREE_H
#define LOD_WORD_FREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LOD_WORD_BYTES 4u

/* Returns whether a byte may be the last one of a row: it must not begin a word that continues
 * after the row. */
static inline bool lod_word_free_end(uint8_t byte)
{
    return byte != 0x0a && byte != 0x23 && byte != 0xd7;
}

/*
 * Changes samples of a row by one, so that no magic word lies in it, ends in it or begins in it. A
 * word that ends in the row has ce as the row's first byte, or ce after d7. `bytes` is not 0.
 */
static inline void lod_word_free_row(uint8_t *row, size_t bytes)
{
    uint8_t *const end = row + bytes;

    for (uint8_t *at = row; (at = memchr(at, 0xce, (size_t)(end - at))) != NULL; at++) {
        *at = (uint8_t)(*at + (at == row || at[-1] == 0xd7));
    }
    end[-1] = (uint8_t)(end[-1] + !lod_word_free_end(end[-1]));
}

/* Returns whether `count` bytes, from `offset` of a file on, contain the word at a multiple of 4 of
 * the file. */
static inline bool lod_word_in(const uint8_t *bytes, size_t count, uint64_t offset)
{
    static const uint8_t word[LOD_WORD_BYTES] = {0x0a, 0x23, 0xd7, 0xce};
    bool found = false;

    for (size_t at = -offset % LOD_WORD_BYTES; at + LOD_WORD_BYTES <= count; at += LOD_WORD_BYTES) {
        found = found || memcmp(bytes + at, word, LOD_WORD_BYTES) == 0;
    }
    return found;
}

#endif
