/* SPDX-License-Identifier: Apache-2.0 */
/* Reads block 0 of the index; index_write.c writes it. See superblock.h. */
#include "index/superblock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "index/blocks.h"
#include "sample/sample_rows.h"

uint32_t lod_section_row_bytes(uint32_t section)
{
    static const uint32_t bytes[LOD_SECTION_LAST + 1] = {
        [LOD_SECTION_NODE] = LOD_NODE_ROW_BYTES,        [LOD_SECTION_ITEM] = LOD_ITEM_ROW_BYTES,
        [LOD_SECTION_RECD] = LOD_RECORD_DESC_ROW_BYTES, [LOD_SECTION_SUMS] = LOD_SUMS_ROW_BYTES,
        [LOD_SECTION_SAMP] = LOD_SAMPLE_ROW_BYTES,
    };
    return bytes[section];
}

static uint64_t rows_of(const struct lod_superblock *super, uint32_t section)
{
    const uint64_t rows[LOD_SECTION_LAST + 1] = {
        [LOD_SECTION_NODE] = super->totals.nodes,   [LOD_SECTION_ITEM] = super->totals.items,
        [LOD_SECTION_RECD] = super->totals.records, [LOD_SECTION_SUMS] = super->totals.sums,
        [LOD_SECTION_SAMP] = super->totals.items,
    };
    return rows[section];
}

static int check_features(uint64_t incompatible, struct lod_why *why)
{
    uint64_t unknown = incompatible & ~LOD_INCOMPATIBLE_KNOWN;

    if (unknown) {
        return lod_refuse(
            why, -ENOTSUP,
            "the store needs feature bit %d, which this lodfs does not have; use a newer one",
            __builtin_ctzll(unknown));
    }
    return 0;
}

/* Reads one entry of the section table; unknown ids are ignored. */
static int take_section(struct lod_superblock *super, struct lod_cursor *c, uint64_t file_blocks)
{
    uint32_t id = lod_take_le32(c), row_bytes = lod_take_le32(c);
    uint64_t first = lod_take_le64(c), blocks = lod_take_le64(c), rows = lod_take_le64(c);

    if (id > LOD_SECTION_LAST) {
        return 0;
    }
    super->totals.sums = id == LOD_SECTION_SUMS ? (uint32_t)rows : super->totals.sums;
    if (id == LOD_SECTION_SUPER || super->section[id].first ||
        row_bytes != lod_section_row_bytes(id) || rows != rows_of(super, id) || first == 0 ||
        first % (LOD_SECTION_ALIGN / LOD_BLOCK_BYTES) || first > file_blocks ||
        blocks > file_blocks - first || blocks > (uint64_t)UINT32_MAX + 1) {
        return -EILSEQ;
    }
    const uint64_t a_block = row_bytes ? LOD_BLOCK_PAYLOAD / row_bytes : 1;
    if (row_bytes && blocks != (rows + a_block - 1) / a_block) {
        return -EILSEQ;
    }
    super->section[id] = (struct lod_section){.first = first, .blocks = blocks};
    return 0;
}

static int take_sections(struct lod_superblock *super, struct lod_cursor *c, uint32_t count,
                         uint64_t file_blocks)
{
    bool zero = true;

    for (uint32_t i = 0; i < count; i++) {
        int error = take_section(super, c, file_blocks);
        if (error) {
            return error;
        }
    }
    while (c->left > LOD_BLOCK_BYTES - LOD_BLOCK_PAYLOAD) {
        zero &= lod_take_u8(c) == 0;
    }
    for (unsigned id = LOD_SECTION_NODE; id <= LOD_SECTION_LAST; id++) {
        zero &= super->section[id].first != 0;
    }
    super->totals.name_blocks = super->section[LOD_SECTION_NAME].blocks;
    return zero ? 0 : -EILSEQ;
}

int lod_superblock_take(const uint8_t block[LOD_BLOCK_BYTES], const struct lod_manifest *manifest,
                        struct lod_superblock *ret_super, struct lod_why *why)
{
    struct lod_superblock super = {0};
    struct lod_cursor c = lod_cursor(block, LOD_BLOCK_BYTES);

