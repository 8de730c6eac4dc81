/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that polls one file of the kernel; see pressure.h. */
#include "mount/pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "log.h"
#include "memory/available.h"
#include "thread_start.h"

#define QUIET_S    60u
#define LOOK_MS    1000 /* between two checks, where PSI cannot report all pressure */
#define SHORT_PART 16u  /* memory is short if less than 1/16 of the limit is available */
#define MIB        (1ull << 20)

/* Triggers when tasks waited for memory for .2 s within 2 s, the window that needs no privilege. */
static const char trigger[] = "some 200000 2000000";

struct lod_pressure {
    uint64_t bytes_min, bytes_max, bytes_now;
    lod_pressure_set set;
    void *ctx;
    int psi_fd, end_fd; /* psi_fd -1: no PSI */
    int wait_ms;        /* between two checks */
    pthread_t thread;
};

uint64_t lod_pressure_next(uint64_t bytes_min, uint64_t bytes_max, uint64_t bytes_now, int stalled,
                           unsigned quiet_s)
{
    if (stalled) {
        return bytes_now / 2 > bytes_min ? bytes_now / 2 : bytes_min;
    }
    if (quiet_s < QUIET_S || bytes_now >= bytes_max) {
        return bytes_now;
    }
    return bytes_now * 2 < bytes_max ? bytes_now * 2 : bytes_max;
}

static void change(struct lod_pressure *pressure, bool stalled, unsigned quiet_s)
{
    uint64_t next = lod_pressure_next(pressure->bytes_min, pressure->bytes_max, pressure->bytes_now,
                                      stalled, quiet_s);

    if (next != pressure->bytes_now) {
        lod_log(LOD_LOG_INFO, "memory is %s: the cache is limited to %llu MiB",
                stalled ? "short" : "available again", (unsigned long long)(next / MIB));
        pressure->bytes_now = next;
        pressure->set(pressure->ctx, next);
    }
}

static bool is_short(const struct lod_pressure *pressure)
{
    return lod_available_bytes() < pressure->bytes_max / SHORT_PART;
}

static void *run(void *arg)
{
    struct lod_pressure *pressure = arg;
    struct pollfd files[] = {{.fd = pressure->end_fd, .events = POLLIN},
                             {.fd = pressure->psi_fd, .events = POLLPRI}};

    unsigned quiet_s = 0;

    for (;;) {
        int ready = poll(files, 2, pressure->wait_ms);
        if (ready < 0 && errno != EINTR) {
            return NULL;
        }
        if (files[0].revents) {
            return NULL;
        }
        bool stalled = ready > 0 || is_short(pressure);
        quiet_s = stalled ? 0 : quiet_s + (unsigned)pressure->wait_ms / 1000;
        change(pressure, stalled, quiet_s);
        quiet_s = quiet_s >= QUIET_S ? 0 : quiet_s;
    }
}

/* Opens the PSI of the whole machine. Returns -1 if there is none, or it is switched off. */
static int open_psi(void)
{
    int fd = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && write(fd, trigger, sizeof(trigger)) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int lod_pressure_start(uint64_t bytes_min, uint64_t bytes_max, lod_pressure_set set, void *ctx,
                       struct lod_pressure **ret_pressure)
{
    struct lod_pressure *pressure = calloc(1, sizeof(*pressure));

    if (!pressure) {
        return -ENOMEM;
    }
    *pressure = (struct lod_pressure){.bytes_min = bytes_min,
                                      .bytes_max = bytes_max,
                                      .bytes_now = bytes_max,
                                      .set = set,
                                      .ctx = ctx,
                                      .psi_fd = open_psi(),
                                      .end_fd = eventfd(0, EFD_CLOEXEC)};
    /* A control group's limit stalls no other task of the machine, so the group is polled. */
    pressure->wait_ms =
        pressure->psi_fd < 0 || lod_available_is_limited() ? LOOK_MS : (int)QUIET_S * 1000;
    int error = pressure->end_fd < 0 ? -errno : lod_thread_start(&pressure->thread, run, pressure);
    if (error) {
        lod_file_close(pressure->psi_fd);
        lod_file_close(pressure->end_fd);
        free(pressure);
        return error;
    }
    *ret_pressure = pressure;
    return 0;
}

struct lod_pressure *lod_pressure_end(struct lod_pressure *pressure)
{
    if (pressure) {
        (void)!eventfd_write(pressure->end_fd, 1); /* cannot block: the counter is not full */
        pthread_join(pressure->thread, NULL);
        lod_file_close(pressure->psi_fd);
        close(pressure->end_fd);
        free(pressure);
    }
    return NULL;
}
