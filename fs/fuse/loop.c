/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that serve requests. It replaces libfuse's loop, whose threads drop a request that
 * they have just read, or are cancelled after the read(2) that took it, when a signal ends the
 * loop. A process that waits for the answer can hold the page of a link. The thread that
 * invalidates the link after a switch waits for that page, and the mount never ends. Here every
 * request that was read is answered. The caller of the loop serves nothing: it waits for a signal
 * that ends the mount, and then wakes the threads until each has ended. A signal in a thread that
 * serves could come just before its read(2), which would then wait for the next request.
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
#include "thread_start.h"

/* The largest request that libfuse announces to the kernel: 256 pages and their header. */
#define REQUEST_BYTES ((256u + 1u) * 4096u)

#define HEAD_BYTES 40 /* struct fuse_in_header */

#define WAKE_SIGNAL SIGUSR2
/* It is repeated after this time: a signal that comes just before a thread waits is lost. */
#define WAKE_REPEAT_NS 5000000

struct loop;

struct thread {
    struct loop *loop;
    pthread_t id;
    void *buffer; /* for a request */
};

struct loop {
    struct fuse_session *session;
    pthread_t caller; /* of lod_loop */
    unsigned threads_max;
    atomic_uint idle;    /* threads waiting for a request */
    atomic_uint started; /* all threads */
    atomic_int error;
    pthread_mutex_t lock; /* for starting threads */
    struct thread threads[];
};

/* Reads one request. Returns -EIO if the device is not /dev/fuse. */
static int read_request(struct fuse_session *session, struct fuse_buf *buf)
{
    ssize_t got = read(fuse_session_fd(session), buf->mem, REQUEST_BYTES);

    if (got < 0) {
        return -errno;
    }
    if (got < HEAD_BYTES) {
        lod_log(LOD_LOG_ERROR, "fuse: a request of %zd bytes is too short", got);
        return -EIO;
    }
    buf->size = (size_t)got;
    return 0;
}

static void *serve(void *arg);

/* Starts a thread. A failure, such as a lack of memory, is ignored: fewer threads are slower, not
 * wrong. */
static void start_another(struct loop *loop)
{
    if (atomic_load(&loop->started) >= loop->threads_max) {
        return;
    }
    pthread_mutex_lock(&loop->lock);
    unsigned place = atomic_load(&loop->started);
    struct thread *thread = &loop->threads[place];
    if (place < loop->threads_max && !fuse_session_exited(loop->session)) {
        atomic_fetch_add(&loop->idle, 1);
        *thread = (struct thread){.loop = loop, .buffer = malloc(REQUEST_BYTES)};
        if (!thread->buffer || lod_thread_start(&thread->id, serve, thread)) {
            free(thread->buffer);
            atomic_fetch_sub(&loop->idle, 1);
        } else {
            atomic_store(&loop->started, place + 1);
        }
    }
    pthread_mutex_unlock(&loop->lock);
}

/* Reads and serves one request. Before it serves, starts a thread if no other one is waiting. */
static int serve_one(struct loop *loop, struct fuse_buf *buf)
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

/* Returns whether to continue after this error. ENOENT: the request was interrupted before it was
 * read. */
static bool is_running(int error)
{
    return error == 0 || error == -EINTR || error == -EAGAIN || error == -ENOENT;
}

/* A thread receives only the signal WAKE_SIGNAL, which interrupts its read(2). */
static void *serve(void *arg)
{
    const struct thread *thread = arg;
    struct loop *loop = thread->loop;
    struct fuse_buf buf = {.mem = thread->buffer};
    sigset_t taken;
    int error = 0;

    sigemptyset(&taken);
    sigaddset(&taken, WAKE_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
    while (is_running(error) && !fuse_session_exited(loop->session)) {
        error = serve_one(loop, &buf);
    }
    if (!is_running(error)) {
        fuse_session_exit(loop->session);
        if (error != -ENODEV) {
            atomic_store(&loop->error, error);
        }
    }
    free(buf.mem);
    pthread_kill(loop->caller, WAKE_SIGNAL);
    return NULL;
}

static void wake(int signal)
{
    (void)signal;
}

/* A thread that ends sends WAKE_SIGNAL to this one, which therefore seldom waits for all of
 * WAKE_REPEAT_NS. */
static void end_thread(pthread_t thread)
{
    const struct timespec pause = {.tv_nsec = WAKE_REPEAT_NS};
    sigset_t wakes;

    sigemptyset(&wakes);
    sigaddset(&wakes, WAKE_SIGNAL);
    while (pthread_tryjoin_np(thread, NULL) == EBUSY) {
        pthread_kill(thread, WAKE_SIGNAL);
        sigtimedwait(&wakes, NULL, &pause);
    }
}

/* Returns the signals that end a mount, and WAKE_SIGNAL. One that is ignored, as under nohup, is
 * not among them. */
static sigset_t find_ends(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction now;
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, WAKE_SIGNAL);
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(&ends, numbers[i]);
        }
    }
    return ends;
}

/* Returns when the session is to end. The signals are blocked,
 * so none is lost between two waits. */
static void await_end(struct fuse_session *session, const sigset_t *ends)
{
    int number = 0;

    while (!fuse_session_exited(session)) {
        if (sigwait(ends, &number) == 0 && number != WAKE_SIGNAL) {
            fuse_session_exit(session);
        }
    }
}

static void end_threads(struct loop *loop)
{
    /* Threads start others under the lock. Taking it once waits for a start in progress. */
    pthread_mutex_lock(&loop->lock);
    pthread_mutex_unlock(&loop->lock);
    for (unsigned i = 0; i < atomic_load(&loop->started); i++) {
        end_thread(loop->threads[i].id);
    }
}

/* Returns -ENOMEM if not even one thread can be started. */
static int run(struct loop *loop)
{
    const sigset_t ends = find_ends();
    sigset_t before;

    pthread_sigmask(SIG_BLOCK, &ends, &before);
    start_another(loop);
    const bool serves = atomic_load(&loop->started) || fuse_session_exited(loop->session);
    if (serves) {
        await_end(loop->session, &ends);
        end_threads(loop);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return serves ? atomic_load(&loop->error) : -ENOMEM;
}

int lod_loop(struct fuse_session *session, unsigned threads)
{
    struct loop *loop = calloc(1, sizeof(*loop) + threads * sizeof(loop->threads[0]));
    struct sigaction action = {.sa_handler = wake}, before;

    if (!loop) {
        return -ENOMEM;
    }
    loop->session = session;
    loop->caller = pthread_self();
    loop->threads_max = threads;
    atomic_init(&loop->idle, 0);
    atomic_init(&loop->started, 0);
    atomic_init(&loop->error, 0);
    pthread_mutex_init(&loop->lock, NULL);
    sigaction(WAKE_SIGNAL, &action, &before);
    int error = run(loop);
    sigaction(WAKE_SIGNAL, &before, NULL);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
    fuse_session_reset(session);
    return error;
}
