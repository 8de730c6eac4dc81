/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of the fields in a BMP file's headers: the file header, then one of several image
 * headers, which differ in size. All integers are little endian.
 */
#ifndef LOD_BMP_HEADER_H
#define LOD_BMP_HEADER_H

#define LOD_BMP_AT_PIXELS 10u /* u32: offset of the pixels */
#define LOD_BMP_AT_SIZE   14u /* u32: size of the image header */

#define LOD_BMP_CORE 12u /* OS/2 version 1: sides are u16, palette entries 3 bytes */
/* the shortest of all other headers, whose first fields are the same */
#define LOD_BMP_INFO         40u
#define LOD_BMP_SIZE_MAX     124u /* BITMAPV5HEADER */
#define LOD_BMP_COLOURS_MAX  256u
#define LOD_BMP_COLOUR_BYTES 4u

/* Fields of the core header. */
#define LOD_BMP_CORE_AT_WIDTH  18u /* u16 */
#define LOD_BMP_CORE_AT_HEIGHT 20u /* u16 */
#define LOD_BMP_CORE_AT_PLANES 22u /* u16 */
#define LOD_BMP_CORE_AT_BITS   24u /* u16 */
#define LOD_BMP_CORE_END       26u

/* Fields of all other headers. */
#define LOD_BMP_AT_WIDTH       18u /* i32 */
#define LOD_BMP_AT_HEIGHT      22u /* i32; negative if rows run from the top */
#define LOD_BMP_AT_PLANES      26u /* u16 */
#define LOD_BMP_AT_BITS        28u /* u16 */
#define LOD_BMP_AT_COMPRESSION 30u /* u32 */
#define LOD_BMP_AT_COLOURS     46u /* u32; 0: as many as the depth allows */
#define LOD_BMP_INFO_END       54u

/*
 * Red, green, blue, alpha. Part of image headers of 52 bytes and more; after a header of 40 bytes.
 */
#define LOD_BMP_AT_MASKS 54u /* u32 each */

#define LOD_BMP_ROW_ALIGN 4u

#endif
