/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify makes all that a mount makes. These items have right hashes, but their files cannot be
 * made, or differ from their rows.
 */
#include "codecs/pcr/jpeg_samples.h"
#include "codecs/pcr/pcr_samples.h"
#include "codecs/l3/png_samples.h"
#include "raw_units_write.h"
#include "store_fixture.h"
#include "toc/shard/dtype.h"
#include "toc/source/table.h"
#include "verify/verify.h"

#define ITEMS_MAX 4

struct item {
    struct lod_encoded encoded;
    const char *path;
};

static struct lod_entry_record write_record(struct fixture *f, const struct lod_codec *codec,
                                            const char *name, const struct item *items,
                                            uint32_t count)
{
    struct lod_record_slot slots[ITEMS_MAX] = {0};
    uint8_t *rows = calloc(ITEMS_MAX, LOD_ROW_BYTES);
    struct lod_record_writer *writer;
    struct lod_entry_record record = {.rows = rows};

    for (uint32_t i = 0; i < count; i++) {
        slots[i] = (struct lod_record_slot){.path = items[i].path, .mode = 0644};
        memcpy(slots[i].row, items[i].encoded.row, LOD_ROW_BYTES);
        memcpy(rows + (size_t)i * LOD_ROW_BYTES, items[i].encoded.row, LOD_ROW_BYTES);
    }
    cr_assert_eq(
        lod_record_writer_create(f->records_fd, name, codec, LOD_CUT_SMALL, slots, count, &writer),
        0);
    for (uint32_t i = 0; i < count * LOD_GROUPS_MAX; i++) {
        const struct lod_buf *group = &items[i / LOD_GROUPS_MAX].encoded.group[i % LOD_GROUPS_MAX];
        cr_assert(group->bytes == 0 ||
                  lod_record_writer_put(writer, i / LOD_GROUPS_MAX, i % LOD_GROUPS_MAX + 1, 0,
                                        group->data, group->bytes) == 0);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &record.recd), 0);
    lod_record_writer_destroy(writer);
    return record;
}

static void commit(struct fixture *f, struct lod_entry_record *record, const struct item *items,
                   uint32_t count)
{
    struct lod_entry entries[ITEMS_MAX + 1] = {{.path = "", .mode = S_IFDIR | 0755}};
    struct lod_manifest manifest = {.records = 1, .items = count};
    const char *bad;

    for (uint32_t i = 0; i < count; i++) {
        entries[i + 1] =
            (struct lod_entry){.path = items[i].path, .mode = S_IFREG | 0644, .item = i};
    }
    cr_assert_eq(lod_store_id(record, 1, &manifest.store_id), 0);
    struct lod_index_input input = {.entries = entries,
                                    .entries_count = count + 1,
                                    .records = record,
                                    .records_count = 1,
                                    .store_id = manifest.store_id};
    cr_assert_eq(
        lod_index_write(f->dir_fd, &input, &manifest.index_bytes, &manifest.index_hash, &bad), 0);
    manifest.pack = cJSON_CreateObject();
    cr_assert_eq(lod_manifest_write(f->dir_fd, &manifest), 0);
    lod_manifest_finish(&manifest);
}

/* Returns the fidelities of each item that verify finds, in a store of these items. */
static void verify_items(const struct lod_codec *codec, const struct item *items, uint32_t count,
                         uint16_t fidelities[ITEMS_MAX])
{
    struct fixture f = fixture_create();
    char name[20];
    struct lod_why why = {.text = ""};
    const struct lod_findings *findings;
    struct lod_verify *v;
    uint64_t bytes, files;

    snprintf(name, sizeof(name), "000000.%s", codec->name);
    struct lod_entry_record record = write_record(&f, codec, name, items, count);
    commit(&f, &record, items, count);
    memset(fidelities, 0, ITEMS_MAX * sizeof(fidelities[0]));
    cr_assert_eq(lod_verify_create(f.folder, NULL, &v, &why), 0, "%s", why.text);
    for (uint64_t i = 0; i < lod_verify_steps(v); i++) {
        cr_assert_eq(lod_verify_step(v, i, &bytes, &files), 0);
    }
    cr_assert_eq(lod_verify_conclude(v, &findings), 0);
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->at[i].item < count) {
            fidelities[findings->at[i].item] |= findings->at[i].fidelities;
        }
    }
    lod_verify_destroy(v);
    free((void *)(uintptr_t)record.rows);
    fixture_destroy(&f);
}

static uint16_t verify_one(const struct lod_codec *codec, struct lod_encoded encoded)
{
    struct item item = {.encoded = encoded, .path = "a"};
    uint16_t fidelities[ITEMS_MAX];

    verify_items(codec, &item, 1, fidelities);
    return fidelities[0];
}

#define PNGS (LOD_FIDELITIES_ALL & ~(1u << LOD_ORIGINAL))

/* Two units; the second is not a valid frame. */
Test(check_forms, a_compressed_file_that_cannot_be_made_is_found)
{
    struct lod_raw_units units;
    struct lod_encoded encoded = {0};
    uint8_t *text = calloc(1, 200000);

    cr_assert_eq(lod_raw_units_begin(&units, 200000, &encoded.group[0]), 0);
    cr_assert_eq(lod_raw_units_add(&units, (struct lod_span){.at = text, .bytes = 200000}), 0);
    lod_raw_units_row(&units, encoded.row);
    lod_raw_units_finish(&units);
    cr_assert_eq(verify_one(&lod_codec_raw, encoded), 0);
    encoded.group[0].data[lod_get_le32(encoded.group[0].data)] ^= 1;
    cr_assert_eq(verify_one(&lod_codec_raw, encoded), LOD_FIDELITIES_ALL);
    lod_encoded_finish(&encoded);
    free(text);
}

