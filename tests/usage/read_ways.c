/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_ways WAY FILE: copies a file to stdout, reading it in one of the ways of programs.
 * reading_ways.py compares the bytes. Exits with 77 if the kernel or the file system does not
 * support this way, with 1 if it fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEP    12345u /* no multiple of anything */
#define BLOCK   4096u
#define ENTRIES 16u
#define SKIP    77

struct file {
    int fd;
    size_t bytes;
};

static _Noreturn void fail(const char *what)
{
    /* ENODEV: MAP_SHARED of a mount with cache=none; EXDEV: copy_file_range since Linux 5.19. */
    const bool none = errno == ENOSYS || errno == EPERM || errno == EOPNOTSUPP || errno == ENODEV ||
                      errno == EXDEV;

    fprintf(stderr, "%s: %s\n", what, strerrorname_np(errno));
    exit(none ? SKIP : 1);
}

static size_t must(ssize_t result, const char *what)
{
    if (result < 0) {
        fail(what);
    }
    return (size_t)result;
}

static void expect(bool held, const char *what)
{
    if (!held) {
        errno = EIO;
        fail(what);
    }
}

static void *room(size_t bytes)
{
    void *memory = aligned_alloc(BLOCK, (bytes + BLOCK) & ~(size_t)(BLOCK - 1));

    if (!memory) {
        fail("memory");
    }
    return memory;
}

static void put(const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, stdout) != bytes) {
        fail("stdout");
    }
}

/* ------------------------------------------------------------------------------- plain reads */

static void by_read(struct file *file)
{
    uint8_t *into = room(STEP);

    for (size_t got; (got = must(read(file->fd, into, STEP), "read")) > 0;) {
        put(into, got);
    }
    free(into);
}

/* Reads from the last part to the first. */
static void by_pread(struct file *file)
{
    uint8_t *into = room(file->bytes);

    for (size_t end = file->bytes; end > 0;) {
        size_t step = end < STEP ? end : STEP;
        end -= step;
        for (size_t done = 0; done < step;) {
            size_t got =
                must(pread(file->fd, into + end + done, step - done, (off_t)(end + done)), "pread");
            expect(got > 0, "an end in the middle");
            done += got;
        }
    }
    put(into, file->bytes);
    free(into);
}

/* Parts of 1, 2, 4, .. bytes. */
static void by_preadv(struct file *file)
{
    uint8_t *into = room(1u << 18);
    struct iovec parts[18];
    size_t at = 0;

    for (unsigned i = 0; i < 18; i++) {
        parts[i] = (struct iovec){into + (1u << i), 1u << i};
    }
    while (at < file->bytes) {
        size_t got = must(preadv2(file->fd, parts, 18, (off_t)at, 0), "preadv2");
        if (got == 0) {
            break;
        }
        put(into + 1, got);
        at += got;
    }
    free(into);
}

/* Reads bytes that are not in the page cache again, without RWF_NOWAIT. */
static void by_nowait(struct file *file)
{
    uint8_t *into = room(STEP);
    const struct iovec part = {into, STEP};

    for (size_t at = 0; at < file->bytes;) {
        ssize_t got = preadv2(file->fd, &part, 1, (off_t)at, RWF_NOWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EOPNOTSUPP)) {
            got = pread(file->fd, into, STEP, (off_t)at);
        }
        put(into, must(got, "preadv2"));
        at += (size_t)got;
    }
    free(into);
}

static void by_direct(struct file *file)
{
    uint8_t *into = room(16 * BLOCK);
    size_t at = 0, got;

    if (fcntl(file->fd, F_SETFL, O_DIRECT) < 0) {
        fail("O_DIRECT");
    }
    while ((got = must(pread(file->fd, into, 16 * BLOCK, (off_t)at), "pread")) > 0) {
        put(into, got);
        at += got;
    }
    free(into);
}

/* ----------------------------------------------------------------------------------- mapped */

static void by_map(struct file *file, int how)
{
    uint8_t *map = file->bytes ? mmap(NULL, file->bytes, PROT_READ, how, file->fd, 0) : NULL;

    if (map == MAP_FAILED) {
        fail("mmap");
    }
    for (size_t end = file->bytes; end > BLOCK; end -= BLOCK) {
        (void)*(volatile uint8_t *)(map + end - 1); /* faults backwards */
    }
    put(map, file->bytes);
}

