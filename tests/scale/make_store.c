/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_store STORE ITEMS BIG [PHOTOGRAPH|samples]: writes a store of ITEMS small files with the
 * product's own writers, valid to the last hash, to measure the cost of many items. The folder
 * many/ has BIG names; the other files lie in folders of 1,000. A file holds its own path and a
 * newline. With PHOTOGRAPH all items of the first record are that JPEG, encoded once. With
 * `samples` each file leads a sample, and records have as many as a record can. Items are not in
 * the order of their names, as in pack's stores. Takes about 110 bytes of memory an item.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "encoder.h"
#include "pcr/jpeg/script.h"
#include "index/manifest.h"
#include "record/record_write.h"
#include "record/tree_list.h"

#define ITEMS_MAX        100000000u
#define RECORD_ITEMS     1024u /* the number of photographs of 16 KiB in a record of 16 MiB */
#define FOLDER_ITEMS     1000u
#define PATH_ROOM        32u           /* "many/n00000000.jpg", "00000/000/n00000000.bin" */
#define SPREAD           2654435761ull /* a prime: i * SPREAD mod ITEMS takes every value once */
#define PHOTOGRAPHS_MAX  500u
#define PHOTOGRAPH_BYTES (1u << 20)
#define MTIME            ((int64_t)1700000000 << 30)

struct maker {
    int store_fd, records_fd;
    bool samples;
    uint32_t files, many, photographs; /* files[0, photographs) in storage order are the JPEG */
    struct lod_encoded photograph;
    char (*paths)[PATH_ROOM]; /* of folders, then of files by storage order */
    uint32_t folders;
    struct lod_entry *entries;
    size_t entries_count;
    uint8_t *rows; /* by item; item 0 is the tree list */
    struct lod_entry_record *records;
    size_t records_count, rows_count;
};

static int fail(const char *what, int error)
{
    fprintf(stderr, "make_store: %s: %s\n", what, strerrordesc_np(-error));
    return 1;
}

/* Writes the paths of all folders, sorted: the root, 00000, 00000/000, .. , many. */
static void name_folders(struct maker *maker)
{
    const uint32_t leaves = (maker->files - maker->many + FOLDER_ITEMS - 1) / FOLDER_ITEMS;

    maker->paths[maker->folders++][0] = '\0';
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        if (leaf % FOLDER_ITEMS == 0) {
            snprintf(maker->paths[maker->folders++], PATH_ROOM, "%05u", leaf / FOLDER_ITEMS);
        }
        snprintf(maker->paths[maker->folders++], PATH_ROOM, "%05u/%03u", leaf / FOLDER_ITEMS,
                 leaf % FOLDER_ITEMS);
    }
    strcpy(maker->paths[maker->folders++], "many");
}

/* Returns the path of the file stored as number `stored`, from 0. */
static char *name_file(struct maker *maker, uint32_t stored)
{
    const uint32_t file = (uint32_t)(stored * SPREAD % maker->files);
    const char *ending = stored < maker->photographs ? "jpg" : "bin";
    char *path = maker->paths[maker->folders + stored];

    if (file < maker->many) {
        snprintf(path, PATH_ROOM, "many/n%08u.%s", file, ending);
    } else {
        uint32_t leaf = (file - maker->many) / FOLDER_ITEMS;
        snprintf(path, PATH_ROOM, "%05u/%03u/n%08u.%s", leaf / FOLDER_ITEMS, leaf % FOLDER_ITEMS,
                 file, ending);
    }
    return path;
}

static int put_photograph(struct lod_record_writer *writer, uint32_t slot,
                          const struct lod_encoded *photograph)
{
    int error = 0;

    for (unsigned group = 1; !error && group <= LOD_GROUPS_MAX; group++) {
        const struct lod_buf *bytes = &photograph->group[group - 1];
        if (bytes->bytes) {
            error = lod_record_writer_put(writer, slot, group, 0, bytes->data, bytes->bytes);
        }
    }
    return error;
}

static int put_text(struct lod_record_writer *writer, uint32_t slot, const char *path)
{
    char text[PATH_ROOM + 1];
    int bytes = snprintf(text, sizeof(text), "%s\n", path);

    return lod_record_writer_put(writer, slot, 1, 0, text, (size_t)bytes);
}

