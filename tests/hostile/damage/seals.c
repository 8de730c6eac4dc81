/* SPDX-License-Identifier: Apache-2.0 */
/* See seals.h. Offsets are those of FORMAT.md, written independently of the code under test. */
#include "seals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "index/blocks.h"
#include "index/manifest.h"
#include "record/record.h"
#include "watch.h"

static void read_frames(struct lod_record *record, const struct lod_record_desc *recd,
                        struct record_at *at)
{
    uint64_t hash_at = LOD_RECORD_HEADER + (uint64_t)recd->items * (LOD_ROW_BYTES + 4);

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        for (unsigned group = 1; group <= recd->groups; group++) {
            uint64_t bytes = lod_record_segment_bytes(record, slot, group);
            uint64_t from = lod_record_segment_offset(record, slot, group);
            for (uint64_t frame = 0; frame << recd->frame_shift < bytes; frame++, hash_at += 8) {
                at->frames = realloc(at->frames, (at->frames_count + 1) * sizeof(at->frames[0]));
                at->frames[at->frames_count++] = (struct frame_at){
                    .hash_at = hash_at,
                    .offset = from + (frame << recd->frame_shift),
                    .bytes = lod_record_frame_bytes(record, slot, group, frame),
                    .slot = slot,
                    .group = (uint16_t)group,
                    .frame = frame,
                };
            }
        }
    }
}

static void read_record(struct lod_store *store, struct lod_index *index, uint32_t number,
                        struct seals *seals)
{
    struct record_at *at = &seals->records[number];
    struct lod_record *record = NULL;
    struct lod_record_desc recd;

    if (lod_index_record(index, number, &recd) || lod_record_open(store, &recd, &record)) {
        fprintf(stderr, "the sound store: record %u cannot be read\n", number);
        exit(2);
    }
    snprintf(at->name, sizeof(at->name), "records/%s", recd.path);
    at->row = seals->section[LOD_SECTION_RECD] +
              number / (LOD_BLOCK_PAYLOAD / LOD_RECORD_DESC_ROW_BYTES) * LOD_BLOCK_BYTES +
              number % (LOD_BLOCK_PAYLOAD / LOD_RECORD_DESC_ROW_BYTES) * LOD_RECORD_DESC_ROW_BYTES;
    at->first_item = recd.first_item;
    at->items = recd.items;
    at->metadata_bytes = recd.metadata_bytes;
    read_frames(record, &recd, at);
    lod_record_close(record);
}

struct seals *seals_read(struct mem_store *sound)
{
    struct seals *seals = calloc(1, sizeof(*seals));
    struct lod_manifest manifest;
    struct lod_store *store = NULL;
    struct lod_index *index = NULL;
    const char *reason;
    struct lod_why why = {.text = ""};

    mem_serve(sound);
    if (lod_store_open("served", &store) || lod_manifest_read(store, &manifest, &reason) ||
        lod_index_open(store, &manifest, 1 << 20, &index, &why)) {
        exit(2);
    }
    seals->blocks[LOD_SECTION_SUPER] = 1;
    for (unsigned id = LOD_SECTION_NODE; id <= LOD_SECTION_LAST; id++) {
        struct lod_section section = lod_index_section(index, id);
        seals->section[id] = section.first * LOD_BLOCK_BYTES;
        seals->blocks[id] = section.blocks;
    }
    seals->rows[LOD_SECTION_NODE] = lod_index_nodes(index);
    seals->rows[LOD_SECTION_ITEM] = lod_index_items(index);
    seals->rows[LOD_SECTION_RECD] = seals->records_count = lod_index_records(index);
    seals->records = calloc(seals->records_count, sizeof(seals->records[0]));
    for (uint32_t i = 0; i < seals->records_count; i++) {
        read_record(store, index, i, seals);
    }
    lod_index_close(index);
    lod_manifest_finish(&manifest);
    lod_store_close(store);
    return seals;
}

void seals_free(struct seals *seals)
{
    for (uint32_t i = 0; i < seals->records_count; i++) {
        free(seals->records[i].frames);
    }
    free(seals->records);
    free(seals);
}

uint64_t seals_frames(const struct seals *seals)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < seals->records_count; i++) {
        count += seals->records[i].frames_count;
    }
    return count;
}

struct seals_frame seals_frame(const struct seals *seals, uint64_t number)
{
    const struct record_at *record = seals->records;

    for (; number >= record->frames_count; record++) {
        number -= record->frames_count;
    }
    const struct frame_at *at = &record->frames[number];
    return (struct seals_frame){.file = record->name,
                                .offset = at->offset,
                                .bytes = at->bytes,
                                .item = record->first_item + at->slot,
                                .group = at->group};
}

uint64_t seals_extreme(struct chance *chance, uint64_t was)
{
    const uint64_t values[] = {
        0,
        1,
        was + 1,
        was - 1,
        was * 2,
        was + 4096,
        0x7fffffff,
        0x80000000u,
        UINT32_MAX,
        1ull << 32,
        1ull << 40,
        1ull << 63,
        INT64_MAX,
        UINT64_MAX,
        0x7fffull,
        255,
        was ^ 1,
        UINT64_MAX - 4095,
        was / 2,
        was ^ chance_bits(chance),
        (was & ~(uint64_t)(LOD_BLOCK_BYTES - 1)) + LOD_BLOCK_PAYLOAD - chance_below(chance, 24),
        chance_below(chance, 300),
        chance_below(chance, 70000),
        chance_bits(chance),
    };

    return values[chance_below(chance, sizeof(values) / sizeof(values[0]))];
}

