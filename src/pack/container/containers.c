/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of containers, and what their walkers share; see containers.h. */
#include "pack/container/containers.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "text.h"

static const struct lod_container *const containers[] = {
    &lod_container_tar, &lod_container_tfrecord, &lod_container_recordio};

const struct lod_container *lod_container_at(unsigned index)
{
    return index < sizeof(containers) / sizeof(containers[0]) ? containers[index] : NULL;
}

const char *lod_container_unpacker(const uint8_t *head, size_t bytes)
{
    static const struct {
        const char *magic, *command;
    } compressed[] = {
        {"\x1f\x8b", "zcat"},
        {"\x28\xb5\x2f\xfd", "zstdcat"},
        {"BZh", "bzcat"},
        {"\xfd"
         "7zXZ",
         "xzcat"},
        {"\x04\x22\x4d\x18", "lz4cat"},
    };

    for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++) {
        const size_t length = strlen(compressed[i].magic);
        if (bytes >= length && memcmp(head, compressed[i].magic, length) == 0) {
            return compressed[i].command;
        }
    }
    return NULL;
}

int lod_container_refuse(struct lod_container_walk *walk, uint64_t at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    lod_vformat(walk->why, sizeof(walk->why), format, arguments);
    va_end(arguments);
    walk->why_at = at;
    return -EILSEQ;
}

int lod_container_take(struct lod_container_walk *walk, uint64_t offset, size_t bytes,
                       const uint8_t **ret_at)
{
    const struct lod_container_input *input = walk->input;

    if (offset > input->bytes || bytes > input->bytes - offset) {
        return lod_container_refuse(walk, walk->at, "the file ends inside of it, and is cut");
    }
    return lod_container_input_at(walk->input, offset, bytes, ret_at);
}
