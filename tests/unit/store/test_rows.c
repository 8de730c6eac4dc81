/* SPDX-License-Identifier: Apache-2.0 */
/* Each field of NODE and RECD at the ends of its legal range of FORMAT.md, and past them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "index/rows.h"

static const struct lod_totals totals = {.nodes = 100, .items = 50, .records = 3, .name_blocks = 2};

static const struct lod_node folder = {
    .number = 7, .parent = 6, .ref = 90, .count = 10, .mode = S_IFDIR | 0755, .name_bytes = 3};
static const struct lod_node file = {
    .number = 7, .parent = 3, .ref = 49, .mode = S_IFREG | 0644, .name_bytes = 255, .flags = 7};
static const struct lod_node symlink_node = {
    .number = 7, .count = 3825, .mode = S_IFLNK | 0777, .name_bytes = 255};
static const struct lod_node root = {.ref = 1, .count = 9, .mode = S_IFDIR | 0700};

/* The node's row with `bytes` bytes at `at` set to `value`. */
static int take(const struct lod_node *node, unsigned at, unsigned bytes, uint64_t value)
{
    uint8_t row[LOD_NODE_ROW_BYTES];
    struct lod_node taken;

    lod_node_put(node, row);
    lod_put_le(row + at, bytes, value);
    int error = lod_node_take(row, node->number, &totals, &taken);
    cr_assert(error == 0 || error == -EILSEQ);
    return error;
}

struct edit {
    const struct lod_node *node;
    unsigned at, bytes;
    uint64_t good, bad;
};

Test(rows, node_fields_have_the_limits_of_the_format)
{
    static const struct edit edits[] = {
        {&folder, 0, 4, 0, 7},                          /* parent below own number */
        {&folder, 0, 4, 6, UINT32_MAX},                 /* .. */
        {&folder, 4, 4, 90, 91},                        /* children end at the last node */
        {&folder, 4, 4, 8, 7},                          /* .. and start after the folder */
        {&folder, 8, 4, 10, 11},                        /* .. */
        {&folder, 8, 4, 1, UINT32_MAX},                 /* sum past 32 bits */
        {&folder, 8, 4, 10, 0},                         /* an empty folder has first child 0 */
        {&folder, 12, 2, S_IFDIR, S_IFDIR | 01000},     /* no set-id, no sticky bit */
        {&folder, 12, 2, S_IFDIR | 0777, S_IFCHR},      /* three kinds */
        {&folder, 12, 2, S_IFDIR | 0111, 0755},         /* .. */
        {&folder, 14, 1, 1, 0},                         /* a name */
        {&folder, 15, 1, 3, 4},                         /* ALIAS is for files */
        {&folder, 15, 1, 1, 8},                         /* unknown flags */
        {&folder, 16, 6, 4077, 4078},                   /* names do not straddle */
        {&folder, 16, 6, 4096 + 4077, 2 * 4096},        /* .. nor extend past their section */
        {&folder, 16, 6, 4096, 0xffffffffffff},         /* .. */
        {&folder, 22, 2, 0, 1},                         /* reserved */
        {&folder, 24, 4, 999999999, 1000000000},        /* nanoseconds */
        {&folder, 24, 8, UINT64_MAX << 30, UINT64_MAX}, /* the second before 1970, and its ns */
        {&file, 4, 4, 0, 50},                           /* an existing item */
        {&file, 8, 4, 0, 1},                            /* a file has no count */
        {&symlink_node, 4, 4, 0, 1},                    /* refers to nothing */
        {&symlink_node, 8, 4, 1, 0},                    /* has a target */
        {&symlink_node, 8, 4, 3825, 3826},              /* .. of 3,825 at most */
        {&symlink_node, 16, 6, 0, 1},                   /* name and target fill a payload */
        {&root, 0, 4, 0, 1},                            /* its own parent */
        {&root, 14, 1, 0, 1},                           /* no name */
        {&root, 12, 2, S_IFDIR, S_IFREG},               /* a folder */
    };

    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        const struct edit *e = &edits[i];
        cr_expect_eq(take(e->node, e->at, e->bytes, e->good), 0, "case %zu, good", i);
        cr_expect_eq(take(e->node, e->at, e->bytes, e->bad), -EILSEQ, "case %zu, bad", i);
    }
}

Test(rows, nodes_survive_a_round_trip)
{
    static const struct lod_node *const nodes[] = {&folder, &file, &symlink_node, &root};

    for (size_t i = 0; i < 4; i++) {
        uint8_t row[LOD_NODE_ROW_BYTES];
        struct lod_node node = *nodes[i], taken;
        node.mtime = -(int64_t)i * (1ll << 33) + 123456789;
        lod_node_put(&node, row);
        cr_assert_eq(lod_node_take(row, node.number, &totals, &taken), 0);
        cr_assert_eq(memcmp(&taken, &node, sizeof(node)), 0);
    }
}

static struct lod_record_desc photos(void)
{
    struct lod_record_desc recd = {.first_item = 10,
                                   .items = 40,
                                   .codec = LOD_CODEC_PCR,
                                   .frame_shift = 20,
                                   .groups = 12,
                                   .metadata_bytes = 84 * 40,
                                   .file_bytes = 4096 + 84 * 40,
                                   .cut = 5,
                                   .path = "000001.pcr"};

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        recd.group_bytes[g] = 1000 + g;
        recd.file_bytes += 1000 + g;
    }
    return recd;
}

