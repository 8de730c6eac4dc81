/* SPDX-License-Identifier: Apache-2.0 */
/* Headers as NumPy writes them, and malformed ones of every kind. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "toc/shard/dtype.h"
#include "toc/source/npy_read.h"

struct header {
    uint8_t bytes[4096];
    size_t count;
};

static struct header make(unsigned major, const char *text)
{
    struct header h = {.bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)major}};
    const size_t before = major == 1 ? 10 : 12, bytes = strlen(text);

    lod_put_le(h.bytes + 8, major == 1 ? 2 : 4, bytes);
    memcpy(h.bytes + before, text, bytes);
    h.count = before + bytes;
    return h;
}

static int parse(const struct header *h, struct lod_npy *ret_npy)
{
    const char *why = NULL;
    uint32_t byte = 0;
    int error = lod_npy_parse((struct lod_span){h->bytes, h->count}, ret_npy, &why, &byte);

    cr_assert(!error || why);
    cr_assert_leq(byte, h->count);
    return error;
}

static int parse_text(const char *text, struct lod_npy *ret_npy)
{
    const struct header h = make(1, text);

    return parse(&h, ret_npy);
}

Test(npy_read, what_numpy_writes)
{
    struct lod_npy npy;

    for (unsigned major = 1; major <= 3; major++) {
        const struct header h =
            make(major, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n");
        uint32_t bytes;
        cr_assert_eq(lod_npy_header_bytes((struct lod_span){h.bytes, 12}, &bytes), 0);
        cr_assert_eq(bytes, h.count);
        cr_assert_eq(parse(&h, &npy), 0);
        cr_assert(npy.rows == 3 && npy.columns == 4 && npy.data_bytes == 96);
        cr_assert(npy.dtype == LOD_DTYPE_F8 && !npy.fortran_order);
        cr_assert_eq(npy.header_bytes, h.count);
    }
}

Test(npy_read, element_types)
{
    static const struct {
        const char *descr;
        int dtype; /* negative: the expected error */
    } cases[] = {
        {"'|b1'", LOD_DTYPE_BOOL},
        {"'|i1'", LOD_DTYPE_I1},
        {"'|u1'", LOD_DTYPE_U1},
        {"'>i2'", LOD_DTYPE_I2 | LOD_DTYPE_BIG_ENDIAN},
        {"'<u8'", LOD_DTYPE_U8},
        {"'<f2'", LOD_DTYPE_F2},
        {"\"<f4\"", LOD_DTYPE_F4},
        {"'>f8'", LOD_DTYPE_F8 | LOD_DTYPE_BIG_ENDIAN},
        {"'>u1'", LOD_DTYPE_U1},
        {"'|O'", -ENOTSUP},
        {"'<c16'", -ENOTSUP},
        {"'<f16'", -ENOTSUP},
        {"'<U3'", -ENOTSUP},
        {"'<M8[ns]'", -ENOTSUP},
        {"'<f3'", -ENOTSUP},
        {"'f8'", -ENOTSUP},
        {"''", -ENOTSUP},
        {"[('a', '<f8'), ('b', [('c', '<i4')])]", -ENOTSUP},
        {"__import__('os')", -EILSEQ},
        {"'<f\\x38'", -EILSEQ},
        {"'<f8", -ENOTSUP},
        {"8", -EILSEQ},
    };
    char text[256];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_npy npy = {0};
        snprintf(text, sizeof(text), "{'descr': %s, 'fortran_order': True, 'shape': (1, 1), }",
                 cases[i].descr);
        int error = parse_text(text, &npy);
        cr_assert_eq(error, cases[i].dtype < 0 ? cases[i].dtype : 0, "%s: %d", text, error);
        cr_assert(error || (npy.dtype == cases[i].dtype && npy.fortran_order), "%s", text);
    }
}

Test(npy_read, shapes)
{
    static const struct {
        const char *shape;
        int error;
    } cases[] = {
        {"(0, 5)", 0},
        {"(5, 0)", 0},
        {"( 5 ,7 , )", 0},
        {"(5L, 7L)", 0},
        {"()", -ENOTSUP},
        {"(5,)", -ENOTSUP},
        {"(5, 6, 7)", -ENOTSUP},
        {"(9223372036854775807, 1)", -E2BIG},
        {"(9223372036854775808, 1)", -E2BIG},
        {"(99999999999999999999999999999, 1)", -E2BIG},
        {"(4294967296, 4294967296)", -E2BIG},
        {"(1152921504606846975, 1)", 0},
        {"(1152921504606846976, 1)", -E2BIG},
        {"(-1, 1)", -EILSEQ},
        {"(1 1)", -EILSEQ},
        {"(1,, 1)", -EILSEQ},
        {"(1, 1", -EILSEQ},
        {"[1, 1]", -EILSEQ},
        {"(1, 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", -EILSEQ},
    };
    char text[256];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_npy npy;
        snprintf(text, sizeof(text), "{'shape': %s, 'descr': '<f8', 'fortran_order': False}",
                 cases[i].shape);
        cr_assert_eq(parse_text(text, &npy), cases[i].error, "%s", text);
    }
}

Test(npy_read, keys_and_ends)
{
    static const char *const bad[] = {
        "{'descr': '<f8', 'fortran_order': False, }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'x': 1}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} x",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (1, 1)}",
        "{",
        "",
        "(1, 1)",
    };
    struct lod_npy npy;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(parse_text(bad[i], &npy), -EILSEQ, "%s", bad[i]);
    }
}

Test(npy_read, every_cut_and_every_changed_byte)
{
    const struct header h =
        make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n");
    struct lod_npy npy;

    for (size_t bytes = 0; bytes < h.count; bytes++) {
        struct header cut = h;
        cut.count = bytes;
        cr_assert_neq(parse(&cut, &npy), 0, "%zu", bytes);
    }
    for (size_t at = 0; at < h.count; at++) {
        for (unsigned value = 0; value < 256; value++) {
            struct header changed = h;
            changed.bytes[at] = (uint8_t)value;
            int error = parse(&changed, &npy);
            cr_assert(error || npy.data_bytes <= INT64_MAX);
        }
    }
}

Test(npy_read, header_lengths)
{
    uint8_t prefix[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff};
    uint32_t bytes;

    cr_assert_eq(lod_npy_header_bytes((struct lod_span){prefix, 12}, &bytes), -E2BIG);
    cr_assert_eq(lod_npy_header_bytes((struct lod_span){prefix, 11}, &bytes), -EILSEQ);
    prefix[6] = 4;
    cr_assert_eq(lod_npy_header_bytes((struct lod_span){prefix, 12}, &bytes), -EILSEQ);
    prefix[6] = 0;
    cr_assert_eq(lod_npy_header_bytes((struct lod_span){prefix, 12}, &bytes), -EILSEQ);
    prefix[0] = 0x92;
    cr_assert_eq(lod_npy_header_bytes((struct lod_span){prefix, 12}, &bytes), -EILSEQ);
}
