/* SPDX-License-Identifier: Apache-2.0 */
/* See reseal.h. Offsets are those of FORMAT.md, written independently of the code under test. */
#include "reseal.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"
#include "backend/format.h"
#include "watch.h"

/* ------------------------------------------------------------------------------ the attacks */

struct field {
    unsigned at, width;
};

static const struct field super_fields[] = {
    {0, 8},   {8, 2},   {10, 2},  {12, 4},  {16, 8},  {24, 8},  {32, 8},  {40, 8},  {48, 4},
    {52, 4},  {56, 4},  {60, 4},  {64, 8},  {72, 8},  {80, 8},  {88, 8},  {96, 4},  {100, 4},
    {104, 8}, {112, 8}, {120, 8}, {128, 4}, {136, 8}, {144, 8}, {152, 8}, {160, 4}, {168, 8},
    {176, 8}, {184, 8}, {192, 4}, {200, 8}, {208, 8}, {216, 8}, {224, 4}, {600, 8},
};
static const struct field node_fields[] = {
    {0, 4},  {4, 4},  {8, 4},  {12, 2}, {14, 1}, {15, 1},
    {16, 6}, {22, 2}, {24, 8}, {4, 4},  {8, 4},  {16, 6},
};
static const struct field item_fields[] = {
    {0, 1},  {1, 1},  {2, 2},  {4, 4},  {8, 2},  {10, 2}, {8, 8},  {12, 4}, {16, 4}, {20, 4},
    {24, 4}, {28, 4}, {32, 4}, {36, 4}, {40, 4}, {44, 4}, {48, 4}, {52, 4}, {56, 4}, {60, 4},
};
/* Fields of tables and shards (FORMAT.md, ITEM, column toc),
 * of a shard's header and its batches. */
static const struct field table_fields[] = {
    {1, 1}, {8, 8}, {16, 8}, {24, 4}, {28, 4}, {32, 4}, {36, 4}, {40, 4}, {44, 4}, {0, 1},
};
static const struct field shard_fields[] = {
    {12, 1}, {13, 1}, {14, 1}, {15, 1}, {16, 4}, {20, 4}, {24, 4}, {28, 4}, {32, 4},
    {36, 1}, {37, 1}, {38, 2}, {40, 8}, {48, 8}, {56, 8}, {64, 8}, {72, 8}, {80, 4},
};
static const struct field batch_fields[] = {{0, 4}, {4, 4}, {8, 4}, {12, 2}, {14, 1}, {15, 1}};
static const struct field recd_fields[] = {
    {0, 4},  {4, 4},  {8, 1},  {9, 1},  {10, 2}, {12, 4}, {16, 8},  {24, 8},  {32, 8},  {40, 8},
    {48, 8}, {56, 6}, {62, 2}, {64, 4}, {68, 4}, {80, 4}, {104, 4}, {108, 4}, {112, 4}, {116, 8},
};
/* Fields that RECD and a record's header both have: offset in RECD, offset in the header, width. */
static const struct {
    struct field recd;
    unsigned header;
} twins[] = {
    {{4, 4}, 48},  {{8, 1}, 12},    {{9, 1}, 13},    {{10, 2}, 14}, {{12, 4}, 52},
    {{16, 8}, 56}, {{24, 8}, 32},   {{32, 8}, 40},   {{64, 4}, 72}, {{68, 4}, 76},
    {{80, 4}, 88}, {{108, 4}, 116}, {{112, 4}, 120},
};
static const struct field widths[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}};
static const struct field path_fields[] = {{0, 2}, {2, 2}, {4, 4}, {8, 8}, {16, 1}};

static void set(struct mem_file *file, uint64_t at, unsigned width, uint64_t value)
{
    if (at <= file->bytes && width <= file->bytes - at) {
        watch_say("  %s: %u bytes at %" PRIu64 ": %#" PRIx64 ", was %#" PRIx64 "\n", file->name,
                  width, at, value, lod_get_le(file->data + at, width));
        lod_put_le(file->data + at, width, value);
    }
}

static void attack_at(struct chance *chance, struct mem_file *file, uint64_t base,
                      const struct field *fields, size_t count)
{
    const struct field *field = &fields[chance_below(chance, count)];
    uint64_t at = base + field->at;

    if (at <= file->bytes && field->width <= file->bytes - at) {
        set(file, at, field->width,
            seals_extreme(chance, lod_get_le(file->data + at, field->width)));
    }
}

/* An offset in a NODE row. */
#define NAME_BYTES_AT 14u
#define NAME_AT       16u

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t row_at(const struct seals *seals, unsigned id, uint32_t number)
{
    static const uint32_t bytes[] = {0, LOD_NODE_ROW_BYTES, LOD_ITEM_ROW_BYTES,
                                     LOD_RECORD_DESC_ROW_BYTES};
    const uint32_t a_block = LOD_BLOCK_PAYLOAD / bytes[id];

    return seals->section[id] + (uint64_t)(number / a_block) * LOD_BLOCK_BYTES +
           number % a_block * bytes[id];
}

