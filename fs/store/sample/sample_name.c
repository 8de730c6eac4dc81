/* SPDX-License-Identifier: Apache-2.0 */
/* See sample_name.h. */
#include "sample/sample_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t lod_stem_first(const char *name, size_t bytes)
{
    const char *dot = memchr(name, '.', bytes);

    return dot ? (size_t)(dot - name) : bytes;
}

size_t lod_stem_last(const char *name, size_t bytes)
{
    const char *dot = memrchr(name, '.', bytes);

    return dot ? (size_t)(dot - name) : bytes;
}

size_t lod_framed_name(enum lod_sample_form form, const char *path, size_t bytes, uint32_t item,
                       const char *kind, char into[LOD_FRAMED_NAME_MAX], size_t *ret_stem)
{
    const char *slash = memrchr(path, '/', bytes);
    const size_t name = slash ? (size_t)(slash - path) + 1 : 0;
    size_t stem = name + lod_stem_last(path + name, bytes - name), at;

    if (stem == name) {
        stem = bytes; /* a hidden file: its only dot is the first byte */
    }
    memcpy(into, path, stem);
    for (size_t i = name; i < stem && form != LOD_SAMPLE_PLAIN; i++) {
        into[i] = into[i] == '.' ? '_' : into[i];
    }
    at = stem;
    if (form == LOD_SAMPLE_NUMBERED) {
        at += (size_t)snprintf(into + at, 12, "-%" PRIu32, item);
    }
    *ret_stem = at;
    if (stem == bytes) {
        memcpy(into + at, kind, strlen(kind));
        return at + strlen(kind);
    }
    memcpy(into + at, path + stem, bytes - stem);
    return at + bytes - stem;
}
