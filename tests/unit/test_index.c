/* SPDX-License-Identifier: Apache-2.0 */
/* The index, written and read, against a simple list of entries. */
#include <criterion/criterion.h>
#include <errno.h>

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

static uint32_t random_below(uint32_t limit)
{
    seed_state = seed_state * 1664525u + 1013904223u;
    return (seed_state >> 8) % limit;
}

/* Names of bytes that sort on both sides of '/', of every length. */
static void random_name(char *name)
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

static bool taken(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strcmp(tree->entries[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static void add(struct tree *tree, const char *path, uint16_t kind)
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

static struct tree *random_tree(uint32_t seed, size_t count)
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

/* One record of as many empty raw items as the tree has files, and one for a tree list. */
static void make_record(struct tree *tree)
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

static int write_tree(struct fixture *f, struct tree *tree, const char **ret_bad)
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

static struct lod_index *open_tree(struct fixture *f, const struct tree *tree)
{
    struct lod_index *index = NULL;
    char why[200] = "";

    cr_assert_eq(lod_index_open(f->store, &tree->manifest, 1 << 20, &index, why, sizeof(why)), 0,
                 "%s", why);
    return index;
}

static void free_tree(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free((void *)(uintptr_t)tree->entries[i].path);
        free((void *)(uintptr_t)tree->entries[i].target);
    }
    free(tree->rows);
    free(tree);
}

/* Walks `path` by lookups. */
static int walk(struct lod_index *index, const char *path, struct lod_node *ret_node)
{
    int error = lod_index_node(index, 0, ret_node);

    while (!error && *path) {
        size_t bytes = strcspn(path, "/");
        error = lod_index_lookup(index, ret_node, path, bytes, ret_node);
        path += bytes + (path[bytes] == '/');
    }
    return error;
}

static void check_entry(struct lod_index *index, const struct lod_entry *entry)
{
    char target[LOD_TARGET_MAX + 1], name[LOD_NAME_MAX + 1];
    const char *slash = strrchr(entry->path, '/');
    uint8_t row[LOD_ROW_BYTES];
    struct lod_node node;

    cr_assert_eq(walk(index, entry->path, &node), 0);
    cr_assert_eq(node.mode, entry->mode);
    cr_assert_eq(node.mtime, entry->mtime);
    cr_assert_eq(node.flags, entry->flags);
    cr_assert_eq(lod_index_name(index, &node, name), 0);
    cr_assert_str_eq(name, slash ? slash + 1 : entry->path);
    if (S_ISREG(entry->mode)) {
        cr_assert_eq(node.ref, entry->item);
        cr_assert_eq(lod_index_item(index, node.ref, row), 0);
        cr_assert_eq(lod_row_own_node(row), node.number);
    } else if (S_ISLNK(entry->mode)) {
        cr_assert_eq(lod_index_target(index, &node, target), 0);
        cr_assert_str_eq(target, entry->target);
    }
}

/* Numbers are breadth first: parents never decrease, children ascend by memcmp of names. */
static void check_numbering(struct lod_index *index)
{
    struct lod_node node, before, parent;
    char name[LOD_NAME_MAX + 1], name_before[LOD_NAME_MAX + 1];

    cr_assert_eq(lod_index_node(index, 0, &before), 0);
    for (uint32_t i = 1; i < lod_index_nodes(index); i++) {
        cr_assert_eq(lod_index_node(index, i, &node), 0);
        cr_assert_eq(lod_index_name(index, &node, name), 0);
        cr_assert_eq(lod_index_node(index, node.parent, &parent), 0);
        cr_assert(i >= parent.ref && i - parent.ref < parent.count);
        cr_assert_geq(node.parent, before.parent);
        if (i > 1 && node.parent == before.parent) {
            cr_assert_lt(strcmp(name_before, name), 0);
        }
        strcpy(name_before, name);
        before = node;
    }
    cr_assert_eq(lod_index_node(index, lod_index_nodes(index), &node), -ENOENT);
}

Test(index, random_trees_come_back)
{
    struct fixture f = fixture_create();
    static const size_t counts[] = {1, 2, 3, 127, 128, 700, 3000};
    const char *bad;

    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct tree *tree = random_tree(i, counts[i]);
        cr_assert_eq(write_tree(&f, tree, &bad), 0);
        struct lod_index *index = open_tree(&f, tree);
        cr_assert_eq(lod_index_nodes(index), tree->count);
        for (size_t e = 0; e < tree->count; e++) {
            check_entry(index, &tree->entries[e]);
        }
        check_numbering(index);
        lod_index_close(index);
        free_tree(tree);
    }
    fixture_destroy(&f);
}

Test(index, names_that_are_not_there)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(5, 500);
    struct lod_node root, node;
    const char *bad;

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    struct lod_index *index = open_tree(&f, tree);
    cr_assert_eq(lod_index_node(index, 0, &root), 0);
    cr_assert_eq(lod_index_lookup(index, &root, "", 0, &node), -ENOENT);
    cr_assert_eq(lod_index_lookup(index, &root, ".", 1, &node), -ENOENT);
    cr_assert_eq(lod_index_lookup(index, &root, "\xff\xff\xff\xff\xff\xff", 6, &node), -ENOENT);
    for (int i = 0; i < 500; i++) {
        char name[NAMES_MAX + 1];
        random_name(name);
        int expected = taken(tree, name) ? 0 : -ENOENT;
        cr_assert_eq(lod_index_lookup(index, &root, name, strlen(name), &node), expected);
        if (expected == 0 && !S_ISDIR(node.mode)) {
            cr_assert_eq(lod_index_lookup(index, &node, "x", 1, &node), -ENOTDIR);
        }
    }
    lod_index_close(index);
    free_tree(tree);
    fixture_destroy(&f);
}

