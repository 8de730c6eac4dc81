/* SPDX-License-Identifier: Apache-2.0 */
/* See push.h. */
#include "push/push.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "index/index.h"
#include "pool.h"
#include "record/record_header.h"
#include "remote/upload.h"

struct work {
    const struct lod_push *push;
    struct lod_store *store;
    struct lod_manifest manifest;
    struct lod_index *index;
    struct lod_upload *upload;
    uint32_t records;
    uint64_t first, count; /* of the objects to send: records, then the index */
    pthread_mutex_t lock;  /* guards all below */
    struct lod_push_counts counts;
    struct lod_why why; /* of the first failure */
};

/* ---------------------------------------------------------------------------------- the folder */

static int open_store(struct work *work, struct lod_why *why)
{
    const char *reason = "";

    int error = lod_store_open(work->push->store, &work->store);
    if (error) {
        return lod_refuse(why, error == -ENOTDIR ? -ENOENT : error, "%s", strerrordesc_np(-error));
    }
    error = lod_manifest_read(work->store, &work->manifest, &reason);
    if (error) {
        return lod_refuse(why, error, "%s", reason);
    }
    error = lod_index_open(work->store, &work->manifest, LOD_INDEX_CACHE_BYTES, &work->index, why);
    work->records = error ? 0 : lod_index_records(work->index);
    return error;
}

static int read_object(void *ctx, uint64_t offset, void *into, size_t bytes)
{
    return lod_object_pread(ctx, offset, into, bytes);
}

/* Returns the name of object `number`. The records come first, then the index. For a record sets
 * *ret_recd too. */
static int name_object(struct work *work, uint64_t number, char name[LOD_OBJECT_NAME_MAX + 1],
                       struct lod_record_desc *ret_recd)
{
    const bool is_record = number < work->records;
    int error = is_record ? lod_index_record(work->index, (uint32_t)number, ret_recd) : 0;

    if (error || !is_record) {
        snprintf(name, LOD_OBJECT_NAME_MAX + 1, LOD_INDEX_NAME);
    } else {
        snprintf(name, LOD_OBJECT_NAME_MAX + 1, LOD_RECORDS_NAME "/%s", ret_recd->path);
    }
    return error;
}

/* Returns the name of an object, and the hash that identifies its contents on the server. */
static int describe(struct work *work, uint64_t number, char name[LOD_OBJECT_NAME_MAX + 1],
                    uint64_t *ret_mark)
{
    struct lod_record_desc recd, own;

    int error = name_object(work, number, name, &recd);
    if (error || number == work->records) {
        *ret_mark = work->manifest.index_hash;
        return error;
    }
    *ret_mark = recd.header_hash;
    error = lod_record_header_read(work->store, recd.path, &own);
    return error ? error : own.header_hash == recd.header_hash ? 0 : -EBADMSG;
}

/* ---------------------------------------------------------------------------------- one object */

static void add(struct work *work, bool sent, uint64_t bytes)
{
    pthread_mutex_lock(&work->lock);
    work->counts.sent += sent;
    work->counts.sent_bytes += sent ? bytes : 0;
    work->counts.there += !sent;
    pthread_mutex_unlock(&work->lock);
    lod_progress_add(work->push->progress, 1, bytes, 0);
}

/* Creates an object unless the server has it already. It can have it from an earlier push, or from
 * a try whose answer was lost. */
static int create(struct work *work, const struct lod_upload_file *file, bool *ret_sent,
                  struct lod_why *why)
{
    int error = lod_upload_stat(work->upload, file, why);

    *ret_sent = error == -ENOENT;
    if (error != -ENOENT || work->push->look_only) {
        return error == -ENOENT ? 0 : error;
    }
    error = lod_upload_create(work->upload, file, why);
    if (error == -EEXIST && lod_upload_stat(work->upload, file, why) == 0) {
        error = 0;
    }
    return error;
}

static int send_object(struct work *work, uint64_t number, struct lod_why *why)
{
    char name[LOD_OBJECT_NAME_MAX + 1] = "";
    struct lod_upload_file file = {.name = name, .read = read_object};
    struct lod_object *object = NULL;
    bool sent = false;

    int error = describe(work, number, name, &file.content_hash);
    error = error ? error : lod_object_open(work->store, name, &object);
    if (error) {
        return lod_refuse(why, error == -ENOENT ? -EBADMSG : error,
                          "%s: it is damaged or cannot be read; lodfs verify tells more", name);
    }
    file.bytes = lod_object_bytes(object);
    file.ctx = object;
    error = create(work, &file, &sent, why);
    lod_object_close(object);
    if (!error) {
        add(work, sent, file.bytes);
    }
    return error;
}

