/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the names below records/; see check.h. */
#include "verify/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "record/record_header.h"
#include "record/record_names.h"

int lod_names_list(struct lod_verify *v)
{
    v->names.bytes = 0;
    int error = lod_record_names_list(v->store, &v->names);
    /* A folder that cannot be listed has no names. The index then finds its records damaged. */
    return lod_check_stops(error) ? error : 0;
}

const char *lod_names_at(const struct lod_verify *v, uint32_t number)
{
    return lod_record_names_at(&v->names, number);
}

bool lod_names_have_tree(struct lod_verify *v)
{
    struct lod_record_desc recd;
    bool found = false;
    const char *name;

    for (uint32_t i = 0; !found && (name = lod_names_at(v, i)); i++) {
        const char *dot = strrchr(name, '.');
        found = dot && strcmp(dot + 1, lod_codec_tree.name) == 0 &&
                lod_record_header_read(v->store, name, &recd) == 0;
    }
    return found;
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = lod_get_le64(a), y = lod_get_le64(b);

    return x < y ? -1 : x > y;
}

void lod_names_sort_known(struct lod_verify *v)
{
    if (v->known.bytes) {
        qsort(v->known.data, v->known.bytes / 8, 8, compare_hashes);
    }
}

bool lod_names_known(struct lod_verify *v, const char *name)
{
    uint8_t hash[8];

    lod_put_le64(hash, lod_hash64(name, strlen(name), 0));
    return v->known.bytes && bsearch(hash, v->known.data, v->known.bytes / 8, 8, compare_hashes);
}

int lod_names_note_strays(struct lod_verify *v)
{
    const char *name;

    if (v->records_unknown) {
        return 0;
    }
    int error = lod_names_list(v);
    for (uint32_t i = 0; !error && (name = lod_names_at(v, i)); i++) {
        if (!lod_names_known(v, name)) {
            struct lod_finding stray = {
                .what = "not a record of this store", .item = LOD_NO_ITEM, .note = true};
            snprintf(stray.file, sizeof(stray.file), "%s/%s", LOD_RECORDS_NAME, name);
            error = lod_findings_add(&v->findings, &stray);
        }
    }
    return error;
}
