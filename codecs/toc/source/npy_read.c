/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses exactly the headers that NumPy writes: {'descr': '<f8', 'fortran_order': False, 'shape':
 * (3, 4), } with any white space and any order of keys, each once. See npy_read.h.
 */
#include "toc/source/npy_read.h"

#include <errno.h>
#include <string.h>

#include "toc/shard/dtype.h"

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6u

enum key { DESCR = 1, ORDER = 2, SHAPE = 4, ALL_KEYS = 7 };

struct parser {
    const uint8_t *start, *at, *end;
    const char *why;
    struct lod_npy npy;
    unsigned keys, axes;
    uint64_t axis[2];
};

int lod_npy_header_bytes(struct lod_span prefix, uint32_t *ret_bytes)
{
    struct lod_cursor c = lod_cursor(prefix.at, prefix.bytes);

    if (prefix.bytes < MAGIC_BYTES || memcmp(prefix.at, MAGIC, MAGIC_BYTES) != 0) {
        return -EILSEQ;
    }
    lod_take(&c, MAGIC_BYTES);
    unsigned major = lod_take_u8(&c);
    lod_take_u8(&c);
    uint64_t before = major == 1 ? 10 : 12, bytes = lod_take_le(&c, major == 1 ? 2 : 4);
    if (c.short_of_bytes || major < 1 || major > 3) {
        return -EILSEQ;
    }
    if (before + bytes > LOD_NPY_HEADER_MAX) {
        return -E2BIG;
    }
    *ret_bytes = (uint32_t)(before + bytes);
    return 0;
}

/* ------------------------------------------------------------------------------- tokens */

static int fail(struct parser *p, int error, const char *why)
{
    p->why = why;
    return error;
}

static int malformed(struct parser *p)
{
    return fail(p, -EILSEQ, "its header is malformed");
}

static void skip_space(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')) {
        p->at++;
    }
}

static bool take_char(struct parser *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != (uint8_t)c) {
        return false;
    }
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word)
{
    size_t bytes = strlen(word);

    skip_space(p);
    if ((size_t)(p->end - p->at) < bytes || memcmp(p->at, word, bytes) != 0) {
        return false;
    }
    p->at += bytes;
    return true;
}

/* Reads '..' or "..", without escapes. */
static bool take_text(struct parser *p, struct lod_span *ret_text)
{
    skip_space(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) {
        return false;
    }
    const uint8_t quote = *p->at++, *text = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\') {
        p->at++;
    }
    if (p->at == p->end || *p->at != quote) {
        return false;
    }
    *ret_text = (struct lod_span){.at = text, .bytes = (size_t)(p->at++ - text)};
    return true;
}

static int take_number(struct parser *p, uint64_t *ret_number)
{
    uint64_t number = 0;

    skip_space(p);
    if (p->at == p->end || *p->at < '0' || *p->at > '9') {
        return malformed(p);
    }
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        unsigned digit = *p->at - (unsigned)'0';
        if (number > ((uint64_t)INT64_MAX - digit) / 10) {
            return fail(p, -E2BIG, "its shape is larger than 2^63 bytes");
        }
        number = number * 10 + digit;
    }
    if (p->at < p->end && *p->at == 'L') {
        p->at++; /* Python 2 wrote 3L */
    }
    *ret_number = number;
    return 0;
}

/* ------------------------------------------------------------------------------- values */

static int read_descr(struct parser *p, struct lod_span text)
{
    static const struct {
        char kind, bytes;
        uint8_t dtype;
    } types[] = {
        {'b', '1', LOD_DTYPE_BOOL}, {'i', '1', LOD_DTYPE_I1}, {'i', '2', LOD_DTYPE_I2},
        {'i', '4', LOD_DTYPE_I4},   {'i', '8', LOD_DTYPE_I8}, {'u', '1', LOD_DTYPE_U1},
        {'u', '2', LOD_DTYPE_U2},   {'u', '4', LOD_DTYPE_U4}, {'u', '8', LOD_DTYPE_U8},
        {'f', '2', LOD_DTYPE_F2},   {'f', '4', LOD_DTYPE_F4}, {'f', '8', LOD_DTYPE_F8},
    };

    if (text.bytes >= 2 && text.at[1] == 'O') {
        return fail(p, -ENOTSUP, "its elements are Python objects, which lodfs never unpickles");
    }
    if (text.bytes != 3 || !strchr("<>|=", text.at[0]) || text.at[0] == '\0') {
        return fail(p, -ENOTSUP, "its elements are not plain numbers");
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (text.at[1] == (uint8_t)types[i].kind && text.at[2] == (uint8_t)types[i].bytes) {
            bool swapped = text.at[0] == '>' && types[i].bytes != '1';
            p->npy.dtype = types[i].dtype | (swapped ? LOD_DTYPE_BIG_ENDIAN : 0);
            return 0;
        }
    }
    return fail(p, -ENOTSUP, "its elements are not plain numbers");
}