static int step(void *ctx, uint64_t number)
{
    struct work *work = ctx;
    struct lod_why why = {.text = ""};

    int error = lod_cancel_poll(work->push->cancel);
    error = error ? error : send_object(work, work->first + number, &why);
    if (error) {
        pthread_mutex_lock(&work->lock);
        if (!work->why.text[0]) {
            work->why = why;
        }
        pthread_mutex_unlock(&work->lock);
    }
    return error;
}

static int send_objects(struct work *work, struct lod_why *why)
{
    struct lod_pool *pool = NULL;

    int error = lod_pool_create(work->push->threads, &pool);
    error = error ? error : lod_pool_each(pool, work->count, step, work);
    lod_pool_destroy(pool);
    if (error) {
        *why = work->why;
    }
    return error;
}

/* ---------------------------------------------------------------------------------- the whole */

static int send_manifest(struct work *work, const struct lod_upload_file *manifest,
                         struct lod_why *why)
{
    int error = lod_upload_create(work->upload, manifest, why);

    if (error == -EEXIST) { /* this push may have created it in a try whose answer was lost */
        error = lod_upload_compare(work->upload, manifest, why);
        error = error == -ENOENT ? -EEXIST : error;
    }
    if (!error) {
        add(work, true, manifest->bytes);
    }
    return error;
}

/* The store exists if its manifest does, since the manifest is written last. */
static int send_all(struct work *work, const struct lod_upload_file *manifest, struct lod_why *why)
{
    int error = lod_upload_compare(work->upload, manifest, why);

    if (!error) {
        work->counts.there = work->count + !work->push->parts;
        return 0;
    }
    if (error == -ENOENT && work->push->look_only) {
        error = lod_upload_find_bucket(work->upload, manifest, why);
    }
    error = error == -ENOENT ? send_objects(work, why) : error;
    if (error || work->push->parts) {
        return error;
    }
    if (work->push->look_only) {
        work->counts.sent++;
        work->counts.sent_bytes += manifest->bytes;
        return 0;
    }
    return send_manifest(work, manifest, why);
}

/* Objects have about equal sizes, so a part has an equal number of them. */
static void choose_objects(struct work *work)
{
    const uint64_t all = (uint64_t)work->records + 1, part = work->push->part;
    const uint64_t parts = work->push->parts ? work->push->parts : 1;

    work->first = part ? all * (part - 1) / parts : 0;
    work->count = (part ? all * part / parts : all) - work->first;
}

static int run(struct work *work, struct lod_why *why)
{
    struct lod_upload_file manifest = {.name = LOD_MANIFEST_NAME, .read = read_object};
    struct lod_object *object = NULL;

    int error = open_store(work, why);
    error = error ? error
                  : lod_upload_open(work->push->url, work->push->settings,
                                    work->push->request_bytes, &work->upload, why);
    if (error) {
        return error;
    }
    error = lod_object_open(work->store, LOD_MANIFEST_NAME, &object);
    if (error) {
        return lod_refuse(why, error, "%s: %s", LOD_MANIFEST_NAME, strerrordesc_np(-error));
    }
    choose_objects(work);
    manifest.bytes = lod_object_bytes(object);
    manifest.content_hash = work->manifest.index_hash;
    manifest.ctx = object;
    lod_progress_stage(work->push->progress, "pushing", work->count + !work->push->parts, 0);
    error = send_all(work, &manifest, why);
    lod_object_close(object);
    return error;
}

int lod_push_run(const struct lod_push *push, struct lod_push_counts *ret_counts,
                 struct lod_why *why)
{
    struct work work = {.push = push};

    pthread_mutex_init(&work.lock, NULL);
    int error = run(&work, why);
    lod_upload_close(work.upload);
    work.index = work.index ? lod_index_close(work.index) : NULL;
    lod_manifest_finish(&work.manifest);
    if (work.store) {
        lod_store_close(work.store);
    }
    pthread_mutex_destroy(&work.lock);
    *ret_counts = work.counts;
    return error;
}