/* A tree of the paths given, "!" before a symlink, "/" behind a folder. */
static int write_paths(struct fixture *f, const char *const *paths, const char **ret_bad)
{
    struct tree *tree = calloc(1, sizeof(*tree));
    static char bad[64];

    for (; *paths; paths++) {
        char path[64];
        size_t bytes = strlen(*paths);
        strcpy(path, *paths);
        bool folder = bytes == 0 || path[bytes - 1] == '\\';
        path[folder && bytes ? bytes - 1 : bytes] = '\0';
        add(tree, path, folder ? S_IFDIR : S_IFREG);
    }
    int error = write_tree(f, tree, ret_bad);
    if (error) {
        snprintf(bad, sizeof(bad), "%s", *ret_bad);
        *ret_bad = bad;
    }
    free_tree(tree);
    return error;
}

Test(index, what_is_no_tree_is_refused_by_name)
{
    struct fixture f = fixture_create();
    static const struct {
        const char *paths[5];
        int error;
        const char *bad;
    } cases[] = {
        {{"", "a", "b"}, 0, ""},
        {{"", "a", "b", "a"}, -EEXIST, "a"},
        {{"", "a\\", "a"}, -EEXIST, "a"},
        {{"", "a/b"}, -ENOTDIR, "a/b"},
        {{"", "a", "a/b"}, -ENOTDIR, "a/b"},
        {{"", "a\\", "a/b\\", "ab/c"}, -ENOTDIR, "ab/c"},
        {{"a", "b"}, -ENOTDIR, "a"},
        {{"", ".."}, -EINVAL, ".."},
        {{"", "a\\", "a/."}, -EINVAL, "a/."},
        {{"", "a\\", "a//b"}, -EINVAL, "a//b"},
        {{"", "/a"}, -EINVAL, "/a"},
        {{"", "a/"}, -EINVAL, "a/"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *bad = "";
        cr_assert_eq(write_paths(&f, cases[i].paths, &bad), cases[i].error, "case %zu", i);
        if (cases[i].error) {
            cr_assert_str_eq(bad, cases[i].bad);
        }
    }
    fixture_destroy(&f);
}

Test(index, two_owners_of_an_item_are_refused_and_aliases_are_not)
{
    struct fixture f = fixture_create();
    struct tree *tree = calloc(1, sizeof(*tree));
    const char *bad = "";

    add(tree, "", S_IFDIR);
    add(tree, "a", S_IFREG);
    add(tree, "b", S_IFREG);
    tree->entries[2].item = 0;
    cr_assert_eq(write_tree(&f, tree, &bad), -EINVAL);
    cr_assert_str_eq(bad, "b");
    tree->entries[2].flags = LOD_NODE_ALIAS;
    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    tree->entries[2].item = 3;
    cr_assert_eq(write_tree(&f, tree, &bad), -EINVAL);
    free_tree(tree);
    fixture_destroy(&f);
}

Test(index, every_item_has_its_record)
{
    struct fixture f = fixture_create();
    enum { RECORDS = 100 };
    struct lod_entry_record records[RECORDS];
    struct lod_entry root = {.path = "", .mode = S_IFDIR | 0755};
    struct tree tree = {.manifest = {.store_id = {9, 9}, .records = RECORDS}};
    uint8_t *rows = calloc(RECORDS, LOD_ROW_BYTES);
    const char *bad;

    make_record(&tree);
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i] = tree.record;
        records[i].rows = rows;
        records[i].recd.items = 1 + i % 7;
        records[i].recd.metadata_bytes = 1000;
        records[i].recd.group_bytes[0] = i;
        records[i].recd.file_bytes = LOD_RECORD_HEADER + 1000 + i;
        tree.manifest.items += records[i].recd.items;
        snprintf(records[i].recd.path, sizeof(records[i].recd.path), "7/%06u.raw", i);
    }
    struct lod_index_input input = {.entries = &root,
                                    .entries_count = 1,
                                    .records = records,
                                    .records_count = RECORDS,
                                    .store_id = {9, 9}};
    cr_assert_eq(lod_index_write(f.dir_fd, &input, &tree.manifest.index_bytes,
                                 &tree.manifest.index_hash, &bad),
                 0);
    struct lod_index *index = open_tree(&f, &tree);
    uint32_t item = 0;
    struct lod_recd recd;
    for (uint32_t i = 0; i < RECORDS; i++) {
        for (uint32_t k = 0; k < records[i].recd.items; k++, item++) {
            cr_assert_eq(lod_index_record_of(index, item, &recd), 0);
            cr_assert_eq(recd.number, i);
            cr_assert_eq(recd.first_item, item - k);
            cr_assert_eq(recd.group_bytes[0], i);
            cr_assert_str_eq(recd.path, records[i].recd.path);
        }
    }
    cr_assert_eq(lod_index_record_of(index, item, &recd), -ENOENT);
    lod_index_close(index);
    free(rows);
    free(tree.rows);
    fixture_destroy(&f);
}

