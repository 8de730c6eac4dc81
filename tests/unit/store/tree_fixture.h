/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees as entries of an index, written and opened. Each test is a process of its own. */
#ifndef LOD_TREE_FIXTURE_H
#define LOD_TREE_FIXTURE_H

#include <stdbool.h>

#include "store_fixture.h"

#define ENTRIES_MAX 3000
#define NAMES_MAX   40

struct tree {
    struct lod_entry entries[ENTRIES_MAX];
    size_t count;
    uint32_t items;
    uint8_t *rows;
    struct lod_entry_record record;
    struct lod_manifest manifest;
};

static uint32_t seed_state;

static inline uint32_t random_below(uint32_t limit)
{
    seed_state = seed_state * 1664525u + 1013904223u;
    return (seed_state >> 8) % limit;
}

/* Returns names of bytes that sort before and after '/', of every length. */
static inline void random_name(char *name)
{
    static const char bytes[] = "\x01 !-./09AZaz\x7f\x80\xff";
    size_t length = 1 + random_below(random_below(8) ? 4 : NAMES_MAX - 1);

    do {
        for (size_t i = 0; i < length; i++) {
            do {
                name[i] = bytes[random_below(sizeof(bytes) - 1)];
            } while (name[i] == '/');
        }
        name[length] = '\0';
    } while (strcmp(name, ".") == 0 || strcmp(name, "..") == 0);
}

static inline bool taken(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strcmp(tree->entries[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static inline void add(struct tree *tree, const char *path, uint16_t kind)
{
    struct lod_entry *entry = &tree->entries[tree->count++];

    *entry = (struct lod_entry){
        .path = strdup(path),
        .mode = (uint16_t)(kind | random_below(0777)),
        .mtime = ((int64_t)random_below(1u << 30) - (1 << 29)) * (1 << 30) + random_below(1000000),
    };
    if (kind == S_IFLNK) {
        entry->target = strdup("../somewhere/else");
    } else if (kind == S_IFREG) {
        entry->item = tree->items++;
    }
}

static inline struct tree *random_tree(uint32_t seed, size_t count)
{
    static const uint16_t kinds[] = {S_IFDIR, S_IFREG, S_IFREG, S_IFLNK};
    struct tree *tree = calloc(1, sizeof(*tree));
    char path[LOD_PATH_MAX + 1], name[NAMES_MAX + 1];

    seed_state = seed;
    add(tree, "", S_IFDIR);
    while (tree->count < count) {
        const struct lod_entry *folder = &tree->entries[random_below((uint32_t)tree->count)];
        random_name(name);
        snprintf(path, sizeof(path), "%s%s%s", folder->path, folder->path[0] ? "/" : "", name);
        if (S_ISDIR(folder->mode) && !taken(tree, path)) {
            add(tree, path, kinds[random_below(4)]);
        }
    }
    for (size_t i = tree->count - 1; i > 0; i--) {
        size_t j = random_below((uint32_t)i + 1);
        struct lod_entry swap = tree->entries[i];
        tree->entries[i] = tree->entries[j];
        tree->entries[j] = swap;
    }
    return tree;
}

/* Returns one record of as many empty raw items as the tree has files, and one for a tree list. */
static inline void make_record(struct tree *tree)
{
    uint32_t items = tree->items + 1;

    tree->rows = calloc(items, LOD_ROW_BYTES);
    tree->record = (struct lod_entry_record){
        .rows = tree->rows,
        .recd = {.items = items,
                 .codec = LOD_CODEC_RAW,
                 .groups = 1,
                 .frame_shift = 16,
                 .metadata_bytes = items * 100,
                 .file_bytes = LOD_RECORD_HEADER + items * 100,
                 .id = {1, 2},
                 .cut = 7,
                 .path = "000000.raw"},
    };
}

static inline int write_tree(struct fixture *f, struct tree *tree, const char **ret_bad)
{
    if (!tree->rows) {
        make_record(tree);
    }
    struct lod_index_input input = {
        .entries = tree->entries,
        .entries_count = tree->count,
        .records = &tree->record,
        .records_count = 1,
        .store_id = {0x1234, 0x5678},
        .source_bytes = 99,
    };
    tree->manifest = (struct lod_manifest){
        .store_id = input.store_id, .records = 1, .items = tree->items + 1, .source_bytes = 99};
    return lod_index_write(f->dir_fd, &input, &tree->manifest.index_bytes,
                           &tree->manifest.index_hash, ret_bad);
}

static inline struct lod_index *open_tree(struct fixture *f, const struct tree *tree)
{
    struct lod_index *index = NULL;
    struct lod_why why = {.text = ""};

    cr_assert_eq(lod_index_open(f->store, &tree->manifest, 1 << 20, &index, &why), 0, "%s",
                 why.text);
    return index;
}

static inline void free_tree(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free((void *)(uintptr_t)tree->entries[i].path);
        free((void *)(uintptr_t)tree->entries[i].target);
    }
    free(tree->rows);
    free(tree);
}

#endif
