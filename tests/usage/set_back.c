/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library for LD_PRELOAD: the clock of the machine is a day ahead until file LODFS_SET_BACK is
 * there, and right from then on. So a program sees a clock that is set back by a day. The monotonic
 * clock stays as it is. Not for programs built with AddressSanitizer.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY_S 86400

int clock_gettime(clockid_t id, struct timespec *ret_now)
{
    const char *path = getenv("LODFS_SET_BACK");
    int error = (int)syscall(SYS_clock_gettime, id, ret_now);

    if (!error && id == CLOCK_REALTIME && path && access(path, F_OK) != 0) {
        ret_now->tv_sec += DAY_S;
    }
    return error;
}

time_t time(time_t *ret_now)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    if (ret_now) {
        *ret_now = now.tv_sec;
    }
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict ret_now, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *ret_now = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}