/* ---------------------------------------------------------------------------------- sealing */

/* Shards have hashes of their own. */
static void close_shard(uint8_t *shard, size_t bytes)
{
    if (bytes >= 128 && memcmp(shard, "LODFSTC1", 8) == 0) {
        lod_put_le64(shard + 112, lod_hash64(shard + 128, bytes - 128, 0));
        lod_put_le64(shard + 120, lod_hash64(shard, 120, 0));
    }
}

static void close_record(const struct record_at *record, struct mem_store *store)
{
    struct mem_file *file = mem_find(store, record->name), *index = mem_find(store, "index");
    uint8_t *header = file->data;
    struct lod_id id = {lod_get_le64(header + 32), lod_get_le64(header + 40)};

    for (size_t i = 0; i < record->frames_count; i++) {
        const struct frame_at *at = &record->frames[i];
        close_shard(file->data + at->offset, at->bytes); /* each shard here is one frame */
        uint64_t seed = lod_frame_seed(id, at->slot, at->group, at->frame);
        lod_put_le64(file->data + at->hash_at,
                     lod_hash64(file->data + at->offset, at->bytes, seed));
    }
    uint64_t bytes = lod_get_le32(header + 52);
    if (bytes > file->bytes - LOD_RECORD_HEADER) {
        bytes = record->metadata_bytes;
    }
    lod_put_le64(header + 64, lod_hash64(header + LOD_RECORD_HEADER, (size_t)bytes, id.low));
    lod_put_le64(header + 4088, lod_hash64(header, 4088, id.low));
    memcpy(index->data + record->row + 40, header + 64, 8);
    memcpy(index->data + record->row + 48, header + 4088, 8);
}

/* Replaces the value of `key` in manifest.json by `value`; all other bytes stay as they are. */
static void put_value(struct mem_store *store, const char *key, const char *value)
{
    const struct mem_file *file = mem_find(store, "manifest.json");
    char name[40], *text = NULL;

    snprintf(name, sizeof(name), "\"%s\":\t", key);
    const uint8_t *at = memmem(file->data, file->bytes, name, strlen(name));
    if (!at) {
        fprintf(stderr, "manifest.json has no '%s'\n", key);
        exit(2);
    }
    const size_t head = (size_t)(at - file->data) + strlen(name);
    size_t was = 0;
    while (head + was < file->bytes && !strchr(",\n", file->data[head + was])) {
        was++;
    }
    const char *tail = (const char *)file->data + head + was;
    int bytes = asprintf(&text, "%.*s%s%.*s", (int)head, (const char *)file->data, value,
                         (int)(file->bytes - head - was), tail);
    if (bytes < 0) {
        exit(2);
    }
    mem_put(store, file->name, text, (size_t)bytes);
    free(text);
}

/* Copies the superblock's numbers into the manifest. One manifest in twenty gets a wrong number;
 * returns whether. */
static bool close_numbers(struct chance *chance, struct mem_store *store, const uint8_t *super)
{
    static const char *const keys[] = {"index_bytes", "records", "items", "source_bytes"};
    uint64_t numbers[] = {lod_get_le64(super + 64), lod_get_le32(super + 56),
                          lod_get_le32(super + 52), lod_get_le64(super + 72)};
    const size_t count = sizeof(numbers) / sizeof(numbers[0]);
    const bool attacked = chance && chance_below(chance, 20) == 0;
    char text[24];

    if (attacked) {
        const size_t i = (size_t)chance_below(chance, count);
        numbers[i] = seals_extreme(chance, numbers[i]);
        watch_say("  manifest.json: %s is %" PRIu64 "\n", keys[i], numbers[i]);
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof(text), "%" PRIu64, numbers[i]);
        put_value(store, keys[i], text);
    }
    return attacked;
}

/*
 * The manifest keeps the identity, options and scans of the sound store. The hash and the numbers
 * of the superblock are corrected, and in half of the cases the store_id too.
 */
static bool close_manifest(struct chance *chance, struct mem_store *store)
{
    const uint8_t *super = mem_find(store, "index")->data;
    struct lod_id id = {lod_get_le64(super + 32), lod_get_le64(super + 40)};
    char id_text[LOD_ID_TEXT_BYTES], text[LOD_ID_TEXT_BYTES + 2];

    const bool attacked = close_numbers(chance, store, super);
    snprintf(text, sizeof(text), "\"%016" PRIx64 "\"", lod_hash64(super, LOD_BLOCK_BYTES, 0));
    put_value(store, "index_hash", text);
    if (chance && chance_below(chance, 2)) {
        lod_id_text(id, id_text);
        snprintf(text, sizeof(text), "\"%s\"", id_text);
        put_value(store, "store_id", text);
    }
    return attacked;
}

bool seals_close(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    struct mem_file *index = mem_find(store, "index");

    for (uint32_t i = 0; i < seals->records_count; i++) {
        close_record(&seals->records[i], store);
    }
    uint64_t seed = lod_get_le64(index->data + 32);
    for (unsigned id = LOD_SECTION_SUPER; id <= LOD_SECTION_LAST; id++) {
        for (uint32_t i = 0; i < seals->blocks[id]; i++) {
            lod_block_seal(index->data + seals->section[id] + (uint64_t)i * LOD_BLOCK_BYTES, seed,
                           id, i);
        }
    }
    return close_manifest(chance, store);
}