static void by_mmap(struct file *file)
{
    by_map(file, MAP_SHARED);
}

static void by_private_mmap(struct file *file)
{
    by_map(file, MAP_PRIVATE);
}

/* ------------------------------------------------------------------- from the kernel to others */

/* Copies the contents of a pipe or socket to stdout. */
static void drain(int fd, size_t bytes)
{
    uint8_t *into = room(bytes);

    for (size_t done = 0; done < bytes;) {
        size_t got = must(read(fd, into + done, bytes - done), "read of what was sent");
        expect(got > 0, "less than was sent");
        done += got;
    }
    put(into, bytes);
    free(into);
}

static void by_sendfile(struct file *file)
{
    int pair[2];
    off_t at = 0;

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
    while ((size_t)at < file->bytes) {
        drain(pair[1], must(sendfile(pair[0], file->fd, &at, STEP), "sendfile"));
    }
}

static void by_splice(struct file *file)
{
    int pipes[2];
    off_t at = 0;

    must(pipe(pipes), "pipe");
    while ((size_t)at < file->bytes) {
        drain(pipes[0], must(splice(file->fd, &at, pipes[1], NULL, STEP, 0), "splice"));
    }
}

static void by_copy_file_range(struct file *file)
{
    const char *folder = getenv("TMPDIR");
    int fd = open(folder ? folder : P_tmpdir, O_RDWR | O_TMPFILE, 0600);
    off_t at = 0;

    must(fd, "O_TMPFILE");
    while ((size_t)at < file->bytes) {
        must(copy_file_range(file->fd, &at, fd, NULL, STEP, 0), "copy_file_range");
    }
    must(lseek(fd, 0, SEEK_SET), "lseek");
    drain(fd, file->bytes);
}

/* ----------------------------------------------------------------- many requests at one time */

static void by_aio(struct file *file)
{
    aio_context_t context = 0;
    uint8_t *into = room(file->bytes);
    struct iocb blocks[ENTRIES], *all[ENTRIES];
    struct io_event events[ENTRIES];

    must(syscall(SYS_io_setup, ENTRIES, &context), "io_setup");
    for (size_t at = 0; at < file->bytes;) {
        unsigned count = 0;
        for (; count < ENTRIES && at < file->bytes; count++) {
            size_t step = file->bytes - at < STEP ? file->bytes - at : STEP;
            blocks[count] = (struct iocb){.aio_data = count,
                                          .aio_lio_opcode = IOCB_CMD_PREAD,
                                          .aio_fildes = (uint32_t)file->fd,
                                          .aio_buf = (uintptr_t)(into + at),
                                          .aio_nbytes = step,
                                          .aio_offset = (int64_t)at};
            all[count] = &blocks[count];
            at += step;
        }
        must(syscall(SYS_io_submit, context, count, all), "io_submit");
        must(syscall(SYS_io_getevents, context, count, count, events, NULL), "io_getevents");
        for (unsigned i = 0; i < count; i++) {
            const struct iocb *block = &blocks[events[i].data];
            expect(events[i].res == (int64_t)block->aio_nbytes, "a short event");
        }
    }
    put(into, file->bytes);
    free(into);
}

struct ring {
    int fd;
    struct io_uring_params params;
    uint8_t *sq, *cq;
    struct io_uring_sqe *entries;
};

static struct ring ring_create(void)
{
    struct ring ring = {0};
    const int how = MAP_SHARED | MAP_POPULATE;

    ring.fd = (int)must(syscall(SYS_io_uring_setup, ENTRIES, &ring.params), "io_uring_setup");
    size_t sq = ring.params.sq_off.array + ring.params.sq_entries * sizeof(uint32_t);
    size_t cq = ring.params.cq_off.cqes + ring.params.cq_entries * sizeof(struct io_uring_cqe);
    ring.sq = mmap(NULL, sq, PROT_READ | PROT_WRITE, how, ring.fd, IORING_OFF_SQ_RING);
    ring.cq = mmap(NULL, cq, PROT_READ | PROT_WRITE, how, ring.fd, IORING_OFF_CQ_RING);
    ring.entries = mmap(NULL, ENTRIES * sizeof(*ring.entries), PROT_READ | PROT_WRITE, how, ring.fd,
                        IORING_OFF_SQES);
    if (ring.sq == MAP_FAILED || ring.cq == MAP_FAILED || (void *)ring.entries == MAP_FAILED) {
        fail("mmap of a ring");
    }
    return ring;
}

