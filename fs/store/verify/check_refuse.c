/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of one record: its place, its name, and the files that are lost with a record that
 * cannot be opened. See check_record.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/record_header.h"
#include "verify/check_record.h"

struct lod_finding lod_record_check_finding(const struct lod_record_check *c, const char *what,
                                            uint16_t fidelities)
{
    struct lod_finding finding = {.what = what, .item = LOD_NO_ITEM, .fidelities = fidelities};

    snprintf(finding.file, sizeof(finding.file), "%s/%s", LOD_RECORDS_NAME, c->recd.path);
    return finding;
}

const char *lod_record_check_cause(int error)
{
    switch (error) {
    case -EBADMSG:
        return "damaged: its hash differs";
    case -EILSEQ:
        return "malformed";
    case -ENOTSUP:
        return "it needs a newer lodfs";
    case -ENOENT:
        return "missing";
    default:
        return strerrordesc_np(-error);
    }
}

const char *lod_record_check_path(struct lod_record_check *c, uint32_t slot,
                                  char path[LOD_PATH_MAX + 1])
{
    struct lod_path_entry entry;

    if (!c->metadata.bytes && lod_metadata_read(c->verify->store, &c->recd, &c->metadata)) {
        return NULL;
    }
    if (c->recd.codec == LOD_CODEC_TREE || lod_metadata_path(&c->metadata, slot, &entry) ||
        entry.path_bytes > LOD_PATH_MAX) {
        return NULL;
    }
    memcpy(path, entry.path, entry.path_bytes);
    path[entry.path_bytes] = '\0';
    return path;
}

/* ------------------------------------------------------------------------ what is refused */

/* Finds out which part of the record is damaged, so that the finding has an offset. */
static struct lod_finding explain(struct lod_record_check *c, int error)
{
    struct lod_finding finding =
        lod_record_check_finding(c, lod_record_check_cause(error), LOD_FIDELITIES_ALL);
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(c->recd.path)];
    struct lod_object *object = NULL;
    struct lod_record_desc own;

    if (error != -EBADMSG && error != -EILSEQ) {
        return finding;
    }
    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, c->recd.path);
    if (lod_object_open(c->verify->store, name, &object) == 0) {
        uint64_t bytes = lod_object_bytes(object);
        lod_object_close(object);
        if (c->in_index && bytes != c->recd.file_bytes) {
            finding.what = bytes < c->recd.file_bytes ? "it is truncated" : "it is too long";
            finding.offset = bytes < c->recd.file_bytes ? bytes : c->recd.file_bytes;
            return finding;
        }
    }
    finding.bytes = LOD_RECORD_HEADER;
    if (lod_record_header_read(c->verify->store, c->recd.path, &own)) {
        finding.what = "its header is damaged";
    } else if (c->in_index && own.header_hash != c->recd.header_hash) {
        finding.what = "its header differs from the index: the file of another record";
    } else {
        finding.what = error == -EBADMSG ? "its metadata is damaged" : "its metadata is malformed";
        finding.offset = LOD_RECORD_HEADER;
        finding.bytes = c->recd.metadata_bytes;
    }
    return finding;
}

int lod_record_check_refuse(struct lod_record_check *c, int why)
{
    struct lod_finding finding = explain(c, why);
    struct lod_verify *v = c->verify;

    int error = lod_findings_add(&v->findings, &finding);
    finding.what = "its record cannot be opened";
    finding.bytes = 0;
    if (!c->in_index || c->recd.codec == LOD_CODEC_TREE) {
        return error; /* the entries of a tree list are in the index too */
    }
    for (uint32_t slot = 0; !error && slot < c->recd.items; slot++) {
        char path[LOD_PATH_MAX + 1];
        uint8_t row[LOD_ROW_BYTES];
        finding.item = c->recd.first_item + slot;
        finding.slot = slot;
        finding.path = NULL;
        finding.fidelities = LOD_FIDELITIES_ALL;
        if (lod_index_item(v->index, finding.item, row) == 0) {
            finding.path = lod_check_path(v, lod_row_own_node(row), path);
            finding.fidelities = lod_findings_costs(c->codec, row);
        }
        error = finding.fidelities ? lod_findings_add(&v->findings, &finding) : 0;
    }
    return error;
}