/*
 * Writes one record of `count` slots whose rows and paths are set; `put` writes each slot's bytes.
 */
static int write_record(struct maker *maker, const char *name, const struct lod_codec *codec,
                        const struct lod_record_slot *slots, uint32_t count,
                        const struct lod_buf *list)
{
    struct lod_entry_record *record = &maker->records[maker->records_count];
    struct lod_record_writer *writer = NULL;
    uint8_t *rows = maker->rows + maker->rows_count * LOD_ROW_BYTES;

    for (uint32_t slot = 0; slot < count; slot++) {
        memcpy(rows + (size_t)slot * LOD_ROW_BYTES, slots[slot].row, LOD_ROW_BYTES);
    }
    const uint32_t cut = maker->samples && !list ? (uint32_t)maker->records_count : LOD_CUT_SMALL;
    int error =
        lod_record_writer_create(maker->records_fd, name, codec, cut, slots, count, &writer);
    for (uint32_t slot = 0; !error && slot < count; slot++) {
        error = list ? lod_record_writer_put(writer, slot, 1, 0, list->data, list->bytes)
                : codec == &lod_codec_pcr ? put_photograph(writer, slot, &maker->photograph)
                                          : put_text(writer, slot, slots[slot].path);
    }
    error = error ? error : lod_record_writer_finish(writer, &record->recd);
    lod_record_writer_destroy(writer);
    record->rows = rows;
    maker->rows_count += count;
    maker->records_count += !error;
    return error;
}

static int write_tree(struct maker *maker, const cJSON *pack)
{
    struct lod_record_slot slot = {.path = ""};
    struct lod_buf list = {0};

    int error = lod_tree_list_begin(&list, pack, NULL);
    for (uint32_t i = 0; !error && i < maker->folders; i++) {
        struct lod_tree_entry folder = {
            .kind = LOD_TREE_FOLDER, .mode = 0755, .mtime = MTIME, .path = maker->paths[i]};
        error = lod_tree_list_add(&list, &folder);
        maker->entries[maker->entries_count++] =
            (struct lod_entry){.path = maker->paths[i], .mtime = MTIME, .mode = S_IFDIR | 0755};
    }
    lod_encoder_raw.row(list.bytes, slot.row);
    error = error ? error : write_record(maker, "000000.tree", &lod_codec_tree, &slot, 1, &list);
    lod_buf_finish(&list);
    return error;
}

/* Writes the files stored as [first, first + count). */
static int write_files(struct maker *maker, uint32_t first, uint32_t count)
{
    static struct lod_record_slot slots[LOD_RECORD_ITEMS_MAX];
    const bool photographs = first < maker->photographs;
    char name[32];

    for (uint32_t i = 0; i < count; i++) {
        const char *path = name_file(maker, first + i);
        slots[i] = (struct lod_record_slot){.path = path, .mode = 0644, .mtime = MTIME};
        if (photographs) {
            memcpy(slots[i].row, maker->photograph.row, LOD_ROW_BYTES);
        } else {
            lod_encoder_raw.row(strlen(path) + 1, slots[i].row);
        }
        maker->entries[maker->entries_count++] = (struct lod_entry){
            .path = path, .mtime = MTIME, .item = 1 + first + i, .mode = S_IFREG | 0644};
    }
    snprintf(name, sizeof(name), "%06zu.%s", maker->records_count, photographs ? "pcr" : "raw");
    return write_record(maker, name, photographs ? &lod_codec_pcr : &lod_codec_raw, slots, count,
                        NULL);
}

static int write_all_files(struct maker *maker)
{
    const uint32_t most = maker->samples ? LOD_RECORD_ITEMS_MAX : RECORD_ITEMS;
    int error = 0;

    for (uint32_t first = 0, count; !error && first < maker->files; first += count) {
        uint32_t end = first < maker->photographs ? maker->photographs : maker->files;
        count = end - first < most ? end - first : most;
        error = write_files(maker, first, count);
    }
    return error;
}