static _Atomic uint32_t *field(uint8_t *ring, uint32_t offset)
{
    return (_Atomic uint32_t *)(void *)(ring + offset);
}

/* Takes `count` completions. Reads the rest of a short one. */
static void ring_wait(struct file *file, struct ring *ring, unsigned count, uint8_t *into)
{
    _Atomic uint32_t *head = field(ring->cq, ring->params.cq_off.head);
    const uint32_t mask = *field(ring->cq, ring->params.cq_off.ring_mask);
    const struct io_uring_cqe *all = (void *)(ring->cq + ring->params.cq_off.cqes);

    must(syscall(SYS_io_uring_enter, ring->fd, count, count, IORING_ENTER_GETEVENTS, NULL, 0),
         "io_uring_enter");
    for (unsigned i = 0; i < count; i++) {
        const struct io_uring_cqe *done = &all[(*head + i) & mask];
        const uint64_t at = done->user_data;
        const size_t wanted = file->bytes - at < STEP ? file->bytes - at : STEP;
        errno = done->res < 0 ? -done->res : 0;
        size_t got = must(errno ? -1 : done->res, "a completion");
        while (got < wanted) {
            size_t more = must(pread(file->fd, into + at + got, wanted - got, (off_t)(at + got)),
                               "pread of the rest");
            expect(more > 0, "an end in the middle");
            got += more;
        }
    }
    atomic_fetch_add(head, count);
}

static void by_io_uring(struct file *file)
{
    struct ring ring = ring_create();
    _Atomic uint32_t *tail = field(ring.sq, ring.params.sq_off.tail);
    const uint32_t mask = *field(ring.sq, ring.params.sq_off.ring_mask);
    _Atomic uint32_t *array = field(ring.sq, ring.params.sq_off.array);
    uint8_t *into = room(file->bytes);

    for (size_t at = 0; at < file->bytes;) {
        unsigned count = 0;
        for (; count < ENTRIES && at < file->bytes; count++) {
            const size_t step = file->bytes - at < STEP ? file->bytes - at : STEP;
            const uint32_t slot = (*tail + count) & mask;
            ring.entries[slot] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                                       .fd = file->fd,
                                                       .off = at,
                                                       .addr = (uintptr_t)(into + at),
                                                       .len = (uint32_t)step,
                                                       .user_data = at};
            array[slot] = slot;
            at += step;
        }
        atomic_fetch_add(tail, count);
        ring_wait(file, &ring, count, into);
    }
    put(into, file->bytes);
    free(into);
}

/* ------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*copy)(struct file *file);
    } ways[] = {
        {"read", by_read},
        {"pread", by_pread},
        {"preadv2", by_preadv},
        {"RWF_NOWAIT", by_nowait},
        {"O_DIRECT", by_direct},
        {"mmap", by_mmap},
        {"MAP_PRIVATE", by_private_mmap},
        {"sendfile", by_sendfile},
        {"splice", by_splice},
        {"copy_file_range", by_copy_file_range},
        {"aio", by_aio},
        {"io_uring", by_io_uring},
    };
    const size_t count = sizeof(ways) / sizeof(ways[0]);
    struct file file = {.fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1};
    struct stat st;

    if (argc != 3) {
        for (size_t i = 0; i < count; i++) {
            puts(ways[i].name);
        }
        return 0;
    }
    if (file.fd < 0 || fstat(file.fd, &st) < 0) {
        fail(argv[2]);
    }
    file.bytes = (size_t)st.st_size;
    posix_fadvise(file.fd, 0, 0, POSIX_FADV_DONTNEED);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ways[i].name, argv[1]) == 0) {
            ways[i].copy(&file);
            return fflush(stdout) ? 1 : 0;
        }
    }
    return 2;
}
