/* SPDX-License-Identifier: Apache-2.0 */
/* An index damaged by accident and on purpose: errors at the damage, right answers elsewhere. */
#include <criterion/criterion.h>
#include <errno.h>

#include "tree_fixture.h"

/* Damage to one block: its rows fail, and all others are found with right answers. */
Test(index_damage, a_damaged_block_affects_only_its_rows)
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

Test(index_damage, truncated_anywhere_is_refused)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 50);
    struct lod_index *index;
    const char *bad;
    struct lod_why why = {.text = ""};

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    for (uint64_t bytes = tree->manifest.index_bytes; bytes > 0;) {
        bytes -= bytes > tree->manifest.index_bytes - 4096 || bytes < 5000 ? 1 : 999;
        cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
        cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why), -EIO);
    }
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}

/* Every bit of the superblock is under the manifest's hash. */
Test(index_damage, a_flipped_superblock_is_refused)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 50);
    struct lod_index *index;
    const char *bad;
    struct lod_why why = {.text = ""};

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    for (uint64_t at = 0; at < LOD_BLOCK_BYTES; at++) {
        fixture_flip(f.dir_fd, "index", at, (unsigned)at % 8);
        cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why), -EBADMSG);
        fixture_flip(f.dir_fd, "index", at, (unsigned)at % 8);
    }
    free_tree(tree);
    fixture_destroy(&f);
}

/* Reads everything; every call ends with an answer or an error. */
static void touch_all(struct lod_index *index)
{
    char target[LOD_TARGET_MAX + 1], name[LOD_NAME_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];
    struct lod_node node, child;
    struct lod_record_desc recd;
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

/*
 * Extreme integers under right hashes are refused or bounded, without a report of the sanitizers.
 */
Test(index_damage, resealed_extremes_are_refused_or_bounded, .timeout = 120)
{
    static const uint64_t extremes[] = {0,          1,          0x7fffffff,       0x80000000,
                                        0xffffffff, UINT64_MAX, (uint64_t)1 << 63};
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(11, 12);
    const char *bad;
    struct lod_why why = {.text = ""};

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
                int error = lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why);
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

Test(index_damage, an_unknown_feature_is_refused_by_its_bit)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 5);
    uint8_t super[LOD_BLOCK_BYTES];
    struct lod_index *index;
    const char *bad;
    struct lod_why why = {.text = ""};

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    lod_put_le64(super + 16, 1ull << 37);
    put_sealed(fd, 0, super, tree);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
    cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why), -ENOTSUP);
    cr_assert_not_null(strstr(why.text, "feature bit 37"));

    lod_put_le64(super + 16, 0);
    lod_put_le64(super + 24, UINT64_MAX); /* unknown compatible features are ignored */
    put_sealed(fd, 0, super, tree);
    cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
    tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
    cr_assert_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why), 0);
    lod_index_close(index);
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}

/* A valid block in the place of another one. */
Test(index_damage, misplaced_blocks_are_refused)
{
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(8, 600);
    uint8_t first[LOD_BLOCK_BYTES], second[LOD_BLOCK_BYTES];
    const off_t at = LOD_SECTION_ALIGN, next = LOD_SECTION_ALIGN + LOD_BLOCK_BYTES;
    struct lod_node node;
    const char *bad;

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    cr_assert_eq(pread(fd, first, sizeof(first), at), (ssize_t)sizeof(first));
    cr_assert_eq(pread(fd, second, sizeof(second), next), (ssize_t)sizeof(second));
    cr_assert_eq(pwrite(fd, first, sizeof(first), next), (ssize_t)sizeof(first));
    cr_assert_eq(pwrite(fd, second, sizeof(second), at), (ssize_t)sizeof(second));
    struct lod_index *index = open_tree(&f, tree);
    cr_assert_eq(lod_index_node(index, 0, &node), -EBADMSG);
    cr_assert_eq(lod_index_node(index, 127, &node), -EBADMSG);
    cr_assert_eq(lod_index_node(index, 254, &node), 0);
    lod_index_close(index);

    cr_assert_eq(pwrite(fd, first, sizeof(first), at + LOD_SECTION_ALIGN), (ssize_t)sizeof(first));
    uint8_t row[LOD_ROW_BYTES];
    index = open_tree(&f, tree);
    cr_assert_eq(lod_index_item(index, 0, row), -EBADMSG, "a block of another section");
    lod_index_close(index);
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}

/* The section table, one field at a time, under right hashes. */
Test(index_damage, sections_outside_the_file_or_of_another_length_are_refused)
{
    static const struct {
        unsigned section, at, bytes;
        uint64_t value;
    } edits[] = {{3, 16, 8, 200}, {3, 16, 8, UINT64_MAX}, {3, 8, 8, 8000}, {3, 8, 8, 65},
                 {3, 8, 8, 0},    {3, 8, 8, 1ull << 60},  {0, 16, 8, 2},   {0, 24, 8, 51},
                 {0, 4, 4, 31},   {1, 24, 8, 0},          {1, 0, 4, 1},    {2, 0, 4, 9},
                 {2, 0, 4, 0},    {3, 24, 8, 1},          {4, 0, 4, 1},    {4, 4, 4, 8},
                 {4, 24, 8, 40},  {5, 24, 8, 1},          {5, 16, 8, 2},   {5, 0, 4, 9}};
    struct fixture f = fixture_create();
    struct tree *tree = random_tree(3, 50);
    uint8_t good[LOD_BLOCK_BYTES], super[LOD_BLOCK_BYTES];
    struct lod_index *index;
    const char *bad;
    struct lod_why why = {.text = ""};

    cr_assert_eq(write_tree(&f, tree, &bad), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    cr_assert_eq(pread(fd, good, sizeof(good), 0), (ssize_t)sizeof(good));
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        memcpy(super, good, sizeof(super));
        lod_put_le(super + 96 + edits[i].section * 32 + edits[i].at, edits[i].bytes,
                   edits[i].value);
        put_sealed(fd, 0, super, tree);
        cr_assert_eq(pread(fd, super, sizeof(super), 0), (ssize_t)sizeof(super));
        tree->manifest.index_hash = lod_hash64(super, sizeof(super), 0);
        cr_expect_eq(lod_index_open(f.store, &tree->manifest, 1 << 20, &index, &why), -EILSEQ,
                     "case %zu", i);
    }
    close(fd);
    free_tree(tree);
    fixture_destroy(&f);
}