static const struct record_at *any_record(const struct seals *seals, struct chance *chance)
{
    return &seals->records[chance_below(chance, seals->records_count)];
}

static void attack_super(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    (void)seals;
    attack_at(chance, mem_find(store, "index"), 0, super_fields, COUNT(super_fields));
}

static void attack_node(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    uint32_t number = (uint32_t)chance_below(chance, seals->rows[LOD_SECTION_NODE]);

    number = chance_below(chance, 3) ? number : (uint32_t)chance_below(chance, 8);
    attack_at(chance, mem_find(store, "index"), row_at(seals, LOD_SECTION_NODE, number),
              node_fields, COUNT(node_fields));
}

/* Changes an item's row in the index, in its record, or in both alike. */
static void attack_item(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    const struct record_at *record = any_record(seals, chance);
    uint32_t slot = (uint32_t)chance_below(chance, record->items);
    struct mem_file *file = mem_find(store, record->name), *index = mem_find(store, "index");
    const struct field *field = &item_fields[chance_below(chance, COUNT(item_fields))];
    uint64_t in_index = row_at(seals, LOD_SECTION_ITEM, record->first_item + slot) + field->at;
    uint64_t in_record = LOD_RECORD_HEADER + (uint64_t)slot * LOD_ROW_BYTES + field->at;
    uint64_t value = seals_extreme(chance, lod_get_le(index->data + in_index, field->width));
    uint64_t where = chance_below(chance, 4);

    if (where != 0) {
        set(index, in_index, field->width, value);
    }
    if (where != 1) {
        set(file, in_record, field->width, value);
    }
}

/* Returns a record of tables, or NULL. */
static const struct record_at *any_tables(const struct seals *seals, struct chance *chance)
{
    for (unsigned i = 0; i < 100; i++) {
        const struct record_at *record = any_record(seals, chance);
        if (strstr(record->name, ".toc")) {
            return record;
        }
    }
    return NULL;
}

/* Changes the row of a table or shard, in index and record alike, so that the two disagree. */
static void attack_table(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    const struct record_at *record = any_tables(seals, chance);
    const struct field *field = &table_fields[chance_below(chance, COUNT(table_fields))];

    if (record) {
        struct mem_file *index = mem_find(store, "index");
        uint32_t slot = (uint32_t)chance_below(chance, record->items);
        uint64_t at = row_at(seals, LOD_SECTION_ITEM, record->first_item + slot) + field->at;
        uint64_t value = seals_extreme(chance, lod_get_le(index->data + at, field->width));
        set(index, at, field->width, value);
        set(mem_find(store, record->name),
            LOD_RECORD_HEADER + (uint64_t)slot * LOD_ROW_BYTES + field->at, field->width, value);
    }
}

/* Changes the header of a shard, a row of its batches, or a byte of their bodies. */
static void attack_shard(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    const struct record_at *record = any_tables(seals, chance);

    if (!record) {
        return;
    }
    struct mem_file *file = mem_find(store, record->name);
    const struct frame_at *frame = &record->frames[chance_below(chance, record->frames_count)];
    uint64_t batches = frame->offset + 128;
    for (unsigned i = 0; i < 3 && frame->bytes >= 128; i++) {
        batches += lod_get_le64(file->data + frame->offset + 40 + 8 * i);
    }
    switch (chance_below(chance, 3)) {
    case 0:
        attack_at(chance, file, batches + 16 * chance_below(chance, 3), batch_fields,
                  COUNT(batch_fields));
        break;
    case 1:
        attack_at(chance, file, frame->offset + chance_below(chance, frame->bytes), widths, 2);
        break;
    default:
        attack_at(chance, file, frame->offset, shard_fields, COUNT(shard_fields));
    }
}

/* Moves bytes from one segment's length to another's, in index and record; the sums stay right. */
static void attack_lengths(const struct seals *seals, struct chance *chance,
                           struct mem_store *store)
{
    const struct record_at *record = any_record(seals, chance);
    struct mem_file *file = mem_find(store, record->name), *index = mem_find(store, "index");
    unsigned group_at = 16 + 4 * (unsigned)chance_below(chance, 12), width = 4;
    uint64_t moved = 1 + chance_below(chance, 3000);

    if (strstr(record->name, ".pcr") == NULL) {
        group_at = width = 8;
    }
    for (unsigned i = 0; i < 2; i++) {
        uint32_t slot = (uint32_t)chance_below(chance, record->items);
        uint64_t at = row_at(seals, LOD_SECTION_ITEM, record->first_item + slot) + group_at;
        uint64_t was = lod_get_le(index->data + at, width);
        uint64_t value = i ? was + moved : was - moved;
        set(index, at, width, value);
        set(file, LOD_RECORD_HEADER + (uint64_t)slot * LOD_ROW_BYTES + group_at, width, value);
    }
}

