/* SPDX-License-Identifier: Apache-2.0 */
/* Converts NODE and RECD rows; see rows.h and FORMAT.md, NODE and RECD. */
#include "index/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/mtime.h"
#include "bytes.h"
#include "codec.h"

void lod_node_put(const struct lod_node *node, uint8_t row[LOD_NODE_ROW_BYTES])
{
    memset(row, 0, LOD_NODE_ROW_BYTES);
    lod_put_le32(row, node->parent);
    lod_put_le32(row + 4, node->ref);
    lod_put_le32(row + 8, node->count);
    lod_put_le16(row + 12, node->mode);
    row[14] = node->name_bytes;
    row[15] = node->flags;
    lod_put_le(row + 16, 6, node->name_at);
    lod_put_le64(row + 24, (uint64_t)node->mtime);
}

/* Returns whether [at, at + bytes) is inside one payload of section NAME. */
static bool heap_holds(const struct lod_totals *totals, uint64_t at, uint64_t bytes)
{
    uint64_t block = at / LOD_BLOCK_BYTES, offset = at % LOD_BLOCK_BYTES;

    return block < totals->name_blocks && offset + bytes <= LOD_BLOCK_PAYLOAD;
}

/* Checks `ref` and `count`, whose meaning depends on the kind of node. */
static bool refs_valid(const struct lod_node *node, const struct lod_totals *totals)
{
    switch (node->mode & S_IFMT) {
    case S_IFDIR:
        return !(node->flags & LOD_NODE_ALIAS) &&
               (!(node->flags & LOD_NODE_SPLIT) || node->parent == 0) &&
               (node->count == 0 ? node->ref == 0
                                 : node->ref > node->number &&
                                       (uint64_t)node->ref + node->count <= totals->nodes);
    case S_IFREG:
        return !(node->flags & LOD_NODE_SPLIT) && node->ref < totals->items && node->count == 0;
    case S_IFLNK:
        return !(node->flags & (LOD_NODE_ALIAS | LOD_NODE_SPLIT)) && node->ref == 0 &&
               node->count >= 1 && node->count <= LOD_TARGET_MAX;
    default:
        return false;
    }
}

static bool node_valid(const struct lod_node *node, const struct lod_totals *totals)
{
    const bool root = node->number == 0;
    const uint64_t target = (node->mode & S_IFMT) == S_IFLNK ? node->count : 0;

    if ((node->mode & ~(S_IFMT | 0777u)) || (node->flags & ~LOD_NODE_FLAGS) ||
        !lod_mtime_valid(node->mtime) || !refs_valid(node, totals)) {
        return false;
    }
    if (root) {
        return node->parent == 0 && (node->mode & S_IFMT) == S_IFDIR && node->name_bytes == 0 &&
               node->name_at == 0;
    }
    return node->parent < node->number && node->name_bytes >= 1 &&
           heap_holds(totals, node->name_at, node->name_bytes + target);
}

int lod_node_take(const uint8_t row[LOD_NODE_ROW_BYTES], uint32_t number,
                  const struct lod_totals *totals, struct lod_node *ret_node)
{
    struct lod_cursor c = lod_cursor(row, LOD_NODE_ROW_BYTES);
    struct lod_node node = {.number = number};

    node.parent = lod_take_le32(&c);
    node.ref = lod_take_le32(&c);
    node.count = lod_take_le32(&c);
    node.mode = lod_take_le16(&c);
    node.name_bytes = lod_take_u8(&c);
    node.flags = lod_take_u8(&c);
    node.name_at = lod_take_le48(&c);
    bool reserved = lod_take_le16(&c) != 0;
    node.mtime = (int64_t)lod_take_le64(&c);
    if (reserved || !node_valid(&node, totals)) {
        return -EILSEQ;
    }
    *ret_node = node;
    return 0;
}

void lod_record_desc_put(const struct lod_record_desc *recd, uint64_t path_at,
                         uint8_t row[LOD_RECORD_DESC_ROW_BYTES])
{
    memset(row, 0, LOD_RECORD_DESC_ROW_BYTES);
    lod_put_le32(row, recd->first_item);
    lod_put_le32(row + 4, recd->items);
    row[8] = recd->codec;
    row[9] = recd->frame_shift;
    lod_put_le16(row + 10, recd->groups);
    lod_put_le32(row + 12, recd->metadata_bytes);
    lod_put_le64(row + 16, recd->file_bytes);
    lod_put_le64(row + 24, recd->id.low);
    lod_put_le64(row + 32, recd->id.high);
    lod_put_le64(row + 40, recd->metadata_hash);
    lod_put_le64(row + 48, recd->header_hash);
    lod_put_le(row + 56, 6, path_at);
    lod_put_le16(row + 62, (uint16_t)strlen(recd->path));
    for (unsigned g = 0; g < LOD_GROUPS_MAX && recd->groups > 1; g++) {
        lod_put_le32(row + 64 + 4 * g, (uint32_t)recd->group_bytes[g]);
    }
    lod_put_le32(row + 112, recd->cut);
    row[116] = recd->apart;
}

