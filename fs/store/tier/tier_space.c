/* SPDX-License-Identifier: Apache-2.0 */
/* See tier_space.h. A process that is killed may leave a sum that is too large, which the next
 * count corrects. The sum is never too small. */
#include "tier/tier_space.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "bytes.h"
#include "clock.h"

#define TRIES         100u /* tries to get the lock, a millisecond apart */
#define FULL_NS       (10 * LOD_SECOND_NS)
#define FREE_AT_LEAST 1u /* percent that must be free again after the disk was full */

int lod_tier_space_init(struct lod_tier_space *space, int dir_fd, uint64_t bytes_max,
                        unsigned free_percent)
{
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(dir_fd, LOD_TIER_USED, flags, S_IRUSR | S_IWUSR);
    struct stat st;

    if (fd < 0) {
        return -errno;
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return -EINVAL;
    }
    *space = (struct lod_tier_space){
        .dir_fd = dir_fd, .used_fd = fd, .bytes_max = bytes_max, .free_percent = free_percent};
    pthread_mutex_init(&space->lock, NULL);
    return 0;
}

void lod_tier_space_finish(struct lod_tier_space *space)
{
    close(space->used_fd);
    pthread_mutex_destroy(&space->lock);
}

bool lod_tier_space_lock(struct lod_tier_space *space)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (unsigned i = 0; i < TRIES; i++) {
        if (!pthread_mutex_trylock(&space->lock)) {
            if (!flock(space->used_fd, LOCK_EX | LOCK_NB)) {
                return true;
            }
            pthread_mutex_unlock(&space->lock);
        }
        nanosleep(&pause, NULL);
    }
    return false;
}

void lod_tier_space_unlock(struct lod_tier_space *space)
{
    flock(space->used_fd, LOCK_UN);
    pthread_mutex_unlock(&space->lock);
}

/* A sum that cannot be read counts as full. */
uint64_t lod_tier_space_used(const struct lod_tier_space *space)
{
    uint8_t sum[8];

    return lod_file_pread(space->used_fd, 0, sum, sizeof(sum)) ? space->bytes_max
                                                               : lod_get_le64(sum);
}

void lod_tier_space_set(struct lod_tier_space *space, uint64_t bytes)
{
    uint8_t sum[8];

    lod_put_le64(sum, bytes);
    /* If the sum cannot be written, it counts as unknown: nothing is written to the tier until it
     * is known again. */
    atomic_store(&space->counted, !lod_file_pwrite(space->used_fd, 0, sum, sizeof(sum)));
}

/* Returns how much of the disk may be taken so that `percent` of it stays free. */
static uint64_t disk_room(const struct lod_tier_space *space, unsigned percent)
{
    struct statvfs disk;

    if (fstatvfs(space->dir_fd, &disk)) {
        return 0;
    }
    const uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize,
                   kept = (uint64_t)disk.f_blocks * disk.f_frsize / 100 * percent;
    return free_bytes > kept ? free_bytes - kept : 0;
}

uint64_t lod_tier_space_beside(const struct lod_tier_space *space, uint64_t used)
{
    const uint64_t disk = disk_room(space, space->free_percent),
                   own = space->bytes_max > used ? space->bytes_max - used : 0;

    return !atomic_load(&space->counted) ? 0 : own < disk ? own : disk;
}

uint64_t lod_tier_space_room(const struct lod_tier_space *space)
{
    return lod_tier_space_beside(space, lod_tier_space_used(space));
}

bool lod_tier_space_take(struct lod_tier_space *space, uint64_t bytes)
{
    const uint64_t used = lod_tier_space_used(space);

    if (bytes > lod_tier_space_beside(space, used)) {
        return false;
    }
    lod_tier_space_set(space, used + bytes);
    return atomic_load(&space->counted);
}

void lod_tier_space_release(struct lod_tier_space *space, uint64_t bytes)
{
    const uint64_t used = lod_tier_space_used(space);

    if (atomic_load(&space->counted)) {
        lod_tier_space_set(space, used > bytes ? used - bytes : 0);
    }
}

void lod_tier_space_note_full(struct lod_tier_space *space, uint64_t now_ns)
{
    atomic_store(&space->full_until_ns, now_ns + FULL_NS);
}

bool lod_tier_space_is_full(struct lod_tier_space *space, uint64_t now_ns)
{
    const uint64_t until = atomic_load(&space->full_until_ns);

    if (until && now_ns >= until && disk_room(space, FREE_AT_LEAST)) {
        atomic_store(&space->full_until_ns, 0);
        return false;
    }
    return until;
}