/* Damage to one block: what is in it fails, all else is found; nothing is wrong or missing. */
Test(index, a_damaged_block_costs_only_itself)
{
    struct fixture f = fixture_create();
    struct tree *tree = calloc(1, sizeof(*tree));
    const char *bad;
    char name[16];

    add(tree, "", S_IFDIR);
    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof(name), "name%05d", i * 2);
        add(tree, name, S_IFREG);
    }
    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    uint64_t blocks = tree->manifest.index_bytes / LOD_BLOCK_BYTES;
    for (uint64_t block = LOD_SECTION_ALIGN / LOD_BLOCK_BYTES; block < blocks; block++) {
        fixture_flip(f.dir_fd, "index", block * LOD_BLOCK_BYTES + 77, 3);
        struct lod_index *index = open_tree(&f, tree);
        struct lod_node root, node;
        unsigned lost = 0;
        if (lod_index_node(index, 0, &root) == 0) {
            for (int i = -1; i < 3001; i++) {
                snprintf(name, sizeof(name), "name%05d", i);
                int error = lod_index_lookup(index, &root, name, strlen(name), &node);
                if (i < 0 || i > 2998 || i % 2) {
                    cr_assert(error == -ENOENT || error == -EBADMSG);
                } else {
                    cr_assert(error == 0 || error == -EBADMSG, "%s: %d", name, error);
                    lost += error != 0;
                }
            }
            cr_assert_leq(lost, 4080 / 9 + 1);
        }
        lod_index_close(index);
        fixture_flip(f.dir_fd, "index", block * LOD_BLOCK_BYTES + 77, 3);
    }
    free_tree(tree);
    fixture_destroy(&f);
}

Test(index, truncated_anywhere_is_refused)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 50);
    struct lod_index *index;
    const char *bad;
    char why[200];

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    for (uint64_t bytes = tree->manifest.index_bytes; bytes > 0;) {
        bytes -= bytes > tree->manifest.index_bytes - 4096 || bytes < 5000 ? 1 : 999;
        cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
        cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, why, sizeof(why)),
                     -EIO);
    }
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}

/* Every bit of the superblock is under the manifest's hash. */
Test(index, a_flipped_superblock_is_refused)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 50);
    struct lod_index *index;
    const char *bad;
    char why[200];

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    for (uint64_t at = 0; at < LOD_BLOCK_BYTES; at++) {
        fixture_flip(f.dir_fd, "index", at, (unsigned)at % 8);
        cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, why, sizeof(why)),
                     -EBADMSG);
        fixture_flip(f.dir_fd, "index", at, (unsigned)at % 8);
    }
    free_tree(tree);
    fixture_destroy(&f);
}

