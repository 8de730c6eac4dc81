/* SPDX-License-Identifier: Apache-2.0 */
/* See index_copy.h. A slice is copied whole or not at all. */
#include "index/index_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "thread_start.h"

#define SLICE_BYTES ((size_t)1 << 20)
#define BATCH_MAX                                                                                  \
    4u /* slices in memory: enough to use all of a line of 1 Gbit/s with a latency of 20 ms */
#define FREE_PART  4u
#define OFFERS_MAX 100u /* at most, of one slice */
#define PAUSE_NS   50000000
#define NONE       UINT64_MAX

struct lod_index_copy {
    struct lod_object *index;
    int fd;
    unsigned batch;
    bool keep;
    uint64_t kept; /* used by the thread only: bytes that the local copy of the store has */
    uint64_t slices;
    uint64_t next;   /* used by the thread only: it has tried all slices before this one */
    uint8_t *memory; /* used by the thread only: memory for BATCH_MAX slices */
    pthread_t thread;
    atomic_bool over;
    atomic_uint_fast64_t wanted; /* a slice that a reader missed; or NONE */
    atomic_bool there[];         /* for each slice */
};

static uint64_t slice_bytes(const struct lod_index_copy *copy, uint64_t slice)
{
    const uint64_t left = lod_object_bytes(copy->index) - slice * SLICE_BYTES;

    return left < SLICE_BYTES ? left : SLICE_BYTES;
}

bool lod_index_copy_read(struct lod_index_copy *copy, uint64_t offset, void *into, size_t bytes)
{
    const uint64_t first = offset / SLICE_BYTES;

    if (!copy || !bytes) {
        return false;
    }
    for (uint64_t slice = first; slice <= (offset + bytes - 1) / SLICE_BYTES; slice++) {
        if (slice >= copy->slices) {
            return false;
        }
        if (!atomic_load_explicit(&copy->there[slice], memory_order_acquire)) {
            atomic_store_explicit(&copy->wanted, slice, memory_order_relaxed);
            return false;
        }
    }
    return lod_file_pread(copy->fd, offset, into, bytes) == 0;
}

/* ---------------------------------------------------------------------------------- the thread */

static bool is_there(struct lod_index_copy *copy, uint64_t slice)
{
    return atomic_load_explicit(&copy->there[slice], memory_order_relaxed);
}

/* Returns the slice to copy now: one that a reader missed, else the next in order. */
static uint64_t choose(struct lod_index_copy *copy)
{
    const uint64_t wanted = atomic_exchange(&copy->wanted, NONE);

    if (wanted < copy->slices && !is_there(copy, wanted)) {
        return wanted;
    }
    while (copy->next < copy->slices && is_there(copy, copy->next)) {
        copy->next++;
    }
    return copy->next < copy->slices ? copy->next : NONE;
}

