/* SPDX-License-Identifier: Apache-2.0 */
/* A small committed store through the dataset: paths, items, frames, and each kind of damage. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>

#include "../../hostile/damage/share.h"
#include "dataset/dataset.h"
#include "record/record.h"
#include "log.h"
#include "store/store_fixture.h"

static const struct fixture_file files[] = {
    {"a", "hello\n"},
    {"d/e/f", "the quick brown fox"},
    {"d/\x1b[31m", ""},
    {"d/z", "jumps"},
};
#define FILES (sizeof(files) / sizeof(files[0]))

static const struct fixture_file list = {"", "a list"};

static void commit(struct fixture *f)
{
    struct lod_entry entries[] = {
        {.path = "d/e", .mode = S_IFDIR | 0700},
        {.path = "a", .mode = S_IFREG | 0644, .item = 1},
        {.path = "d/e/f", .mode = S_IFREG | 0644, .item = 2},
        {.path = "d/\x1b[31m", .mode = S_IFREG | 0644, .item = 3},
        {.path = "d/z", .mode = S_IFREG | 0644, .item = 4},
        {.path = "d/link", .mode = S_IFLNK | 0777, .target = "e/f"},
        {.path = "same", .mode = S_IFREG | 0600, .item = 2, .flags = LOD_NODE_ALIAS},
        {.path = "", .mode = S_IFDIR | 0755},
        {.path = "d", .mode = S_IFDIR | 0755},
    };

    fixture_commit(f, files, FILES, &list, entries, sizeof(entries) / sizeof(entries[0]));
}

static struct lod_dataset *open_dataset(struct fixture *f)
{
    struct lod_dataset *dataset = NULL;
    struct lod_why why = {.text = ""};

    cr_assert_eq(
        lod_dataset_open(f->folder, &(struct lod_open_options){.settings = NULL}, &dataset, &why),
        0, "%s", why.text);
    return dataset;
}

static int refusal(struct fixture *f, struct lod_why *why)
{
    struct lod_dataset *dataset = NULL;
    int error =
        lod_dataset_open(f->folder, &(struct lod_open_options){.settings = NULL}, &dataset, why);

    lod_dataset_close(dataset);
    return error;
}

/* Reads one frame like a reader: its bytes, or an error that was logged. */
static int read_frame(struct lod_dataset *dataset, const struct lod_item *item, unsigned group,
                      uint64_t frame, struct lod_blob **ret_blob)
{
    const uint32_t slot = item->number - item->recd.first_item;
    struct lod_record *record = NULL;
    struct lod_blob *blob = NULL;
    struct lod_place place = {0};

    int error = lod_dataset_record(dataset, item, &record);
    if (error) {
        return error;
    }
    error = lod_record_place(record, slot, group, frame, &place);
    error = error ? error : lod_blob_create(place.bytes, &blob);
    error = error ? error : lod_record_read_frame(record, slot, group, frame, blob->data);
    lod_record_close(record);
    if (error) {
        lod_blob_unref(blob);
        return lod_dataset_frame_failed(dataset, item, group, frame, place.offset, error);
    }
    *ret_blob = blob;
    return 0;
}

/* Reads the file at `path` through its item: its bytes, or an error. */
static int read_path(struct lod_dataset *dataset, const char *path, char *text)
{
    struct lod_blob *blob = NULL;
    struct lod_node node;
    struct lod_item item;

    int error = lod_dataset_walk(dataset, path, &node);
    error = error ? error : lod_dataset_item(dataset, node.ref, &item);
    if (error) {
        return error;
    }
    text[0] = '\0';
    if (item.codec->source_bytes(item.row) == 0) {
        return 0;
    }
    error = read_frame(dataset, &item, 1, 0, &blob);
    if (!error) {
        memcpy(text, blob->data, blob->bytes);
        text[blob->bytes] = '\0';
        lod_blob_unref(blob);
    }
    return error;
}

Test(dataset, files_are_found_and_read)
{
    struct fixture f = fixture_create();
    char text[200], path[LOD_PATH_MAX + 1];
    struct lod_node node;

    commit(&f);
    struct lod_dataset *dataset = open_dataset(&f);
    for (size_t i = 0; i < FILES; i++) {
        cr_assert_eq(read_path(dataset, files[i].path, text), 0);
        cr_assert_str_eq(text, files[i].bytes);
        cr_assert_eq(lod_dataset_walk(dataset, files[i].path, &node), 0);
        cr_assert_eq(lod_dataset_path(dataset, &node, path), 0);
        cr_assert_str_eq(path, files[i].path);
    }
    cr_assert_eq(read_path(dataset, "same", text), 0);
    cr_assert_str_eq(text, files[1].bytes);
    cr_assert_eq(lod_dataset_walk(dataset, "//d///e/", &node), 0);
    cr_assert_eq(lod_dataset_path(dataset, &node, path), 0);
    cr_assert_str_eq(path, "d/e");
    cr_assert_eq(lod_dataset_walk(dataset, "/", &node), 0);
    cr_assert_eq(lod_dataset_path(dataset, &node, path), 0);
    cr_assert_str_eq(path, "");
    cr_assert_eq(lod_dataset_walk(dataset, "d/nothing", &node), -ENOENT);
    cr_assert_eq(lod_dataset_walk(dataset, "a/b", &node), -ENOTDIR);
    lod_dataset_close(dataset);
    fixture_destroy(&f);
}

