/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of containers; see containers.h. container_walk.c has the steps of a walk. */
#include "pack/container/containers.h"

#include <string.h>

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
