/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of objects as slices: read, written, and dropped. See tier_state.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "tier/tier_files.h"
#include "tier/tier_state.h"

/* The part of a range that is in one slice. */
struct part {
    uint64_t n, at; /* the slice, and where in it the part begins */
    size_t bytes;
};

static struct part part_of(uint64_t offset, uint64_t bytes)
{
    const uint64_t at = offset % LOD_SLICE_BYTES, left = LOD_SLICE_BYTES - at;

    return (struct part){
        .n = offset / LOD_SLICE_BYTES, .at = at, .bytes = (size_t)(bytes < left ? bytes : left)};
}

/* Unlinks a slice. Returns whether it was there. */
static bool drop(struct lod_tier *tier, uint64_t key, uint64_t n)
{
    uint64_t bytes = 0;

    if (!lod_tier_slice_bytes(tier->store_fd, key, n)) {
        return false;
    }
    const bool locked = lod_tier_space_lock(&tier->space); /* else the next sum finds it */
    const bool gone = !lod_tier_slice_unlink(tier->store_fd, key, n, &bytes);
    if (locked && gone) {
        lod_tier_space_release(&tier->space, lod_tier_space_of(bytes));
    }
    if (locked) {
        lod_tier_space_unlock(&tier->space);
    }
    return gone;
}

/* ---------------------------------------------------------------------------------- reading */

static void fail(struct lod_tier *tier, uint64_t key, uint64_t n, int error)
{
    char line[160];

    snprintf(line, sizeof(line),
             "%016" PRIx64 ".%" PRIu64 " cannot be read (%s): its bytes come from the store", key,
             n, strerrordesc_np(-error));
    atomic_fetch_add(&tier->errors, 1);
    lod_tier_report(tier, line);
    (void)drop(tier, key, n);
}

static int read_part(struct lod_tier *tier, uint64_t key, const struct part *part, void *into,
                     bool load)
{
    const int place = lod_tier_health_begin(&tier->health, LOD_TIER_READ_S, lod_clock_ns());

    if (place < 0) {
        return -EBUSY;
    }
    int error =
        lod_tier_slice_read(tier->store_fd, key, part->n, part->at, into, part->bytes, load);
    const bool failed = error && error != -ENOENT;
    lod_tier_health_end(&tier->health, place, failed, lod_clock_ns());
    if (failed) {
        fail(tier, key, part->n, error);
    }
    return error;
}

size_t lod_tier_read(struct lod_tier *tier, uint64_t key, uint64_t offset, void *into, size_t bytes,
                     bool load)
{
    size_t done = 0;

    while (done < bytes) {
        const struct part part = part_of(offset + done, bytes - done);
        if (read_part(tier, key, &part, (uint8_t *)into + done, load)) {
            break;
        }
        done += part.bytes;
    }
    atomic_fetch_add(&tier->read_bytes, done == bytes ? done : 0); /* a part is not used */
    return done;
}

uint64_t lod_tier_copied(struct lod_tier *tier, uint64_t key, uint64_t from, uint64_t to)
{
    uint64_t at = from;
    bool whole = !lod_tier_health_is_bad(&tier->health, lod_clock_ns());

    while (whole && at < to) {
        const struct part part = part_of(at, to - at);
        const uint64_t there = lod_tier_slice_bytes(tier->store_fd, key, part.n);
        whole = there >= part.at + part.bytes;
        at += whole ? part.bytes : there > part.at ? there - part.at : 0;
    }
    return at;
}

/* ---------------------------------------------------------------------------------- writing */

static uint64_t slice_hash(uint64_t key, uint64_t n)
{
    return lod_hash64(&n, sizeof(n), key);
}

static bool is_dropped(struct lod_tier *tier, uint64_t key, uint64_t n)
{
    pthread_mutex_lock(&tier->lock);
    const bool is = lod_tier_recent_has(&tier->dropped, slice_hash(key, n), lod_clock_ns());
    pthread_mutex_unlock(&tier->lock);
    return is;
}

