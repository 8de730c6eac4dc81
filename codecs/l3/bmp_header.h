/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the fields of a BMP file's headers stand: the file's, and behind it one of several for the
 * image, which is known by its size. All integers are little endian.
 */
#ifndef LOD_BMP_HEADER_H
#define LOD_BMP_HEADER_H

#include "bytes.h"
#include "l3/l3_output.h"

#define LOD_BMP_AT_PIXELS 10u /* u32: where they begin */
#define LOD_BMP_AT_SIZE   14u /* u32: bytes of the image's header */

#define LOD_BMP_CORE         12u  /* OS/2 1: sides of u16, palette entries of 3 bytes */
#define LOD_BMP_INFO         40u  /* the first of those that begin alike */
#define LOD_BMP_SIZE_MAX     124u /* BITMAPV5HEADER */
#define LOD_BMP_COLOURS_MAX  256u
#define LOD_BMP_COLOUR_BYTES 4u

/* The core header. */
#define LOD_BMP_CORE_AT_WIDTH  18u /* u16 */
#define LOD_BMP_CORE_AT_HEIGHT 20u /* u16 */
#define LOD_BMP_CORE_AT_PLANES 22u /* u16 */
#define LOD_BMP_CORE_AT_BITS   24u /* u16 */
#define LOD_BMP_CORE_END       26u

/* All others. */
#define LOD_BMP_AT_WIDTH       18u /* i32 */
#define LOD_BMP_AT_HEIGHT      22u /* i32; negative: rows from the top */
#define LOD_BMP_AT_PLANES      26u /* u16 */
#define LOD_BMP_AT_BITS        28u /* u16 */
#define LOD_BMP_AT_COMPRESSION 30u /* u32 */
#define LOD_BMP_AT_COLOURS     46u /* u32; 0: all of them */
#define LOD_BMP_INFO_END       54u

/* In the headers of 52 bytes and more, behind that of 40: red, green, blue, alpha. */
#define LOD_BMP_AT_MASKS 54u /* u32 each */

#define LOD_BMP_ROW_ALIGN 4u

/* Of a row in the file, with what fills it up. */
static inline uint64_t lod_bmp_row_bytes(const struct lod_png_header *header)
{
    const uint64_t samples = header->colour == LOD_PNG_RGBA  ? 4
                             : header->colour == LOD_PNG_RGB ? 3
                                                             : 1;

    return lod_round_up((header->width * samples * header->depth + 7) / 8, LOD_BMP_ROW_ALIGN);
}

#endif
