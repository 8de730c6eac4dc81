/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the daemon of a mount for its store; see behind.h. Whoever asks a daemon that hangs waits in
 * the kernel and cannot be killed, so a process of its own does: two forks away, that nobody has to
 * wait for it, and with no descriptor of ours, that nobody waits for those.
 */
#include "fuse/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"

#define PATIENCE_MS 2000

/* Writes the store into `into`, with its NUL, or nothing. */
static _Noreturn void ask(const char *mountpoint, int into)
{
    struct lod_ioc_store store = {.location = ""};

    if (dup2(into, STDIN_FILENO) == STDIN_FILENO && close_range(1, ~0u, 0) == 0) {
        int fd = open(mountpoint, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        bool answered = fd >= 0 && ioctl(fd, LOD_IOC_STORE, &store) == 0;
        if (fd >= 0) {
            close(fd); /* before anybody hears of it, and unmounts */
        }
        if (answered) {
            store.location[sizeof(store.location) - 1] = '\0';
            ssize_t done = write(STDIN_FILENO, store.location, strlen(store.location) + 1);
            _exit(done < 0);
        }
    }
    _exit(1);
}

static bool hear(int fd, char ret_store[PATH_MAX])
{
    struct pollfd asked = {.fd = fd, .events = POLLIN};
    int ready;

    do {
        ready = poll(&asked, 1, PATIENCE_MS);
    } while (ready < 0 && errno == EINTR);
    ssize_t got = ready > 0 ? read(fd, ret_store, PATH_MAX) : 0;
    return got > 0 && ret_store[got - 1] == '\0'; /* shorter than PIPE_BUF, so in one piece */
}

bool lod_behind(const char *mountpoint, char ret_store[PATH_MAX])
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC)) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            ask(mountpoint, ends[1]);
        }
        _exit(0);
    }
    close(ends[1]);
    bool answered = child > 0 && hear(ends[0], ret_store);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return answered;
}

bool lod_behind_is_ours(const char *type)
{
    return strcmp(type, "fuse.lodfs") == 0;
}

bool lod_behind_is_fuse(const char *type)
{
    return strcmp(type, "fuse") == 0 || strncmp(type, "fuse.", 5) == 0;
}