Test(check_forms, an_image_whose_pixels_differ_from_its_checksums_is_found)
{
    const struct png_sample sample = {.width = 70, .height = 90, .depth = 8, .colour = 2};
    struct lod_buf png = sample_png(&sample);
    struct lod_encode_options options = {0};
    struct lod_encoded item;

    cr_assert_eq(lod_encoder_l3.encode(lod_buf_span(&png), &options, &item), 0);
    cr_assert_null(item.whole);
    cr_assert_eq(verify_one(&lod_codec_l3, item), 0);
    for (unsigned at = 28; at < 36; at += 4) { /* CRC of IDAT, Adler-32 */
        item.row[at] ^= 1;
        cr_assert_eq(verify_one(&lod_codec_l3, item), PNGS, "byte %u of the row", at);
        item.row[at] ^= 1;
    }
    memset(item.group[7].data, 0xff, item.group[7].bytes);
    cr_assert_eq(verify_one(&lod_codec_l3, item), PNGS);
    lod_encoded_finish(&item);
    lod_buf_finish(&png);
}

Test(check_forms, a_photograph_that_cannot_be_rebuilt_is_found)
{
    const struct sample sample = {.width = 80, .height = 64, .quality = 80};
    struct lod_buf file = sample_jpeg(&sample);
    const struct lod_script *script = lod_script_builtin(0);
    struct lod_scan_choice choice = choose(&script, 1);
    struct lod_encode_options options = {.scans = &choice, .original = true};
    struct lod_encoded item;

    cr_assert_eq(lod_encoder_pcr.encode(lod_buf_span(&file), &options, &item), 0);
    cr_assert_null(item.whole);
    if (lod_encoder_pcr.join) {
        cr_assert_eq(lod_encoder_pcr.join(&item, LOD_SLOT_OWN), 0);
    }
    cr_assert_eq(verify_one(&lod_codec_pcr, item), 0);
    struct lod_buf *rebuild = &item.group[11];
    cr_assert_neq(rebuild->bytes, 0);
    memset(rebuild->data, 0xff, rebuild->bytes);
    cr_assert_eq(verify_one(&lod_codec_pcr, item), 1u << LOD_ORIGINAL);
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}

/* 300 rows of 300 columns of one byte: shards of 220 rows, the least, and 80. */
#define ROWS    300u
#define COLUMNS 300u

static void encode_table(struct item items[3])
{
    static const char header[128] = "\x93NUMPY\1\0v\0{'descr': '|u1', 'fortran_order': False, "
                                    "'shape': (300, 300), }";
    static uint8_t file[128 + ROWS * COLUMNS];
    struct lod_table_options cut = {.shard_rows = 220, .batch_rows = 20};
    struct lod_data_table t = {.kind = LOD_TABLE_NPY,
                               .stored = true,
                               .dtype = LOD_DTYPE_U1,
                               .rows = ROWS,
                               .columns = COLUMNS,
                               .header_bytes = 128,
                               .file_bytes = sizeof(file)};

    memset(file, ' ', 128);
    memcpy(file, header, strlen(header + 10) + 10);
    file[127] = '\n';
    for (size_t i = 128; i < sizeof(file); i++) {
        file[i] = (uint8_t)(i * i % 7 ? 0 : i % 3);
    }
    cr_assert_eq(lod_table_cut(&t, &cut), 0);
    cr_assert_eq(t.shards, 2);
    for (uint32_t part = 0; part < 3; part++) {
        struct lod_shard_rows at =
            part ? lod_table_shard(&t, part - 1) : (struct lod_shard_rows){0};
        struct lod_span span = {file + (part ? 128 + at.first * COLUMNS : 0),
                                part ? (size_t)at.rows * COLUMNS : 128};
        cr_assert_eq(lod_encoder_toc.encode_part(&t, part, span, &items[part].encoded), 0);
    }
}

Test(check_forms, a_table_that_differs_from_its_shards_is_found)
{
    struct item items[3] = {{.path = "t.npy"}, {.path = "t.toc.0"}, {.path = "t.toc.1"}};
    uint16_t seen[ITEMS_MAX];

    encode_table(items);
    verify_items(&lod_codec_toc, items, 3, seen);
    cr_assert(!seen[0] && !seen[1] && !seen[2], "%x %x %x", seen[0], seen[1], seen[2]);
    verify_items(&lod_codec_toc, items, 2, seen);
    cr_assert(seen[0] == LOD_FIDELITIES_ALL && !seen[1], "a shard is missing");
    struct item swapped[3] = {items[0], items[2], items[1]};
    verify_items(&lod_codec_toc, swapped, 3, seen);
    cr_assert(seen[0] == LOD_FIDELITIES_ALL && !seen[1] && !seen[2], "in another order");

    /* The shard has another number of rows than its index row says. */
    uint8_t *header = items[0].encoded.group[0].data;
    header[strcspn((char *)header + 10, "(") + 11] = '4';
    verify_items(&lod_codec_toc, items, 3, seen);
    cr_assert(seen[0] == LOD_FIDELITIES_ALL && !seen[1] && !seen[2]);
    header[strcspn((char *)header + 10, "(") + 11] = '3';

    items[2].encoded.row[24]--; /* rows of a shard */
    verify_items(&lod_codec_toc, items, 3, seen);
    cr_assert(seen[0] == LOD_FIDELITIES_ALL && !seen[1] && seen[2] == LOD_FIDELITIES_ALL);
    for (unsigned i = 0; i < 3; i++) {
        lod_encoded_finish(&items[i].encoded);
    }
}