static int commit(struct maker *maker, cJSON *pack)
{
    struct lod_manifest manifest = {
        .records = maker->records_count, .items = maker->files + 1, .pack = pack};
    struct lod_index_input input = {.entries = maker->entries,
                                    .entries_count = maker->entries_count,
                                    .records = maker->records,
                                    .records_count = maker->records_count};
    const char *bad = NULL;

    for (uint32_t i = 0; i < maker->files; i++) {
        input.source_bytes += i < maker->photographs
                                  ? lod_codec_pcr.source_bytes(maker->photograph.row)
                                  : strlen(maker->paths[maker->folders + i]) + 1;
    }
    int error = lod_store_id(maker->records, maker->records_count, &input.store_id);
    manifest.store_id = input.store_id;
    manifest.source_bytes = input.source_bytes;
    error = error ? error
                  : lod_index_write(maker->store_fd, &input, &manifest.index_bytes,
                                    &manifest.index_hash, &bad);
    return error ? error : lod_manifest_write(maker->store_fd, &manifest);
}

static int encode_photograph(struct maker *maker, const char *path)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice};
    uint8_t *bytes = malloc(PHOTOGRAPH_BYTES);
    FILE *file = fopen(path, "rb");
    size_t count = file && bytes ? fread(bytes, 1, PHOTOGRAPH_BYTES, file) : 0;

    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        choice.classes[c].count = 1;
        choice.classes[c].scripts[0] = lod_script_named("default");
    }
    int error = count == 0 || count == PHOTOGRAPH_BYTES
                    ? -EINVAL
                    : lod_encoder_pcr.encode((struct lod_span){.at = bytes, .bytes = count},
                                             &options, &maker->photograph);
    maker->photographs = maker->files / 2 < PHOTOGRAPHS_MAX ? maker->files / 2 : PHOTOGRAPHS_MAX;
    if (file) {
        fclose(file);
    }
    free(bytes);
    return error;
}

static int open_store(struct maker *maker, const char *path)
{
    if (mkdir(path, 0755) != 0 || (maker->store_fd = open(path, O_RDONLY | O_DIRECTORY)) < 0 ||
        mkdirat(maker->store_fd, "records", 0755) != 0 ||
        (maker->records_fd = openat(maker->store_fd, "records", O_RDONLY | O_DIRECTORY)) < 0) {
        return -errno;
    }
    return 0;
}

static int allocate(struct maker *maker)
{
    size_t folders = maker->files / FOLDER_ITEMS * 2 + 4;
    size_t records = maker->files / RECORD_ITEMS + 4;

    maker->paths = calloc(maker->files + folders, sizeof(*maker->paths));
    maker->entries = calloc(maker->files + folders, sizeof(*maker->entries));
    maker->rows = calloc((size_t)maker->files + 1, LOD_ROW_BYTES);
    maker->records = calloc(records, sizeof(*maker->records));
    return maker->paths && maker->entries && maker->rows && maker->records ? 0 : -ENOMEM;
}

static int make(struct maker *maker, const char *store, const char *photograph)
{
    cJSON *pack = cJSON_CreateObject();

    int error = pack ? allocate(maker) : -ENOMEM;
    error = error || !photograph ? error : encode_photograph(maker, photograph);
    error = error ? error : open_store(maker, store);
    if (!error) {
        name_folders(maker);
        error = write_tree(maker, pack);
    }
    error = error ? error : write_all_files(maker);
    error = error ? error : commit(maker, pack);
    cJSON_Delete(pack);
    lod_encoded_finish(&maker->photograph);
    free(maker->paths);
    free(maker->entries);
    free(maker->rows);
    free(maker->records);
    return error;
}

int main(int argc, char **argv)
{
    struct maker maker = {0};
    unsigned long files = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned long many = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

    if (argc < 4 || argc > 5 || files < 2 || files > ITEMS_MAX || many < 1 || many > files) {
        fprintf(stderr, "usage: make_store STORE ITEMS BIG [PHOTOGRAPH|samples]\n");
        return 2;
    }
    maker.files = (uint32_t)files;
    maker.many = (uint32_t)many;
    maker.samples = argc > 4 && strcmp(argv[4], "samples") == 0;
    int error = make(&maker, argv[1], argc > 4 && !maker.samples ? argv[4] : NULL);
    return error ? fail(argv[1], error) : 0;
}