Test(dataset, folders_without_a_store_are_refused_with_the_reason)
{
    struct fixture f = fixture_create();
    struct lod_dataset *dataset;
    char path[100];
    struct lod_why why = {.text = ""};

    cr_assert_eq(refusal(&f, &why), -ENOENT);
    cr_assert_str_eq(why.text, "no manifest.json: not a lodfs store, or pack did not finish");
    cr_assert_eq(lod_dataset_open("/nowhere/at/all", &(struct lod_open_options){.settings = NULL},
                                  &dataset, &why),
                 -ENOENT);
    cr_assert_str_eq(why.text, "no such folder");
    commit(&f);
    snprintf(path, sizeof(path), "%s/manifest.json", f.folder);
    cr_assert_eq(
        lod_dataset_open(path, &(struct lod_open_options){.settings = NULL}, &dataset, &why),
        -ENOENT);
    cr_assert_not_null(strstr(why.text, "not a folder"));

    fixture_flip(f.dir_fd, "index", 3, 1);
    cr_assert_eq(refusal(&f, &why), -EBADMSG);
    cr_assert_not_null(strstr(why.text, "superblock"));
    fixture_flip(f.dir_fd, "index", 3, 1);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    cr_assert_eq(ftruncate(fd, 5000), 0);
    close(fd);
    cr_assert_eq(refusal(&f, &why), -EIO);
    cr_assert_not_null(strstr(why.text, "truncated"));
    cr_assert_eq(unlinkat(f.dir_fd, "index", 0), 0);
    cr_assert_eq(refusal(&f, &why), -EIO);
    fixture_destroy(&f);
}

/* Returns the text written to stderr since `redirected`. */
static size_t logged(char *text, size_t room)
{
    FILE *err = cr_get_redirected_stderr();
    size_t bytes = fread(text, 1, room - 1, err);
    text[bytes] = '\0';
    return bytes;
}

Test(dataset, a_damaged_frame_gives_eio_and_one_log_line, .init = cr_redirect_stderr)
{
    struct fixture f = fixture_create();
    char text[200], line[2000];

    commit(&f);
    struct stat st;
    cr_assert_eq(fstatat(f.records_fd, "000001.raw", &st, 0), 0);
    fixture_flip(f.records_fd, "000001.raw", (uint64_t)st.st_size - 5 - 19, 0);
    struct lod_dataset *dataset = open_dataset(&f);
    cr_assert_eq(read_path(dataset, "d/e/f", text), -EIO);
    cr_assert_eq(read_path(dataset, "a", text), 0);
    cr_assert_str_eq(text, files[0].bytes);
    cr_assert_eq(read_path(dataset, "d/z", text), 0);
    lod_dataset_close(dataset);
    fclose(stderr);
    logged(line, sizeof(line));
    cr_assert_not_null(strstr(line, f.folder), "%s", line);
    cr_assert_not_null(strstr(line, "record 000001.raw item 2 (slot 1) group 1 frame 0 offset "));
    cr_assert_not_null(strstr(line, "d/e/f\n"));
    cr_assert_eq(strchr(line, '\n')[1], '\0', "one line");
    fixture_destroy(&f);
}

Test(dataset, a_missing_record_affects_its_items_and_names_are_escaped, .init = cr_redirect_stderr)
{
    struct fixture f = fixture_create();
    char text[200], line[2000];
    struct lod_blob *blob;
    struct lod_item item;

    commit(&f);
    cr_assert_eq(unlinkat(f.records_fd, "000001.raw", 0), 0);
    struct lod_dataset *dataset = open_dataset(&f);
    cr_assert_eq(lod_dataset_item(dataset, 3, &item), 0);
    cr_assert_eq(read_frame(dataset, &item, 1, 0, &blob), -EIO);
    cr_assert_eq(read_path(dataset, "d/z", text), -EIO);
    cr_assert_eq(lod_dataset_item(dataset, 99, &item), -ENOENT);
    lod_dataset_close(dataset);
    fclose(stderr);
    logged(line, sizeof(line));
    cr_assert_not_null(strstr(line, "no such file"), "%s", line);
    cr_assert_not_null(strstr(line, "d/\\x1b[31m\n"), "%s", line);
    cr_assert_not_null(strstr(line, "1 more lines were left out\n"), "of the same record");
    cr_assert_null(strchr(line, '\x1b'));
    fixture_destroy(&f);
}

/* Flips each bit of every file, or of this run's share of the bytes. Reads return the right bytes
 * or an error, never other bytes. */
