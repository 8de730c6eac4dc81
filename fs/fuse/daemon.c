/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes to the background with a pipe of its own, since libfuse's daemonize ends the parent before
 * the mount can be used. Until it is ready the child keeps the caller's stderr, so that its errors
 * are seen.
 */
#include "fuse/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

static int wait_for_child(int from, pid_t child)
{
    int word = 0, status = 0;
    ssize_t got;

    do {
        got = read(from, &word, sizeof(word));
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(word)) {
        return word;
    }
    if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) {
        lod_log(LOD_LOG_ERROR, "the daemon ended by signal %d before it could serve",
                WTERMSIG(status));
    } else {
        lod_log(LOD_LOG_ERROR, "the daemon ended before it could serve");
    }
    return -EIO;
}

int lod_daemon_start(struct lod_daemon *daemon, bool *ret_parent)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC)) {
        return -errno;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        int error = -errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    close(ends[child ? 1 : 0]);
    *ret_parent = child != 0;
    if (child == 0) {
        daemon->pipe = ends[1];
        return 0;
    }
    int error = wait_for_child(ends[0], child);
    close(ends[0]);
    return error;
}

/*
 * Writes to the parent. If it was killed, the child continues (SIGPIPE is ignored while serving).
 */
static void write_result(struct lod_daemon *daemon, int word)
{
    ssize_t wrote = write(daemon->pipe, &word, sizeof(word));

    (void)wrote;
    close(daemon->pipe);
    daemon->pipe = -1;
}

void lod_daemon_ready(struct lod_daemon *daemon)
{
    if (daemon->pipe < 0) {
        return;
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setsid();
    if (chdir("/")) {
        lod_log(LOD_LOG_WARNING, "cannot leave the current folder");
    }
    lod_log_leave_stderr();
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) {
        dup2(null, fd);
    }
    if (null > STDERR_FILENO) {
        close(null);
    }
    write_result(daemon, 0);
}

void lod_daemon_fail(struct lod_daemon *daemon, int error)
{
    if (daemon->pipe >= 0) {
        write_result(daemon, error);
    }
}
