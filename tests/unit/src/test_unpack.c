/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking restores the tree, and writes nothing outside the folder, even for a hostile index. */
#include <dirent.h>
#include <errno.h>

#include "log.h"
#include "read/reader.h"
#include "index/rows.h"
#include "unpack/unpack.h"
#include "store/whole_store.h"

struct place {
    struct fixture f;
    char top[80], folder[96], outside[96]; /* top/in, top/out */
};

static struct place make(void)
{
    struct place p = {.f = fixture_create()};

    whole_store_write(&p.f);
    snprintf(p.top, sizeof(p.top), "%s.d", p.f.folder);
    snprintf(p.folder, sizeof(p.folder), "%s/in", p.top);
    snprintf(p.outside, sizeof(p.outside), "%s/out", p.top);
    cr_assert_eq(mkdir(p.top, 0755) | mkdir(p.outside, 0755), 0);
    return p;
}

/* Folders of mode 0 must be made writable before they can be removed, except by root. */
static int open_up(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    return type == FTW_D || type == FTW_DNR ? chmod(path, 0755) : 0;
}

static void empty(const char *path)
{
    nftw(path, open_up, 16, FTW_PHYS);
    nftw(path, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static void finish(struct place *p)
{
    empty(p->top);
    fixture_destroy(&p->f);
}

static int unpack(struct place *p, enum lod_fidelity fidelity, struct lod_unpack_result *ret_result)
{
    struct lod_dataset *dataset = NULL;
    static struct lod_first_error first_error;
    struct lod_progress progress;
    struct lod_why why = {.text = ""};

    lod_log_setup(LOD_LOG_NONE);
    lod_first_error_init(&first_error, false);
    lod_progress_init(&progress, LOD_PROGRESS_OFF);
    cr_assert_eq(
        lod_dataset_open(p->f.folder, &(struct lod_open_options){.settings = NULL}, &dataset, &why),
        0, "%s", why.text);
    struct lod_unpack_options options = {.dataset = dataset,
                                         .folder = p->folder,
                                         .fidelity = fidelity,
                                         .threads = 3,
                                         .progress = &progress};
    int error = lod_unpack(&options, &first_error, ret_result);
    lod_progress_finish(&progress);
    lod_first_error_finish(&first_error);
    lod_dataset_close(dataset);
    return error;
}

static struct stat look(const struct place *p, const char *path)
{
    char full[200];
    struct stat st;

    snprintf(full, sizeof(full), "%s/%s", p->folder, path);
    cr_assert_eq(lstat(full, &st), 0, "%s", path);
    return st;
}

static void check_attributes(const struct place *p, const char *path, unsigned mode, int64_t mtime)
{
    struct stat st = look(p, path);

    cr_assert(S_ISLNK(st.st_mode) || (st.st_mode & 07777) == mode, "%s: %o", path, st.st_mode);
    cr_assert_eq(st.st_mtim.tv_sec, mtime >> 30, "%s", path);
    cr_assert_eq(st.st_mtim.tv_nsec, mtime & 0x3fffffff, "%s", path);
}

/* The bytes of a file are those of its groups. */
static void check_bytes(const struct place *p, const char *path, uint32_t item, unsigned first,
                        unsigned last, const char *end)
{
    char full[200];
    uint64_t bytes[LOD_GROUPS_MAX];
    uint8_t row[LOD_ROW_BYTES], expected[200000], got[200001];
    size_t at = 0;

    whole_row(item, row);
    cr_assert_eq(lod_codec_segments(whole_files[item].codec, row, bytes), 0);
    for (unsigned group = first; group <= last; group++) {
        whole_bytes(item, group, expected + at, bytes[group - 1]);
        at += bytes[group - 1];
    }
    snprintf(full, sizeof(full), "%s/%s", p->folder, path);
    int fd = open(full, O_RDONLY);
    ssize_t read_bytes = read(fd, got, sizeof(got));
    close(fd);
    cr_assert_eq(read_bytes, (ssize_t)(at + strlen(end)), "%s", path);
    cr_assert(memcmp(got, expected, at) == 0 && memcmp(got + at, end, strlen(end)) == 0, "%s",
              path);
}

Test(unpack, the_tree_is_restored)
{
    struct place p = make();
    struct lod_unpack_result result;
    char target[40] = "";

    cr_assert_eq(unpack(&p, (enum lod_fidelity)3, &result), 0);
    cr_assert_eq(result.failed + result.left_out, 0);
    cr_assert_eq(result.files, WHOLE_FILES); /* without the list, with copy.txt */
    cr_assert(result.folders == 3 && result.symlinks == 1 && result.hard_links == 2);
    for (size_t i = 0; i < WHOLE_LIST; i++) {
        check_attributes(&p, whole_list[i].path, whole_list[i].mode, whole_list[i].mtime);
    }
    for (uint32_t item = 1; item < WHOLE_FILES; item++) {
        check_attributes(&p, whole_files[item].path, 0644, WHOLE_MTIME(10 + item));
        bool pcr = whole_files[item].codec == &lod_codec_pcr && !whole_files[item].whole;
        bool whole = whole_files[item].whole;
        check_bytes(&p, whole_files[item].path, item, whole ? 12 : 1,
                    whole ? 12
                    : pcr ? 3
                          : 1,
                    pcr ? "\xff\xd9" : "");
    }
    cr_assert_eq(look(&p, "d/hard.jpg").st_ino, look(&p, "d/p.jpg").st_ino);
    cr_assert_eq(look(&p, "d/hard.copy").st_ino, look(&p, "copy.txt").st_ino);
    cr_assert_neq(look(&p, "copy.txt").st_ino, look(&p, "a.txt").st_ino);
    int fd = open(p.folder, O_RDONLY | O_DIRECTORY);
    cr_assert_eq(readlinkat(fd, "d/link", target, sizeof(target)), 8);
    cr_assert_str_eq(target, "../a.txt");
    close(fd);
    lod_unpack_finish(&result);
    finish(&p);
}

Test(unpack, files_that_a_fidelity_lacks_are_left_out_and_named)
{
    static const char *names[] = {"d/e/q\n.jpg", "d/hard.jpg", "d/p.jpg"};
    struct place p = make();
    struct lod_unpack_result result;

    cr_assert_eq(unpack(&p, LOD_ORIGINAL, &result), 0);
    cr_assert(result.left_out == 3 && result.failed == 0);
    for (size_t i = 0; i < 3; i++) {
        bool found = false;
        for (size_t k = 0; k < result.notes.count; k++) {
            found |= strcmp(result.notes.at[k].path, names[i]) == 0 && !result.notes.at[k].failed;
        }
        cr_assert(found, "%s", names[i]);
    }
    cr_assert_eq(result.files, WHOLE_FILES - 2);
    check_bytes(&p, "d/whole.jpg", whole_item("d/whole.jpg"), 12, 12, "");
    lod_unpack_finish(&result);
    finish(&p);
}

Test(unpack, a_damaged_file_is_named_and_leaves_nothing)
{
    struct place p = make();
    struct lod_unpack_result result;
    char path[200];
    size_t bytes;

    free(whole_read(&p.f, "records/000001.raw", &bytes));
    fixture_flip(p.f.dir_fd, "records/000001.raw", bytes - 100000, 0); /* of d/big.bin */
    cr_assert_eq(unpack(&p, LOD_FULL, &result), 0);
    cr_assert(result.failed == 1 && result.left_out == 0);
    cr_assert_str_eq(result.notes.at[0].path, "d/big.bin");
    snprintf(path, sizeof(path), "%s/d/big.bin", p.folder);
    cr_assert_neq(access(path, F_OK), 0);
    check_bytes(&p, "copy.txt", whole_item("a.txt"), 1, 1, "");
    lod_unpack_finish(&result);
    finish(&p);
}

Test(unpack, a_folder_that_is_not_empty_is_refused)
{
    struct place p = make();
    struct lod_unpack_result result;
    char path[200];

    cr_assert_eq(mkdir(p.folder, 0755), 0);
    snprintf(path, sizeof(path), "%s/.hidden", p.folder);
    cr_assert_eq(symlink("nowhere", path), 0);
    cr_assert_eq(unpack(&p, LOD_FULL, &result), -ENOTEMPTY);
    lod_unpack_finish(&result);
    finish(&p);
}

/* ------------------------------------------------------------------- a hostile index */

static unsigned count_names(const char *path)
{
    DIR *dir = opendir(path);
    unsigned count = 0;

    cr_assert_not_null(dir, "%s", path);
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

/* Unpacks the store, and checks that no file appears outside the folder. */
static void assert_contained(struct place *p, const char *what)
{
    struct lod_unpack_result result;

    int error = unpack(p, LOD_FULL, &result);
    cr_assert(error <= 0);
    lod_unpack_finish(&result);
    cr_assert_eq(count_names(p->top), 4, "%s: . .. in out", what);
    cr_assert_eq(count_names(p->outside), 2, "%s: . ..", what);
    empty(p->folder);
}

static void patch(struct place *p, unsigned section, size_t at, const void *bytes, size_t count)
{
    whole_patch(&p->f, section, at, bytes, count);
}

/* Nodes: 0 root; 1 a.txt, 2 copy.txt, 3 d, 4 empty, 5 nothing; 6 d/big.bin, 7 d/e, ... */
static struct lod_node node_of(struct place *p, uint32_t number)
{
    struct lod_dataset *dataset = NULL;
    struct lod_node node;
    struct lod_why why = {.text = ""};

    cr_assert_eq(
        lod_dataset_open(p->f.folder, &(struct lod_open_options){.settings = NULL}, &dataset, &why),
        0);
    cr_assert_eq(lod_index_node(lod_dataset_index(dataset), number, &node), 0);
    lod_dataset_close(dataset);
    return node;
}

static void rename_node(struct place *p, uint32_t number, const char *name)
{
    struct lod_node node = node_of(p, number);
    uint8_t row[LOD_NODE_ROW_BYTES];

    cr_assert_leq(strlen(name), node.name_bytes);
    patch(p, LOD_SECTION_NAME, node.name_at, name, strlen(name));
    node.name_bytes = (uint8_t)strlen(name);
    lod_node_put(&node, row);
    patch(p, LOD_SECTION_NODE, number * LOD_NODE_ROW_BYTES, row, sizeof(row));
}

Test(unpack, names_that_lead_out_are_refused)
{
    static const char *names[] = {"..", ".", "../x", "/tmp", "a/../", "\0", "d", "copy"};

    struct place p = make();
    size_t bytes;
    uint8_t *index = whole_read(&p.f, "index", &bytes);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (uint32_t number = 1; number <= 5; number++) {
            if (strlen(names[i]) <= node_of(&p, number).name_bytes && names[i][0]) {
                rename_node(&p, number, names[i]);
            } else {
                patch(&p, LOD_SECTION_NAME, node_of(&p, number).name_at, "\0", 1);
            }
            assert_contained(&p, names[i]);
            whole_write(&p.f, "index", index, bytes);
        }
    }
    free(index);
    finish(&p);
}

/* A link has the name of a folder and comes first. The folder's files must not follow the link. */
Test(unpack, a_link_in_the_place_of_a_folder_is_not_followed)
{
    struct place p = make();
    struct lod_node node = node_of(&p, 2);
    uint8_t row[LOD_NODE_ROW_BYTES];

    patch(&p, LOD_SECTION_NAME, node.name_at, "d../out", 7);
    node.mode = S_IFLNK | 0777;
    node.flags = 0;
    node.ref = 0;
    node.name_bytes = 1;
    node.count = 6;
    lod_node_put(&node, row);
    patch(&p, LOD_SECTION_NODE, 2 * LOD_NODE_ROW_BYTES, row, sizeof(row));
    assert_contained(&p, "d -> ../out, and d");
    /* Then files whose parent is the link itself. */
    struct lod_node big = node_of(&p, 6);
    big.parent = 2;
    lod_node_put(&big, row);
    patch(&p, LOD_SECTION_NODE, 6 * LOD_NODE_ROW_BYTES, row, sizeof(row));
    rename_node(&p, 3, "c");
    assert_contained(&p, "a file in a link");
    finish(&p);
}

Test(unpack, any_change_with_right_hashes_stays_in_the_folder)
{
    static const unsigned sections[] = {LOD_SECTION_NODE, LOD_SECTION_NODE, LOD_SECTION_ITEM,
                                        LOD_SECTION_NAME};
    struct place p = make();
    uint64_t state = 5;
    size_t bytes;
    uint8_t *index = whole_read(&p.f, "index", &bytes);

    for (unsigned i = 0; i < 400; i++) {
        for (unsigned k = 0; k < 3; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint8_t byte = (uint8_t)(state >> 56);
            byte = byte % 3 == 0 ? '.' : byte % 3 == 1 ? (uint8_t)(byte % 16) : byte;
            patch(&p, sections[state >> 33 & 3], state >> 40 & 511, &byte, 1);
        }
        assert_contained(&p, "random bytes");
        whole_write(&p.f, "index", index, bytes);
    }
    free(index);
    finish(&p);
}
