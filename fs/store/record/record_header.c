/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a record's header; see record_header.h. */
#include "record/record_header.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "index/rows.h"

#define HASH_AT (LOD_RECORD_HEADER - 8)

uint64_t lod_record_header_put(const struct lod_record_desc *recd,
                               uint8_t header[LOD_RECORD_HEADER])
{
    memset(header, 0, LOD_RECORD_HEADER);
    memcpy(header, LOD_RECORD_MAGIC, 8);
    lod_put_le16(header + 8, LOD_FORMAT_MAJOR);
    lod_put_le16(header + 10, LOD_FORMAT_MINOR);
    header[12] = recd->codec;
    header[13] = recd->frame_shift;
    lod_put_le16(header + 14, recd->groups);
    lod_put_le64(header + 32, recd->id.low);
    lod_put_le64(header + 40, recd->id.high);
    lod_put_le32(header + 48, recd->items);
    lod_put_le32(header + 52, recd->metadata_bytes);
    lod_put_le64(header + 56, recd->file_bytes);
    lod_put_le64(header + 64, recd->metadata_hash);
    for (unsigned g = 0; g < LOD_GROUPS_MAX && recd->groups > 1; g++) {
        lod_put_le32(header + 72 + g * 4, (uint32_t)recd->group_bytes[g]);
    }
    lod_put_le32(header + 120, recd->cut);
    header[124] = recd->apart;
    uint64_t hash = lod_hash64(header, HASH_AT, recd->id.low);
    lod_put_le64(header + HASH_AT, hash);
    return hash;
}

/* Checks magic, hash and versions; the other fields are valid only after that. */
static int check_seal(const uint8_t header[LOD_RECORD_HEADER])
{
    const uint64_t id_low = lod_get_le64(header + 32);

    if (memcmp(header, LOD_RECORD_MAGIC, 8) != 0 ||
        lod_get_le64(header + HASH_AT) != lod_hash64(header, HASH_AT, id_low)) {
        return -EBADMSG;
    }
    if (lod_get_le16(header + 8) != LOD_FORMAT_MAJOR ||
        lod_get_le16(header + 10) != LOD_FORMAT_MINOR ||
        (lod_get_le64(header + 16) & ~LOD_INCOMPATIBLE_KNOWN)) {
        return -ENOTSUP;
    }
    return 0;
}

/* Reads the group lengths. A single group has the rest of the file. */
static bool take_groups(struct lod_cursor *c, struct lod_record_desc *recd)
{
    const uint64_t around = (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes;
    uint64_t fields = 0;

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        recd->group_bytes[g] = lod_take_le32(c);
        fields |= recd->group_bytes[g];
    }
    if (recd->groups != 1) {
        return true;
    }
    if (fields || recd->file_bytes < around) {
        return false;
    }
    recd->group_bytes[0] = recd->file_bytes - around;
    return true;
}

int lod_record_header_take(const uint8_t header[LOD_RECORD_HEADER],
                           struct lod_record_desc *ret_recd)
{
    struct lod_record_desc recd = {.header_hash = lod_get_le64(header + HASH_AT)};
    struct lod_cursor c = lod_cursor(header, HASH_AT);

    int error = check_seal(header);
    if (error) {
        return error;
    }
    lod_take(&c, 12);
    recd.codec = lod_take_u8(&c);
    recd.frame_shift = lod_take_u8(&c);
    recd.groups = lod_take_le16(&c);
    lod_take(&c, 16); /* features; unknown compatible ones are ignored */
    recd.id.low = lod_take_le64(&c);
    recd.id.high = lod_take_le64(&c);
    recd.items = lod_take_le32(&c);
    recd.metadata_bytes = lod_take_le32(&c);
    recd.file_bytes = lod_take_le64(&c);
    recd.metadata_hash = lod_take_le64(&c);
    bool sound = take_groups(&c, &recd);
    recd.cut = lod_take_le32(&c);
    const uint8_t apart = lod_take_u8(&c);
    recd.apart = apart;
    sound &= apart <= 1;
    while (c.left) {
        sound &= lod_take_u8(&c) == 0;
    }
    error = sound ? lod_record_desc_check(&recd) : -EILSEQ;
    if (!error) {
        *ret_recd = recd;
    }
    return error;
}

int lod_record_header_read(struct lod_store *store, const char *path,
                           struct lod_record_desc *ret_recd)
{
    uint8_t header[LOD_RECORD_HEADER];
    struct lod_object *object = NULL;
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(ret_recd->path)];
    struct lod_record_desc recd;

    if (strlen(path) >= sizeof(recd.path)) {
        return -EILSEQ;
    }
    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, path);
    int error = lod_object_open(store, name, &object);
    if (error) {
        return error;
    }
    error = lod_object_pread(object, 0, header, sizeof(header));
    error = error ? error : lod_record_header_take(header, &recd);
    if (!error) {
        snprintf(recd.path, sizeof(recd.path), "%s", path);
        error = lod_record_desc_check_path(&recd);
    }
    if (!error && lod_object_bytes(object) != recd.file_bytes) {
        error = -EBADMSG;
    }
    lod_object_close(object);
    if (!error) {
        *ret_recd = recd;
    }
    return error;
}