Test(dataset, every_flipped_bit_gives_right_bytes_or_an_error, .init = cr_redirect_stderr,
     .timeout = 120)
{
    static const char *const names[] = {"manifest.json", "index", "records/000000.tree",
                                        "records/000001.raw"};
    struct fixture f = fixture_create();
    char text[200];
    struct lod_why why;

    commit(&f);
    for (size_t n = 0; n < 4; n++) {
        struct stat st;
        cr_assert_eq(fstatat(f.dir_fd, names[n], &st, 0), 0);
        for (uint64_t at = 0; at < (uint64_t)st.st_size; at++) {
            bool dense = at % 65536 < 300 || at % 4096 > 4070 || n != 1;
            if ((!dense && at % 509) || !share_has(at)) {
                continue;
            }
            for (unsigned bit = 0; bit < 8; bit += n == 1 || at < 4096 ? 3 : 1) {
                struct lod_dataset *dataset = NULL;
                fixture_flip(f.dir_fd, names[n], at, bit);
                if (lod_dataset_open(f.folder, &(struct lod_open_options){.settings = NULL},
                                     &dataset, &why) == 0) {
                    for (size_t i = 0; i < FILES; i++) {
                        int error = read_path(dataset, files[i].path, text);
                        cr_assert(error == -EIO || strcmp(text, files[i].bytes) == 0,
                                  "%s byte %u bit %u: %d", names[n], (unsigned)at, bit, error);
                        cr_assert(error == 0 || error == -EIO);
                    }
                }
                lod_dataset_close(dataset);
                fixture_flip(f.dir_fd, names[n], at, bit);
            }
        }
    }
    fixture_destroy(&f);
}

/* Reads all frames of all pieces of the item at all fidelities, like a reader. */
static void read_plans(struct lod_dataset *dataset, const struct lod_item *item)
{
    struct lod_blob *blob = NULL;
    struct lod_plan plan;

    for (unsigned fidelity = LOD_Q1; fidelity <= LOD_ORIGINAL; fidelity++) {
        if (lod_codec_plan(item->codec, item->row, LOD_FORMAT_TREE, (enum lod_fidelity)fidelity,
                           &plan)) {
            continue;
        }
        for (unsigned i = 0; i < plan.count; i++) {
            const struct lod_piece *piece = &plan.pieces[i];
            uint64_t last = (piece->offset + piece->bytes - 1) >> item->recd.frame_shift;
            if (piece->kind == LOD_PIECE_STORED &&
                read_frame(dataset, item, piece->group, last, &blob) == 0) {
                lod_blob_unref(blob);
            }
        }
    }
}

static void read_everything(struct lod_dataset *dataset)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    struct lod_item item;

    for (uint32_t i = 0; i < 12; i++) {
        if (lod_dataset_item(dataset, i, &item) == 0) {
            read_plans(dataset, &item);
        }
        if (lod_index_node(lod_dataset_index(dataset), i, &node) == 0) {
            (void)!lod_dataset_path(dataset, &node, path);
        }
    }
    for (size_t i = 0; i < FILES; i++) {
        (void)!lod_dataset_walk(dataset, files[i].path, &node);
    }
}

/* Rows that contradict the record or each other, with right hashes: reads return errors or bytes of
 * the store. The sanitizers detect any access outside. */
Test(dataset, resealed_rows_cause_no_access_outside, .init = cr_redirect_stderr, .timeout = 300)
{
    static const uint64_t extremes[] = {0,          1,          0x7fffffff,       0x80000000,
                                        0xffffffff, UINT64_MAX, (uint64_t)1 << 63};
    struct fixture f = fixture_create();
    struct lod_manifest manifest;
    const char *reason;

    commit(&f);
    cr_assert_eq(lod_manifest_read(f.store, &manifest, &reason), 0);
    int fd = openat(f.dir_fd, "index", O_RDWR);
    for (off_t block = LOD_SECTION_ALIGN; block < (off_t)manifest.index_bytes;
         block += LOD_SECTION_ALIGN) {
        uint8_t good[LOD_BLOCK_BYTES], bad[LOD_BLOCK_BYTES];
        cr_assert_eq(pread(fd, good, sizeof(good), block), (ssize_t)sizeof(good));
        for (size_t at = 0; at < 320; at++) {
            for (size_t i = 0; i < 9 && share_has(at); i++) {
                unsigned width = 1u << (at + i) % 4;
                struct lod_dataset *dataset = open_dataset(&f);
                uint64_t was = lod_get_le(good + at, width);
                memcpy(bad, good, sizeof(good));
                lod_put_le(bad + at, width, i < 7 ? extremes[i] : i == 7 ? was + 1 : was - 1);
                lod_put_le64(bad + LOD_BLOCK_BYTES - 8,
                             lod_hash64(bad, LOD_BLOCK_BYTES - 8, manifest.store_id.low));
                cr_assert_eq(pwrite(fd, bad, sizeof(bad), block), (ssize_t)sizeof(bad));
                read_everything(dataset);
                lod_dataset_close(dataset);
            }
        }
        cr_assert_eq(pwrite(fd, good, sizeof(good), block), (ssize_t)sizeof(good));
    }
    close(fd);
    lod_manifest_finish(&manifest);
    fixture_destroy(&f);
}
