/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See s3_process.h. It waits for the end of the program, not of its output: a child that the
 * program leaves running may keep the pipe open for ever.
 */
#include "keys/s3_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define LOOK_MS 20 /* between two checks whether it has ended */

static int set_files(posix_spawn_file_actions_t *files, int out)
{
    int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

    error = error ? error : posix_spawn_file_actions_adddup2(files, out, 1);
    error = error ? error : posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
    return error ? error : posix_spawn_file_actions_addclosefrom_np(files, 3);
}

/* Runs the program in its own session, so that it has no terminal to ask the user for a password.
 * Signals get the same settings as in a program that a shell starts. */
static int set_state(posix_spawnattr_t *state)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(state, &none);
    error = error ? error : posix_spawnattr_setsigdefault(state, &all);
    return error ? error
                 : posix_spawnattr_setflags(state, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                       POSIX_SPAWN_SETSIGDEF);
}

static int start(const char *command, int out, pid_t *ret_pid)
{
    char *const words[] = {strdupa("sh"), strdupa("-c"), strdupa(command), NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t state;

    if (posix_spawn_file_actions_init(&files)) {
        return -ENOMEM;
    }
    if (posix_spawnattr_init(&state)) {
        posix_spawn_file_actions_destroy(&files);
        return -ENOMEM;
    }
    int error = set_files(&files, out);
    error = error ? error : set_state(&state);
    error = error ? error : posix_spawn(ret_pid, "/bin/sh", &files, &state, words, environ);
    posix_spawnattr_destroy(&state);
    posix_spawn_file_actions_destroy(&files);
    return -error;
}

struct output {
    int from;
    char *text;
    size_t room, bytes;
    bool over; /* all of it was read, or it has more bytes than `room` */
    bool too_long;
};

static void drain(struct output *output)
{
    while (!output->over) {
        const size_t left = output->room - output->bytes;
        char more;
        const ssize_t got = left ? read(output->from, output->text + output->bytes, left)
                                 : read(output->from, &more, 1);
        if (got < 0) {
            output->over = errno != EAGAIN && errno != EINTR;
            return;
        }
        output->too_long = !left && got;
        output->over = !got || output->too_long;
        output->bytes += left ? (size_t)got : 0;
    }
}

/* Where the caller's program ignores SIGCHLD, ended processes vanish: ECHILD. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? errno == ECHILD
                                                                            : info.si_pid == pid;
}

static int follow(pid_t pid, struct output *output, const struct lod_s3_wait *wait)
{
    const uint64_t end = lod_clock_ns() + wait->seconds * LOD_SECOND_NS;

    while (!has_ended(pid)) {
        struct pollfd from = {.fd = output->over ? -1 : output->from, .events = POLLIN};
        poll(&from, 1, LOOK_MS);
        drain(output);
        if (output->too_long) {
            return -E2BIG;
        }
        if (lod_s3_wait_is_over(wait)) {
            return -EINTR;
        }
        if (lod_clock_ns() > end) {
            return -ETIMEDOUT;
        }
    }
    drain(output);
    return output->too_long ? -E2BIG : 0;
}

/* Ends the program and its children. Returns its exit status. */
static int finish(pid_t pid)
{
    int status = 0;

    kill(-pid, SIGKILL); /* before waitpid, which frees its process id for other processes */
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return 0;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(const char *command, const struct lod_s3_wait *wait, struct output *output, int to,
               int *ret_status)
{
    pid_t pid = 0;
    int error = start(command, to, &pid);

    close(to);
    if (!error) {
        error = follow(pid, output, wait);
        *ret_status = finish(pid);
    }
    return error;
}

int lod_s3_process_run(const char *command, const struct lod_s3_wait *wait, char *text, size_t room,
                       size_t *ret_bytes, struct lod_why *why)
{
    int ends[2], status = 0;

    if (pipe2(ends, O_CLOEXEC)) {
        return lod_refuse(why, -errno, "cannot be started");
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct output output = {.from = ends[0], .text = text, .room = room};
    int error = run(command, wait, &output, ends[1], &status);
    close(ends[0]);
    *ret_bytes = output.bytes;
    if (error == -ETIMEDOUT) {
        return lod_refuse(why, error, "gave no keys in %u s", wait->seconds);
    }
    if (error) {
        return lod_refuse(why, error,
                          error == -E2BIG   ? "prints more than keys"
                          : error == -EINTR ? "was ended"
                                            : "cannot be started");
    }
    return status ? lod_refuse(why, -EACCES, "failed with status %d; run it by hand to see why",
                               status)
                  : 0;
}