static void attack_recd(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    attack_at(chance, mem_find(store, "index"), any_record(seals, chance)->row, recd_fields,
              COUNT(recd_fields));
}

static void attack_header(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    const struct record_at *record = any_record(seals, chance);
    struct mem_file *file = mem_find(store, record->name), *index = mem_find(store, "index");
    size_t which = (size_t)chance_below(chance, COUNT(twins));
    uint64_t value = seals_extreme(
        chance, lod_get_le(file->data + twins[which].header, twins[which].recd.width));

    set(file, twins[which].header, twins[which].recd.width, value);
    if (chance_below(chance, 4)) {
        set(index, record->row + twins[which].recd.at, twins[which].recd.width, value);
    }
}

/* Changes an offset, a path entry or any byte of the metadata. */
static void attack_metadata(const struct seals *seals, struct chance *chance,
                            struct mem_store *store)
{
    const struct record_at *record = any_record(seals, chance);
    struct mem_file *file = mem_find(store, record->name);
    uint32_t slot = (uint32_t)chance_below(chance, record->items);
    uint64_t offset_at = LOD_RECORD_HEADER + (uint64_t)record->items * LOD_ROW_BYTES + 4 * slot;
    uint64_t entry = lod_get_le32(file->data + offset_at);
    static const struct field offset_field[] = {{0, 4}}, byte[] = {{0, 1}};

    switch (chance_below(chance, 4)) {
    case 0:
        attack_at(chance, file, offset_at, offset_field, 1);
        break;
    case 1:
        attack_at(chance, file, LOD_RECORD_HEADER + chance_below(chance, record->metadata_bytes),
                  byte, 1);
        break;
    default:
        attack_at(chance, file, LOD_RECORD_HEADER + entry, path_fields, COUNT(path_fields));
    }
}

static void attack_payload(const struct seals *seals, struct chance *chance,
                           struct mem_store *store)
{
    const struct record_at *record = any_record(seals, chance);
    struct mem_file *file = mem_find(store, record->name);
    uint64_t from = LOD_RECORD_HEADER + record->metadata_bytes;
    attack_at(chance, file, from + chance_below(chance, file->bytes - from), widths, 4);
}

/* Writes '/', NUL, dots or control characters into names, and paths of records. */
static void attack_name(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    static const char *const texts[] = {"/",  "..",      "../",   ".",      "a/b",
                                        "\n", "\x1b[2J", "/etc/", "../../x"};
    struct mem_file *index = mem_find(store, "index");
    uint64_t used = seals->blocks[LOD_SECTION_NAME] * LOD_BLOCK_BYTES;
    uint64_t at = seals->section[LOD_SECTION_NAME] + chance_below(chance, used);
    size_t which = (size_t)chance_below(chance, COUNT(texts) + 1);
    size_t bytes = which < COUNT(texts) ? strlen(texts[which]) : 1;

    for (unsigned i = 0; i < 50 && index->data[at] == 0; i++) {
        at = seals->section[LOD_SECTION_NAME] + chance_below(chance, used);
    }
    memcpy(index->data + at, which < COUNT(texts) ? texts[which] : "", bytes);
    watch_say("  index: %zu bytes at %" PRIu64 " of the names: text %zu\n", bytes, at, which);
}

/* Replaces a whole name, as attack_name hardly ever makes one that is exactly "..". */
static void attack_whole_name(const struct seals *seals, struct chance *chance,
                              struct mem_store *store)
{
    static const char *const texts[] = {"..", ".", "/", "a/b", ""};
    struct mem_file *index = mem_find(store, "index");
    uint32_t number = 1 + (uint32_t)chance_below(chance, seals->rows[LOD_SECTION_NODE] - 1);
    uint64_t row = row_at(seals, LOD_SECTION_NODE, number);
    uint64_t at = seals->section[LOD_SECTION_NAME] + lod_get_le(index->data + row + NAME_AT, 6);
    const char *text = texts[chance_below(chance, COUNT(texts))];

    memcpy(index->data + at, text, strlen(text));
    set(index, row + NAME_BYTES_AT, 1, strlen(text));
    watch_say("  index: node %" PRIu32 " is called '%s'\n", number, text);
}

void reseal_attack(const struct seals *seals, struct chance *chance, struct mem_store *store)
{
    static void (*const kinds[])(const struct seals *, struct chance *, struct mem_store *) = {
        attack_super,   attack_node,    attack_node,       attack_item,     attack_item,
        attack_lengths, attack_recd,    attack_header,     attack_metadata, attack_payload,
        attack_name,    attack_node,    attack_table,      attack_table,    attack_shard,
        attack_shard,   attack_payload, attack_whole_name,
    };

    kinds[chance_below(chance, COUNT(kinds))](seals, chance, store);
}