/* Appends with the lock of the space held, as much as there is room for, and counts. */
static int append(struct lod_tier *tier, uint64_t key, const struct part *part, uint64_t there,
                  const uint8_t *from)
{
    const uint64_t wanted = part->at + part->bytes,
                   more = lod_tier_space_of(wanted) - lod_tier_space_of(there);
    size_t wrote = 0;

    if (lod_tier_space_room(&tier->space) < more) {
        lod_tier_evict_for(tier, key, more);
    }
    const uint64_t room = lod_tier_space_room(&tier->space) / LOD_LOAD_ALIGN * LOD_LOAD_ALIGN;
    const uint64_t most = lod_tier_space_of(there) + room, end = wanted < most ? wanted : most;

    if (end <= there ||
        !lod_tier_space_take(&tier->space, lod_tier_space_of(end) - lod_tier_space_of(there))) {
        pthread_mutex_lock(&tier->lock);
        tier->wants_sum = true;
        pthread_mutex_unlock(&tier->lock);
        return -E2BIG;
    }
    int error = lod_tier_slice_append(tier->store_fd, key, part->n, there,
                                      from + (there - part->at), (size_t)(end - there), &wrote);
    lod_tier_space_release(&tier->space, lod_tier_space_of(end) - lod_tier_space_of(there + wrote));
    atomic_fetch_add(&tier->written_bytes, wrote);
    return error;
}

/* Judges the end of an append. Returns whether the disk failed. */
static bool judge(struct lod_tier *tier, int error)
{
    if (error == -ENOSPC || error == -EDQUOT) {
        lod_tier_space_note_full(&tier->space, lod_clock_ns());
        lod_tier_report(tier, "its disk is full: nothing is written until there is space");
        return false;
    }
    return error && error != -E2BIG && error != -ESTALE && error != -ENOENT && error != -EAGAIN;
}

/* Writes what the slice lacks and the part continues. */
static void write_part(struct lod_tier *tier, uint64_t key, const struct part *part,
                       const uint8_t *from)
{
    const int place = lod_tier_health_begin(&tier->health, LOD_TIER_WRITE_S, lod_clock_ns());
    int error = -EAGAIN;

    if (place < 0) {
        return;
    }
    if (lod_tier_space_lock(&tier->space)) {
        const uint64_t there = lod_tier_slice_bytes(tier->store_fd, key, part->n);
        if (there >= part->at && there < part->at + part->bytes) {
            error = append(tier, key, part, there, from);
        }
        lod_tier_space_unlock(&tier->space);
    }
    const bool failed = judge(tier, error);
    lod_tier_health_end(&tier->health, place, failed, lod_clock_ns());
    if (failed) {
        atomic_fetch_add(&tier->errors, 1);
        lod_tier_report(tier, "a file cannot be written: the bytes are not kept");
    }
}

void lod_tier_write(struct lod_tier *tier, uint64_t key, uint64_t offset, const uint8_t *from,
                    size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const struct part part = part_of(offset + done, bytes - done);
        const uint64_t there = lod_tier_slice_bytes(tier->store_fd, key, part.n);
        if (!atomic_load(&tier->space.counted) ||
            lod_tier_space_is_full(&tier->space, lod_clock_ns())) {
            return;
        }
        if (there >= part.at && there < part.at + part.bytes && !is_dropped(tier, key, part.n)) {
            write_part(tier, key, &part, from + done);
        }
        done += part.bytes;
    }
}

/* ----------------------------------------------------------------------------- wrong hashes */

/* Notes a range. Returns whether it is new. The reader may have had its bytes from a slice that
 * another reader reported wrong first. */
static bool note_range(struct lod_tier *tier, uint64_t hash)
{
    const uint64_t now = lod_clock_ns();

    pthread_mutex_lock(&tier->lock);
    const bool known = lod_tier_recent_has(&tier->reported, hash, now);
    if (!known) {
        lod_tier_recent_add(&tier->reported, hash, now);
    }
    pthread_mutex_unlock(&tier->lock);
    return !known;
}

bool lod_tier_report_wrong(struct lod_tier *tier, uint64_t key, uint64_t offset, size_t bytes)
{
    const uint64_t range[] = {offset, bytes};
    bool dropped = false;

    for (size_t done = 0; done < bytes;) {
        const struct part part = part_of(offset + done, bytes - done);
        if (drop(tier, key, part.n)) {
            dropped = true;
            pthread_mutex_lock(&tier->lock);
            lod_tier_recent_add(&tier->dropped, slice_hash(key, part.n), lod_clock_ns());
            pthread_mutex_unlock(&tier->lock);
        }
        done += part.bytes;
    }
    if (dropped) {
        atomic_fetch_add(&tier->errors, 1);
        lod_tier_report(tier,
                        "bytes have a wrong hash: they were dropped, and are read from the store");
    }
    return note_range(tier, lod_hash64(range, sizeof(range), key)) || dropped;
}
