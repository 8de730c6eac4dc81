/* SPDX-License-Identifier: Apache-2.0 */
/* See payload_name.h. */
#include "pack/container/payload_name.h"

#include <string.h>

static const struct {
    const char *magic;
    size_t magic_bytes;
    const char *ending;
} kinds[] = {
    {"\xff\xd8\xff", 3, ".jpg"}, {"\x89PNG\r\n\x1a\n", 8, ".png"},
    {"GIF8", 4, ".gif"},         {"BM", 2, ".bmp"},
    {"P4", 2, ".pbm"},           {"P5", 2, ".pgm"},
    {"P6", 2, ".ppm"},           {"\x93NUMPY", 6, ".npy"},
};

const char *lod_payload_ending(const uint8_t *head, size_t bytes)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (bytes >= kinds[i].magic_bytes &&
            memcmp(head, kinds[i].magic, kinds[i].magic_bytes) == 0) {
            return kinds[i].ending;
        }
    }
    return bytes >= 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0 ? ".webp"
                                                                                           : "";
}

size_t lod_payload_folder(const char *path, size_t bytes)
{
    const char *slash = memrchr(path, '/', bytes);

    return slash ? (size_t)(slash + 1 - path) : 0;
}

size_t lod_payload_stem(const char *path, size_t bytes)
{
    for (size_t at = bytes; at > 0 && path[at - 1] != '/'; at--) {
        if (path[at - 1] == '.') {
            return at > 1 && path[at - 2] != '/' ? at - 1 : bytes;
        }
    }
    return bytes;
}
