/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random reads of a mount by several threads, each compared with a copy of its files in memory.
 *   soak_reads COPY MOUNT READS THREADS SEED
 * COPY and MOUNT have the same files. Prints how many reads and bytes were right; exit 1 with the
 * first one that was not.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chance.h"

#define FILES_MAX   20000u
#define THREADS_MAX 64u
#define READ_MAX    (200u << 10)
#define BLOCK       4096u
#define IN_A_ROW    16u /* reads of one open file */

struct file {
    char *name; /* below both folders */
    uint8_t *data;
    size_t bytes;
};

static struct file files[FILES_MAX];
static unsigned files_count;
static const char *copy_folder, *mount_folder;
static atomic_ulong reads_left, reads_done, bytes_right;
static atomic_bool failed;

static _Noreturn void must_not(const char *what)
{
    perror(what);
    exit(2);
}

static int load(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_F || !S_ISREG(st->st_mode) || st->st_size == 0 || files_count == FILES_MAX) {
        return 0;
    }
    struct file *file = &files[files_count++];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    file->bytes = (size_t)st->st_size;
    file->data = malloc(file->bytes + 1);
    file->name = strdup(path + strlen(copy_folder));
    if (fd < 0 || !file->data || !file->name) {
        must_not(path);
    }
    for (size_t done = 0; done < file->bytes;) {
        ssize_t got = read(fd, file->data + done, file->bytes - done);
        if (got <= 0) {
            must_not(path);
        }
        done += (size_t)got;
    }
    close(fd);
    return 0;
}

static void report(const struct file *file, const char *what, size_t at, size_t bytes, ssize_t got)
{
    if (!atomic_exchange(&failed, true)) {
        printf("%s: %s of %zu bytes at %zu: %zd, %s\n", file->name, what, bytes, at, got,
               got < 0 ? strerrorname_np(errno) : "other bytes");
    }
}

struct reader {
    struct chance chance;
    uint8_t *into; /* READ_MAX + BLOCK bytes, aligned */
    int pair[2];
};

static ssize_t by_pread(struct reader *r, int fd, size_t at, size_t bytes)
{
    return pread(fd, r->into, bytes, (off_t)at);
}

static ssize_t by_mmap(struct reader *r, int fd, size_t at, size_t bytes)
{
    const size_t skip = at % BLOCK;
    void *map = mmap(NULL, bytes + skip, PROT_READ, MAP_PRIVATE, fd, (off_t)(at - skip));

    if (map == MAP_FAILED) {
        return -1;
    }
    memcpy(r->into, (uint8_t *)map + skip, bytes);
    munmap(map, bytes + skip);
    return (ssize_t)bytes;
}

static ssize_t by_sendfile(struct reader *r, int fd, size_t at, size_t bytes)
{
    off_t from = (off_t)at;
    ssize_t sent = sendfile(r->pair[0], fd, &from, bytes < 8192 ? bytes : 8192);

    for (ssize_t done = 0; done < sent;) {
        ssize_t got = read(r->pair[1], r->into + done, (size_t)(sent - done));
        if (got <= 0) {
            return -1;
        }
        done += got;
    }
    return sent;
}

/* Reads once in a random way and checks the bytes. Before the end of the file at least one byte
 * must come. All ways but sendfile, which has its own limit, must return all bytes asked for. */
static void one_read(struct reader *r, const struct file *file, int fd)
{
    static ssize_t (*const ways[])(struct reader *, int, size_t, size_t) = {
        by_pread, by_pread, by_pread, by_pread, by_pread, by_pread, by_mmap, by_sendfile,
    };
    const size_t way = (size_t)chance_below(&r->chance, 8);
    const size_t at = (size_t)chance_below(&r->chance, file->bytes);
    const size_t left = file->bytes - at;
    const size_t most = (size_t)1 << chance_below(&r->chance, 18);
    size_t bytes = 1 + (size_t)chance_below(&r->chance, most < READ_MAX ? most : READ_MAX);

    bytes = bytes < left ? bytes : left;
    ssize_t got = ways[way](r, fd, at, bytes);
    if (got <= 0 || (way < 7 && (size_t)got != bytes) ||
        memcmp(r->into, file->data + at, (size_t)got) != 0) {
        report(file, way < 6 ? "pread" : way == 6 ? "mmap" : "sendfile", at, bytes, got);
        return;
    }
    atomic_fetch_add(&reads_done, 1);
    atomic_fetch_add(&bytes_right, (unsigned long)got);
}

static void one_file(struct reader *r)
{
    const struct file *file = &files[chance_below(&r->chance, files_count)];
    const int direct = chance_below(&r->chance, 8) == 0 ? O_DIRECT : 0;
    char path[4096];
    struct stat st;

    snprintf(path, sizeof(path), "%s%s", mount_folder, file->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | direct);
    if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size != file->bytes) {
        report(file, "open", 0, file->bytes, fd < 0 ? -1 : (ssize_t)st.st_size);
    } else {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    }
    for (unsigned i = 0; i < IN_A_ROW && fd >= 0 && file->bytes && !atomic_load(&failed); i++) {
        one_read(r, file, fd);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void *run(void *seed)
{
    struct reader r = {.chance = {.state = (uintptr_t)seed}};

    r.into = aligned_alloc(BLOCK, READ_MAX + BLOCK);
    if (!r.into || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, r.pair) < 0) {
        must_not("a thread");
    }
    while (!atomic_load(&failed)) {
        unsigned long left = atomic_load(&reads_left);
        do {
            if (left == 0) {
                free(r.into);
                close(r.pair[0]);
                close(r.pair[1]);
                return NULL;
            }
        } while (!atomic_compare_exchange_weak(&reads_left, &left,
                                               left > IN_A_ROW ? left - IN_A_ROW : 0));
        one_file(&r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];

    if (argc != 6) {
        fprintf(stderr, "usage: soak_reads COPY MOUNT READS THREADS SEED\n");
        return 2;
    }
    copy_folder = argv[1];
    mount_folder = argv[2];
    atomic_init(&reads_left, strtoul(argv[3], NULL, 10));
    const unsigned count = (unsigned)strtoul(argv[4], NULL, 10) % (THREADS_MAX + 1);
    if (nftw(copy_folder, load, 64, FTW_PHYS) < 0 || files_count == 0) {
        must_not(copy_folder);
    }
    for (uintptr_t i = 0; i < count; i++) {
        if (pthread_create(&threads[i], NULL, run,
                           (void *)(strtoul(argv[5], NULL, 10) * 1000 + i))) {
            must_not("pthread_create");
        }
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%lu reads, %lu bytes right, %u files\n", atomic_load(&reads_done),
           atomic_load(&bytes_right), files_count);
    return atomic_load(&failed) ? 1 : 0;
}
