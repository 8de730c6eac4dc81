/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary PBM, PGM and PPM as a container, writing. Refuses a comment without a blank before it,
 * since programs disagree about its meaning. FORMAT.md, l3.
 */
#include "l3/container/raster_file_write.h"

#include <errno.h>

#define MAGIC_BYTES 2u
#define MAXVAL_MAX  65535u

enum number { WIDTH, HEIGHT, MAXVAL, NUMBERS };

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Returns the offset after blanks and comments that begin with a blank, or the end of the file. */
static size_t skip_blanks(struct lod_span file, size_t at)
{
    while (at < file.bytes && (is_blank(file.at[at]) || file.at[at] == '#')) {
        if (file.at[at] == '#') {
            while (at < file.bytes && file.at[at] != '\n' && file.at[at] != '\r') {
                at++;
            }
        } else {
            at++;
        }
    }
    return at;
}

/* The numbers may continue past the head. */
static bool probe(struct lod_span head)
{
    if (head.bytes <= MAGIC_BYTES || head.at[0] != 'P' || head.at[1] < '4' || head.at[1] > '6' ||
        !is_blank(head.at[MAGIC_BYTES])) {
        return false;
    }
    const size_t at = skip_blanks(head, MAGIC_BYTES);
    return at == head.bytes || is_digit(head.at[at]);
}

/* Reads blanks and a number. A blank must follow, and *at is left on it. */
static bool take_number(struct lod_span file, size_t *at, uint32_t *ret_value)
{
    uint64_t value = 0;
    size_t digits = skip_blanks(file, *at), end = digits;

    while (end < file.bytes && is_digit(file.at[end]) && value <= LOD_PNG_BYTES_MAX) {
        value = 10 * value + (file.at[end++] - '0');
    }
    if (end == digits || end == file.bytes || !is_blank(file.at[end]) ||
        value > LOD_PNG_BYTES_MAX) {
        return false;
    }
    *at = end;
    *ret_value = (uint32_t)value;
    return true;
}

static int take_head(struct lod_span file, struct lod_l3_parsed *parsed, const char **ret_why)
{
    const bool bits = file.at[1] == '4';
    uint32_t number[NUMBERS] = {[MAXVAL] = 1}; /* PBM has no maxval */
    size_t at = MAGIC_BYTES;

    for (unsigned i = 0; i < (bits ? MAXVAL : NUMBERS); i++) {
        if (!take_number(file, &at, &number[i])) {
            *ret_why = "programs disagree about the meaning of its header";
            return -ENOTSUP;
        }
    }
    if (!number[WIDTH] || !number[HEIGHT] || !number[MAXVAL] || number[MAXVAL] > MAXVAL_MAX) {
        *ret_why = "its header has values that PBM, PGM and PPM do not have";
        return -ENOTSUP;
    }
    parsed->own.maxval = number[MAXVAL];
    parsed->header = (struct lod_png_header){
        .width = number[WIDTH],
        .height = number[HEIGHT],
        .depth = bits                         ? 1
                 : number[MAXVAL] > UINT8_MAX ? 16
                                              : 8,
        .colour = file.at[1] == '6' ? LOD_PNG_RGB : LOD_PNG_GRAY,
    };
    return lod_raster_split(file, at + 1, 1, parsed, ret_why);
}

const struct lod_l3_container_write lod_l3_container_pnm_write = {
    .container = &lod_l3_container_pnm,
    .probe = probe,
    .head = take_head,
    .samples = lod_raster_samples,
    .cost = lod_raster_cost,
    .prove = lod_raster_prove,
};