/* Computes the length of a single group, which has no field: the rest of the file. */
static void derive_group(struct lod_record_desc *recd)
{
    const uint64_t around = (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes;

    if (recd->groups == 1 && recd->file_bytes >= around) {
        recd->group_bytes[0] = recd->file_bytes - around;
    }
}

int lod_record_desc_take(const uint8_t row[LOD_RECORD_DESC_ROW_BYTES], uint32_t number,
                         const struct lod_totals *totals, struct lod_record_desc *ret_recd,
                         struct lod_record_desc_path *ret_path)
{
    struct lod_cursor c = lod_cursor(row, LOD_RECORD_DESC_ROW_BYTES);
    struct lod_record_desc recd = {.number = number};
    struct lod_record_desc_path path;
    uint64_t fields = 0;

    recd.first_item = lod_take_le32(&c);
    recd.items = lod_take_le32(&c);
    recd.codec = lod_take_u8(&c);
    recd.frame_shift = lod_take_u8(&c);
    recd.groups = lod_take_le16(&c);
    recd.metadata_bytes = lod_take_le32(&c);
    recd.file_bytes = lod_take_le64(&c);
    recd.id.low = lod_take_le64(&c);
    recd.id.high = lod_take_le64(&c);
    recd.metadata_hash = lod_take_le64(&c);
    recd.header_hash = lod_take_le64(&c);
    path.at = lod_take_le48(&c);
    path.bytes = lod_take_le16(&c);
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        recd.group_bytes[g] = lod_take_le32(&c);
        fields |= recd.group_bytes[g];
    }
    recd.cut = lod_take_le32(&c);
    const uint8_t apart = lod_take_u8(&c);
    recd.apart = apart;
    uint64_t reserved = lod_take_le(&c, 3) | lod_take_le64(&c);
    if (reserved || apart > 1 || (recd.groups == 1 && fields) ||
        (uint64_t)recd.first_item + recd.items > totals->items || path.bytes == 0 ||
        path.bytes >= sizeof(recd.path) || !heap_holds(totals, path.at, path.bytes)) {
        return -EILSEQ;
    }
    derive_group(&recd);
    int error = lod_record_desc_check(&recd);
    if (!error) {
        *ret_recd = recd;
        *ret_path = path;
    }
    return error;
}

/* An item needs at least its row, an offset and a path entry in the metadata. */
#define METADATA_ITEM_BYTES_MIN (LOD_ROW_BYTES + 4 + 16)

int lod_record_desc_check(const struct lod_record_desc *recd)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    uint64_t bytes = (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes;

    if (!codec) {
        return recd->codec < LOD_CODECS ? -ENOTSUP : -EILSEQ;
    }
    if (recd->items == 0 || recd->items > LOD_RECORD_ITEMS_MAX || recd->groups != codec->groups ||
        recd->frame_shift < LOD_FRAME_SHIFT_MIN || recd->frame_shift > LOD_FRAME_SHIFT_MAX ||
        recd->file_bytes > LOD_RECORD_BYTES_MAX || recd->metadata_bytes > LOD_RECORD_META_MAX ||
        recd->metadata_bytes < (uint64_t)recd->items * METADATA_ITEM_BYTES_MIN ||
        (recd->apart && recd->codec != LOD_CODEC_L3)) {
        return -EILSEQ;
    }
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        if ((g >= recd->groups && recd->group_bytes[g]) ||
            (recd->groups > 1 && recd->group_bytes[g] > LOD_GROUP_BYTES_MAX) ||
            recd->group_bytes[g] > LOD_RECORD_BYTES_MAX) {
            return -EILSEQ;
        }
        bytes += recd->group_bytes[g]; /* at most 13 terms of 2^40: no overflow */
    }
    return bytes == recd->file_bytes ? 0 : -EILSEQ;
}

int lod_record_desc_check_path(const struct lod_record_desc *recd)
{
    static const char alphabet[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._-";
    const char *slash = strchr(recd->path, '/');
    const char *name = slash ? slash + 1 : recd->path;
    const char *suffix = strrchr(name, '.');
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    size_t folder = slash ? (size_t)(slash - recd->path) : 0;

    if (slash && (folder == 0 || recd->path[0] == '.' || strspn(recd->path, alphabet) != folder)) {
        return -EILSEQ;
    }
    if (!suffix || suffix == name || name[0] == '.' || strspn(name, alphabet) != strlen(name) ||
        !codec || strcmp(suffix + 1, codec->name) != 0) {
        return -EILSEQ;
    }
    return 0;
}
