/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the header of a .npy file (NumPy's format, versions 1.0 to 3.0): magic, length, and a
 * Python literal with the keys descr, fortran_order and shape. Only the few forms that NumPy writes
 * are accepted, and nothing is evaluated. A file of pickled elements is refused.
 */
#ifndef LOD_NPY_READ_H
#define LOD_NPY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* The bytes that state the header's length, and the longest header that is read. */
#define LOD_NPY_PREFIX_BYTES 12u
#define LOD_NPY_HEADER_MAX   (64u << 10)
#define LOD_NPY_AXES_MAX     32u

struct lod_npy {
    uint32_t header_bytes; /* offset of the first element */
    bool fortran_order;
    uint8_t dtype;       /* dtype.h */
    uint64_t rows;       /* axis 0 */
    uint64_t columns;    /* axis 1 */
    uint64_t data_bytes; /* rows x columns x element */
};

/*
 * Returns the size of the whole header, from the first LOD_NPY_PREFIX_BYTES of the file. Returns
 * -EILSEQ, or -E2BIG above LOD_NPY_HEADER_MAX.
 */
LOD_MUST_CHECK int lod_npy_header_bytes(struct lod_span prefix, uint32_t *ret_bytes);

/*
 * Parses a whole header. Every error sets *ret_why, static text. Returns -ENOTSUP for a valid file
 * that is no table of numbers: not two axes, or elements that are complex, objects (pickled),
 * structured, text or times. Returns -EILSEQ if malformed, with *ret_byte; -E2BIG above 2^63 - 1
 * bytes of elements.
 */
LOD_MUST_CHECK int lod_npy_parse(struct lod_span header, struct lod_npy *ret_npy,
                                 const char **ret_why, uint32_t *ret_byte);

#endif