/* Reads everything there is; every call ends with an answer or an error. */
static void touch_all(struct lod_index *index)
{
    char target[LOD_TARGET_MAX + 1], name[LOD_NAME_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];
    struct lod_node node, child;
    struct lod_recd recd;
    uint64_t nodes = lod_index_nodes(index), items = lod_index_items(index);

    for (uint32_t i = 0; i < nodes && i < 100; i++) {
        if (lod_index_node(index, i, &node) == 0) {
            (void)!lod_index_name(index, &node, name);
            (void)!lod_index_target(index, &node, target);
            (void)!lod_index_lookup(index, &node, "a", 1, &child);
            (void)!lod_index_lookup(index, &node, "zz", 2, &child);
        }
    }
    for (uint32_t i = 0; i < items && i < 100; i++) {
        (void)!lod_index_item(index, i, row);
        (void)!lod_index_record_of(index, i, &recd);
    }
    (void)!lod_index_node(index, UINT32_MAX, &node);
    (void)!lod_index_item(index, UINT32_MAX, row);
    (void)!lod_index_record(index, UINT32_MAX, &recd);
}

static void put_sealed(int fd, uint64_t block, const uint8_t *bytes, const struct tree *tree)
{
    uint8_t sealed[LOD_BLOCK_BYTES];

    memcpy(sealed, bytes, sizeof(sealed));
    uint64_t hash = lod_hash64(sealed, LOD_BLOCK_BYTES - 8, tree->manifest.store_id.low);
    lod_put_le64(sealed + LOD_BLOCK_BYTES - 8, hash);
    cr_assert_eq(pwrite(fd, sealed, sizeof(sealed), (off_t)(block * LOD_BLOCK_BYTES)),
                 (ssize_t)sizeof(sealed));
}

/* Extreme integers under right hashes: refused or bounded, under the sanitizers without a report.
 */
Test(index, resealed_extremes_are_refused_or_bounded, .timeout = 120)
{
    static const uint64_t extremes[] = {0,          1,          0x7fffffff,       0x80000000,
                                        0xffffffff, UINT64_MAX, (uint64_t)1 << 63};
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(11, 12);
    const char *bad;
    char why[200];

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    struct lod_manifest good_manifest = tree->manifest;
    int fd = openat(f.dir_fd, "index", O_RDWR);
    for (uint64_t block = 0; block < tree->manifest.index_bytes / LOD_BLOCK_BYTES; block++) {
        uint8_t good[LOD_BLOCK_BYTES], broken[LOD_BLOCK_BYTES];
        cr_assert_eq(pread(fd, good, sizeof(good), (off_t)(block * LOD_BLOCK_BYTES)),
                     (ssize_t)sizeof(good));
        if (block != 0 && block % 16 != 0) {
            continue; /* between sections */
        }
        for (size_t at = 0; at<400; at += at> 128 ? 2 : 1) {
            for (size_t i = 0; i < 9; i++) {
                unsigned width = i % 3 == 0 ? 8 : i % 3 == 1 ? 4 : 2;
                uint64_t was = lod_get_le(good + at, width);
                memcpy(broken, good, sizeof(good));
                lod_put_le(broken + at, width, i < 7 ? extremes[i] : i == 7 ? was + 1 : was - 1);
                put_sealed(fd, block, broken, tree);
                tree->manifest = good_manifest;
                if (block == 0) {
                    uint8_t super[LOD_BLOCK_BYTES];
                    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
                    tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
                    tree->manifest.items = lod_get_le32(super + 52);
                    tree->manifest.records = lod_get_le32(super + 56);
                }
                struct lod_index *index;
                int error =
                    lod_index_open(f.store, &tree->manifest, 1 << 20, &index, why, sizeof(why));
                cr_assert(error == 0 || error == -EILSEQ || error == -ENOTSUP);
                if (!error) {
                    touch_all(index);
                    lod_index_close(index);
                }
            }
        }
        cr_assert_eq(pwrite(fd, good, sizeof(good), (off_t)(block * LOD_BLOCK_BYTES)),
                     (ssize_t)sizeof(good));
    }
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}

Test(index, an_unknown_feature_is_refused_by_its_bit)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 5);
    uint8_t super[LOD_BLOCK_BYTES];
    struct lod_index *index;
    const char *bad;
    char why[200];

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    lod_put_le64(super + 16, 1ull << 37);
    put_sealed(fd, 0, super, tree);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
    cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, why, sizeof(why)),
                 -ENOTSUP);
    cr_assert_not_null(strstr(why, "feature bit 37"));

    lod_put_le64(super + 16, 0);
    lod_put_le64(super + 24, UINT64_MAX); /* compatible ones are nobody's business */
    put_sealed(fd, 0, super, tree);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
    cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, why, sizeof(why)), 0);
    lod_index_close(index);
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}
