/* SPDX-License-Identifier: Apache-2.0 */
/* See patches.h. Offsets are those of FORMAT.md. */
#include "patches.h"

#include <string.h>

#include "backend/format.h"

#define BLOCK          4096u
#define SUPER_BYTES    256u
#define HEADER_BYTES   124u
#define PAYLOAD_RANGE  65536u
#define SECTION_RANGES 3u /* of the blocks of a section */

static void add(struct patch_map *map, unsigned file, uint64_t at, uint64_t bytes)
{
    if (map->count < PATCH_RANGES_MAX && bytes) {
        map->ranges[map->count].file = file;
        map->ranges[map->count].at = at;
        map->ranges[map->count].bytes = bytes;
        map->count++;
        map->bytes += bytes;
    }
}

/* Maps the sections of an index from `least` on. */
static void map_sections(const struct mem_store *store, unsigned number, uint32_t least,
                         struct patch_map *map)
{
    const uint8_t *super = store->files[number].data;

    for (unsigned i = 0; i < lod_get_le32(super + 60); i++) {
        const uint8_t *section = super + 96 + (size_t)32 * i;
        uint64_t first = lod_get_le64(section + 8), blocks = lod_get_le64(section + 16);
        for (uint64_t b = 0; b < blocks && b < SECTION_RANGES; b++) {
            if (lod_get_le32(section) >= least) {
                add(map, number, (first + b) * BLOCK, BLOCK - 16);
            }
        }
    }
}

static void map_index(const struct mem_store *store, unsigned number, struct patch_map *map)
{
    add(map, number, 0, SUPER_BYTES);
    map_sections(store, number, 0, map);
}

static void map_record(const struct mem_store *store, unsigned number, struct patch_map *map)
{
    const struct mem_file *file = &store->files[number];
    uint64_t metadata = lod_get_le32(file->data + 52);
    uint64_t payload = file->bytes - BLOCK - metadata;

    add(map, number, 0, HEADER_BYTES);
    add(map, number, BLOCK, metadata);
    add(map, number, BLOCK + metadata, payload < PAYLOAD_RANGE ? payload : PAYLOAD_RANGE);
}

/* Maps the input of framed files: rows of samples and sums, and the metadata with paths. */
static void map_samples(const struct mem_store *store, struct patch_map *map)
{
    for (unsigned i = 0; i < store->count; i++) {
        const struct mem_file *file = &store->files[i];
        if (strcmp(file->name, "index") == 0) {
            map_sections(store, i, LOD_SECTION_SUMS, map);
        } else if (strchr(file->name, '.') && !strstr(file->name, ".json")) {
            add(map, i, BLOCK, lod_get_le32(file->data + 52));
        }
    }
}

void patches_map(const struct mem_store *store, const char *what, struct patch_map *ret_map)
{
    *ret_map = (struct patch_map){0};
    if (strcmp(what, "samples") == 0) {
        map_samples(store, ret_map);
        return;
    }
    for (unsigned i = 0; i < store->count; i++) {
        const char *dot = strrchr(store->files[i].name, '.');
        if (strcmp(what, store->files[i].name) == 0) {
            map_index(store, i, ret_map);
        } else if (dot && strcmp(dot + 1, what) == 0) {
            map_record(store, i, ret_map);
        }
    }
}

static void patch(const struct patch_map *map, struct mem_store *store, uint64_t place,
                  struct lod_span bytes)
{
    unsigned i = 0;

    for (place %= map->bytes; place >= map->ranges[i].bytes; i++) {
        place -= map->ranges[i].bytes;
    }
    uint64_t left = map->ranges[i].bytes - place;
    memcpy(store->files[map->ranges[i].file].data + map->ranges[i].at + place, bytes.at,
           bytes.bytes < left ? bytes.bytes : (size_t)left);
}

void patches_apply(const struct patch_map *map, struct mem_store *store, struct lod_span input)
{
    struct lod_cursor c = lod_cursor(input.at, input.bytes);

    while (map->bytes && c.left > 4) {
        uint64_t place = lod_take_le(&c, 3);
        size_t bytes = lod_take_u8(&c) % 9u;
        bytes = bytes < c.left ? bytes : c.left;
        patch(map, store, place, (struct lod_span){.at = lod_take(&c, bytes), .bytes = bytes});
    }
}