static int take_recd(const struct lod_record_desc *recd, unsigned at, unsigned bytes,
                     uint64_t value)
{
    uint8_t row[LOD_RECORD_DESC_ROW_BYTES];
    struct lod_record_desc_path path;
    struct lod_record_desc taken;

    lod_record_desc_put(recd, 4096, row);
    lod_put_le(row + at, bytes, value);
    return lod_record_desc_take(row, 1, &totals, &taken, &path);
}

Test(rows, record_fields_have_the_limits_of_the_format)
{
    const struct lod_record_desc recd = photos();
    static const struct {
        unsigned at, bytes;
        uint64_t good, bad;
    } edits[] = {
        {0, 4, 10, 11},                /* items end at the last one */
        {0, 4, 0, UINT32_MAX},         /* sum past 32 bits */
        {4, 4, 40, 41},                /* .. */
        {4, 4, 1, 0},                  /* an item at least */
        {8, 1, 1, 0},                  /* groups are the codec's */
        {8, 1, 1, 5},                  /* existing codecs */
        {9, 1, 16, 15},                /* frames */
        {9, 1, 22, 23},                /* .. */
        {10, 2, 12, 11},               /* groups are the codec's */
        {12, 4, 84 * 40, 84 * 40 - 1}, /* sums */
        {16, 8, 0, 0},                 /* replaced below: the file's own size */
        {62, 2, 63, 64},               /* path */
        {62, 2, 1, 0},                 /* .. */
        {64, 4, 1000, 1001},           /* sums */
        {108, 4, 1011, 0},             /* .. */
        {112, 4, UINT32_MAX, 0},       /* replaced below: any cut */
        {116, 1, 0, 1},                /* apart: l3 only */
        {117, 4, 0, 1},                /* reserved */
        {124, 4, 0, 1},                /* .. */
    };

    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        if (edits[i].at == 16) {
            cr_expect_eq(take_recd(&recd, 16, 8, recd.file_bytes), 0);
            cr_expect_eq(take_recd(&recd, 16, 8, recd.file_bytes + 1), -EILSEQ);
            cr_expect_eq(take_recd(&recd, 16, 8, UINT64_MAX), -EILSEQ);
        } else if (edits[i].at == 112) {
            cr_expect_eq(take_recd(&recd, 112, 4, UINT32_MAX), 0);
        } else {
            cr_expect_eq(take_recd(&recd, edits[i].at, edits[i].bytes, edits[i].good), 0,
                         "offset %u, good", edits[i].at);
            cr_expect_eq(take_recd(&recd, edits[i].at, edits[i].bytes, edits[i].bad), -EILSEQ,
                         "offset %u, bad", edits[i].at);
        }
    }
    cr_expect_eq(take_recd(&recd, 8, 1, LOD_CODECS), -EILSEQ, "no codec has this number");
}

/* A single group has no length field: it has the rest of the file, which may not be negative. */
Test(rows, a_single_group_has_the_rest_of_the_file)
{
    struct lod_record_desc recd = photos();

    memset(recd.group_bytes, 0, sizeof(recd.group_bytes));
    recd.codec = LOD_CODEC_RAW;
    recd.groups = 1;
    recd.file_bytes = 4096 + 84 * 40;
    cr_expect_eq(take_recd(&recd, 16, 8, recd.file_bytes), 0);
    cr_expect_eq(take_recd(&recd, 16, 8, recd.file_bytes - 1), -EILSEQ);
    cr_expect_eq(take_recd(&recd, 16, 8, LOD_RECORD_BYTES_MAX), 0);
    cr_expect_eq(take_recd(&recd, 16, 8, LOD_RECORD_BYTES_MAX + 1), -EILSEQ);
    cr_expect_eq(take_recd(&recd, 64, 4, 1), -EILSEQ);
    recd.file_bytes = 1ull << 30;
    cr_expect_eq(take_recd(&recd, 12, 4, LOD_RECORD_META_MAX), 0);
    cr_expect_eq(take_recd(&recd, 12, 4, LOD_RECORD_META_MAX + 1), -EILSEQ);
    cr_expect_eq(take_recd(&recd, 12, 4, 84 * 40 - 1), -EILSEQ);
}

Test(rows, record_paths)
{
    static const struct {
        const char *path;
        int error;
    } cases[] = {
        {"000001.pcr", 0},        {"P/000001.pcr", 0},
        {"000001.raw", -EILSEQ},  {"000001", -EILSEQ},
        {".pcr", -EILSEQ},        {"../000001.pcr", -EILSEQ},
        {"/000001.pcr", -EILSEQ}, {"a/b/000001.pcr", -EILSEQ},
        {"a b.pcr", -EILSEQ},     {"./1.pcr", -EILSEQ},
        {"p/.pcr", -EILSEQ},      {"\xff.pcr", -EILSEQ},
        {"p/", -EILSEQ},          {"", -EILSEQ},
        {".p/1.pcr", -EILSEQ},    {"a b/1.pcr", -EILSEQ},
        {"p/1", -EILSEQ},         {"p/1.raw", -EILSEQ},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_record_desc recd = photos();
        strcpy(recd.path, cases[i].path);
        cr_expect_eq(lod_record_desc_check_path(&recd), cases[i].error, "%s", cases[i].path);
    }
}