static bool write_slice(struct lod_index_copy *copy, const struct lod_range *range)
{
    for (size_t done = 0; done < range->bytes;) {
        const ssize_t wrote = pwrite(copy->fd, (const uint8_t *)range->into + done,
                                     range->bytes - done, (off_t)(range->offset + done));
        if (wrote < 0 && errno != EINTR) {
            return false;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    atomic_store_explicit(&copy->there[range->offset / SLICE_BYTES], true, memory_order_release);
    return true;
}

/* Copies one batch from `slice` on. Returns false if the copy ends early; readers then read from
 * the store. */
static bool copy_batch(struct lod_index_copy *copy, uint64_t slice)
{
    struct lod_range ranges[BATCH_MAX];
    unsigned count = 0;

    for (; count < copy->batch && slice < copy->slices && !is_there(copy, slice); slice++) {
        ranges[count] = (struct lod_range){.offset = slice * SLICE_BYTES,
                                           .into = copy->memory + count * SLICE_BYTES,
                                           .bytes = (size_t)slice_bytes(copy, slice)};
        count++;
    }
    if (lod_object_read(copy->index, ranges, count, LOD_READ_AHEAD, NULL)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!write_slice(copy, &ranges[i])) {
            return false;
        }
    }
    return true;
}

/* Offers a slice again and again until the store's own copy has it: that copy accepts nothing while
 * it adds up its files. */
static bool offer_slice(struct lod_index_copy *copy, uint64_t slice)
{
    const uint64_t at = slice * SLICE_BYTES, end = at + slice_bytes(copy, slice);
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    bool has = false;

    if (lod_file_pread(copy->fd, at, copy->memory, (size_t)(end - at))) {
        return false;
    }
    for (unsigned tries = 0; !has && tries < OFFERS_MAX && !atomic_load(&copy->over); tries++) {
        if (tries) {
            nanosleep(&pause, NULL);
        }
        lod_object_offer(copy->index, at, copy->memory, (size_t)(end - at));
        has = lod_object_copied(copy->index, at, end) == end;
    }
    return has;
}

/* Bytes that came from the store's copy are not offered to it: they may be wrong there. */
static void offer_all(struct lod_index_copy *copy)
{
    bool has = copy->keep;

    for (uint64_t slice = copy->kept / SLICE_BYTES; has && slice < copy->slices; slice++) {
        has = offer_slice(copy, slice);
    }
}

static void *run(void *ctx)
{
    struct lod_index_copy *copy = ctx;

    copy->kept = lod_object_copied(copy->index, 0, lod_object_bytes(copy->index));
    for (uint64_t slice; !atomic_load(&copy->over) && (slice = choose(copy)) != NONE;) {
        if (!copy_batch(copy, slice)) {
            break;
        }
    }
    if (choose(copy) == NONE) {
        offer_all(copy);
    }
    free(copy->memory);
    copy->memory = NULL;
    return NULL;
}

/* ---------------------------------------------------------------------------------- start, end */

/* Opens a temporary file that has no name. If the file system does not support O_TMPFILE, creates a
 * file and unlinks it immediately. */
static int open_file(uint64_t bytes)
{
    const char *folder = getenv("TMPDIR");
    struct statvfs space;
    char name[4096];

    folder = folder && *folder ? folder : P_tmpdir;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && snprintf(name, sizeof(name), "%s/lodfs-index-XXXXXX", folder) < 4096) {
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0) {
            unlink(name);
        }
    }
    if (fd < 0) {
        return -errno;
    }
    if (fstatvfs(fd, &space) == 0 && bytes > space.f_bavail * space.f_frsize / FREE_PART) {
        close(fd);
        return -ENOSPC;
    }
    return fd;
}

static void destroy(struct lod_index_copy *copy)
{
    close(copy->fd);
    free(copy->memory);
    free(copy);
}

int lod_index_copy_start(struct lod_object *index, unsigned ranges, bool keep,
                         struct lod_index_copy **ret_copy)
{
    const uint64_t bytes = lod_object_bytes(index);
    const uint64_t slices = (bytes + SLICE_BYTES - 1) / SLICE_BYTES;
    int fd = open_file(bytes);

    if (fd < 0) {
        return fd;
    }
    struct lod_index_copy *copy = calloc(1, sizeof(*copy) + slices * sizeof(copy->there[0]));
    uint8_t *memory = malloc(BATCH_MAX * SLICE_BYTES);
    if (!copy || !memory) {
        close(fd);
        free(copy);
        free(memory);
        return -ENOMEM;
    }
    copy->index = index;
    copy->fd = fd;
    copy->slices = slices;
    copy->keep = keep;
    copy->batch = ranges < BATCH_MAX ? ranges : BATCH_MAX;
    copy->memory = memory;
    atomic_init(&copy->wanted, NONE);
    int error = lod_thread_start(&copy->thread, run, copy);
    if (error) {
        destroy(copy);
        return error;
    }
    *ret_copy = copy;
    return 0;
}

struct lod_index_copy *lod_index_copy_end(struct lod_index_copy *copy)
{
    if (copy) {
        atomic_store(&copy->over, true);
        pthread_join(copy->thread, NULL);
        destroy(copy);
    }
    return NULL;
}
