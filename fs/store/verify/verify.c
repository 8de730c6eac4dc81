/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a store for checking, and runs its steps by their numbers; see verify.h. */
#include "verify/verify.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory/memory_semaphore.h"
#include "verify/block_store.h"
#include "verify/check.h"

/* ----------------------------------------------------------------------------- opening */

/* Returns whether storage behind a network does not answer, or this user may not read a local file.
 * Neither is damage of a store. */
static bool is_refused(const struct lod_verify *v, int error)
{
    return lod_store_is_far(v->store) ? error != -ENOENT && error != -EILSEQ && error != -EBADMSG
                                      : lod_check_is_closed(v, error);
}

/* Reads the manifest and opens the index, as often as a mount would. `*ret_reason`: the reason
 * if the manifest cannot be used, or NULL. */
static int open_both(struct lod_verify *v, const char **ret_reason)
{
    int error = 0;

    for (unsigned tried = 0; lod_store_opens_again(v->store, tried, error); tried++) {
        lod_manifest_finish(&v->manifest);
        error = lod_manifest_read(v->store, &v->manifest, ret_reason);
        if (!error) {
            *ret_reason = NULL;
            error =
                lod_index_open(v->store, &v->manifest, LOD_INDEX_CACHE_BYTES, &v->index, &v->why);
        }
    }
    return error;
}

/* Takes the index, or reports why it cannot be used: `error`. */
static int take_index(struct lod_verify *v, int error, struct lod_why *why)
{
    uint8_t superblock[LOD_BLOCK_BYTES];

    if (error == -ENOTSUP || lod_check_stops(error) || lod_check_is_closed(v, error)) {
        *why = v->why;
        return error;
    }
    if (error) {
        return lod_check_file_found(v, LOD_INDEX_NAME, v->why.text, LOD_FIDELITIES_ALL);
    }
    error = lod_object_open(v->store, LOD_INDEX_NAME, &v->index_file);
    error = error ? error : lod_object_pread(v->index_file, 0, superblock, sizeof(superblock));
    if (error) {
        v->index = lod_index_close(v->index);
        return lod_check_stops(error) ? error
                                      : lod_check_file_found(v, LOD_INDEX_NAME, "it cannot be read",
                                                             LOD_FIDELITIES_ALL);
    }
    v->gaps_zero = true;
    for (uint32_t i = 0; i < lod_get_le32(superblock + 60) && i < LOD_SECTIONS_MAX; i++) {
        v->gaps_zero &= lod_get_le32(superblock + 96 + (size_t)i * 32) <= LOD_SECTION_LAST;
    }
    return 0;
}

/* Returns the reason without the name of the manifest at its start, since a finding is printed with
 * the name of its file. */
static const char *of_file(struct lod_verify *v, const char *reason)
{
    const size_t name = sizeof(LOD_MANIFEST_NAME) - 1;

    if (strncmp(reason, LOD_MANIFEST_NAME " ", name + 1) != 0) {
        return reason;
    }
    lod_refuse(&v->why, 0, "it%s", reason + name);
    return v->why.text;
}

static int open_manifest(struct lod_verify *v, struct lod_why *why)
{
    const char *reason = NULL;

    int error = open_both(v, &reason);
    if (!reason) {
        return take_index(v, error, why);
    }
    lod_manifest_explain(v->store, reason, why);
    if (error == -ENOTSUP || lod_check_stops(error) || is_refused(v, error)) {
        return error;
    }
    if (error == -ENOENT) {
        int listed = lod_names_list(v);
        if (listed || !lod_names_have_tree(v)) {
            return listed ? listed : error;
        }
        reason = "it is missing";
    }
    return lod_check_file_found(v, LOD_MANIFEST_NAME, of_file(v, reason), LOD_FIDELITIES_ALL);
}

static int open_all(struct lod_verify *v, const char *location,
                    const struct lod_store_settings *settings, struct lod_why *why)
{
    int error = lod_store_open_with(location, settings, &v->store, why);

    if (error) {
        return error == -ENOTDIR ? -ENOENT : error;
    }
    error = lod_store_is_far(v->store) ? lod_block_store_create(v->store, &v->store) : 0;
    error = error ? error : open_manifest(v, why);
    if (!error) {
        error = lod_steps_compute(v);
    }
    return lod_check_stops(error) ? lod_refuse(why, error, "%s", strerrordesc_np(-error)) : error;
}

