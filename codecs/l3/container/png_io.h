/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpng behind one function: returns the pixels of a PNG whose chunks were checked. Only png_io.c
 * includes png.h; longjmp never leaves that file.
 */
#ifndef LOD_PNG_IO_H
#define LOD_PNG_IO_H

#include "compiler.h"
#include "l3/container/png_chunks.h"

/*
 * Returns the memory that decoding takes besides the samples: two rows in libpng and zlib's window.
 */
uint64_t lod_png_decode_cost(const struct lod_png_header *header);

/*
 * Inflates the image data into `samples`, laid out as lod_png_image says, rows without gaps.
 * Deinterlaces; changes nothing else. libpng reads IHDR, PLTE and IDAT only. Returns -ENOTSUP and a
 * reason in *ret_why, static text, if the data is damaged, too short or too long; or -ENOMEM.
 */
LOD_MUST_CHECK int lod_png_decode(struct lod_span file, const struct lod_png_layout *layout,
                                  uint8_t *samples, const char **ret_why);

#endif