static int take_descr(struct parser *p)
{
    struct lod_span text;

    skip_space(p);
    if (p->at < p->end && *p->at == '[') {
        return fail(p, -ENOTSUP, "its elements are structures");
    }
    return take_text(p, &text) ? read_descr(p, text) : malformed(p);
}

static int take_order(struct parser *p)
{
    p->npy.fortran_order = take_word(p, "True");
    return p->npy.fortran_order || take_word(p, "False") ? 0 : malformed(p);
}

/* (), (n,), (n, m), (n, m, ..) */
static int take_shape(struct parser *p)
{
    int error = take_char(p, '(') ? 0 : malformed(p);
    bool open = true;

    while (!error && !take_char(p, ')')) {
        uint64_t axis = 0;
        error = open && p->axes < LOD_NPY_AXES_MAX ? take_number(p, &axis) : malformed(p);
        if (!error && p->axes < 2) {
            p->axis[p->axes] = axis;
        }
        p->axes++;
        open = !error && take_char(p, ',');
    }
    return error;
}

static int take_pair(struct parser *p)
{
    static const struct {
        const char *name;
        enum key key;
        int (*take)(struct parser *p);
    } keys[] = {{"descr", DESCR, take_descr},
                {"fortran_order", ORDER, take_order},
                {"shape", SHAPE, take_shape}};
    struct lod_span name;

    if (!take_text(p, &name) || !take_char(p, ':')) {
        return malformed(p);
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (name.bytes == strlen(keys[i].name) && memcmp(name.at, keys[i].name, name.bytes) == 0 &&
            !(p->keys & keys[i].key)) {
            p->keys |= keys[i].key;
            return keys[i].take(p);
        }
    }
    return malformed(p);
}

static int take_literal(struct parser *p)
{
    int error = take_char(p, '{') ? 0 : malformed(p);
    bool open = true;

    while (!error && !take_char(p, '}')) {
        error = open ? take_pair(p) : malformed(p);
        open = !error && take_char(p, ',');
    }
    skip_space(p);
    return error ? error : p->at == p->end && p->keys == ALL_KEYS ? 0 : malformed(p);
}

static int measure(struct parser *p)
{
    uint64_t bytes;

    if (p->axes != 2) {
        return fail(p, -ENOTSUP, "it does not have two axes");
    }
    p->npy.rows = p->axis[0];
    p->npy.columns = p->axis[1];
    if (__builtin_mul_overflow(p->npy.rows, p->npy.columns, &bytes) ||
        __builtin_mul_overflow(bytes, (uint64_t)lod_dtype_bytes(p->npy.dtype), &bytes) ||
        bytes > INT64_MAX) {
        return fail(p, -E2BIG, "its shape is larger than 2^63 bytes");
    }
    p->npy.data_bytes = bytes;
    return 0;
}

int lod_npy_parse(struct lod_span header, struct lod_npy *ret_npy, const char **ret_why,
                  uint32_t *ret_byte)
{
    struct parser p = {.start = header.at, .at = header.at, .end = header.at + header.bytes};
    int error = lod_npy_header_bytes(header, &p.npy.header_bytes);

    if (error || p.npy.header_bytes != header.bytes) {
        *ret_why = "its header is malformed";
        *ret_byte = 0;
        return error ? error : -EILSEQ;
    }
    p.at += header.at[MAGIC_BYTES] == 1 ? 10 : 12;
    error = take_literal(&p);
    error = error ? error : measure(&p);
    if (error) {
        *ret_why = p.why;
        *ret_byte = (uint32_t)(p.at - p.start);
    } else {
        *ret_npy = p.npy;
    }
    return error;
}
