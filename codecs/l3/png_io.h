/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpng behind one function: the pixels of a PNG whose chunks were looked at. png_io.c alone sees
 * png.h; longjmp never leaves it.
 */
#ifndef LOD_PNG_IO_H
#define LOD_PNG_IO_H

#include "compiler.h"
#include "l3/png_chunks.h"

/* Memory that decoding takes besides the samples: libpng's two rows and zlib's window. */
uint64_t lod_png_decode_cost(const struct lod_png_header *header);

/*
 * Inflates the image data into `samples`, as lod_png_image describes them, rows without gaps;
 * interlacing is undone, nothing else is changed. libpng is shown IHDR, PLTE and IDAT alone.
 * -ENOTSUP with *ret_why, a static text: the data is damaged, or more or less than the image needs;
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_png_decode(struct lod_span file, const struct lod_png_layout *layout,
                                  uint8_t *samples, const char **ret_why);

#endif
