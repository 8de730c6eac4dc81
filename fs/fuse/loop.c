/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Not libfuse's own loop: when a signal ends that, its threads drop the request that they have just
 * read, or are cancelled behind the read(2) that took it. Whoever waits for the answer may hold the
 * page of a link, the thread that tells the kernel of a switch waits for that page, and the mount
 * never ends. Here what was read is answered; threads are woken by a signal and look whether it is
 * over before they read the next.
 */
#include "fuse/loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

/* What libfuse promises the kernel to take: requests of 256 pages and their head. */
#define REQUEST_BYTES ((256u + 1u) * 4096u)

#define HEAD_BYTES 40 /* struct fuse_in_header */

#define WAKE     SIGUSR2
#define KNOCK_NS 5000000 /* who is woken just before it waits is woken again */

struct loop {
    struct fuse_session *session;
    unsigned threads_max;
    atomic_uint idle;    /* threads that wait for a request */
    atomic_uint started; /* threads, the caller's among them */
    atomic_int error;
    pthread_mutex_t lock; /* of starting */
    pthread_t threads[];  /* [0] is unused: the caller's */
};

/* -EIO: a device that gives no requests, which is no /dev/fuse. */
static int read_request(struct fuse_session *session, struct fuse_buf *buf)
{
    ssize_t got = read(fuse_session_fd(session), buf->mem, REQUEST_BYTES);

    if (got < 0) {
        return -errno;
    }
    if (got < HEAD_BYTES) {
        lod_log(LOD_LOG_ERROR, "fuse: a request of %zd bytes, which is none", got);
        return -EIO;
    }
    buf->size = (size_t)got;
    return 0;
}

static void *serve(void *arg);

/* A thread less is slower, not wrong. Signals are for the caller of the loop, which they end. */
static void start_another(struct loop *loop)
{
    sigset_t all, before;

    if (atomic_load(&loop->started) >= loop->threads_max) {
        return;
    }
    sigfillset(&all);
    sigdelset(&all, WAKE);
    pthread_mutex_lock(&loop->lock);
    unsigned place = atomic_load(&loop->started);
    if (place < loop->threads_max && !fuse_session_exited(loop->session)) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        atomic_fetch_add(&loop->idle, 1);
        if (pthread_create(&loop->threads[place], NULL, serve, loop)) {
            atomic_fetch_sub(&loop->idle, 1);
        } else {
            atomic_store(&loop->started, place + 1);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&loop->lock);
}

/* Starts a thread if this one leaves nobody who waits. */
static int take_turn(struct loop *loop, struct fuse_buf *buf)
{
    int error = read_request(loop->session, buf);

    if (!error) {
        if (atomic_fetch_sub(&loop->idle, 1) == 1) {
            start_another(loop);
        }
        fuse_session_process_buf(loop->session, buf);
        atomic_fetch_add(&loop->idle, 1);
    }
    return error;
}

int lod_loop_once(struct fuse_session *session, struct fuse_buf *buf)
{
    buf->mem = buf->mem ? buf->mem : malloc(REQUEST_BYTES);
    int error = buf->mem ? read_request(session, buf) : -ENOMEM;

    if (!error) {
        fuse_session_process_buf(session, buf);
    }
    return error;
}

/* ENOENT: the request was taken back before it was read. */
static bool goes_on(int error)
{
    return error == 0 || error == -EINTR || error == -EAGAIN || error == -ENOENT;
}

static void *serve(void *arg)
{
    struct loop *loop = arg;
    struct fuse_buf buf = {.mem = malloc(REQUEST_BYTES)};
    int error = buf.mem ? 0 : -ENOMEM;

    while (goes_on(error) && !fuse_session_exited(loop->session)) {
        error = take_turn(loop, &buf);
    }
    if (!goes_on(error)) {
        fuse_session_exit(loop->session);
        if (error != -ENODEV) {
            atomic_store(&loop->error, error);
        }
    }
    free(buf.mem);
    return NULL;
}

static void wake(int signal)
{
    (void)signal;
}

static void end_thread(pthread_t thread)
{
    struct timespec until;

    do {
        pthread_kill(thread, WAKE);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += KNOCK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
    } while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

int lod_loop(struct fuse_session *session, unsigned threads)
{
    struct loop *loop = calloc(1, sizeof(*loop) + threads * sizeof(loop->threads[0]));
    struct sigaction action = {.sa_handler = wake}, before;

    if (!loop) {
        return -ENOMEM;
    }
    loop->session = session;
    loop->threads_max = threads;
    atomic_init(&loop->idle, 1);
    atomic_init(&loop->started, 1);
    atomic_init(&loop->error, 0);
    pthread_mutex_init(&loop->lock, NULL);
    sigaction(WAKE, &action, &before);
    serve(loop);
    pthread_mutex_lock(&loop->lock); /* whoever is about to start one has looked or will not */
    pthread_mutex_unlock(&loop->lock);
    for (unsigned i = 1; i < atomic_load(&loop->started); i++) {
        end_thread(loop->threads[i]);
    }
    sigaction(WAKE, &before, NULL);
    int error = atomic_load(&loop->error);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
    fuse_session_reset(session);
    return error;
}
