/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the daemon of a mount; see mount_query.h. A hung daemon would block the caller in the
 * kernel. So a child process without our descriptors asks, and is killed after a timeout. As long
 * as it lives it keeps the mount busy.
 */
#include "mount/mount_query.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mount/control.h"

#define ANSWER_TIMEOUT_MS 2000
#define REAP_TRIES        100
#define REAP_US           1000

/* Writes the answer to `into`, or nothing. */
static _Noreturn void ask(const char *mountpoint, int into)
{
    struct lod_mount_answer answer = {.pid = 0};
    struct lod_ioc_store store = {.location = ""};

    if (dup2(into, STDIN_FILENO) == STDIN_FILENO && close_range(1, ~0u, 0) == 0) {
        int fd = open(mountpoint, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        bool answered = fd >= 0 && ioctl(fd, LOD_IOC_PID, &answer.pid) == 0;
        if (answered && ioctl(fd, LOD_IOC_STORE, &store) == 0) {
            memcpy(answer.store, store.location, sizeof(answer.store) - 1);
        }
        if (fd >= 0) {
            close(fd); /* the caller may unmount as soon as it has the answer */
        }
        _exit(!answered || write(STDIN_FILENO, &answer, sizeof(answer)) < 0);
    }
    _exit(1);
}

static int read_answer(int fd, struct lod_mount_answer *ret_answer)
{
    struct pollfd asked = {.fd = fd, .events = POLLIN};
    size_t have = 0;

    while (have < sizeof(*ret_answer)) {
        int ready = poll(&asked, 1, ANSWER_TIMEOUT_MS);
        ssize_t got =
            ready > 0 ? read(fd, (char *)ret_answer + have, sizeof(*ret_answer) - have) : ready;
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return ready ? -ENODEV : -ETIMEDOUT;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* Kills the child. It cannot be killed while its request is being handled by a hung daemon. */
static void end(pid_t child)
{
    kill(child, SIGKILL);
    for (unsigned i = 0; i < REAP_TRIES && waitpid(child, NULL, WNOHANG) == 0; i++) {
        usleep(REAP_US);
    }
}

int lod_mount_query(const char *mountpoint, struct lod_mount_answer *ret_answer)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC)) {
        return -errno;
    }
    pid_t child = fork();
    if (child == 0) {
        ask(mountpoint, ends[1]);
    }
    close(ends[1]);
    int error = child > 0 ? read_answer(ends[0], ret_answer) : -ENODEV;
    close(ends[0]);
    if (child > 0) {
        end(child);
    }
    return error;
}