int lod_verify_create(const char *location, const struct lod_store_settings *settings,
                      struct lod_verify **ret_verify, struct lod_why *why)
{
    struct lod_verify *v = calloc(1, sizeof(*v));

    if (!v) {
        return -ENOMEM;
    }
    lod_findings_init(&v->findings);
    lod_memory_semaphore_init(&v->work, LOD_WORK_SIZE_DEFAULT);
    pthread_mutex_init(&v->lock, NULL);
    int error = open_all(v, location, settings, why);
    if (error) {
        lod_verify_destroy(v);
        return error;
    }
    *ret_verify = v;
    return 0;
}

void lod_verify_limit_work(struct lod_verify *v, uint64_t bytes_max)
{
    v->work.bytes_max = bytes_max;
}

void lod_verify_hashes_only(struct lod_verify *v)
{
    v->hashes_only = true;
}

struct lod_verify *lod_verify_destroy(struct lod_verify *v)
{
    if (v) {
        lod_findings_finish(&v->findings);
        lod_memory_semaphore_finish(&v->work);
        pthread_mutex_destroy(&v->lock);
        lod_object_close(v->index_file);
        lod_index_close(v->index);
        lod_manifest_finish(&v->manifest);
        lod_store_close(v->store);
        cJSON_Delete(v->pack);
        cJSON_Delete(v->scans);
        lod_buf_finish(&v->names);
        lod_buf_finish(&v->known);
        lod_buf_finish(&v->ids);
        lod_buf_finish(&v->lost);
        free(v->slices.at);
        free(v);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------- steps */

uint64_t lod_verify_steps(const struct lod_verify *v)
{
    return v->block_steps + v->node_steps + v->slices.count;
}

uint64_t lod_verify_bytes(const struct lod_verify *v)
{
    return v->bytes;
}

uint64_t lod_verify_files(const struct lod_verify *v)
{
    return v->files;
}

int lod_verify_step(struct lod_verify *v, uint64_t number, uint64_t *ret_bytes, uint64_t *ret_files)
{
    *ret_bytes = *ret_files = 0;
    if (number < v->block_steps) {
        return lod_check_blocks(v, number, ret_bytes);
    }
    number -= v->block_steps;
    if (number < v->node_steps) {
        int error = lod_check_nodes(v, number);
        return error || v->hashes_only ? error : lod_check_schemas(v, number);
    }
    number -= v->node_steps;
    assert(number < v->slices.count);
    int error = lod_check_slice(v, &v->slices.at[number], ret_bytes, ret_files);
    if (lod_verify_is_beyond(v, &v->slices.at[number])) {
        *ret_bytes = *ret_files = 0; /* counted by their own part */
    }
    return error;
}

int lod_verify_conclude(struct lod_verify *v, const struct lod_findings **ret_findings)
{
    const bool first = v->part <= 1;
    int error = first && v->index ? lod_names_note_strays(v) : 0;

    error = error || !first ? error : lod_check_samples(v);
    error = error ? error : lod_check_whole(v);
    if (!error) {
        lod_verify_drop_others(v);
        lod_findings_sort(&v->findings);
        *ret_findings = &v->findings;
    }
    return error;
}

const struct lod_findings *lod_verify_so_far(struct lod_verify *v)
{
    lod_verify_drop_others(v);
    lod_findings_sort(&v->findings);
    return &v->findings;
}

int lod_verify_index(const char *location)
{
    struct lod_verify *v = NULL;
    uint64_t bytes, files;
    struct lod_why why = {.text = ""};

    int error = lod_verify_create(location, NULL, &v, &why);
    if (!error) {
        lod_verify_hashes_only(v); /* schemas are in records */
    }
    for (uint64_t i = 0; !error && i < v->block_steps + v->node_steps; i++) {
        error = lod_verify_step(v, i, &bytes, &files);
    }
    error = error ? error : lod_check_samples(v);
    if (!error && (!v->index || v->findings.damages)) {
        error = -EBADMSG;
    }
    lod_verify_destroy(v);
    return error;
}
