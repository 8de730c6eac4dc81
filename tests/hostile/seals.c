/* SPDX-License-Identifier: Apache-2.0 */
/* See seals.h. Offsets are FORMAT.md's, written down once more. */
#include "seals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "store/blocks.h"
#include "store/manifest.h"
#include "store/record.h"
#include "watch.h"

static void read_frames(struct lod_record *record, const struct lod_recd *recd,
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
    struct lod_recd recd;

    if (lod_index_record(index, number, &recd) || lod_record_open(store, &recd, &record)) {
        fprintf(stderr, "the sound store: record %u cannot be read\n", number);
        exit(2);
    }
    snprintf(at->name, sizeof(at->name), "records/%s", recd.path);
    at->row = seals->section[LOD_SECTION_RECD] +
              number / (LOD_BLOCK_PAYLOAD / LOD_RECD_ROW_BYTES) * LOD_BLOCK_BYTES +
              number % (LOD_BLOCK_PAYLOAD / LOD_RECD_ROW_BYTES) * LOD_RECD_ROW_BYTES;
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
    char why[200];

    mem_serve(sound);
    if (lod_store_open("served", &store) || lod_manifest_read(store, &manifest, &reason) ||
        lod_index_open(store, &manifest, 1 << 20, &index, why, sizeof(why))) {
        exit(2);
    }
    seals->blocks[LOD_SECTION_SUPER] = 1;
    for (unsigned id = LOD_SECTION_NODE; id <= LOD_SECTION_NAME; id++) {
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
        close_shard(file->data + at->offset, at->bytes); /* the shards here have one frame */
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

/* Written again, with one number in twenty another one. */
static void close_manifest(struct chance *chance, struct mem_store *store)
{
    const struct mem_file *index = mem_find(store, "index");
    const uint8_t *super = index->data;
    struct lod_id id = {lod_get_le64(super + 32), lod_get_le64(super + 40)};
    uint64_t numbers[] = {lod_get_le64(super + 64), lod_get_le32(super + 56),
                          lod_get_le32(super + 52), lod_get_le64(super + 72)};
    char text[1000], id_text[LOD_ID_TEXT_BYTES];

    lod_id_text(id, id_text);
    if (chance && chance_below(chance, 20) == 0) {
        uint64_t *number = &numbers[chance_below(chance, sizeof(numbers) / sizeof(numbers[0]))];
        *number = seals_extreme(chance, *number);
        watch_say("  manifest.json: number %zu is %" PRIu64 "\n", (size_t)(number - numbers),
                  *number);
    }
    int bytes = snprintf(text, sizeof(text),
                         "{\"format\": \"lodfs\", \"major\": 1, \"minor\": 0, \"store_id\": \"%s\","
                         " \"index_bytes\": %" PRIu64 ", \"index_hash\": \"%016" PRIx64 "\","
                         " \"records\": %" PRIu64 ", \"items\": %" PRIu64 ","
                         " \"source_bytes\": %" PRIu64 ", \"pack\": {}, \"scans\": null}\n",
                         id_text, numbers[0], lod_hash64(super, LOD_BLOCK_BYTES, 0), numbers[1],
                         numbers[2], numbers[3]);
    mem_put(store, "manifest.json", text, (size_t)bytes);
}

void seals_close(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    struct mem_file *index = mem_find(store, "index");

    for (uint32_t i = 0; i < seals->records_count; i++) {
        close_record(&seals->records[i], store);
    }
    uint64_t seed = lod_get_le64(index->data + 32);
    for (unsigned id = LOD_SECTION_SUPER; id <= LOD_SECTION_NAME; id++) {
        for (uint32_t i = 0; i < seals->blocks[id]; i++) {
            lod_block_seal(index->data + seals->section[id] + (uint64_t)i * LOD_BLOCK_BYTES, seed,
                           id, i);
        }
    }
    close_manifest(chance, store);
}
