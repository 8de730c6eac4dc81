/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of a .npy file (NumPy's format, versions 1.0 to 3.0): magic, a length, and a Python
 * literal with the keys descr, fortran_order and shape. The literal is parsed as the few forms that
 * NumPy writes; nothing is evaluated, and a file whose elements would be unpickled is refused.
 */
#ifndef LOD_NPY_READ_H
#define LOD_NPY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Bytes that tell how long the header is, and the longest one that is looked at. */
#define LOD_NPY_PREFIX_BYTES 12u
#define LOD_NPY_HEADER_MAX   (64u << 10)
#define LOD_NPY_AXES_MAX     32u

struct lod_npy {
    uint32_t header_bytes; /* the first element stands here */
    bool fortran_order;
    uint8_t dtype;       /* dtype.h */
    uint64_t rows;       /* axis 0 */
    uint64_t columns;    /* axis 1 */
    uint64_t data_bytes; /* rows x columns x element */
};

/* Does a file begin so? Of 6 bytes and more. */
bool lod_npy_probe(struct lod_span head);

/*
 * Bytes of the whole header, from the first LOD_NPY_PREFIX_BYTES of the file. -EILSEQ; -E2BIG past
 * LOD_NPY_HEADER_MAX.
 */
LOD_MUST_CHECK int lod_npy_header_bytes(struct lod_span prefix, uint32_t *ret_bytes);

/*
 * Parses a whole header. *ret_why, a static text, on every error. -ENOTSUP: sound, but no table of
 * numbers: other than two axes, complex, object (a pickle), structured, text or time elements.
 * -EILSEQ: malformed, with *ret_byte; -E2BIG: more than 2^63 - 1 bytes of elements.
 */
LOD_MUST_CHECK int lod_npy_parse(struct lod_span header, struct lod_npy *ret_npy,
                                 const char **ret_why, uint32_t *ret_byte);

#endif
