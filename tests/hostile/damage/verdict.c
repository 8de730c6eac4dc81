/* SPDX-License-Identifier: Apache-2.0 */
/* See verdict.h. */
#include "verdict.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "verify/verify.h"
#include "watch.h"

uint32_t verdict_changed(const struct mem_store *sound, const struct mem_store *now)
{
    uint32_t changed = 0;

    for (unsigned i = 0; i < sound->count; i++) {
        const struct mem_file *a = &sound->files[i], *b = &now->files[i];
        const bool same = !b->gone && a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
        changed |= same ? 0 : 1u << i;
    }
    return changed;
}

/* Returns whether a finding names the item, by number or path, or concerns the whole index. */
static bool is_named(const struct truth *truth, const struct lod_findings *findings, uint32_t item)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct lod_finding *found = &findings->at[i];
        if (found->note || !found->fidelities) {
            continue;
        }
        if (found->item == item || (found->item == LOD_NO_ITEM && !strcmp(found->file, "index"))) {
            return true;
        }
        for (uint32_t n = 0; n < truth->count && found->path; n++) {
            if (truth->nodes[n].row.ref == item && S_ISREG(truth->nodes[n].row.mode) &&
                strcmp(truth->nodes[n].path, found->path) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void print_all(const struct lod_findings *findings)
{
    for (size_t k = 0; k < findings->count && k < 20; k++) {
        const struct lod_finding *at = &findings->at[k];
        watch_say("    %s at %" PRIu64 ": %s, item %u, fidelities %x of '%s'\n", at->file,
                  at->offset, at->what, at->item, at->fidelities, at->path ? at->path : "");
    }
}

static uint32_t first_unnamed(const struct truth *truth, const struct lod_findings *findings,
                              const struct compared *refused)
{
    for (unsigned i = 0; i < refused->refused_count; i++) {
        if (!is_named(truth, findings, refused->refused_items[i])) {
            watch_say("  item %u is refused, but no finding names it; the findings are:\n",
                      refused->refused_items[i]);
            print_all(findings);
            return refused->refused_items[i];
        }
    }
    return LOD_NO_ITEM;
}

static bool is_in_records(const char *file)
{
    return strncmp(file, "records/", 8) == 0;
}

/* Returns whether a finding can follow from the changed files. A changed index or manifest.json may
 * affect any record, and a table may have shards in several records. */
static bool follows(const struct lod_finding *found, const struct mem_store *store,
                    uint32_t changed)
{
    bool records_alone = true;

    for (unsigned i = 0; i < store->count; i++) {
        const bool is_changed = changed >> i & 1;
        if (is_changed && strcmp(store->files[i].name, found->file) == 0) {
            return true;
        }
        records_alone = records_alone && (!is_changed || is_in_records(store->files[i].name));
    }
    return changed &&
           (!records_alone || !is_in_records(found->file) || strstr(found->file, ".toc") ||
            (found->path && strstr(found->path, ".toc/")));
}

static const char *first_stray(const struct lod_findings *findings, const struct mem_store *store,
                               uint32_t changed)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct lod_finding *found = &findings->at[i];
        if (!found->note && !follows(found, store, changed)) {
            watch_say("  finding %zu does not follow from the changes; the findings are:\n", i);
            print_all(findings);
            return found->what;
        }
    }
    return NULL;
}

static uint64_t count_schemas(const struct lod_findings *findings)
{
    uint64_t count = 0;

    for (size_t i = 0; i < findings->count; i++) {
        const char *path = findings->at[i].path, *name = path ? strrchr(path, '/') : NULL;
        count += name && strcmp(name, "/schema.json") == 0 && !findings->at[i].note;
    }
    return count;
}

struct verdict verdict_of(const struct truth *truth, const struct compared *refused,
                          const struct mem_store *store, uint32_t changed)
{
    struct verdict verdict = {.damages = VERDICT_REFUSED, .unnamed = LOD_NO_ITEM};
    const struct lod_findings *findings = NULL;
    struct lod_verify *v = NULL;
    uint64_t bytes, files;
    struct lod_why why = {.text = ""};

    watch_peak_reset();
    int error = lod_verify_create("served", NULL, &v, &why);
    if (!error) {
        lod_verify_limit_work(v, WORK_BYTES);
    }
    for (uint64_t i = 0; !error && i < lod_verify_steps(v); i++) {
        error = lod_verify_step(v, i, &bytes, &files);
    }
    if (!error && lod_verify_conclude(v, &findings) == 0) {
        verdict.damages = findings->damages;
        verdict.schemas = count_schemas(findings);
        if (refused) {
            verdict.unnamed = first_unnamed(truth, findings, refused);
            verdict.stray = first_stray(findings, store, changed);
        }
    }
    lod_verify_destroy(v);
    verdict.peak_bytes = watch_peak_bytes();
    return verdict;
}