    if (memcmp(lod_take(&c, 8), LOD_INDEX_MAGIC, 8) != 0) {
        return lod_refuse(why, -EILSEQ, "the index is not a lodfs index");
    }
    uint16_t major = lod_take_le16(&c), minor = lod_take_le16(&c);
    if (major != LOD_FORMAT_MAJOR || minor != LOD_FORMAT_MINOR) {
        return lod_refuse(why, -ENOTSUP, "the index has another format version");
    }
    bool same = lod_take_le32(&c) == LOD_BLOCK_BYTES;
    int error = check_features(lod_take_le64(&c), why);
    if (error) {
        return error;
    }
    lod_take(&c, 8); /* compatible features: unknown ones are ignored */
    same &= lod_take_le64(&c) == manifest->store_id.low;
    same &= lod_take_le64(&c) == manifest->store_id.high;
    super.totals.nodes = lod_take_le32(&c);
    super.totals.items = lod_take_le32(&c);
    super.totals.records = lod_take_le32(&c);
    uint32_t sections = lod_take_le32(&c);
    same &= lod_take_le64(&c) == manifest->index_bytes;
    super.source_bytes = lod_take_le64(&c);
    super.keys.seed = lod_take_le64(&c);
    const uint64_t order = lod_take_le64(&c);
    super.keys.ascend = order == 1;
    same &= order <= 1;
    same &= super.totals.items == manifest->items && super.totals.records == manifest->records &&
            super.source_bytes == manifest->source_bytes;
    if (!same || super.totals.nodes == 0 || super.totals.nodes > LOD_NODES_MAX ||
        sections > LOD_SECTIONS_MAX ||
        take_sections(&super, &c, sections, manifest->index_bytes / LOD_BLOCK_BYTES)) {
        return lod_refuse(
            why, -EILSEQ,
            "the superblock of the index is malformed, or belongs to another manifest.json; lodfs "
            "repair makes both again from the records");
    }
    *ret_super = super;
    return 0;
}

static int read_once(struct lod_object *index, const struct lod_manifest *manifest,
                     uint8_t block[LOD_BLOCK_BYTES])
{
    int error = lod_object_pread(index, 0, block, LOD_BLOCK_BYTES);
    const bool wrong =
        !error && (lod_hash64(block, LOD_BLOCK_BYTES, 0) != manifest->index_hash ||
                   lod_block_check(block, manifest->store_id.low, LOD_SECTION_SUPER, 0));

    return wrong ? -EBADMSG : error;
}

int lod_superblock_read(struct lod_object *index, const struct lod_manifest *manifest,
                        uint8_t block[LOD_BLOCK_BYTES])
{
    int error = read_once(index, manifest, block);

    return error == -EBADMSG && lod_object_report_wrong(index, 0, LOD_BLOCK_BYTES)
               ? read_once(index, manifest, block)
               : error;
}

void lod_superblock_put(const struct lod_superblock *super, struct lod_id store_id,
                        uint64_t index_bytes, uint8_t block[LOD_BLOCK_BYTES])
{
    memset(block, 0, LOD_BLOCK_BYTES);
    memcpy(block, LOD_INDEX_MAGIC, 8);
    lod_put_le16(block + 8, LOD_FORMAT_MAJOR);
    lod_put_le16(block + 10, LOD_FORMAT_MINOR);
    lod_put_le32(block + 12, LOD_BLOCK_BYTES);
    lod_put_le64(block + 32, store_id.low);
    lod_put_le64(block + 40, store_id.high);
    lod_put_le32(block + 48, super->totals.nodes);
    lod_put_le32(block + 52, super->totals.items);
    lod_put_le32(block + 56, super->totals.records);
    lod_put_le32(block + 60, LOD_SECTION_LAST);
    lod_put_le64(block + 64, index_bytes);
    lod_put_le64(block + 72, super->source_bytes);
    lod_put_le64(block + 80, super->keys.seed);
    block[88] = super->keys.ascend;
    for (unsigned id = LOD_SECTION_NODE; id <= LOD_SECTION_LAST; id++) {
        uint8_t *at = block + 96 + (size_t)(id - LOD_SECTION_NODE) * 32;
        lod_put_le32(at, id);
        lod_put_le32(at + 4, lod_section_row_bytes(id));
        lod_put_le64(at + 8, super->section[id].first);
        lod_put_le64(at + 16, super->section[id].blocks);
        lod_put_le64(at + 24, rows_of(super, id));
    }
    lod_block_seal(block, store_id.low, LOD_SECTION_SUPER, 0);
}
