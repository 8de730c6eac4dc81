/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes Linux send large requests; see file_load.h.
 *
 * - Past the page cache (O_DIRECT) a request is as large as the device accepts, 1,280 KiB on most.
 * - Through the page cache the kernel reads into single pages of 4 KiB. A request holds 128 of
 *   them: 512 KiB at most.
 * - A page fault reads the 2 MiB of one large page in two requests, if the mapping has
 *   MADV_HUGEPAGE and MADV_RANDOM.
 *
 * So the whole large pages of a shared load are read by such faults. MADV_POPULATE_READ makes them
 * without touching the mapping. No byte is read through the mapping, and a file that shrinks gives
 * an error code.
 *
 * Linux 6.18, ext4: 4 requests for 4 MiB instead of 10. Kernels and file systems without large
 * pages read the same bytes in smaller requests.
 */
#include "backend/file_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/store.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/* cachestat(2), Linux 6.5: newer than the headers of Debian 12. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* Opens the same file again for one load, even if it was renamed. Two open files for each record
 * would be too many to keep. Returns -1 if it cannot be opened. */
static int open_again(int fd, int flags)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | flags);
}

/*
 * Reads the whole large pages of [offset, end) into the page cache, where the kernel supports it.
 * It maps a second open file: faults set the readahead position of the open file, and later reads
 * of the same one would continue from there, beyond the end.
 */
static void fill_huge_pages(int fd, uint64_t offset, uint64_t end)
{
    const uint64_t from = (offset + LOD_LOAD_PAGE - 1) / LOD_LOAD_PAGE * LOD_LOAD_PAGE;
    const uint64_t to = end / LOD_LOAD_PAGE * LOD_LOAD_PAGE;
    int other = from < to ? open_again(fd, 0) : -1;

    if (other < 0) {
        return;
    }
    void *at = mmap(NULL, to - from, PROT_READ, MAP_SHARED, other, (off_t)from);
    if (at != MAP_FAILED) {
        (void)(madvise(at, to - from, MADV_HUGEPAGE) || madvise(at, to - from, MADV_RANDOM) ||
               madvise(at, to - from, MADV_POPULATE_READ)); /* lod_file_pread reads the rest */
        munmap(at, to - from);
    }
    close(other);
}

int lod_file_load_shared(int fd, uint64_t offset, void *into, size_t bytes)
{
    fill_huge_pages(fd, offset, offset + bytes);
    return lod_file_pread(fd, offset, into, bytes);
}

/* Counts the pages of the range in the page cache. */
static int cached_pages(int fd, uint64_t offset, size_t bytes, uint64_t *ret_pages)
{
    struct {
        uint64_t offset, bytes;
    } range = {offset, bytes};
    struct {
        uint64_t cached, dirty, writeback, evicted, recently_evicted;
    } pages = {0};

    if (syscall(SYS_cachestat, fd, &range, &pages, 0) != 0) {
        return -ENOTSUP;
    }
    *ret_pages = pages.cached;
    return 0;
}

int lod_file_in_memory(int fd, uint64_t offset, size_t bytes, bool *ret_is)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t cached = 0;
    int error = cached_pages(fd, offset, bytes, &cached);

    *ret_is = cached >= (offset + bytes + page - 1) / page - offset / page;
    return error;
}

/* Reads whole blocks; the file may end before the last one does. */
static int load_direct(int fd, uint64_t offset, uint8_t *into, size_t bytes)
{
    const size_t whole = lod_load_whole(bytes);
    size_t done = 0;

    while (done < bytes) {
        ssize_t got = pread(fd, into + done, whole - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        if (got == 0 || (got > 0 && got % LOD_LOAD_ALIGN && done + (size_t)got < bytes)) {
            return -EIO;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int lod_file_load_private(int fd, uint64_t offset, void *into, size_t bytes)
{
    uint64_t cached = 0; /* pages; unknown on older kernels */
    bool known = !cached_pages(fd, offset, bytes, &cached);
    bool most = known && cached * (uint64_t)sysconf(_SC_PAGESIZE) > bytes / 2;
    int direct = most ? -1 : open_again(fd, O_DIRECT), error = -EINVAL;

    if (direct >= 0) {
        error = load_direct(direct, offset, into, bytes);
        close(direct);
    }
    return error == -EINVAL ? lod_file_pread(fd, offset, into, bytes) : error;
}
