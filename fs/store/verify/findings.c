/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings; see findings.h. */
#include "verify/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

void lod_findings_init(struct lod_findings *findings)
{
    *findings = (struct lod_findings){0};
    pthread_mutex_init(&findings->lock, NULL);
}

void lod_findings_finish(struct lod_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free((char *)(uintptr_t)findings->at[i].path);
    }
    free(findings->at);
    pthread_mutex_destroy(&findings->lock);
    *findings = (struct lod_findings){0};
}

/* The lock is held. */
static int keep(struct lod_findings *findings, const struct lod_finding *finding)
{
    if (LOD_LIST_RESERVE(findings)) {
        return -ENOMEM;
    }
    char *path = finding->path ? strdup(finding->path) : NULL;
    if (finding->path && !path) {
        return -ENOMEM;
    }
    findings->at[findings->count] = *finding;
    findings->at[findings->count++].path = path;
    return 0;
}

int lod_findings_add(struct lod_findings *findings, const struct lod_finding *finding)
{
    int error = 0;

    pthread_mutex_lock(&findings->lock);
    if (findings->count < LOD_FINDINGS_MAX) {
        error = keep(findings, finding);
    }
    if (!error && finding->note) {
        findings->notes++;
    } else if (!error) {
        findings->damages++;
    }
    pthread_mutex_unlock(&findings->lock);
    return error;
}

void lod_findings_drop(struct lod_findings *findings,
                       bool (*is)(void *ctx, const struct lod_finding *finding), void *ctx)
{
    size_t kept = 0;

    for (size_t i = 0; i < findings->count; i++) {
        struct lod_finding *finding = &findings->at[i];
        if (is(ctx, finding)) {
            findings->notes -= finding->note;
            findings->damages -= !finding->note;
            free((void *)(uintptr_t)finding->path);
        } else {
            findings->at[kept++] = *finding;
        }
    }
    findings->count = kept;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b)
{
    const struct lod_finding *x = a, *y = b;

    int by = strcmp(x->file, y->file);
    by = by ? by : order(x->offset, y->offset);
    by = by ? by : order(x->group, y->group);
    /* Items without a number first. */
    by = by ? by : order((uint32_t)(x->item + 1), (uint32_t)(y->item + 1));
    by = by ? by : strcmp(x->path ? x->path : "", y->path ? y->path : "");
    return by ? by : strcmp(x->what, y->what);
}

void lod_findings_sort(struct lod_findings *findings)
{
    if (findings->count) {
        qsort(findings->at, findings->count, sizeof(*findings->at), compare);
    }
}

static bool reads(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                  const struct lod_plan *plan, unsigned group, uint64_t offset, uint64_t bytes)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        /* Made bytes depend on all bytes of a group. */
        if (piece->kind == LOD_PIECE_MADE &&
            lod_codec_made_groups(codec, row, piece->form) >> (group - 1) & 1) {
            return true;
        }
        if (piece->kind == LOD_PIECE_STORED && piece->group == group &&
            piece->offset < offset + bytes && offset < piece->offset + piece->bytes) {
            return true;
        }
    }
    return false;
}

uint16_t lod_findings_fidelities(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                 unsigned group, uint64_t offset, uint64_t bytes)
{
    uint16_t fidelities = 0;
    struct lod_plan plan;

    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        int error = lod_codec_plan(codec, row, LOD_FORMAT_TREE, (enum lod_fidelity)f, &plan);
        if (!error && reads(codec, row, &plan, group, offset, bytes)) {
            fidelities |= (uint16_t)(1u << f);
        }
    }
    return fidelities;
}

uint16_t lod_findings_stored(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES])
{
    uint16_t fidelities = 0;

    for (unsigned group = 1; group <= codec->groups; group++) {
        fidelities |= lod_findings_fidelities(codec, row, group, 0, INT64_MAX);
    }
    return fidelities;
}

uint16_t lod_findings_costs(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES])
{
    uint64_t bytes[LOD_GROUPS_MAX];

    return lod_codec_segments(codec, row, bytes) ? LOD_FIDELITIES_ALL
                                                 : lod_findings_stored(codec, row);
}

static int compare_costly(const void *a, const void *b)
{
    const struct lod_costly *x = a, *y = b;

    return x->item < y->item ? -1 : x->item > y->item;
}

int lod_costly_list(const struct lod_findings *findings, struct lod_costly **ret_list,
                    size_t *ret_count)
{
    struct lod_costly *list = malloc((findings->count + 1) * sizeof(*list));
    size_t count = 0;

    if (!list) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->at[i].item != LOD_NO_ITEM && findings->at[i].fidelities) {
            list[count++] = (struct lod_costly){findings->at[i].item, (uint32_t)i};
        }
    }
    qsort(list, count, sizeof(*list), compare_costly);
    *ret_list = list;
    *ret_count = count;
    return 0;
}

size_t lod_costly_first(const struct lod_costly *list, size_t count, uint32_t item)
{
    size_t low = 0;

    LOD_SEARCH(low, count, list[middle].item < item);
    return low;
}
